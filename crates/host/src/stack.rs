//! The stack of a host, or of many.

use crate::actions::{Actions, End, Timer};
use crate::ends::{Ends, Open, get};
use crate::line::{Line, Order, Waiting};
use engine::{Seed, Stream};
use fabric::{Device, Env, Fate, Frame, Kind, Port};
use transport::puller::{Pulled, Puller};
use transport::{AnyReceiver, AnySender, Config, Connection, Counters, Receiver, Sender, Transport};
use units::{Bytes, Rate, Span, Time};

/// A message to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Message {
    /// From this host.
    pub src: u32,
    /// To this one.
    pub dst: u32,
    /// Its size; [`Bytes::MAX`] has no end.
    pub bytes: Bytes,
    /// What switches hash, see [`Connection::entropy`].
    pub entropy: u32,
    /// Strict priority, 0 first.
    pub priority: u8,
    /// Paths that there are.
    pub paths: u32,
    /// See [`Connection::hops`].
    pub hops: u32,
    /// See [`Connection::round_trip`].
    pub round_trip: Span,
    /// By which of the stack's protocols.
    pub protocol: u16,
}

/// What limits a sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// Bytes that it may have in flight.
    pub window: Option<Bytes>,
    /// At what rate it sends.
    pub rate: Option<Rate>,
}

/// What a frame was to the stack that it reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrival {
    /// It is of a connection that was closed before it came.
    Late,
    /// Data: how much of the message its application has got by now, and how much of that with this frame.
    Data {
        /// All of it.
        delivered: Bytes,
        /// With this frame.
        new: Bytes,
    },
    /// News for the sending end, or a wish of its.
    Control,
}

/// Hosts `0..hosts`.
pub struct Stack {
    protocols: Vec<Config>,
    mtu: Bytes,
    seed: Seed,
    hosts: Vec<Host>,
    ends: Ends,
    /// Of each host, if a protocol of theirs has pulls.
    pullers: Vec<Puller>,
    /// Whether a protocol of theirs has its connections send by rank.
    ranked: bool,
}

/// What a host has beside its connections.
#[derive(Default)]
struct Host {
    line: Line,
    /// Time that the largest packet takes on its interface.
    pace: Span,
    /// Its chance, once something drew some.
    stream: Option<Box<Stream>>,
}

/// The world as the end of a connection sees it.
struct Interface<'a> {
    woken: bool,
    stream: &'a mut Option<Box<Stream>>,
    seed: Seed,
    host: u32,
}

impl Env for Interface<'_> {
    fn wake(&mut self, _: Port) {
        self.woken = true;
    }
    fn pick(&mut self, choices: u32) -> u32 {
        let stream = self.stream.get_or_insert_with(|| Box::new(self.seed.stream("host", u64::from(self.host))));
        stream.below(u64::from(choices)) as u32
    }
}

/// Something happened to a sending end: its timer is set, and if it was woken it stands in its host's line.
#[inline]
fn go_on(
    now: Time,
    place: u32,
    open: &mut Open<AnySender>,
    woken: bool,
    ranked: bool,
    line: &mut Line,
    actions: &mut Actions,
) {
    let Open { epoch, priority, host, .. } = *open;
    let rank = if ranked { open.end.rank() } else { None };
    if let Some(at) = open.new_timer(now) {
        actions.timers.push(Timer { at, place, epoch, end: End::Sender });
    }
    if rank.is_some() && open.in_line {
        line.reorder(place, Order::new(priority, rank));
    }
    if woken {
        if !std::mem::replace(&mut open.in_line, true) {
            line.join(Waiting { place, epoch, order: Order::new(priority, rank) });
        }
        actions.wakes = Some(host);
    }
}

/// Something happened to a receiving end: what it answers goes at once, and its timer is set.
#[inline]
fn answer(now: Time, place: u32, open: &mut Open<AnyReceiver>, interface: &mut Interface<'_>, actions: &mut Actions) {
    if interface.woken {
        while let Some(frame) = open.end.transmit(now, Port(0), interface) {
            actions.frames.push(frame);
        }
    }
    if let Some(at) = open.new_timer(now) {
        actions.timers.push(Timer { at, place, epoch: open.epoch, end: End::Receiver });
    }
}

impl Stack {
    /// Hosts `0..hosts`, which run `protocols` with packets of `mtu` at most; `pace` is the time that such a packet takes on a host's interface.
    /// Chance comes from the seed's streams `host`.
    pub fn new(hosts: u32, protocols: Vec<Config>, mtu: Bytes, seed: Seed, pace: impl Fn(u32) -> Span) -> Stack {
        let pulls = protocols.iter().any(Config::pulls);
        let ranked = protocols.iter().any(|protocol| matches!(protocol, Config::Pfabric(_)));
        let hosts: Vec<Host> = (0..hosts).map(|host| Host { pace: pace(host), ..Host::default() }).collect();
        let pullers = hosts.iter().filter(|_| pulls).map(|host| Puller::new(host.pace)).collect();
        Stack { protocols, mtu, seed, hosts, ends: Ends::default(), pullers, ranked }
    }

    /// Opens a connection for a message, both of its ends; its place. Its host has data now.
    pub fn open(&mut self, message: &Message) -> u32 {
        let Message { src, dst, bytes, entropy, priority, paths, hops, round_trip, protocol } = *message;
        let (flow, epoch) = self.ends.next_place();
        let pace = self.hosts[src as usize].pace;
        let mtu = self.mtu;
        let connection =
            Connection { flow, epoch, src, dst, bytes, entropy, priority, paths, mtu, pace, hops, round_trip };
        let (sender, receiver) = self.protocols[usize::from(protocol)].open(&connection);
        let (timer, order) = (Time::MAX, Order::new(priority, sender.rank()));
        self.ends.senders[flow as usize] = Some(Open { end: sender, host: src, epoch, timer, priority, in_line: true });
        self.ends.receivers[flow as usize] =
            Some(Open { end: receiver, host: dst, epoch, timer, priority, in_line: false });
        self.hosts[src as usize].line.join(Waiting { place: flow, epoch, order });
        flow
    }

    /// Whether a connection is open in this place.
    pub fn is_open(&self, place: u32) -> bool {
        self.ends.senders[place as usize].is_some()
    }

    /// Whether the connection that is open in `place` is that of this epoch.
    pub fn is_of(&self, place: u32, epoch: u32) -> bool {
        self.ends.senders.get(place as usize).is_some_and(|open| open.as_ref().is_some_and(|open| open.epoch == epoch))
    }

    /// The connection at `host` whose turn it is to send, its epoch and its priority.
    #[inline]
    pub fn next(&self, host: u32) -> Option<(u32, u32, u8)> {
        self.hosts[host as usize].line.front().map(|Waiting { place, epoch, order }| (place, epoch, order.priority()))
    }

    /// Passes over the connections at `host` whose priority class may not send now: the next one whose class `may` has its turn, if there is one.
    pub fn pass_over(&mut self, host: u32, may: impl Fn(u8) -> bool) -> bool {
        self.hosts[host as usize].line.bring_forward(may)
    }

    /// No connection at `host` has anything to send.
    pub fn is_idle(&self, host: u32) -> bool {
        self.hosts[host as usize].line.is_empty()
    }

    /// Whether there is one connection in line at `host`, and it is known to have nothing to send until a frame comes for it or its timer
    /// goes off ([`Sender::is_waiting`]). Its turn would end with its leaving.
    #[inline]
    pub fn is_line_idle(&self, host: u32) -> bool {
        let only = self.hosts[host as usize].line.only();
        only.is_some_and(|only| self.sender(only.place).is_waiting())
    }

    /// The host of an end of a connection, if it is open in this epoch; that of [`End::Host`] is the place.
    pub fn host_of(&self, place: u32, epoch: u32, end: End) -> Option<u32> {
        let (index, of) = (place as usize, |host: u32, of: u32| (of == epoch).then_some(host));
        match end {
            End::Host => Some(place),
            End::Sender => self.ends.senders[index].as_ref().and_then(|open| of(open.host, open.epoch)),
            End::Receiver => self.ends.receivers[index].as_ref().and_then(|open| of(open.host, open.epoch)),
        }
    }

    /// The connection whose turn it is stands aside until [`Stack::wake`]: its interface has enough of it.
    pub fn stand_aside(&mut self, host: u32) {
        let line = &mut self.hosts[host as usize].line;
        if let Some(Waiting { place, .. }) = line.front() {
            line.leave();
            self.ends.sender(place).in_line = false;
        }
    }

    /// The interface of `host` has room: the next frame of the connection whose turn it is. Without one, that connection has nothing more to send
    /// for now.
    #[inline]
    pub fn transmit(&mut self, now: Time, host: u32, actions: &mut Actions) -> Option<Frame> {
        let Host { line, stream, .. } = &mut self.hosts[host as usize];
        let Waiting { place, .. } = line.front()?;
        let open = self.ends.sender(place);
        let mut interface = Interface { woken: false, stream, seed: self.seed, host };
        let frame = open.end.transmit(now, Port(0), &mut interface);
        if let Some(at) = open.new_timer(now) {
            actions.timers.push(Timer { at, place, epoch: open.epoch, end: End::Sender });
        }
        if frame.is_some() {
            match if self.ranked { open.end.rank() } else { None } {
                rank @ Some(_) => line.next_turn_by_rank(Order::new(open.priority, rank)),
                None => line.next_turn(),
            }
        } else {
            open.in_line = false;
            line.leave();
        }
        frame
    }

    /// A frame reaches its host.
    #[inline]
    pub fn receive(&mut self, now: Time, frame: Frame, actions: &mut Actions) -> Arrival {
        let Frame { flow: place, epoch, dst: host, .. } = frame;
        let Host { line, stream, .. } = &mut self.hosts[host as usize];
        let mut interface = Interface { woken: false, stream, seed: self.seed, host };
        match frame.kind {
            Kind::Data | Kind::Request if frame.fate != Fate::Returned => {
                let Some(open) = get(&mut self.ends.receivers, place, epoch) else { return Arrival::Late };
                let before = open.end.delivered();
                open.end.receive(now, Port(0), frame, &mut interface);
                let delivered = open.end.delivered();
                answer(now, place, open, &mut interface, actions);
                if let Some(class) = open.end.joins() {
                    self.pullers[host as usize].join(place, epoch, class);
                    self.set_puller(now, host, actions);
                }
                if frame.kind == Kind::Request {
                    return Arrival::Control;
                }
                Arrival::Data { delivered, new: delivered - before }
            }
            Kind::Data | Kind::Request | Kind::Ack | Kind::Nack | Kind::Pull | Kind::Notification => {
                let Some(open) = get(&mut self.ends.senders, place, epoch) else { return Arrival::Late };
                open.end.receive(now, Port(0), frame, &mut interface);
                go_on(now, place, open, interface.woken, self.ranked, line, actions);
                Arrival::Control
            }
        }
    }

    /// A connection may have something to send again.
    pub fn wake(&mut self, now: Time, place: u32, actions: &mut Actions) {
        let open = self.ends.sender(place);
        go_on(now, place, open, true, self.ranked, &mut self.hosts[open.host as usize].line, actions);
    }

    /// A timer that was asked for is due.
    pub fn expire(&mut self, timer: Timer, actions: &mut Actions) {
        let Timer { at: now, place, epoch, end } = timer;
        match end {
            End::Sender => {
                // The connection may be closed, or an earlier timer may have taken this one's place.
                let Some(open) = get(&mut self.ends.senders, place, epoch).filter(|open| open.timer == now) else {
                    return;
                };
                open.timer = Time::MAX;
                let host = open.host;
                let Host { line, stream, .. } = &mut self.hosts[host as usize];
                let mut interface = Interface { woken: false, stream, seed: self.seed, host };
                open.end.expire(now, &mut interface);
                go_on(now, place, open, interface.woken, self.ranked, line, actions);
            }
            End::Host => self.pull(now, place, actions),
            End::Receiver => {
                let Some(open) = get(&mut self.ends.receivers, place, epoch).filter(|open| open.timer == now) else {
                    return;
                };
                open.timer = Time::MAX;
                let host = open.host;
                let stream = &mut self.hosts[host as usize].stream;
                let mut interface = Interface { woken: false, stream, seed: self.seed, host };
                open.end.expire(now, &mut interface);
                answer(now, place, open, &mut interface, actions);
            }
        }
    }

    /// A host's pull is due: the connection whose turn it is sends it.
    fn pull(&mut self, now: Time, host: u32, actions: &mut Actions) {
        let puller = &mut self.pullers[host as usize];
        puller.timer = None;
        while let Some((place, epoch, class)) = puller.turn(now) {
            let Some(open) = get(&mut self.ends.receivers, place, epoch) else { continue };
            let Some(pull) = open.end.pull(now, class) else { continue };
            actions.frames.push(pull.frame);
            puller.went(now, pull.rate);
            if let Some(class) = open.end.joins() {
                puller.join(place, epoch, class);
            }
        }
        self.set_puller(now, host, actions);
    }

    fn set_puller(&mut self, now: Time, host: u32, actions: &mut Actions) {
        let puller = &mut self.pullers[host as usize];
        if let Some(at) =
            puller.deadline().map(|at| at.max(now)).filter(|at| puller.timer.is_none_or(|pending| *at < pending))
        {
            puller.timer = Some(at);
            actions.timers.push(Timer { at, place: host, epoch: 0, end: End::Host });
        }
    }

    /// Whether the sending end has nothing left to send or to hear, and is not in line.
    #[inline]
    pub fn is_done(&mut self, place: u32) -> bool {
        let open = self.ends.sender(place);
        !open.in_line && open.end.is_done()
    }

    /// The epoch of a connection in its place ([`fabric::Frame::epoch`]).
    pub fn epoch(&self, place: u32) -> u32 {
        self.ends.senders[place as usize].as_ref().map_or(0, |open| open.epoch)
    }

    /// What the sending end did so far.
    pub fn counters(&self, place: u32) -> Counters {
        self.sender(place).counters()
    }

    /// How the sending end stands, in words.
    pub fn state(&self, place: u32) -> String {
        self.sender(place).state()
    }

    /// Where a connection's sending end is, and what its window and its rate are; `None` if it is closed, or has neither.
    pub fn limits(&self, place: u32) -> Option<(u32, Limits)> {
        let open = self.ends.senders.get(place as usize)?.as_ref()?;
        let limits = Limits { window: open.end.window(), rate: open.end.rate() };
        (limits != Limits::default()).then_some((open.host, limits))
    }

    /// Bytes of the message that the application at the receiving end has.
    pub fn delivered(&self, place: u32) -> Bytes {
        self.ends.receivers[place as usize].as_ref().map_or(Bytes::ZERO, |open| open.end.delivered())
    }

    fn sender(&self, place: u32) -> &AnySender {
        &self.ends.senders[place as usize].as_ref().expect("a connection that is asked about is open").end
    }

    /// Bytes of each of a protocol's packets that are not message.
    pub fn header(&self, protocol: u16) -> Bytes {
        self.protocols[usize::from(protocol)].header()
    }

    /// Whether a protocol's connections are to know how long their paths are.
    pub fn knows_path(&self, protocol: u16) -> bool {
        self.protocols[usize::from(protocol)].knows_path()
    }

    /// Whether a protocol's senders send a message over several paths.
    pub fn spreads(&self, protocol: u16) -> bool {
        self.protocols[usize::from(protocol)].spreads()
    }

    /// Closes a connection. Frames of it that come later are late.
    pub fn close(&mut self, place: u32) {
        self.ends.close(place);
    }
}
