//! What flows share: from the ends of flows to their rates.

use crate::filling::{Crossings, Filling};
use crate::streams::Streams;
use engine::Control;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use topology::{LinkId, NodeId, Topology};

/// What flows share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Sharing {
    /// The links of hosts, in and out: what lies between carries everything.
    Interfaces,
    /// Every link of each flow's path. Paths are chosen by a hash of the flow, the same that fabric.kind = "ethernet" has with routing =
    /// "ecmp" and the same seed: the same flows take the same links. What is left between this and a transport over Ethernet is the
    /// transport's, and what is left between this and "interfaces" is the hashes'.
    EcmpPaths,
    /// The virtual links of a Shoal rack, where every flow is spread over all nodes (Shoal §3.3.2): each pair of hosts has 1/(N-1) of
    /// a host's link. Takes N times as long to compute.
    // A flow from i to k has a subflow over each other node j, which crosses the virtual links i to j and j to k, and one straight to k.
    // Subflows have max-min fair rates, and a flow has the sum of its subflows'. A flow is all that goes from one node to another.
    Detours,
}

/// Computes rates.
#[derive(Debug, Clone)]
pub(crate) struct Shares {
    sharing: Sharing,
    hosts: u32,
    /// Of each resource, in bits a picosecond: each link, or each virtual link.
    capacities: Vec<f64>,
    filling: Filling,
    /// Subflows of detours.
    crossings: Crossings,
    rates: Vec<f64>,
}

impl Shares {
    /// On a topology whose hosts have one link each.
    pub(crate) fn new(sharing: Sharing, topology: &Topology) -> Shares {
        let rate = |link: LinkId| topology.link(link).rate.as_bps() as f64 * 1e-12;
        let hosts = topology.hosts();
        let capacities = match sharing {
            Sharing::Interfaces | Sharing::EcmpPaths => {
                (0..topology.links().len() as u32).map(LinkId).map(rate).collect()
            }
            Sharing::Detours => {
                let up = |host| LinkId(topology.ports(NodeId(host)).start);
                let parts = (f64::from(hosts) - 1.0).max(1.0);
                let virtual_link = |from, to| rate(up(from)).min(rate(topology.reverse(up(to)))) / parts;
                (0..hosts).flat_map(|from| (0..hosts).map(move |to| virtual_link(from, to))).collect()
            }
        };
        let (filling, crossings, rates) = (Filling::default(), Crossings::default(), Vec::new());
        Shares { sharing, hosts, capacities, filling, crossings, rates }
    }

    /// Computing rates may take long: it stops when this says so.
    pub(crate) fn watch(&mut self, control: &Control) {
        self.filling.control = control.clone();
    }

    /// Whether it was told to stop, and rates are of no use.
    pub(crate) fn is_stopped(&self) -> bool {
        self.filling.control.is_stopped()
    }

    /// The rate of each stream, in bits a picosecond.
    pub(crate) fn of(&mut self, streams: &Streams, rates: &mut Vec<f64>) {
        rates.clear();
        rates.resize(streams.len(), 0.0);
        match self.sharing {
            Sharing::Interfaces | Sharing::EcmpPaths => self.filling.fill(&self.capacities, &streams.paths, rates),
            Sharing::Detours => self.of_detours(&streams.ends, rates),
        }
    }

    fn of_detours(&mut self, ends: &[[u32; 2]], rates: &mut [f64]) {
        let hosts = self.hosts;
        let mut pairs: Vec<[u32; 2]> = ends.to_vec();
        pairs.sort_unstable();
        pairs.dedup();
        self.crossings.clear();
        for [from, to] in &pairs {
            for between in (0..hosts).filter(|between| between != from) {
                let links = [from * hosts + between, between * hosts + to];
                self.crossings.push(if between == *to { &links[..1] } else { &links });
            }
        }
        self.rates.clear();
        self.rates.resize(self.crossings.len(), 0.0);
        self.filling.fill(&self.capacities, &self.crossings, &mut self.rates);
        let subflows = hosts as usize - 1;
        let mut streams = vec![0_u32; pairs.len()];
        let pair_of =
            |ends: &[u32; 2]| pairs.binary_search(ends).unwrap_or_else(|_| unreachable!("a pair of the list"));
        ends.iter().for_each(|ends| streams[pair_of(ends)] += 1);
        for (rate, ends) in rates.iter_mut().zip(ends) {
            let pair = pair_of(ends);
            let sum: f64 = self.rates[pair * subflows..(pair + 1) * subflows].iter().sum();
            *rate = sum / f64::from(streams[pair]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::streams::Origin;
    use topology::Shape;
    use units::{Rate, Span, Time};

    fn shares(sharing: Sharing, hosts: u32, ends: &[[u32; 2]]) -> Vec<f64> {
        // A bit a picosecond.
        let topology = Shape::Star { hosts }.build(Rate::from_gbps(1000), Span::ZERO).expect("a good shape");
        let mut streams = Streams::default();
        for (place, [from, to]) in (0..).zip(ends) {
            let up = |host| LinkId(topology.ports(NodeId(host)).start);
            let path = [up(*from).0, topology.reverse(up(*to)).0];
            streams.begin(Time::ZERO, Origin { place, epoch: 0 }, [*from, *to], &path, 0, 8.0);
        }
        let mut rates = Vec::new();
        Shares::new(sharing, &topology).of(&streams, &mut rates);
        rates
    }

    #[test]
    fn interfaces_are_shared_by_who_uses_them() {
        // Two into host 2, one of which shares its source with a third flow: a half each, and a half is left for that.
        assert_eq!(shares(Sharing::Interfaces, 4, &[[0, 2], [1, 2], [1, 3]]), [0.5, 0.5, 0.5]);
        // A third flow into host 2, from host 3: thirds of it, and two thirds of host 1 are left for that which goes elsewhere.
        let rates = shares(Sharing::Interfaces, 5, &[[0, 2], [1, 2], [3, 2], [1, 4]]);
        assert!((rates[1] - 1.0 / 3.0).abs() < 1e-12 && (rates[3] - 2.0 / 3.0).abs() < 1e-12, "{rates:?}");
    }

    #[test]
    fn a_flow_alone_has_all_and_a_permutation_a_half() {
        let close = |a: f64, b: f64| (a - b).abs() < 1e-12;
        assert!(close(shares(Sharing::Detours, 8, &[[0, 5]])[0], 1.0));
        // Each of seven links of a seventh carries two subflows, but where the straight subflow is alone with one other: it and the two
        // that share a link with it at the node's ends. N / (2 (N - 1)) is what counting cells gives for a permutation.
        let permutation: Vec<[u32; 2]> = (0..8).map(|from| [from, (from + 3) % 8]).collect();
        for rate in shares(Sharing::Detours, 8, &permutation) {
            assert!(close(rate, 8.0 / 14.0), "{rate}");
        }
    }

    #[test]
    fn streams_of_a_pair_share_its_flow() {
        let rates = shares(Sharing::Detours, 8, &[[0, 5], [1, 6], [0, 5]]);
        assert_eq!(rates[0], rates[2]);
        assert_eq!(rates[0] * 2.0, rates[1]);
    }
}
