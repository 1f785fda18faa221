//! Faults in Ethernet fabrics, as timelines: what is lost, when routes change, what is counted.

use crate::lab::{Lab, config, us};
use engine::{Event, Rank};
use ethernet::{Config, Discipline, Fifo, Priorities};
use fabric::{Fault, Network, kind};
use topology::Shape;
use units::{Bytes, Rate, Span};

/// Two leaves with two hosts each, two spines; 10 Gb/s, 1 us a link; convergence in 100 us.
fn lab<D: Discipline>() -> Lab<D> {
    let shape = Shape::LeafSpine { leaves: 2, spines: 2, hosts_per_leaf: 2 };
    let config = Config { convergence: Span::from_us(100), framing: Bytes::ZERO, ..config() };
    Lab::new(shape.build(Rate::from_gbps(10), Span::from_us(1)).unwrap(), &config)
}

/// Every frame passes leaf-0, a spine, leaf-1: 8 us from host 0 to host 2.
fn a_link_that_fails<D: Discipline>() {
    let mut lab = lab::<D>();
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
    // Repaired: what is sent over it arrives only when routes use it again.
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
        let mut lab = lab::<Fifo>();
        // On host-0's link until 2 us, on the one from leaf-0 to host-1 from then to 4 us.
        lab.send(0, 1, 0).until(us(at)).until(us(at) + Span::from_ps(delivered as u64));
        lab.link("leaf-0 -> host-1", false).until(us(50));
        assert_eq!((lab.delivered.len(), lab.network.totals().lost), (delivered, 1 - delivered as u64));
    }
}

fn a_switch_that_fails<D: Discipline>() {
    let mut lab = lab::<D>();
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
    assert_eq!(lab.arrivals().last(), Some(&(us(251) + Span::from_us(8), 2)));
}

#[test]
fn a_switch_loses_its_queues_and_whom_it_alone_reaches() {
    a_switch_that_fails::<Fifo>();
    a_switch_that_fails::<Priorities>();
}

#[test]
fn a_host_that_is_down_neither_sends_nor_receives_and_calls_when_it_is_up() {
    let mut lab = lab::<Fifo>();
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
    assert_eq!(lab.arrivals(), [(us(204), 0), (us(208), 2)]);
}

#[test]
fn what_is_dead_twice_must_be_mended_twice() {
    let mut lab = lab::<Fifo>();
    lab.link("leaf-1 -> host-2", false).node("leaf-1", false).node("leaf-1", false);
    lab.until(us(10)).node("leaf-1", true).until(us(200)).send(3, 2, 0).until(us(250));
    assert_eq!(lab.arrivals(), [], "the link is still broken");
    lab.link("leaf-1 -> host-2", true).until(us(400)).send(3, 2, 0).until(us(450));
    assert_eq!(lab.arrivals(), [(us(404), 2)]);
}

#[test]
fn an_interface_takes_its_time_over_what_cannot_arrive() {
    let mut lab = lab::<Fifo>();
    lab.node("leaf-1", false).until(us(150));
    lab.send(0, 2, 0).send(0, 2, 0).send(0, 2, 0);
    assert!(!lab.network.has_room(lab.now, 0), "else a host that needs no answers would send for ever");
    lab.until(us(160));
    assert_eq!(lab.counted("lost for want of a path"), 3.0);
}

#[test]
fn bit_errors_hit_frames_by_their_length() {
    let mut lab = lab::<Fifo>();
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
    let mut lab = lab::<Fifo>();
    let ideal = lab.network.ideal(0, 2, Bytes::new(1250), Bytes::ZERO);
    lab.node("leaf-1", false).until(us(500));
    assert_eq!(lab.network.ideal(0, 2, Bytes::new(1250), Bytes::ZERO), ideal);
    assert_eq!(ideal, Span::from_us(8));
}

#[test]
fn nothing_is_counted_of_faults_before_there_is_one() {
    let mut lab = lab::<Fifo>();
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
