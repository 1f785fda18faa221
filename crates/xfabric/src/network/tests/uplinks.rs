//! What leaves the rack and what comes in, with exact instants: uplinks are the hosts after the SoCs.

use super::*;
use crate::network::tunnels::Tunnels;
use topology::{Joined, LinkSpec};

fn rack(socs: u32, ports: u32, uplinks: u32, config: Config) -> Rack {
    let link = LinkSpec { rate: Rate::from_gbps(1), delay: Span::from_ns(10), queue: None };
    let build = |shape: Shape| shape.build(link.rate, link.delay).expect("a topology");
    let (inside, outside) = (build(Shape::Planes { hosts: socs, planes: ports }), build(Shape::Star { hosts: 1 }));
    let joined = Joined::by_uplinks(&inside, &outside, uplinks, [link; 2]).expect("a rack with uplinks");
    Rack::on(&joined.rack().topology, Config { uplink_hosts: uplinks, ..config })
}

fn tunnels(rack: &mut Rack) -> &mut Tunnels {
    rack.network.tunnels.as_mut().expect("there are uplinks")
}

fn counter(rack: &Rack, name: &str) -> f64 {
    rack.network.counters().into_iter().find(|counter| counter.name == name).expect("it is kept").value
}

/// A chain 0 - 1 - 2 - 3, and the circuit that is left over between 0 and 3. The uplink is SoC 0's.
fn chain(config: Config) -> Rack {
    rack(4, 2, 1, Config { start: Start::Demand, start_demand: demand(4, &[(0, 1), (1, 2), (2, 3)]), ..config })
}

#[test]
fn out_and_in() {
    let mut rack = chain(still(Start::Uniform));
    // Over the uplink alone, over a circuit and the uplink, over two.
    rack.send(0, 0, 4);
    rack.send(100_000, 3, 4);
    rack.send(200_000, 2, 4);
    assert_eq!(rack.delivered(300_000), [(12_020, 0), (124_040, 1), (236_060, 2)]);
    // And in.
    rack.send(300_000, 4, 0);
    rack.send(400_000, 4, 2);
    assert_eq!(rack.delivered(500_000), [(312_020, 3), (436_060, 4)]);
    assert_eq!(counter(&rack, "packets out by uplinks"), 3.0);
    assert_eq!(counter(&rack, "packets in by uplinks"), 2.0);
    // 0, 1 and 2 hops out, 0 and 2 in; packets between SoCs have a mean of their own.
    assert_eq!(counter(&rack, "mean path length to uplinks"), 1.0);
    assert_eq!(counter(&rack, "mean path length"), 0.0);
    let sampled = rack.network.sample(at_ns(500_000));
    assert!(sampled.iter().any(|series| series.name == "mean path length to uplinks" && series.value == 1.0));
    assert!(rack.network.sample(at_ns(500_000)).iter().all(|series| series.name != "mean path length to uplinks"));
    // What each SoC has sent out and received, for the controller.
    let counted: Vec<[u64; 2]> = (0..4).map(|soc| tunnels(&mut rack).take_counts(soc)).collect();
    assert_eq!(counted, [[1462, 1462], [0, 0], [1462, 1462], [1462, 0]]);
    // The interface at the end of an uplink is a port, that of a host is all ports.
    rack.send(500_000, 4, 1);
    assert!(!rack.network.has_room(at_ns(500_000), 4));
    assert_eq!(rack.delivered(600_000), [(524_040, 5)]);
}

#[test]
fn an_uplink_moves() {
    // Crosspoint 0 changes 50 us after each 100 us, the uplink crosspoint 90 us after, and tables 95 us after.
    let config = Config {
        start: Start::Demand,
        start_demand: demand(4, &[(0, 1), (2, 3)]),
        period: Span::from_us(100),
        weight: 1.0,
        control: Control::Ideal,
        ideal_tables: Span::from_us(5),
        plane: ControlPlane {
            message: Span::from_us(40),
            exchanges: Exchanges::Sequential,
            program: Span::from_us(10),
        },
        ..Config::default()
    };
    let mut rack = rack(4, 1, 1, config);
    // The uplink is SoC 0's. 3 has no way to it; 1 has, and sends most.
    rack.send(0, 1, 4);
    rack.send(0, 1, 4);
    rack.send(0, 3, 4);
    assert_eq!(rack.delivered(100_000), [(24_040, 0), (36_040, 1)]);
    assert_eq!(rack.losses(), [0, 0, 0, 0, 0, 1]);
    // Now 1 has the uplink, and a circuit to 3.
    rack.send(140_000, 1, 4); // half through to 0 at 150 us: cut
    rack.send(180_000, 0, 4); // half through to the uplink at 190 us: cut
    rack.send(185_000, 4, 0); // the same the other way
    rack.send(190_001, 0, 4); // 0 has the uplink by its tables only
    rack.send(190_002, 1, 4); // to 0 by its tables, but the circuit leads to 3, from which there is no way to 0
    rack.send(190_003, 4, 1); // waits behind the one to 0, and comes in over the new circuit
    assert_eq!(rack.delivered(230_000), [(209_020, 8)]);
    assert_eq!(rack.losses(), [3, 1, 0, 0, 0, 2]);
    assert_eq!((counter(&rack, "uplinks that were moved"), counter(&rack, "packets out by uplinks")), (1.0, 2.0));
    rack.send(230_000, 3, 4);
    assert_eq!(rack.delivered(289_000), [(254_040, 9)]);
}

#[test]
fn a_packet_in_a_tunnel_follows_new_tables() {
    let mut rack = chain(still(Start::Uniform));
    rack.send(0, 1, 4);
    rack.until(5000);
    // While it is on its way to 0 the uplink goes to 3.
    let [from, to, end] = {
        let rig = &rack.network.rig;
        [rig.uplink_port(0), rig.uplink_port(3), rig.uplink_end(0)]
    };
    rack.network.set_circuits(at_ns(5000), &[(from, None), (to, Some(end))]);
    tunnels(&mut rack).gateways.fill(Some(3));
    assert_eq!(rack.delivered(100_000), [(3 * 12_020, 0)]);
    assert_eq!(rack.losses(), [0; 6]);
    // Two SoCs that take each other for the gateway: it goes on until it has gone too far.
    tunnels(&mut rack).gateways[0] = Some(3);
    tunnels(&mut rack).gateways[3] = Some(0);
    rack.send(100_000, 0, 4);
    assert_eq!(rack.delivered(2_000_000), []);
    assert_eq!((rack.losses(), rack.network.totals().hops), ([0, 0, 0, 0, 1, 0], 3 + 64));
    // Without a gateway it does not even leave.
    tunnels(&mut rack).gateways[0] = None;
    rack.send(2_000_000, 0, 4);
    assert_eq!((rack.delivered(3_000_000), rack.losses()), (vec![], [0, 0, 0, 0, 1, 1]));
}

#[test]
fn the_world_sends_to_the_uplink_of_the_gateway() {
    let mut rack = rack(8, 3, 2, still(Start::Uniform));
    // Spread evenly: on SoCs 0 and 4, each the gateway of four.
    let by = |rack: &Rack| (0..8).map(|soc| rack.network.gateway(soc).expect("there are uplinks")).collect::<Vec<_>>();
    let first = by(&rack);
    assert_eq!((first[0], first[4], first.iter().sum::<u32>()), (0, 1, 4));
    // SoC 7 takes SoC 4's uplink. Until tables say so, the world goes on as it was.
    let [from, to, end] = {
        let rig = &rack.network.rig;
        [rig.uplink_port(4), rig.uplink_port(7), rig.uplink_end(1)]
    };
    rack.network.set_circuits(Time::ZERO, &[(from, None), (to, Some(end))]);
    assert_eq!(by(&rack), first);
    tunnels(&mut rack).gateways.fill(Some(7));
    rack.network.find_socs();
    assert_eq!(by(&rack), [1; 8]);
    assert!((0..8).all(|soc| rack.network.has_way_out(soc)));
}

#[test]
fn what_is_broken_is_lost() {
    let mut rack = chain(still(Start::Uniform));
    let cable = rack.network.rig.uplink_end(0);
    rack.fault(0, Fault::Link { link: cable, up: false });
    // Half of the circuit still carries.
    rack.send(1000, 4, 0);
    rack.send(1000, 0, 4);
    assert_eq!(rack.delivered(100_000), [(13_020, 1)]);
    rack.fault(100_000, Fault::Link { link: cable, up: true });
    // The end of the uplink stops with a packet on its way, and one waiting.
    rack.send(100_000, 4, 0);
    rack.send(100_001, 4, 0);
    rack.fault(100_002, Fault::Node { node: 4, up: false });
    assert!(!rack.network.has_room(at_ns(100_002), 4));
    rack.fault(110_000, Fault::Node { node: 4, up: true });
    assert_eq!(rack.network.queue(at_ns(110_000), cable), Bytes::ZERO);
    rack.send(110_000, 4, 0);
    assert_eq!(rack.delivered(200_000), [(122_020, 4)]);
    assert_eq!(rack.losses(), [0, 0, 3, 0, 0, 0]);
}

#[test]
fn the_protocol_places_uplinks_where_the_traffic_is() {
    let config = Config {
        start: Start::Torus,
        period: Span::from_ms(40),
        reconfigure_from: Time::ZERO + Span::from_ms(10),
        control: Control::Protocol,
        protocol: ProtocolSettings::default(),
        ..Config::default()
    };
    let mut rack = rack(27, 6, 4, config);
    // SoC 0 sends most but can run the controller, so its uplink port is on the control network. Then come 20, 21, 22 and 23.
    let heavy = [0, 0, 0, 20, 20, 21, 21, 22, 22, 23, 23, 5, 6, 7];
    let send = |rack: &mut Rack, turns: std::ops::Range<u64>| {
        for turn in turns {
            for (number, soc) in (0_u64..).zip(heavy) {
                let uplink: u32 = 27 + rack.network.gateway(soc).expect("there are uplinks");
                let (src, dst) = if number % 2 == 0 { (soc, uplink) } else { (uplink, soc) };
                rack.send(turn * 100_000 + number, src, dst);
            }
        }
    };
    send(&mut rack, 0..480);
    assert_eq!(rack.network.measures.reconfigurations, 1);
    assert_eq!(rack.network.agreement(), Some(Agreement { versions: 1, out_of_date: 0 }));
    let at = |rack: &Rack, uplink: u32| {
        let network = &rack.network;
        network.cabling.joined(network.rig.uplink_end(uplink)).map(|port| network.rig.port(port).soc)
    };
    let mut places: Vec<u32> = (0..4).filter_map(|uplink| at(&rack, uplink)).collect();
    places.sort_unstable();
    assert_eq!(places, [20, 21, 22, 23]);
    // From there on every packet gets through, and most of them over the uplink of their own SoC.
    let before = rack.network.totals();
    rack.network.begin_measurement(at_ns(48_000_000));
    send(&mut rack, 480..490);
    rack.until(49_400_000);
    let after = rack.network.totals();
    assert_eq!(after.lost + after.dropped, before.lost + before.dropped);
    assert_eq!(after.delivered + after.in_flight, after.offered - after.lost - after.dropped);
    assert!(counter(&rack, "mean path length to uplinks") < 0.8);
    // Circuits change for others: SoCs that have uplinks keep them.
    for turn in 495..1100 {
        send(&mut rack, turn..turn + 1);
        [(9, 14), (10, 16), (11, 18)].into_iter().for_each(|(a, b)| rack.send(turn * 100_000 + 50_000, a, b));
    }
    assert_eq!((rack.network.measures.reconfigurations, counter(&rack, "uplinks that were moved")), (1, 0.0));
}
