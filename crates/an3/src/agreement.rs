//! What must hold at every instant, for tests: the nodes at the two ends of a link have the same circuits in the same slots of it whenever nothing is under way between them.

use crate::message::Name;
use crate::network::An3;
use fabric::Observer;

impl<O: Observer> An3<O> {
    /// Control cells that are on a link, or wait for it.
    pub(crate) fn count_under_way(&mut self, link: u32, change: i32) {
        let under_way = &mut self.trace.under_way;
        if under_way.is_empty() {
            under_way.resize(self.rig.lines.len(), 0);
        }
        under_way[link as usize] += change;
    }

    /// A link whose ends disagree while no control cell is on it either way.
    pub(crate) fn disagreement(&self) -> Option<String> {
        let is_quiet = |link: u32| self.trace.under_way.get(link as usize).is_none_or(|count| *count == 0);
        (0..).zip(&self.rig.lines).find_map(|(link, line)| {
            if !is_quiet(link) || !is_quiet(line.reverse) {
                return None;
            }
            let near: Vec<(u8, Name)> = self.outgoing(line).collect();
            let far: Vec<(u8, Name)> = match self.is_host(line.to) {
                true => {
                    let [incoming, _] = self.nics[line.to as usize].tables(line.to_port);
                    incoming.all().map(|(slot, entry)| (slot, entry.name)).collect()
                }
                false => self.switches[(line.to - self.rig.hosts()) as usize].0.incoming(line.to_port).collect(),
            };
            (near != far).then(|| format!("link {link}, {line:?}: {near:?} at its beginning, {far:?} at its end"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;
    use crate::rig::Line;
    use crate::ring::PORTS;
    use engine::{Event, EventQueue, Rank, Seed};
    use fabric::{Fault, Frame, Network, Off, kind};
    use proptest::prelude::*;
    use std::collections::BTreeSet;
    use topology::{NodeId, Shape, Wiring};
    use units::{Rate, Span, Time};

    /// What breaks for good.
    #[derive(Debug, Clone, Copy)]
    enum Broken {
        Link(u32),
        Switch(u32),
        /// A ringmaster with the eight ports of its line card (§4.2); the ring passes it by.
        Ringmaster(u32, u32),
        Nic(u32),
    }

    impl Broken {
        /// What that is of this network.
        fn faults(self, network: &An3) -> Vec<Fault> {
            let (hosts, switches) = (network.rig.hosts(), network.switches.len() as u32);
            match self {
                Broken::Link(link) => vec![Fault::Link { link: link % network.rig.lines.len() as u32, up: false }],
                Broken::Switch(switch) => vec![Fault::Node { node: hosts + switch % switches, up: false }],
                Broken::Ringmaster(switch, card) => {
                    let node = hosts + switch % switches;
                    let cards = network.rig.topology.ports(NodeId(node)).len().div_ceil(PORTS as usize) as u32;
                    let is_there = |line: &Line| line.from == node && u32::from(line.from_port) / PORTS == card % cards;
                    let links = (0..).zip(&network.rig.lines).filter(|(_, line)| is_there(line));
                    links.map(|(link, _)| Fault::Link { link, up: false }).collect()
                }
                Broken::Nic(nic) => vec![Fault::Node { node: nic % hosts, up: false }],
            }
        }
    }

    fn network(containers: u32, networks: u32, config: &Config, seed: u64) -> An3 {
        let wiring = Wiring::Mesh;
        let shape = topology::An3 { containers, networks, hosts: 4, wiring, egress: 2, container_links: 1 };
        let topology = Shape::An3(shape).build(Rate::from_gbps(10), Span::from_ns(100)).expect("a good shape");
        An3::<Off>::new(config, &topology, Seed(seed)).expect("it is one")
    }

    /// The fault at its instant, and whether it ever ends.
    const FAULT: u32 = 1 << 25;

    /// Runs flows while something breaks, and says which have come. At every `stride`th event the ends of all links agree.
    fn run(
        network: &mut An3,
        flows: &[Frame],
        fault: Option<(Time, Broken)>,
        stride: usize,
        end: Time,
    ) -> BTreeSet<u32> {
        let mut queue = EventQueue::new(Span::from_ns(100));
        let mut delivered = BTreeSet::new();
        for frame in flows {
            network.offer(Time::ZERO, *frame, &mut queue);
        }
        if let Some((at, _)) = fault {
            queue.push(Event { at, rank: Rank::new(kind::TICK, FAULT), slot: 0 });
        }
        let mut events = 0;
        while let Some(event) = queue.pop().filter(|event| event.at <= end) {
            if let (FAULT, Some((at, broken))) = (event.rank.device(), fault) {
                for fault in broken.faults(network) {
                    network.fault(at, fault, &mut queue);
                }
            } else if let Some(frame) = network.handle(event, &mut queue) {
                assert!(delivered.insert(frame.flow), "flow {} has come twice", frame.flow);
                assert_eq!(flows[frame.flow as usize].len, frame.len, "it came whole");
            }
            events += 1;
            if events % stride == 0 {
                assert_eq!(network.disagreement(), None, "at {}", event.at);
            }
        }
        network.check();
        assert_eq!(network.disagreement(), None, "at the end");
        delivered
    }

    fn flows(hosts: u32, list: &[(u32, u32, u32)]) -> Vec<Frame> {
        let one = |(flow, (src, dst, len)): (u32, &(u32, u32, u32))| {
            let (src, dst) = (src % hosts, dst % hosts);
            let dst = if dst == src { (dst + 1) % hosts } else { dst };
            Frame { flow, src, dst, len: *len, ..Frame::EMPTY }
        };
        (0..).zip(list).map(one).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(150))]

        /// Whatever breaks and whenever: flows between hosts that live arrive, once and whole, as one failure leaves a way between any two of them; of a host that
        /// is dead the sender is told, and holds no circuit. The ends of all links agree all the time, and no slot is left taken.
        #[test]
        fn whatever_breaks_flows_are_delivered_or_their_senders_told(
            containers in 1_u32..4,
            networks in prop_oneof![4 => 1_u32..3, 1 => 9_u32..12],
            growth in any::<bool>(),
            chunk in 1_u32..20,
            seed in any::<u64>(),
            stride in 1_usize..40,
            list in proptest::collection::vec((0_u32..64, 0_u32..64, 1_u32..9000), 1..60),
            broken in prop_oneof![
                any::<u32>().prop_map(Broken::Link),
                any::<u32>().prop_map(Broken::Switch),
                any::<(u32, u32)>().prop_map(|(switch, card)| Broken::Ringmaster(switch, card)),
                any::<u32>().prop_map(Broken::Nic),
            ],
            nanoseconds in 0_u64..1_000_000,
        ) {
            let config = Config { growth, chunk, hold: 30, ..Config::default() };
            let mut network = network(containers, networks, &config, seed);
            let hosts = network.rig.hosts();
            let flows = flows(hosts, &list);
            let at = Time::ZERO + Span::from_ps(nanoseconds * 1000 + 1);
            let end = Time::ZERO + Span::from_ms(30);
            let delivered = run(&mut network, &flows, Some((at, broken)), stride, end);
            let dead = match broken {
                Broken::Nic(nic) => Some(nic % hosts),
                Broken::Link(_) | Broken::Switch(_) | Broken::Ringmaster(..) => None,
            };
            for frame in flows.iter().filter(|frame| !delivered.contains(&frame.flow)) {
                prop_assert!([frame.src, frame.dst].map(Some).contains(&dead), "{frame:?} has not come after {broken:?}");
                if Some(frame.dst) == dead {
                    let socket = network.frames.flows.find([frame.flow, frame.epoch, frame.src]);
                    let connection = network.sockets.connection(socket.expect("its sender still has it").place);
                    prop_assert!(connection.has_work(), "its sender knows that it has not come");
                    prop_assert!(connection.circuits <= 1, "and has no circuit for it, but for one that it asks for once more");
                }
            }
            // Whoever has something for a dead host asks again and again, perhaps at this moment.
            let asks_again = flows.iter().any(|frame| Some(frame.dst) == dead && !delivered.contains(&frame.flow));
            prop_assert!(asks_again || network.slots_taken() == 0, "nothing is left of any circuit");
        }
    }
}
