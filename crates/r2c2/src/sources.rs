//! Hosts: flows that take turns, each at its rate.

use crate::config::Routing;
use crate::flows::{Flow, Message, Phase, Turn};
use crate::hops::{Fate, Load, Packet};
use crate::network::R2c2;
use engine::{Event, EventQueue, Rank};
use fabric::{Frame, Kind, Observer, Seen, What, kind};
use std::collections::{BTreeSet, VecDeque};
use topology::NodeId;
use units::{Rate, Time};

/// The flows of a host that have something to send.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    /// By when their next packets may go.
    pub waiting: BTreeSet<(Time, u32)>,
    /// By priority, then by since when their next packets might have gone.
    pub due: BTreeSet<(u8, Time, u32)>,
    /// When the host has its next turn.
    pub wakes: Time,
    /// It is down, and wants to hear when it is up.
    pub is_called: bool,
}

impl Default for Source {
    fn default() -> Source {
        Source { waiting: BTreeSet::new(), due: BTreeSet::new(), wakes: Time::MAX, is_called: false }
    }
}

impl<O: Observer> R2c2<O> {
    /// A host hands over a frame.
    pub(crate) fn take(&mut self, now: Time, frame: Frame, queue: &mut EventQueue) {
        self.totals.offer(frame.len);
        let link = self.rig.up[frame.src as usize];
        self.observer.see(now, Seen::Frame { frame: &frame, link, what: What::Queued { leaves: None } });
        let message = self.messages.put(Message { frame, unsent: frame.len, out: 0, is_whole: true });
        if frame.kind != Kind::Data {
            // What controls a transport is short, and has no rate of its own.
            while self.messages[message].unsent > 0 {
                self.send_piece(now, message, queue);
            }
            return;
        }
        let origin = [frame.flow, frame.epoch];
        let place = match self.origins.get(&origin) {
            Some(place) => *place,
            None => self.begin(now, &frame, queue),
        };
        let ends_short = u64::from(frame.len) < self.config.mtu.get();
        let flow = &mut self.flows[place];
        flow.ends_short = ends_short;
        flow.unsent += u64::from(frame.len);
        flow.messages.push_back(message);
        if flow.messages.len() == 1 {
            flow.pause = None;
            self.line_up(now, place);
            self.serve(now, frame.src, queue);
        }
    }

    /// A flow starts: at the rate of its paths, until rates are computed.
    fn begin(&mut self, now: Time, frame: &Frame, queue: &mut EventQueue) -> u32 {
        let Frame { src, dst, .. } = *frame;
        let origin = [frame.flow, frame.epoch];
        let crossings = self.crossings.get_mut();
        crossings.make_room();
        let rate = crossings.line(&self.rig, src, dst);
        let place = self.flows.put(Flow {
            origin,
            src,
            dst,
            priority: frame.priority.min(R2c2::<O>::PRIORITIES - 1),
            phase: Phase::Going,
            messages: VecDeque::new(),
            unsent: 0,
            is_awaited: false,
            ends_short: false,
            pause: None,
            rate,
            has_rate: false,
            turn: Turn::None,
            sent: None,
            announced: now,
            announcements: 0,
            start_known: false,
            end_known: false,
        });
        self.origins.insert(origin, place);
        self.going += 1;
        self.sums.flows += 1;
        self.show_rate(now, place);
        self.announce(now, place, true, queue);
        self.start_clock(now, queue);
        place
    }

    /// A flow ends.
    pub(crate) fn end(&mut self, now: Time, place: u32, queue: &mut EventQueue) {
        self.close(place);
        self.announce(now, place, false, queue);
    }

    /// A flow is none of its host's any more.
    pub(crate) fn close(&mut self, place: u32) {
        let flow = &mut self.flows[place];
        flow.phase = Phase::Ended;
        self.sums.unlimited += u64::from(!flow.has_rate);
        let origin = flow.origin;
        self.origins.remove(&origin);
        self.going -= 1;
    }

    /// A flow that has something to send joins its host's line.
    pub(crate) fn line_up(&mut self, now: Time, place: u32) {
        let flow = &mut self.flows[place];
        let at = flow.next(now);
        flow.turn = Turn::Waiting(at);
        self.sources[flow.src as usize].waiting.insert((at, place));
    }

    /// A flow leaves its host's line. Whether it stood there.
    pub(crate) fn step_out(&mut self, place: u32) -> bool {
        let flow = &mut self.flows[place];
        let source = &mut self.sources[flow.src as usize];
        match std::mem::replace(&mut flow.turn, Turn::None) {
            Turn::None => false,
            Turn::Waiting(at) => source.waiting.remove(&(at, place)),
            Turn::Due(at) => source.due.remove(&(flow.priority, at, place)),
        }
    }

    /// A host sends what is due, as soon as its link is free.
    pub(crate) fn serve(&mut self, now: Time, host: u32, queue: &mut EventQueue) {
        loop {
            let source = &mut self.sources[host as usize];
            while let Some(&(at, place)) = source.waiting.first().filter(|(at, _)| *at <= now) {
                source.waiting.remove(&(at, place));
                let flow = &mut self.flows[place];
                flow.turn = Turn::Due(at);
                source.due.insert((flow.priority, at, place));
            }
            let free_at = self.wires[self.rig.up[host as usize] as usize].free_at;
            let Some(&(priority, at, place)) = source.due.first() else {
                if let Some(&(at, _)) = source.waiting.first().filter(|(at, _)| *at < Time::MAX) {
                    self.wake(host, at.max(free_at), queue);
                }
                return;
            };
            if free_at > now {
                return self.wake(host, free_at, queue);
            }
            source.due.remove(&(priority, at, place));
            self.send(now, place, at, queue);
        }
    }

    /// A host has its next turn no later than this.
    fn wake(&mut self, host: u32, at: Time, queue: &mut EventQueue) {
        let source = &mut self.sources[host as usize];
        if at < source.wakes {
            source.wakes = at;
            queue.push(Event { at, rank: Rank::new(kind::SCHEDULE, host), slot: 0 });
        }
    }

    /// A host's turn.
    pub(crate) fn turn(&mut self, now: Time, host: u32, queue: &mut EventQueue) {
        let source = &mut self.sources[host as usize];
        // A turn that another was put before has nothing to do.
        if source.wakes == now {
            source.wakes = Time::MAX;
            self.serve(now, host, queue);
        }
    }

    /// A flow sends its next packet, which was due at `at`.
    fn send(&mut self, now: Time, place: u32, at: Time, queue: &mut EventQueue) {
        let message =
            *self.flows[place].messages.front().unwrap_or_else(|| unreachable!("who is due has something to send"));
        let sent = self.send_piece(now, message, queue);
        let is_over = self.messages[message].unsent == 0;
        let flow = &mut self.flows[place];
        flow.turn = Turn::None;
        // One packet that had to wait for others does not make the flow slower; more than that is not made up for.
        flow.sent = Some((at, (u64::from(sent) + self.config.header.get()) as f64 * 8.0));
        flow.unsent -= u64::from(sent);
        if is_over {
            flow.messages.pop_front();
        }
        if flow.is_awaited && flow.unsent < self.config.buffer.get() {
            flow.is_awaited = false;
            queue.push(Event { at: now, rank: Rank::new(kind::READY, flow.src), slot: flow.origin[0] + 1 });
        }
        if !flow.messages.is_empty() {
            self.line_up(now, place);
        } else if flow.ends_short {
            self.end(now, place, queue);
        } else {
            self.pauses = self.pauses.wrapping_add(1);
            flow.pause = Some(self.pauses);
            let at = now + self.config.linger;
            queue.push(Event { at, rank: Rank::new(kind::DEADLINE, place + 2), slot: self.pauses });
        }
    }

    /// Nothing has followed on what a flow sent last, if it still is in the same pause.
    pub(crate) fn linger_over(&mut self, now: Time, place: u32, pause: u32, queue: &mut EventQueue) {
        let flow = &self.flows[place];
        if flow.phase == Phase::Going && flow.pause == Some(pause) {
            self.end(now, place, queue);
        }
    }

    /// The next piece of a message leaves its host. Bytes of the message in it.
    fn send_piece(&mut self, now: Time, place: u32, queue: &mut EventQueue) -> u32 {
        let message = &mut self.messages[place];
        let piece = message.unsent.min(self.config.packet.get() as u32);
        message.unsent -= piece;
        message.out += 1;
        let Frame { src, dst, .. } = message.frame;
        let len = piece + self.config.header.get() as u32;
        let mut packet = Packet::new(Load::Piece(place), len, dst);
        if self.config.routing == Routing::Valiant {
            let between = self.between.below(self.hosts.into()) as u32;
            let switch = self.rig.switch[src as usize];
            // Nobody sends to a node that is not there.
            let is_there = self.rig.switch[between as usize] == switch
                || !self.routes.next_hops(NodeId(switch), between).is_empty();
            if is_there {
                (packet.to, packet.is_between) = (between, true);
            }
        }
        self.sums.packets += 1;
        self.put_on(now, self.rig.up[src as usize], packet, queue);
        piece
    }

    /// A flow has another rate, from now on.
    pub(crate) fn set_rate(&mut self, now: Time, place: u32, rate: f64) {
        let flow = &mut self.flows[place];
        if flow.rate == rate {
            return;
        }
        flow.rate = rate;
        self.show_rate(now, place);
        if self.step_out(place) {
            self.line_up(now, place);
        }
    }

    fn show_rate(&mut self, now: Time, place: u32) {
        if O::ACTIVE {
            let Flow { origin, src, rate, .. } = self.flows[place];
            let rate = Some(Rate::from_bps(rate.round() as u64));
            self.observer.see(now, Seen::Window { flow: origin[0], host: src, window: None, rate });
        }
    }

    /// A host stops: what it has not sent is lost, and its flows are over without anybody being told.
    pub(crate) fn stop_host(&mut self, now: Time, host: u32, queue: &mut EventQueue) {
        let own = |place: &u32| self.flows[*place].phase == Phase::Going && self.flows[*place].src == host;
        let flows: Vec<u32> = (0..self.flows.places()).filter(own).collect();
        for place in flows {
            self.step_out(place);
            for message in std::mem::take(&mut self.flows[place].messages) {
                self.lose_message(now, self.rig.up[host as usize], message, Fate::Broken);
                self.messages[message].unsent = 0;
                if self.messages[message].out == 0 {
                    self.free_message(message);
                }
            }
            let flow = &mut self.flows[place];
            flow.unsent = 0;
            if std::mem::take(&mut flow.is_awaited) {
                queue.push(Event { at: now, rank: Rank::new(kind::READY, host), slot: flow.origin[0] + 1 });
            }
            self.close(place);
            self.forget_if_over(now, place);
        }
    }
}
