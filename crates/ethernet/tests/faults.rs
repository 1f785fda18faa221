//! Faults in Ethernet fabrics, as timelines: what is lost, when routes change, what is counted.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use engine::{Event, EventQueue, Rank, Seed};
use ethernet::{Config, Discipline, Ethernet, Fifo, Length, Port, Priorities, Routing, Switching};
use fabric::{Ecn, Fault, Frame, Kind, Network, kind};
use topology::{Shape, Topology};
use units::{Bytes, Rate, Span, Time};

const CONVERGENCE: Span = Span::from_us(100);

/// Two leaves with two hosts each, two spines; 10 Gb/s, 1 us a link; convergence in 100 us.
struct Lab<D> {
    topology: Topology,
    network: Ethernet<D>,
    queue: EventQueue,
    /// When each frame that was delivered came, and where to.
    delivered: Vec<(Time, u32)>,
    ready: Vec<(Time, u32)>,
    now: Time,
}

fn us(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

impl<D: Discipline> Lab<D> {
    fn new() -> Lab<D> {
        let config = Config {
            switching: Switching::StoreAndForward,
            routing: Routing::Ecmp,
            mtu: Bytes::new(1500),
            framing: Bytes::ZERO,
            jitter: Span::ZERO,
            convergence: CONVERGENCE,
            priorities: 2,
            port: Port { queue: Length::Packets(100), ecn_threshold: None, loss: 0.0 },
            rules: Vec::new(),
        };
        let shape = Shape::LeafSpine { leaves: 2, spines: 2, hosts_per_leaf: 2 };
        let topology = shape.build(Rate::from_gbps(10), Span::from_us(1)).unwrap();
        let network = Ethernet::new(&config, &topology, Seed(1)).unwrap();
        let queue = EventQueue::new(network.event_gap());
        Lab { topology, network, queue, delivered: Vec::new(), ready: Vec::new(), now: Time::ZERO }
    }

    /// Everything that happens before `end`, and then it is `end`.
    fn until(&mut self, end: Time) -> &mut Self {
        while self.queue.next_at().is_some_and(|at| at < end) {
            let event = self.queue.pop().unwrap();
            if event.rank.kind() == kind::READY {
                self.ready.push((event.at, event.rank.device()));
            } else if let Some(frame) = self.network.handle(event, &mut self.queue) {
                self.delivered.push((event.at, frame.dst));
            }
        }
        self.now = end;
        self.network.check();
        self
    }

    /// 1250 B from a host to another, which take 1 us on each link. Flows differ in `entropy`.
    fn send(&mut self, src: u32, dst: u32, entropy: u32) -> &mut Self {
        let frame = Frame {
            sequence: 0,
            stamp: self.now,
            flow: 0,
            epoch: 0,
            src,
            dst,
            len: 1250,
            entropy,
            kind: Kind::Data,
            priority: 0,
            ecn: Ecn::NotCapable,
            echo: false,
        };
        self.network.offer(self.now, frame, &mut self.queue);
        self
    }

    fn link(&mut self, name: &str, up: bool) -> &mut Self {
        let link = self.topology.find_link(name).unwrap().0;
        self.network.fault(self.now, Fault::Link { link, up }, &mut self.queue);
        self
    }

    fn node(&mut self, name: &str, up: bool) -> &mut Self {
        let node = self.topology.find_node(name).unwrap().0;
        self.network.fault(self.now, Fault::Node { node, up }, &mut self.queue);
        self
    }

    fn lost_on(&self, name: &str) -> u64 {
        let link = self.topology.find_link(name).unwrap().0;
        self.network.link_counters(self.now, link).lost
    }

    fn counted(&self, name: &str) -> f64 {
        self.network.counters().into_iter().find(|counter| counter.name == name).unwrap().value
    }
}

/// Every frame passes leaf-0, a spine, leaf-1: 8 us from host 0 to host 2.
fn a_link_that_fails<D: Discipline>() {
    let mut lab = Lab::<D>::new();
    // Sixteen flows, some over each spine; the interface spaces them by 1 us.
    for flow in 0..16 {
        lab.send(0, 2, flow);
    }
    // At 4 us two have reached leaf-0 and been sent on, and two more are on the way to it.
    lab.until(us(4)).link("leaf-0 -> spine-0", false).link("spine-0 -> leaf-0", false);
    lab.until(us(90));
    let over_the_other = lab.delivered.len() as u64;
    assert!((2..14).contains(&over_the_other), "{over_the_other}");
    let lost = lab.lost_on("leaf-0 -> spine-0");
    assert_eq!(lost + over_the_other, 16);
    assert_eq!(lab.counted("lost on dead links"), lost as f64);
    assert_eq!(lab.network.totals().lost, lost);
    // From 104 us on all flows go over spine-1.
    lab.until(us(103));
    for flow in 0..16 {
        lab.send(0, 2, flow);
    }
    lab.until(us(200));
    assert_eq!(lab.delivered.len() as u64, over_the_other + 16);
    assert_eq!(lab.counted("changes of all routes"), 1.0, "one for both directions");
    // Mended: what is sent over it arrives only when routes use it again.
    lab.link("leaf-0 -> spine-0", true).link("spine-0 -> leaf-0", true).until(us(290));
    let sent_before = lab.network.link_counters(lab.now, lab.topology.find_link("leaf-0 -> spine-0").unwrap().0).frames;
    lab.until(us(310));
    for flow in 0..16 {
        lab.send(0, 2, flow);
    }
    lab.until(us(400));
    let sent = lab.network.link_counters(lab.now, lab.topology.find_link("leaf-0 -> spine-0").unwrap().0).frames;
    assert_eq!(sent - sent_before, lost, "the same flows take it as before");
    assert_eq!(lab.delivered.len() as u64, over_the_other + 32);
}

#[test]
fn a_link_loses_what_is_on_it_and_what_is_sent_to_it_until_routes_change() {
    a_link_that_fails::<Fifo>();
    a_link_that_fails::<Priorities>();
}

#[test]
fn a_frame_on_a_link_is_lost_at_the_instant_at_which_it_fails() {
    for (at, delivered) in [(3, 0), (4, 1)] {
        let mut lab = Lab::<Fifo>::new();
        // On host-0's link until 2 us, on the one from leaf-0 to host-1 from then to 4 us.
        lab.send(0, 1, 0).until(us(at)).until(us(at) + Span::from_ps(delivered as u64));
        lab.link("leaf-0 -> host-1", false).until(us(50));
        assert_eq!((lab.delivered.len(), lab.network.totals().lost), (delivered, 1 - delivered as u64));
    }
}

fn a_switch_that_fails<D: Discipline>() {
    let mut lab = Lab::<D>::new();
    // Two hosts into one: half of it waits at leaf-1.
    for flow in 0..20 {
        lab.send(0, 2, flow).send(1, 2, flow);
    }
    lab.until(us(20));
    let (before, queued) =
        (lab.delivered.len(), lab.network.queue(lab.now, lab.topology.find_link("leaf-1 -> host-2").unwrap().0));
    assert!(queued > Bytes::new(2500), "{queued}");
    lab.node("leaf-1", false);
    assert_eq!(
        lab.network.queue(lab.now, lab.topology.find_link("leaf-1 -> host-2").unwrap().0),
        Bytes::ZERO,
        "its queues are gone"
    );
    lab.until(us(80));
    assert_eq!(lab.delivered.len(), before);
    assert_eq!(lab.network.totals().lost as usize, 40 - before);
    // Now leaf-0 knows no way to host-2, and says so; it is up again, and 100 us later the way is known.
    lab.until(us(125)).send(0, 2, 0).until(us(150));
    assert_eq!(lab.counted("lost for want of a path"), 1.0);
    lab.node("leaf-1", true).until(us(251)).send(0, 2, 0).until(us(300));
    assert_eq!(lab.delivered.last(), Some(&(us(251) + Span::from_us(8), 2)));
}

#[test]
fn a_switch_loses_its_queues_and_whom_it_alone_reaches() {
    a_switch_that_fails::<Fifo>();
    a_switch_that_fails::<Priorities>();
}

#[test]
fn a_host_that_is_down_neither_sends_nor_receives_and_calls_when_it_is_up() {
    let mut lab = Lab::<Fifo>::new();
    lab.until(us(10)).node("host-0", false);
    assert!(!lab.network.has_room(lab.now, 0) && lab.network.has_room(lab.now, 1));
    lab.network.call_when_ready(lab.now, 0, &mut lab.queue);
    lab.network.call_when_ready(lab.now, 0, &mut lab.queue);
    // An acknowledgement may be offered at any time; it is lost, and so is what comes.
    lab.send(0, 2, 0).send(1, 0, 0).until(us(50));
    assert_eq!((lab.delivered.len(), lab.network.totals().lost), (0, 2));
    assert_eq!(lab.ready, []);
    lab.node("host-0", true).until(us(200));
    assert_eq!(lab.ready, [(us(50), 0)]);
    lab.send(0, 2, 0).send(1, 0, 0).until(us(250));
    assert_eq!(lab.delivered, [(us(204), 0), (us(208), 2)]);
}

#[test]
fn what_is_dead_twice_must_be_mended_twice() {
    let mut lab = Lab::<Fifo>::new();
    lab.link("leaf-1 -> host-2", false).node("leaf-1", false).node("leaf-1", false);
    lab.until(us(10)).node("leaf-1", true).until(us(200)).send(3, 2, 0).until(us(250));
    assert_eq!(lab.delivered, [], "the link is still broken");
    lab.link("leaf-1 -> host-2", true).until(us(400)).send(3, 2, 0).until(us(450));
    assert_eq!(lab.delivered, [(us(404), 2)]);
}

#[test]
fn an_interface_takes_its_time_over_what_cannot_arrive() {
    let mut lab = Lab::<Fifo>::new();
    lab.node("leaf-1", false).until(us(150));
    lab.send(0, 2, 0).send(0, 2, 0).send(0, 2, 0);
    assert!(!lab.network.has_room(lab.now, 0), "else a host that needs no answers would send for ever");
    lab.until(us(160));
    assert_eq!(lab.counted("lost for want of a path"), 3.0);
}

#[test]
fn bit_errors_hit_frames_by_their_length() {
    let mut lab = Lab::<Fifo>::new();
    let link = lab.topology.find_link("leaf-0 -> host-1").unwrap().0;
    // 10,000 bits: a frame survives with a probability of (1 - 1e-4)^10000 = 0.3679.
    lab.network.fault(lab.now, Fault::BitErrors { link, rate: 1e-4 }, &mut lab.queue);
    for number in 0..4000 {
        lab.until(us(2 * number)).send(0, 1, number as u32);
    }
    lab.until(us(9000));
    let share = lab.delivered.len() as f64 / 4000.0;
    assert!((share - 0.3679).abs() < 3.0 * 0.0076, "{share}");
    assert_eq!(lab.counted("lost to bit errors"), 4000.0 - lab.delivered.len() as f64);
    assert_eq!(lab.counted("changes of all routes"), 0.0, "routing does not see them");
    lab.network.fault(lab.now, Fault::BitErrors { link, rate: 0.0 }, &mut lab.queue);
    let before = lab.delivered.len();
    for number in 0..100 {
        lab.until(us(9000 + 2 * number)).send(0, 1, number as u32);
    }
    assert_eq!(lab.until(us(9500)).delivered.len() - before, 100);
}

#[test]
fn ideal_times_are_those_of_the_whole_fabric() {
    let mut lab = Lab::<Fifo>::new();
    let ideal = lab.network.ideal(0, 2, Bytes::new(1250), Bytes::ZERO);
    lab.node("leaf-1", false).until(us(500));
    assert_eq!(lab.network.ideal(0, 2, Bytes::new(1250), Bytes::ZERO), ideal);
    assert_eq!(ideal, Span::from_us(8));
}

#[test]
fn nothing_is_counted_of_faults_before_there_is_one() {
    let mut lab = Lab::<Fifo>::new();
    assert_eq!(lab.network.counters(), []);
    lab.node("leaf-1", false).until(us(20)).send(0, 2, 0).until(us(50));
    assert_eq!(lab.counted("lost on dead links"), 1.0);
    lab.network.begin_measurement(lab.now);
    assert_eq!(lab.counted("lost on dead links"), 0.0);
    let event = Event { at: us(60), rank: Rank::new(kind::DEADLINE, 0), slot: 0 };
    lab.queue.push(event); // early calls do no harm
    lab.until(us(70)).send(0, 2, 0).until(us(90));
    assert_eq!(lab.counted("lost on dead links"), 1.0, "routes change at 100 us, not before");
}
