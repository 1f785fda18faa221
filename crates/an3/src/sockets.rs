//! Sockets: what a NIC and its driver give to clients (§3.2, §3.3). "Clients can open many simultaneous logical connections, which are transparently multiplexed between the
//! limited number of simultaneous flows supported by the network."
//!
//! A socket leads from one host to another, one way. Its client sends until it is told that there is no room, and is told when there is; at the destination frames can be received
//! whole, in order and once; closing is orderly: the destination learns of the end after all that was sent. What becomes of a socket its clients are told ([`SocketEvent`]).
//!
//! Below them are circuits, of which a NIC has few: sockets that have something to send and no circuit stand in line for one, and one whose circuit is taken from it for others goes
//! on later where it was suspended. Nothing here knows circuits, nor what time it is: whoever sets circuits up (`source`) asks whose turn it is, pulls chunks and says what became of
//! them.

mod circuits;
mod events;
#[cfg(test)]
mod tests;

pub use events::{Failure, SendError, Socket, SocketEvent, Told};

use crate::connection::{Connection, End};
use engine::Slab;
use fabric::Frame;
use std::collections::VecDeque;
use units::{Span, Time};

/// Whose a socket is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Client {
    /// The frame service, which is the fabric.
    Frames,
    /// Whoever opened it at the network itself.
    Other,
}

/// Where a socket leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// To its own L0 network.
    Local = 0,
    /// Beyond it.
    Remote = 1,
}

/// The sockets of one NIC.
#[derive(Debug, Clone, Default)]
struct Lines {
    /// Those that wait for a circuit, by their reach.
    waiting: [VecDeque<u32>; 2],
    /// Those that have circuits, or have asked for one.
    active: Vec<u32>,
    /// Bytes that they have taken and not sent.
    unsent: u64,
}

/// What the service can be told.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Bytes that a socket takes and has not sent, before it is full.
    pub buffer: u64,
    /// Cells of a chunk.
    pub chunk: u32,
    /// Whether sockets get further circuits while none waits (§8.3).
    pub growth: bool,
}

/// All sockets.
#[derive(Debug)]
pub(crate) struct Sockets {
    connections: Slab<Connection>,
    hosts: Vec<Lines>,
    limits: Limits,
    /// So many were opened.
    opened: u32,
    events: VecDeque<(Client, Told)>,
}

/// Clients' side.
impl Sockets {
    pub(crate) fn new(hosts: u32, limits: Limits) -> Sockets {
        let hosts = vec![Lines::default(); hosts as usize];
        Sockets { connections: Slab::default(), hosts, limits, opened: 0, events: VecDeque::new() }
    }

    /// Opens a socket from one host to another. It costs nothing before something is sent. It fails after `give_up` without a way to its destination, or never.
    pub(crate) fn open(
        &mut self,
        ends: [u32; 2],
        reach: Reach,
        (client, token): (Client, u64),
        give_up: Option<Span>,
    ) -> Socket {
        self.opened = self.opened.wrapping_add(1);
        let serial = self.opened;
        let mut connection = Connection::new(serial, ends, reach, client, token);
        connection.give_up = give_up;
        Socket { place: self.connections.put(connection), serial }
    }

    #[inline]
    fn get(&self, socket: Socket) -> Option<&Connection> {
        // Places of sockets that are no more may be taken by others.
        (socket.place < self.connections.places())
            .then(|| &self.connections[socket.place])
            .filter(|connection| connection.is_open && connection.serial == socket.serial)
    }

    #[inline]
    fn get_mut(&mut self, socket: Socket) -> Option<&mut Connection> {
        self.get(socket)?;
        Some(&mut self.connections[socket.place])
    }

    /// Where a socket leads from and to, if there is such a socket.
    #[inline]
    pub(crate) fn ends(&self, socket: Socket) -> Option<[u32; 2]> {
        self.get(socket).map(|connection| [connection.source, connection.destination])
    }

    /// Whether it takes another frame now. If not, [`SocketEvent::Writable`] follows.
    #[inline]
    pub(crate) fn has_room(&mut self, socket: Socket) -> bool {
        let buffer = self.limits.buffer;
        self.get_mut(socket).is_none_or(|connection| {
            let is_full = connection.unsent >= buffer;
            connection.is_awaited |= is_full;
            !is_full
        })
    }

    /// Its client waits for room, and is told when a chunk has left and there is some.
    pub(crate) fn await_room(&mut self, socket: Socket) {
        if let Some(connection) = self.get_mut(socket) {
            connection.is_awaited = true;
        }
    }

    /// Its client has a frame, of so many cells, for the other end.
    ///
    /// # Errors
    /// If it has no room, was closed or is no more.
    pub(crate) fn send(&mut self, now: Time, socket: Socket, frame: Frame, cells: u32) -> Result<(), SendError> {
        match self.has_room(socket) {
            true => self.push(now, socket, frame, cells),
            false => Err(SendError::Full),
        }
    }

    /// The same from a client that cannot wait, whether or not there is room.
    ///
    /// # Errors
    /// If it was closed or is no more.
    #[inline]
    pub(crate) fn push(&mut self, now: Time, socket: Socket, frame: Frame, cells: u32) -> Result<(), SendError> {
        let connection = self.get_mut(socket).filter(|connection| !connection.is_failed).ok_or(SendError::Gone)?;
        if connection.end != End::Open {
            return Err(SendError::Closed);
        }
        connection.push(frame, cells);
        connection.is_idle = false;
        let source = connection.source;
        self.hosts[source as usize].unsent += u64::from(frame.len);
        self.want(now, socket.place);
        Ok(())
    }

    /// The next frame that has come at its destination.
    pub(crate) fn receive(&mut self, socket: Socket) -> Option<Frame> {
        let frame = self.get_mut(socket)?.receive();
        self.forget(socket.place);
        frame
    }

    /// Its client sends nothing more. The destination learns it after all that was sent, in the mark of the last chunk, or in a chunk without cells.
    ///
    /// # Errors
    /// If it was closed or is no more.
    pub(crate) fn close(&mut self, now: Time, socket: Socket) -> Result<(), SendError> {
        let connection = self.get_mut(socket).filter(|connection| !connection.is_failed).ok_or(SendError::Gone)?;
        if connection.end != End::Open {
            return Err(SendError::Closed);
        }
        connection.end = End::Closing;
        connection.is_idle = false;
        self.want(now, socket.place);
        Ok(())
    }

    /// Its client has no use for an idle socket any more, and the other end knows without being told.
    pub(crate) fn release(&mut self, socket: Socket) {
        if let Some(connection) = self.get_mut(socket) {
            debug_assert!(connection.is_over() || connection.is_failed, "only what is idle is released");
            connection.is_released = true;
            self.forget(socket.place);
        }
    }

    /// What has not come of what was sent to a socket that has failed; none of any other.
    pub(crate) fn take_back(&mut self, socket: Socket) -> Vec<Frame> {
        let Some(connection) = self.get_mut(socket).filter(|connection| connection.is_failed) else {
            return Vec::new();
        };
        let frames = connection.take_back();
        connection.is_released = true;
        self.forget(socket.place);
        frames
    }

    /// Whether there is something to tell clients.
    #[inline]
    pub(crate) fn has_events(&self) -> bool {
        !self.events.is_empty()
    }

    /// The next thing that clients are to be told.
    #[inline]
    pub(crate) fn poll(&mut self) -> Option<(Client, Told)> {
        self.events.pop_front()
    }

    fn tell(&mut self, at: Time, place: u32, event: SocketEvent) {
        let connection = &self.connections[place];
        let socket = Socket { place, serial: connection.serial };
        self.events.push_back((connection.client, Told { socket, token: connection.token, at, event }));
    }

    /// Bytes that a host's sockets have taken and not sent.
    pub(crate) fn backlog(&self, host: u32) -> u64 {
        self.hosts[host as usize].unsent
    }

    /// All that is in sockets: neither given back nor received.
    pub(crate) fn frames(&self) -> impl Iterator<Item = &Frame> {
        self.sorted().into_iter().flat_map(|place| self.connections[place].frames())
    }

    /// Places of all sockets, by what their clients call them.
    fn sorted(&self) -> Vec<u32> {
        let mut places: Vec<u32> =
            (0..self.connections.places()).filter(|place| self.connections[*place].is_open).collect();
        places.sort_unstable_by_key(|place| {
            let connection = &self.connections[*place];
            (connection.token, connection.source, connection.destination, connection.serial)
        });
        places
    }
}
