//! The network as its clients see it who open sockets themselves (§3.2, §3.3). What a fabric does for transports (`frames`) is one of them.

use crate::Config;
use crate::network::An3;
use crate::sockets::{Client, Reach, SendError, Socket, Told};
use engine::EventQueue;
use fabric::{Frame, Observer};
use units::{Span, Time};

/// Why no socket was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// No such host.
    #[error("there is no host {host}: hosts are 0..{hosts}")]
    NoHost {
        /// Which.
        host: u32,
        /// How many there are.
        hosts: u32,
    },
    /// To itself.
    #[error("host {host} needs no network to send to itself")]
    Itself {
        /// Which.
        host: u32,
    },
    /// Its source does not work.
    #[error("host {host} does not work")]
    Down {
        /// Which.
        host: u32,
    },
}

impl<O: Observer> An3<O> {
    /// Opens a socket from one host to another, which its client calls `token`. There may be as many as you like: they share the circuits of their NICs. If for as long as `give_up`
    /// nothing leads to the destination, the socket fails; without it, it waits for a repair.
    ///
    /// # Errors
    /// If there is no such way, or its source does not work.
    pub fn open_socket(&mut self, ends: [u32; 2], token: u64, give_up: Option<Span>) -> Result<Socket, OpenError> {
        let hosts = self.rig.hosts();
        if let Some(host) = ends.into_iter().find(|host| *host >= hosts) {
            return Err(OpenError::NoHost { host, hosts });
        }
        let [host, to] = ends;
        if host == to {
            return Err(OpenError::Itself { host });
        }
        if !self.health.nodes[host as usize] {
            return Err(OpenError::Down { host });
        }
        Ok(self.sockets.open(ends, self.reach(ends), (Client::Other, token), give_up))
    }

    /// Sends a frame from the socket's source to its destination.
    ///
    /// # Errors
    /// If the socket has no room, was closed, or is no more.
    ///
    /// # Panics
    /// In debug builds, if the frame's ends are not those of the socket.
    pub fn send(&mut self, now: Time, socket: Socket, frame: Frame, queue: &mut EventQueue) -> Result<(), SendError> {
        debug_assert!(self.sockets.ends(socket).is_none_or(|ends| ends == [frame.src, frame.dst]), "the socket's ends");
        self.sockets.send(now, socket, frame, Config::cells(frame.len.into()) as u32)?;
        self.totals.offer(frame.len);
        self.pump(now, frame.src, queue);
        Ok(())
    }

    /// The next frame that has come to the socket's destination: whole, in order, once.
    pub fn receive(&mut self, socket: Socket) -> Option<Frame> {
        let frame = self.sockets.receive(socket)?;
        self.totals.deliver(frame.len);
        Some(frame)
    }

    /// Nothing more is sent. When the destination has all of it and knows that nothing follows, the socket's client is told, and the socket is no more once all was received.
    ///
    /// # Errors
    /// If it was closed before, or is no more.
    pub fn close_socket(&mut self, now: Time, socket: Socket, queue: &mut EventQueue) -> Result<(), SendError> {
        self.sockets.close(now, socket)?;
        if let Some([source, _]) = self.sockets.ends(socket) {
            self.pump(now, source, queue);
        }
        Ok(())
    }

    /// After the socket has failed: the frames that have not come, nor ever will. With that it is no more.
    pub fn take_back(&mut self, socket: Socket) -> Vec<Frame> {
        let frames = self.sockets.take_back(socket);
        frames.iter().for_each(|frame| self.totals.lose(frame.len));
        frames
    }

    /// The next thing that clients are to be told, in the order in which it happened.
    pub fn poll_socket(&mut self) -> Option<Told> {
        self.told.pop_front()
    }

    pub(crate) fn reach(&self, ends: [u32; 2]) -> Reach {
        let [from, to] = ends.map(|host| self.rig.member[host as usize].0);
        if from == to { Reach::Local } else { Reach::Remote }
    }
}
