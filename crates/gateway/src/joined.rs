//! Two networks as one.

use crate::choice::Choice;
use crate::config::{Config, Spreading};
use crate::crossing::Message;
use crate::held::Held;
use crate::line::Line;
use crate::numbering::{Numbered, Numbering};
use crate::places::{End, Part, Places};
use crate::report;
use crate::side::{News, Side};
use engine::{Event, EventQueue, Rank, Seed};
use fabric::{
    Counter, Distribution, Fault, Frame, Inside, Kind, LinkCounters, Network, Observer, Offer, Offers, Sampled, Seen,
    Totals, What, kind,
};
use results::Histogram;
use units::{Bytes, Rate, Span, Time};

/// A rack's network, an outside one, and the gateways that join them.
///
/// Hosts are the rack's, then the outside's. A packet between the two takes one gateway, at which it comes out of one network whole, waits, and
/// goes into the other. Gateways are the rack's first hosts, or no hosts but the far ends of its uplinks ([`topology::Joined`]). A packet from
/// or to a gateway that is a host takes no other. Which gateway a packet takes is up to the rack ([`Network::gateway`]), or else to hosts.
pub struct Joined<I, O> {
    pub(crate) inside: Side<I>,
    pub(crate) outside: Side<O>,
    pub(crate) places: Places,
    pub(crate) config: Config,
    pub(crate) choice: Choice,
    pub(crate) held: Held,
    pub(crate) gateways: Vec<Gateway>,
    /// By part: how long packets waited for it at gateways, in ps, since the measurement began.
    pub(crate) waits: [Histogram; 2],
    pub(crate) totals: Totals,
    /// What each host can send, and receive.
    rates: Vec<Rate>,
    numbering: Numbering,
}

/// A gateway.
#[derive(Debug)]
pub(crate) struct Gateway {
    /// By part: what waits to go there.
    pub lines: [Line; 2],
    pub down: bool,
    /// Its own host waits to hear that there is room.
    pub awaited: bool,
}

/// Bins of waiting times, as powers of two of a share.
const PRECISION: u32 = 7;

impl<W: Observer, I: Network<Observer = Numbered<W>>, O: Network<Observer = Numbered<W>>> Joined<I, O> {
    /// Joins the networks that were built on the two parts of `joined`, [`topology::Joined::rack`] and [`topology::Joined::outside`], with
    /// observers of one [`Numbering`].
    pub fn new(config: &Config, joined: &topology::Joined, mut inside: I, outside: O, seed: Seed) -> Joined<I, O> {
        let numbering = inside.observer().numbering.clone();
        let parts = [&joined.rack(), &joined.outside()];
        let places = Places::new(joined, parts);
        let first = places.own_gateway(Part::Inside, 0);
        let choice = Choice::new(config, &parts[0].topology, first..first + places.gateways, seed);
        let classes = inside.offers().priorities.min(outside.offers().priorities);
        let gateway = |_| Gateway { lines: [Line::new(classes), Line::new(classes)], down: false, awaited: false };
        Joined {
            inside: Side::new(inside, Part::Inside as u32),
            outside: Side::new(outside, Part::Outside as u32),
            config: *config,
            choice,
            held: Held::new(),
            gateways: (0..places.gateways).map(gateway).collect(),
            waits: [Histogram::new(PRECISION), Histogram::new(PRECISION)],
            totals: Totals::default(),
            rates: (0..joined.whole.hosts()).map(|host| joined.whole.host_rate(host)).collect(),
            places,
            numbering,
        }
    }

    /// A frame waits at a gateway for a network, or does so no more.
    #[inline(always)]
    pub(crate) fn show(&mut self, now: Time, part: Part, gateway: u32, place: u32, what: What) {
        if W::ACTIVE {
            let link = self.places.whole_link(part, self.places.uplink(part, gateway));
            let frame = self.held.frame(place);
            self.inside.network.observer().observer.see(now, Seen::Frame { frame, link, what });
        }
    }
}

impl<W: Observer, I: Network<Observer = Numbered<W>>, O: Network<Observer = Numbered<W>>> Network for Joined<I, O> {
    /// Sees both networks, in the numbers of the whole, and the gateways: a frame that has [arrived](What::Arrived) at one is
    /// [queued](What::Queued) there, [marked](What::Marked), [dropped](What::Dropped) or [lost](What::Lost) before the gateway's link in the
    /// other network, and has [left](What::Left) the gateway once that network's interface takes it, at which it is queued as any other.
    type Observer = W;

    fn observer(&mut self) -> &mut W {
        &mut self.inside.network.observer().observer
    }

    fn offers(&self) -> Offers {
        let (inside, outside) = (self.inside.network.offers(), self.outside.network.offers());
        let marks = inside.ecn.is_given() || outside.ecn.is_given() || self.config.ecn_threshold.is_some();
        Offers {
            ecn: Offer::given_or(marks, "fabric.outside.ecn_threshold"),
            lossless: Offer::Never, // a gateway's buffer ends somewhere
            in_order: inside.in_order && outside.in_order && self.config.spreading() != Spreading::Packet,
            priorities: inside.priorities.min(outside.priorities),
            trimming: Offer::Never,
            ranked: Offer::Never,
        }
    }

    fn has_room(&self, now: Time, host: u32) -> bool {
        if let Some(gateway) = self.places.gateway_of(host) {
            let gateway = &self.gateways[gateway as usize];
            return !gateway.down && !gateway.lines.iter().any(Line::has_own);
        }
        let part = self.places.part(host);
        self.has_room_in(now, part, self.places.own(part, host))
    }

    fn call_when_ready(&mut self, now: Time, host: u32, queue: &mut EventQueue) {
        if let Some(gateway) = self.places.gateway_of(host) {
            self.gateways[gateway as usize].awaited = true;
            self.tell_if_ready(now, gateway, queue);
        } else {
            let part = self.places.part(host);
            self.call_when_ready_in(now, part, self.places.own(part, host));
            self.wake(queue);
        }
    }

    /// The rack's answer, which has it of flows that begin there; flows from outside wait at gateways if at all.
    fn takes(&mut self, flow: u32, epoch: u32) -> bool {
        self.inside.network.takes(flow, epoch)
    }

    fn offer(&mut self, now: Time, frame: Frame, queue: &mut EventQueue) {
        if self.held.is_crowded() {
            self.look_what_is_left();
        }
        self.totals.offered += 1;
        let place = self.held.put(frame);
        if W::ACTIVE {
            self.numbering.keep(place, frame);
        }
        let part = self.next_part(frame.src, frame.dst);
        if let Some(gateway) = self.places.gateway_of(frame.src).filter(|_| frame.kind == Kind::Data) {
            self.gateways[gateway as usize].lines[part as usize].join_own(place);
            self.show(now, part, gateway, place, What::Queued { leaves: None });
            self.pass_on(now, part, gateway);
        } else {
            let stays = self.places.part(frame.dst) == part || self.places.gateway_of(frame.dst).is_some();
            let towards = if stays {
                self.places.own(part, frame.dst)
            } else {
                let gateway = self.gateway(part, &frame);
                self.places.own_gateway(part, gateway)
            };
            self.carry(now, part, [self.places.own(part, frame.src), towards], place);
        }
        self.wake(queue);
    }

    fn handle(&mut self, event: Event, queue: &mut EventQueue) -> Option<Frame> {
        let now = event.at;
        if event.rank.kind() == kind::DEADLINE {
            self.choice.learn(now);
            return None;
        }
        debug_assert_eq!(event.rank.kind(), kind::TICK, "two clocks, and news of gateways");
        let part = Part::BOTH[event.rank.device() as usize];
        match part {
            Part::Inside => self.inside.woken(now),
            Part::Outside => self.outside.woken(now),
        }
        let delivered = loop {
            let news = match part {
                Part::Inside => self.inside.advance(now),
                Part::Outside => self.outside.advance(now),
            };
            match news {
                None => break None,
                Some(News::Arrived(frame)) => {
                    if let Some(frame) = self.arrived(now, part, frame) {
                        break Some(frame);
                    }
                }
                Some(News::Ready { host: own, slot }) => match self.places.end(part, own) {
                    End::Gateway(gateway) => {
                        self.gateways[gateway as usize].lines[part as usize].asked = false;
                        self.pass_on(now, part, gateway);
                        self.tell_if_ready(now, gateway, queue);
                    }
                    End::Host(host) => queue.push(Event { at: now, rank: Rank::new(kind::READY, host), slot }),
                },
            }
        };
        self.wake(queue);
        delivered
    }

    fn begin(&mut self, queue: &mut EventQueue) {
        self.inside.network.begin(&mut self.inside.queue);
        self.outside.network.begin(&mut self.outside.queue);
        self.wake(queue);
    }

    fn fault(&mut self, now: Time, fault: Fault, queue: &mut EventQueue) {
        for part in Part::BOTH {
            let own = match fault {
                Fault::Link { link, up } => self.own_link(part, link).map(|link| Fault::Link { link, up }),
                Fault::BitErrors { link, rate } => {
                    self.own_link(part, link).map(|link| Fault::BitErrors { link, rate })
                }
                Fault::Node { node, up } => self.places.node(part, node).map(|node| Fault::Node { node, up }),
            };
            match (own, part) {
                (Some(own), Part::Inside) => self.inside.network.fault(now, own, &mut self.inside.queue),
                (Some(own), Part::Outside) => self.outside.network.fault(now, own, &mut self.outside.queue),
                (None, _) => {}
            }
        }
        if let Some(due) = self.choice.strike(now, fault, &self.places, &self.config) {
            queue.push(Event { at: due, rank: Rank::new(kind::DEADLINE, 0), slot: 0 });
        }
        if let Fault::Node { node, up } = fault
            && let Some(gateway) = self.places.gateway(node)
        {
            self.gateways[gateway as usize].down = !up;
            for part in Part::BOTH {
                for place in self.gateways[gateway as usize].lines[part as usize].lose(now) {
                    self.show(now, part, gateway, place, What::Lost);
                    self.totals.lost += 1;
                    self.held.take(place);
                }
            }
            self.tell_if_ready(now, gateway, queue);
        }
        self.wake(queue);
    }

    fn counters(&self) -> Vec<Counter> {
        report::counters(self)
    }

    fn sample(&mut self, now: Time) -> Vec<Sampled> {
        let mut values = self.inside.network.sample(now);
        values.extend(self.outside.network.sample(now));
        values.extend(report::waiting(self));
        values
    }

    fn distributions(&self) -> Vec<Distribution> {
        report::distributions(self)
    }

    fn totals(&self) -> Totals {
        let (inside, outside) = (self.inside.network.totals(), self.outside.network.totals());
        Totals {
            offered: self.totals.offered,
            delivered: self.totals.delivered,
            dropped: self.totals.dropped + inside.dropped + outside.dropped,
            lost: self.totals.lost + inside.lost + outside.lost,
            in_flight: inside.in_flight + outside.in_flight + self.waiting(),
            held: inside.held + outside.held + self.bytes_waiting(),
            hops: inside.hops + outside.hops,
        }
    }

    fn link_counters(&self, now: Time, link: u32) -> LinkCounters {
        let (part, own) = self.places.link(link);
        let counters = match part {
            Part::Inside => self.inside.network.link_counters(now, own),
            Part::Outside => self.outside.network.link_counters(now, own),
        };
        match self.line_before(part, own) {
            Some(line) => report::with_line(counters, line, now),
            None => counters,
        }
    }

    fn queue(&self, now: Time, link: u32) -> Bytes {
        let (part, own) = self.places.link(link);
        let waiting = self.gateway_before(part, own).map_or(Bytes::ZERO, |gateway| self.waiting_at(part, gateway));
        self.queue_in(now, part, own) + waiting
    }

    fn begin_measurement(&mut self, now: Time) {
        self.inside.network.begin_measurement(now);
        self.outside.network.begin_measurement(now);
        self.gateways.iter_mut().flat_map(|gateway| &mut gateway.lines).for_each(|line| line.begin_measurement(now));
        self.waits = [Histogram::new(PRECISION), Histogram::new(PRECISION)];
    }

    fn ideal(&self, src: u32, dst: u32, bytes: Bytes, header: Bytes) -> Span {
        let (part, there) = (self.next_part(src, dst), self.places.part(dst));
        if part != there && self.places.gateway_of(dst).is_none() && self.config.spreading() == Spreading::Packet {
            return self.ideal_over_paths(src, dst, bytes, header);
        }
        let one = |part, ends, bytes| self.ideal_in(part, ends, bytes, header);
        if part == there || self.places.gateway_of(dst).is_some() {
            return one(part, [src, dst].map(|host| self.places.own(part, host)), bytes);
        }
        self.quickest([part, there], [src, dst], Message::new(bytes, header, self.mtu()), one)
    }

    fn ideal_over_paths(&self, src: u32, dst: u32, bytes: Bytes, header: Bytes) -> Span {
        let (part, there) = (self.next_part(src, dst), self.places.part(dst));
        let several = |part, ends, bytes| self.ideal_over_paths_in(part, ends, bytes, header);
        if part == there || self.places.gateway_of(dst).is_some() {
            return several(part, [src, dst].map(|host| self.places.own(part, host)), bytes);
        }
        // Packets may take all gateways at once: one of them passes on its share at least, and all go over the links of both hosts.
        let message = Message::new(bytes, header, self.mtu());
        let quickest = |message| self.quickest([part, there], [src, dst], message, several);
        let share = quickest(message.least(message.packets.div_ceil(u64::from(self.places.gateways))));
        let slowest = self.rates[src as usize].min(self.rates[dst as usize]);
        let others = slowest.time_for(self.mtu()) * (message.packets - 1);
        share.max(others + quickest(message.least(1)))
    }

    fn mtu(&self) -> Bytes {
        self.inside.network.mtu().min(self.outside.network.mtu())
    }

    fn event_gap(&self) -> Span {
        self.inside.network.event_gap().min(self.outside.network.event_gap())
    }

    fn catch_up(&mut self, now: Time, _: &mut EventQueue) {
        self.inside.network.catch_up(now, &mut self.inside.queue);
        self.outside.network.catch_up(now, &mut self.outside.queue);
    }

    fn check(&self) {
        self.inside.network.check();
        self.outside.network.check();
        #[cfg(debug_assertions)]
        {
            let Totals { offered, delivered, dropped, lost, in_flight, .. } = self.totals();
            assert_eq!(offered, delivered + dropped + lost + in_flight, "frames are conserved");
            assert!(self.held.taken() as u64 >= in_flight, "what is on its way is kept");
            for line in self.gateways.iter().flat_map(|gateway| &gateway.lines) {
                let lengths = line.others().map(|place| u64::from(self.held.frame(place).len)).sum();
                assert_eq!(line.bytes(), Bytes::new(lengths), "bytes at gateways are counted");
            }
        }
    }

    fn frames_inside(&self) -> Vec<Inside> {
        let mut all = self.inside_of(Part::Inside, &self.inside.network.frames_inside());
        all.extend(self.inside_of(Part::Outside, &self.outside.network.frames_inside()));
        for (number, gateway) in (0..).zip(&self.gateways) {
            for part in Part::BOTH {
                let link = self.places.whole_link(part, self.places.uplink(part, number));
                let at_gateway = |place| Inside { frame: *self.held.frame(place), link };
                all.extend(gateway.lines[part as usize].places().map(at_gateway));
            }
        }
        all
    }
}
