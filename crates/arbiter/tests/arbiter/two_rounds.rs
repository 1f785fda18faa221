//! Several pods, each with an arbiter and a clock of its own, around core switches with buffers: two rounds of scheduling (§3.4).

use arbiter::Slot;
use arbiter::allocation::Policy;
use arbiter::interpod::{Attached, Core, Demand, InterPod};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// How much a core switch holds, and when it says stop; in packets.
#[derive(Clone, Copy)]
struct Buffer {
    whole: usize,
    stop_whole: usize,
    stop_port: usize,
}

/// A core switch: a queue for each pod, of packets by number and destination.
#[derive(Default)]
struct CoreSwitch {
    queues: Vec<VecDeque<(u32, u16)>>,
    fullest: usize,
}

impl CoreSwitch {
    fn length(&self) -> usize {
        self.queues.iter().map(VecDeque::len).sum()
    }
}

struct Network {
    attached: Attached,
    arbiters: Vec<InterPod>,
    cores: BTreeMap<Core, CoreSwitch>,
    buffer: Buffer,
    /// At hosts, packets for hosts of other pods: by pod and host, then destination's pod, in order.
    waiting: BTreeMap<(u16, u16, u16), VecDeque<(u32, u16)>>,
    delivered: Vec<(u32, u16, u16)>,
    within: u32,
}

impl Network {
    fn new(ports: u32, batch: u32, buffer: Buffer) -> Network {
        let attached = Attached::of_fat_tree(ports).expect("a fat-tree");
        let pods = attached.pods();
        // Each pod counts from another slot.
        let arbiters =
            (0..pods).map(|pod| InterPod::new(&attached, Policy::MaxMin, batch, Slot(1000 * u64::from(pod))));
        let switch = || CoreSwitch { queues: vec![VecDeque::new(); pods.into()], fullest: 0 };
        Network {
            arbiters: arbiters.collect(),
            cores: attached.cores().map(|core| (core, switch())).collect(),
            attached,
            buffer,
            waiting: BTreeMap::new(),
            delivered: Vec::new(),
            within: 0,
        }
    }

    /// A host has a packet for a host of another pod.
    fn send(&mut self, packet: u32, from: (u16, u16), to: (u16, u16)) {
        self.waiting.entry((from.0, from.1, to.0)).or_default().push_back((packet, to.1));
        self.arbiters[usize::from(from.0)].add(Demand::Out { source: from.1, pod: to.0 }, 1);
    }

    /// A slot of one pod: what its arbiter has given happens, and core switches tell it whether to stop.
    fn slot(&mut self, pod: u16) {
        let given = self.arbiters[usize::from(pod)].next_slot().1.to_vec();
        let mut taken = BTreeSet::new();
        for transfer in given {
            for link in transfer.links(self.attached.pod()) {
                assert!(taken.insert(link), "a collision on {link:?} of pod {pod}");
            }
            let core = Core { plane: transfer.plane, number: transfer.core.unwrap_or(0) };
            match transfer.demand {
                Demand::Within { .. } => self.within += 1,
                Demand::Out { source, pod: to } => {
                    let queue = self.waiting.get_mut(&(pod, source, to)).expect("it asked");
                    let (packet, host) = queue.pop_front().expect("it asked for as much");
                    let switch = self.cores.get_mut(&core).expect("a core switch");
                    switch.queues[usize::from(to)].push_back((packet, host));
                    switch.fullest = switch.fullest.max(switch.length());
                    assert!(switch.length() <= self.buffer.whole, "{core:?} loses a packet");
                    self.arbiters[usize::from(to)].add(Demand::In { core, destination: host }, 1);
                }
                Demand::In { destination, .. } => {
                    let queue = &mut self.cores.get_mut(&core).expect("a core switch").queues[usize::from(pod)];
                    let place = queue.iter().position(|(_, host)| *host == destination).expect("it asked");
                    let (packet, host) = queue.remove(place).expect("it is there");
                    self.delivered.push((packet, pod, host));
                }
            }
        }
        for (&core, switch) in &self.cores {
            for arbiter in &mut self.arbiters {
                arbiter.close_core(core, switch.length() >= self.buffer.stop_whole);
            }
            for (to, queue) in (0..).zip(&switch.queues) {
                for arbiter in &mut self.arbiters {
                    arbiter.close_port(core, to, queue.len() >= self.buffer.stop_port);
                }
            }
        }
    }
}

/// All hosts of all pods but the first send to the first pod's first rack, and to each other; hosts of the first pod send to that rack too.
fn all_arrive(ports: u32, batch: u32, buffer: Buffer) -> Network {
    let mut network = Network::new(ports, batch, buffer);
    let (pods, hosts) = (network.attached.pods(), network.attached.pod().hosts());
    let rack = network.attached.pod().hosts_per_rack() as u16;
    let mut expected = Vec::new();
    let mut within = 0;
    for round in 0..20 {
        for pod in 0..pods {
            for host in 0..hosts {
                let number = expected.len() as u32;
                let to =
                    if (round + host) % 2 == 0 { (0, host % rack) } else { ((pod + 1) % pods, (host + round) % hosts) };
                if to.0 != pod {
                    network.send(number, (pod, host), to);
                    expected.push((number, to.0, to.1));
                } else if to.1 != host {
                    network.arbiters[usize::from(pod)].add(Demand::Within { source: host, destination: to.1 }, 1);
                    within += 1;
                }
            }
        }
    }
    // Pods' slots come in turns that change: their clocks differ.
    for round in 0..4000_u16 {
        for place in 0..pods {
            network.slot((place * (round % 2 * 2 + 1) + round) % pods);
        }
    }
    network.delivered.sort_unstable();
    assert_eq!(network.delivered, expected, "each packet once, to its host");
    assert_eq!(network.within, within);
    network
}

#[test]
fn nothing_collides_and_nothing_is_lost_while_buffers_have_room_for_what_is_under_way() {
    // Above the mark there is room for a packet of each pod for each slot of a batch and one more.
    for batch in [1, 4] {
        let room = 4 * (batch as usize + 1);
        let network = all_arrive(4, batch, Buffer { whole: 8 + room, stop_whole: 8, stop_port: 4 });
        let fullest = network.cores.values().map(|switch| switch.fullest).max().unwrap_or(0);
        assert!(fullest >= 8, "the mark is reached: {fullest}");
    }
}

#[test]
#[should_panic(expected = "loses a packet")]
fn without_backpressure_a_core_switch_overflows() {
    all_arrive(4, 1, Buffer { whole: 12, stop_whole: usize::MAX, stop_port: usize::MAX });
}
