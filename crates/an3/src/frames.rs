//! The frame service: what the network does for transports, as a client of its sockets (§3.3).
//!
//! A flow has a socket of its own each way, from its first frame until none is left. What goes to a gateway or comes from one shares a socket with all that goes between the two: "all these
//! connections can be tunneled through just one circuit" (§8.4).

use crate::Config;
use crate::flows::{Entry, Flows};
use crate::network::{An3, COMPLETE};
use crate::sockets::{Client, SendError, Socket, SocketEvent, Told};
use engine::{Event, EventQueue, Rank};
use fabric::{Frame, Kind, Observer, Seen, What, kind};
use std::collections::{BTreeMap, VecDeque};
use topology::NodeId;
use units::{Span, Time};

/// What a tunnel is called; flows are called by their place and epoch.
const TUNNEL: u64 = u64::MAX;
/// How long a tunnel's NIC asks for a way, if nothing is written: hosts take another gateway by then (`fabric.gateways.failover`), and send again.
const TUNNEL_GIVE_UP: Span = Span::from_ms(1);

/// Sockets of the frame service.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    pub flows: Flows,
    /// By flow's place: who first sent something of it, and when a circuit of theirs was first acknowledged.
    admissions: Vec<Admission>,
    /// By their ends.
    tunnels: BTreeMap<[u32; 2], Tunnel>,
    /// By place and epoch: flows of hosts whose data is in a tunnel, or waits for room in it.
    through: BTreeMap<[u32; 2], Through>,
    /// Frames all of which have come, in the order in which they leave.
    complete: VecDeque<Frame>,
    completed: u32,
}

/// When a flow was first let send.
#[derive(Debug, Clone, Copy, Default)]
struct Admission {
    epoch: u32,
    source: u32,
    at: Option<Time>,
    is_known: bool,
}

#[derive(Debug)]
struct Tunnel {
    socket: Socket,
    /// Flows that wait for room, the first first.
    waiting: VecDeque<[u32; 2]>,
}

#[derive(Debug)]
struct Through {
    tunnel: [u32; 2],
    /// Its frames that are in it.
    frames: u32,
    is_waiting: bool,
}

fn token([flow, epoch]: [u32; 2]) -> u64 {
    u64::from(flow) << 32 | u64::from(epoch)
}

fn flow_of(token: u64) -> [u32; 2] {
    [(token >> 32) as u32, token as u32]
}

impl Frames {
    pub(crate) fn complete(&self) -> impl Iterator<Item = &Frame> {
        self.complete.iter()
    }

    /// The first frame of a flow: its source is the one that waits for a circuit. Acknowledgements go the other way later.
    fn introduce(&mut self, frame: &Frame) {
        let place = frame.flow as usize;
        if self.admissions.len() <= place {
            self.admissions.resize(place + 1, Admission::default());
        }
        let own = &mut self.admissions[place];
        if !own.is_known || own.epoch != frame.epoch {
            *own = Admission { epoch: frame.epoch, source: frame.src, at: None, is_known: true };
        }
    }

    /// A request for one of this service's sockets was acknowledged. Flows in a tunnel do not ask: it does.
    #[inline]
    pub(crate) fn admit(&mut self, now: Time, token: u64, source: u32) {
        if token == TUNNEL {
            return;
        }
        let [flow, epoch] = flow_of(token);
        let own = &mut self.admissions[flow as usize];
        if own.epoch == epoch && own.source == source {
            own.at = own.at.or(Some(now));
        }
    }

    /// When a flow's source had its first circuit, if it had one.
    pub(crate) fn admitted(&self, flow: u32, epoch: u32) -> Option<Time> {
        self.admissions.get(flow as usize).filter(|own| own.is_known && own.epoch == epoch)?.at
    }
}

impl<O: Observer> An3<O> {
    /// Whether frames between two hosts share a socket.
    fn is_tunnelled(&self, ends: [u32; 2]) -> bool {
        self.config.tunnels && ends.into_iter().any(|host| self.rig.is_gateway(host))
    }

    /// A host hands over a frame.
    pub(crate) fn take(&mut self, now: Time, frame: Frame, queue: &mut EventQueue) {
        self.totals.offer(frame.len);
        let link = self.rig.topology.ports(NodeId(frame.src)).start;
        self.observer.see(now, Seen::Frame { frame: &frame, link, what: What::Queued { leaves: None } });
        if !self.health.nodes[frame.src as usize] {
            self.lose(now, &frame);
            return;
        }
        let ends = [frame.src, frame.dst];
        let socket = if self.is_tunnelled(ends) { self.tunnel(&frame) } else { self.flow(&frame) };
        // Acknowledgements are taken always, and data when hosts have asked.
        match self.sockets.push(now, socket, frame, Config::cells(frame.len.into()) as u32) {
            Ok(()) => self.pump(now, frame.src, queue),
            Err(SendError::Full | SendError::Closed | SendError::Gone) => {
                debug_assert!(false, "sockets of this service are forgotten when they have failed");
                self.lose(now, &frame);
            }
        }
    }

    /// The socket of a frame's flow.
    fn flow(&mut self, frame: &Frame) -> Socket {
        let (ends, key) = ([frame.src, frame.dst], [frame.flow, frame.epoch, frame.src]);
        if let Some(socket) = self.frames.flows.find(key) {
            return socket;
        }
        self.frames.introduce(frame);
        let client = (Client::Frames, token([frame.flow, frame.epoch]));
        let socket = self.sockets.open(ends, self.reach(ends), client, self.config.give_up);
        self.frames.flows.put(key, socket);
        socket
    }

    /// The socket of all frames between these two.
    fn tunnel(&mut self, frame: &Frame) -> Socket {
        let ends = [frame.src, frame.dst];
        if frame.kind == Kind::Data && !self.rig.is_gateway(frame.src) {
            let new = Through { tunnel: ends, frames: 0, is_waiting: false };
            let through = self.frames.through.entry([frame.flow, frame.epoch]).or_insert(new);
            through.tunnel = ends;
            through.frames += 1;
        }
        if let Some(tunnel) = self.frames.tunnels.get(&ends) {
            return tunnel.socket;
        }
        let give_up = Some(self.config.give_up.unwrap_or(TUNNEL_GIVE_UP));
        let socket = self.sockets.open(ends, self.reach(ends), (Client::Frames, TUNNEL), give_up);
        self.frames.tunnels.insert(ends, Tunnel { socket, waiting: VecDeque::new() });
        socket
    }

    /// Whether a flow of a host may hand over data. One that begins at a gateway comes from another network, and waits at the gateway.
    pub(crate) fn flow_has_room(&mut self, flow: u32, epoch: u32) -> bool {
        let gateways = self.rig.hosts() - self.rig.gateways;
        // The flow's data and its acknowledgements have sockets of their own; data is what hosts ask about.
        let mut has_room = true;
        for Entry { key, socket, .. } in self.frames.flows.of(flow) {
            if key[1] == epoch && key[2] < gateways {
                has_room &= self.sockets.has_room(*socket);
            }
        }
        let Some(through) = self.frames.through.get_mut(&[flow, epoch]) else { return has_room };
        let Some(tunnel) = self.frames.tunnels.get_mut(&through.tunnel) else { return has_room };
        if self.sockets.has_room(tunnel.socket) {
            return has_room;
        }
        if !std::mem::replace(&mut through.is_waiting, true) {
            tunnel.waiting.push_back([flow, epoch]);
        }
        false
    }

    /// Tells clients of sockets what has become of them.
    #[inline]
    pub(crate) fn serve_sockets(&mut self, now: Time, queue: &mut EventQueue) {
        if self.sockets.has_events() {
            self.tell_clients(now, queue);
        }
    }

    fn tell_clients(&mut self, now: Time, queue: &mut EventQueue) {
        while let Some((client, told)) = self.sockets.poll() {
            match client {
                Client::Frames => self.hear_of(now, told, queue),
                Client::Other => self.told.push_back(told),
            }
        }
    }

    fn hear_of(&mut self, now: Time, told: Told, queue: &mut EventQueue) {
        let Told { socket, token, at, event } = told;
        let Some(ends) = self.sockets.ends(socket) else { return };
        match event {
            SocketEvent::Writable if token == TUNNEL => self.wake_one(at, ends, queue),
            SocketEvent::Writable => {
                let slot = flow_of(token)[0] + 1;
                queue.push(Event { at, rank: Rank::new(kind::READY, ends[0]), slot });
            }
            SocketEvent::Readable(count) => {
                for _ in 0..count {
                    let Some(frame) = self.sockets.receive(socket) else { break };
                    self.frames.completed = self.frames.completed.wrapping_add(1);
                    let slot = self.frames.completed;
                    queue.push(Event { at: now, rank: Rank::new(kind::DEADLINE, COMPLETE), slot });
                    self.leave_tunnel(&frame);
                    self.frames.complete.push_back(frame);
                }
            }
            SocketEvent::Idle => {
                self.forget_socket(now, ends, token, queue);
                self.sockets.release(socket);
            }
            SocketEvent::Failed(_) => {
                self.forget_socket(now, ends, token, queue);
                for frame in self.sockets.take_back(socket) {
                    self.leave_tunnel(&frame);
                    self.lose(now, &frame);
                }
            }
            SocketEvent::Ended | SocketEvent::Closed => debug_assert!(false, "this service closes no sockets"),
        }
    }

    /// A frame is in a tunnel no more.
    fn leave_tunnel(&mut self, frame: &Frame) {
        let key = [frame.flow, frame.epoch];
        let is_counted =
            frame.kind == Kind::Data && !self.rig.is_gateway(frame.src) && self.is_tunnelled([frame.src, frame.dst]);
        if is_counted && let Some(through) = self.frames.through.get_mut(&key) {
            through.frames -= 1;
            if through.frames == 0 && !through.is_waiting {
                self.frames.through.remove(&key);
            }
        }
    }

    /// The flow that has waited longest for room in a tunnel is told that there is some. The next is told when another chunk has left: by then it is known whether this one took the room.
    fn wake_one(&mut self, at: Time, ends: [u32; 2], queue: &mut EventQueue) {
        let Some(tunnel) = self.frames.tunnels.get_mut(&ends) else { return };
        let (first, socket) = (tunnel.waiting.pop_front(), tunnel.socket);
        if !tunnel.waiting.is_empty() {
            self.sockets.await_room(socket);
        }
        first.into_iter().for_each(|flow| self.wake_flow(at, ends[0], flow, queue));
    }

    fn wake_flow(&mut self, at: Time, host: u32, flow: [u32; 2], queue: &mut EventQueue) {
        if let Some(through) = self.frames.through.get_mut(&flow) {
            through.is_waiting = false;
            if through.frames == 0 {
                self.frames.through.remove(&flow);
            }
        }
        queue.push(Event { at, rank: Rank::new(kind::READY, host), slot: flow[0] + 1 });
    }

    /// A socket of this service is idle, or has failed: the next frame opens another.
    fn forget_socket(&mut self, now: Time, ends: [u32; 2], token: u64, queue: &mut EventQueue) {
        if token != TUNNEL {
            let [flow, epoch] = flow_of(token);
            self.frames.flows.remove([flow, epoch, ends[0]]);
        } else if let Some(tunnel) = self.frames.tunnels.remove(&ends) {
            tunnel.waiting.into_iter().for_each(|flow| self.wake_flow(now, ends[0], flow, queue));
        }
    }

    fn lose(&mut self, now: Time, frame: &Frame) {
        let link = self.rig.topology.ports(NodeId(frame.src)).start;
        self.totals.lose(frame.len);
        self.observer.see(now, Seen::Frame { frame, link, what: What::Lost });
    }

    /// The next complete frame goes to its host.
    pub(crate) fn hand_over(&mut self, now: Time) -> Option<Frame> {
        let frame = self.frames.complete.pop_front()?;
        let link = self.rig.lines[self.rig.topology.ports(NodeId(frame.dst)).start as usize].reverse;
        self.observer.see(now, Seen::Frame { frame: &frame, link, what: What::Delivered });
        self.totals.deliver(frame.len);
        Some(frame)
    }
}
