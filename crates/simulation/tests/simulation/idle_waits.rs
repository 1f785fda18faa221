//! Hosts that wait for room with nothing to send have no events in the queue: against the same network that does not say when there will be room, so that they have.

use crate::lab::{Lab, flows, ms, newreno, tcp};
use engine::{Control, Event, EventQueue, Seed};
use fabric::{Counter, Distribution, Fault, Frame, Inside, LinkCounters, Network, Offers, Sampled, Totals};
use proptest::prelude::*;
use std::cell::Cell;
use std::rc::Rc;
use topology::Shape;
use transport::{Config as Protocol, config};
use units::{Bytes, Rate, Span, Time};
use xfabric::network::{Config, XFabric};

/// An XFabric rack, which knows when there will be room. It is asked to say so or not, and counts how often it has.
struct Rack {
    network: XFabric,
    tells: bool,
    told: Rc<Cell<u64>>,
}

impl Network for Rack {
    type Observer = <XFabric as Network>::Observer;

    fn room_at(&self, now: Time, host: u32) -> Option<Time> {
        let at = self.network.room_at(now, host).filter(|_| self.tells);
        self.told.set(self.told.get() + u64::from(at.is_some()));
        at
    }
    fn observer(&mut self) -> &mut Self::Observer {
        self.network.observer()
    }
    fn offers(&self) -> Offers {
        self.network.offers()
    }
    fn has_room(&self, now: Time, host: u32) -> bool {
        self.network.has_room(now, host)
    }
    fn call_when_ready(&mut self, now: Time, host: u32, queue: &mut EventQueue) {
        self.network.call_when_ready(now, host, queue);
    }
    fn offer(&mut self, now: Time, frame: Frame, queue: &mut EventQueue) {
        self.network.offer(now, frame, queue);
    }
    fn handle(&mut self, event: Event, queue: &mut EventQueue) -> Option<Frame> {
        self.network.handle(event, queue)
    }
    fn begin(&mut self, queue: &mut EventQueue) {
        self.network.begin(queue);
    }
    fn fault(&mut self, now: Time, fault: Fault, queue: &mut EventQueue) {
        self.network.fault(now, fault, queue);
    }
    fn counters(&self) -> Vec<Counter> {
        self.network.counters()
    }
    fn distributions(&self) -> Vec<Distribution> {
        self.network.distributions()
    }
    fn sample(&mut self, now: Time) -> Vec<Sampled> {
        self.network.sample(now)
    }
    fn totals(&self) -> Totals {
        self.network.totals()
    }
    fn link_counters(&self, now: Time, link: u32) -> LinkCounters {
        self.network.link_counters(now, link)
    }
    fn queue(&self, now: Time, link: u32) -> Bytes {
        self.network.queue(now, link)
    }
    fn begin_measurement(&mut self, now: Time) {
        self.network.begin_measurement(now);
    }
    fn ideal(&self, src: u32, dst: u32, bytes: Bytes, header: Bytes) -> Span {
        self.network.ideal(src, dst, bytes, header)
    }
    fn mtu(&self) -> Bytes {
        self.network.mtu()
    }
    fn event_gap(&self) -> Span {
        self.network.event_gap()
    }
    fn check(&self) {
        self.network.check();
    }
    fn frames_inside(&self) -> Vec<Inside> {
        self.network.frames_inside()
    }
}

const HOSTS: u32 = 27;

/// Over the rack of the prototype (§6.5); how often the network said when there would be room.
fn run(lab: &Lab, period: Span, transport: &Protocol, tells: bool) -> (simulation::Outcome, u64) {
    let config = Config { period, ..Config::default() };
    let network = XFabric::new(&config, &lab.topology, Seed(lab.seed)).unwrap();
    let told = Rc::new(Cell::new(0));
    let rack = Rack { network, tells, told: Rc::clone(&told) };
    (lab.run_over(rack, transport, &Control::default()).outcome, told.get())
}

/// Delayed acknowledgements, whose timers go off while hosts wait; windows that close; timeouts.
fn transports() -> impl Strategy<Value = Protocol> {
    let tcp = (1_u32..=4, 1_u64..400, 1_u32..12).prop_map(|(ack_every, delay, initial_window)| config::Tcp {
        ack_every,
        ack_delay: Span::from_us(delay),
        initial_window,
        ..tcp()
    });
    let recoveries = [config::Recovery::NewReno, config::Recovery::Sack, config::Recovery::Rack];
    (tcp, prop::sample::select(recoveries.to_vec()), any::<bool>()).prop_map(|(tcp, recovery, cubic)| {
        let tcp = config::Tcp { recovery: Some(recovery), ..tcp };
        if cubic { Protocol::Cubic(config::Cubic { tcp, ..config::Cubic::default() }) } else { Protocol::NewReno(tcp) }
    })
}

fn lab(list: impl IntoIterator<Item = (u32, u32, Bytes, Time)>, faults: Vec<(Time, Fault)>) -> Lab {
    let topology = Shape::Planes { hosts: HOSTS, planes: 6 }.build(Rate::from_gbps(1), Span::from_us(1)).unwrap();
    let mut lab = Lab::new(topology, flows(list), ms(20));
    lab.faults = faults;
    lab
}

#[test]
fn a_host_whose_window_is_full_has_no_event() {
    let lab = lab([(0, 1, Bytes::new(1_000_000), Time::ZERO)], Vec::new());
    let (with, told) = run(&lab, Span::from_ms(5), &newreno(), true);
    let (without, none) = run(&lab, Span::from_ms(5), &newreno(), false);
    assert!(told > 100, "it was asked {told} times only");
    assert_eq!((none, with), (0, without));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// All tables are the same to the byte, and so is the number of events.
    #[test]
    fn nothing_else_tells_the_difference(
        list in prop::collection::vec((0..HOSTS, 1..HOSTS, 1_u64..400_000, 0_u64..10_000), 1..40),
        transport in transports(),
        period in 200_u64..5_000,
        broken in prop::collection::vec((0..HOSTS, 100_u64..15_000, 50_u64..4_000), 0..3),
    ) {
        let list = list.into_iter().map(|(src, ahead, bytes, start)| {
            (src, (src + ahead) % HOSTS, Bytes::new(bytes), Time::ZERO + Span::from_us(start))
        });
        let mut faults: Vec<(Time, Fault)> = broken
            .into_iter()
            .flat_map(|(node, from, lasts)| {
                [(from, false), (from + lasts, true)]
                    .map(|(at, up)| (Time::ZERO + Span::from_us(at), Fault::Node { node, up }))
            })
            .collect();
        faults.sort_by_key(|(at, _)| *at);
        let lab = lab(list, faults);
        let period = Span::from_us(period);
        prop_assert_eq!(run(&lab, period, &transport, true).0, run(&lab, period, &transport, false).0);
    }
}
