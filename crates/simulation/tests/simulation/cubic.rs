//! CUBIC and NewReno at one bottleneck, against what RFC 9438 says of both.

use crate::lab::{Lab, flows, ms, star, us};
use engine::{Control, Seed};
use ethernet::{Ethernet, Fifo, Length, Port};
use simulation::Transports;
use topology::LinkId;
use transport::{Config as Protocol, config};
use units::{Bytes, Rate, Span, Time};
use workload::Group;

/// Goodputs in Gb/s of one endless flow of CUBIC and one of NewReno into a link of this rate, over links of this delay. Both repair losses alike.
fn share(rate: Rate, delay: Span, queue: u32, duration: Time) -> [f64; 2] {
    let mut topology = star(3);
    for link in (0..topology.links().len() as u32).map(LinkId) {
        let rate = if topology.link(link).to.0 == 2 { rate } else { Rate::from_bps(4 * rate.as_bps()) };
        topology.set_link(link, Some(rate), Some(delay)).unwrap();
    }
    let group = |name: &str, src, at| Group { name: name.into(), ..flows([(src, 2, Bytes::MAX, at)]).remove(0) };
    let mut lab = Lab::new(topology, vec![group("cubic", 0, us(0)), group("newreno", 1, us(777))], duration);
    lab.warmup = Time::from_ps(duration.as_ps() / 3);
    lab.fabric.port = Port { queue: Length::Packets(queue), ecn_threshold: None, red: None, loss: 0.0 };
    let (min_rto, initial_rto) = (Span::from_ms(200), Span::from_ms(1000));
    let tcp = config::Tcp { min_rto, initial_rto, recovery: Some(config::Recovery::Rack), ..crate::lab::tcp() };
    let cubic = Protocol::Cubic(config::Cubic { tcp: tcp.clone(), ..config::Cubic::default() });
    let transports = Transports { protocols: vec![cubic, Protocol::NewReno(tcp)], of_workload: vec![0, 1] };
    let network = Ethernet::<Fifo>::new(&lab.fabric, &lab.topology, Seed(lab.seed)).unwrap();
    let goodputs = lab.run_each(network, &transports, &Control::default()).goodputs();
    [goodputs[0], goodputs[1]]
}

/// RFC 9438 §5.1: with 833 segments of bandwidth times delay, Reno's window takes 400 round trips of 0.1 s to come back, and CUBIC's seconds.
#[test]
fn cubic_has_most_of_a_long_fast_link() {
    let [cubic, newreno] = share(Rate::from_bps(100_000_000), Span::from_ms(25), 400, ms(90_000));
    let payload = 0.1 * 1460.0 / 1538.0;
    assert!(cubic + newreno > 0.95 * payload, "{cubic} and {newreno} of {payload}");
    assert!(cubic > 1.5 * newreno, "{cubic} and {newreno}");
    assert!(newreno > 0.1 * payload, "it is not shut out: {cubic} and {newreno}");
}

/// RFC 9438 §4.3: over a short round trip CUBIC takes no more than Reno would.
#[test]
fn cubic_is_as_reno_over_a_short_round_trip() {
    let [cubic, newreno] = share(Rate::from_gbps(1), Span::from_us(20), 50, ms(3000));
    let payload = 1460.0 / 1538.0;
    assert!(cubic + newreno > 0.95 * payload, "{cubic} and {newreno} of {payload}");
    assert!((0.67..1.5).contains(&(cubic / newreno)), "{cubic} and {newreno}");
}
