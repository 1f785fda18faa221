//! What is what in a topology: which switches are ToR switches, aggregation switches and core switches, and of which pod.

use super::{BuildError, Ports};
use topology::{LinkId, NodeId, Topology};

/// ToR switches with their hosts, aggregation switches, and core switches; pod by pod.
pub(super) struct Shape {
    pub(super) pods: usize,
    pub(super) racks: Vec<(u32, Vec<u32>)>,
    pub(super) aggregations: Vec<u32>,
    pub(super) cores: Vec<u32>,
}

impl Shape {
    pub(super) fn of(topology: &Topology, line_ports: Ports) -> Result<Shape, BuildError> {
        let ports = |node| topology.ports(NodeId(node));
        let name = |node: u32| topology.name(NodeId(node)).to_owned();
        if let Some(host) = (0..topology.hosts()).find(|host| ports(*host).len() != 1) {
            return Err(BuildError::Links { host: name(host), links: ports(host).len() });
        }
        let mut racks: Vec<(u32, Vec<u32>)> =
            (topology.hosts()..topology.nodes()).map(|switch| (switch, Vec::new())).collect();
        for host in 0..topology.hosts() {
            let switch = topology.link(LinkId(ports(host).start)).to.0;
            racks[(switch - topology.hosts()) as usize].1.push(host);
        }
        let (racks, others): (Vec<_>, Vec<_>) = racks.into_iter().partition(|(_, hosts)| !hosts.is_empty());
        let mut is_tor = vec![false; topology.nodes() as usize];
        racks.iter().for_each(|(tor, _)| is_tor[*tor as usize] = true);
        let neighbours = |switch: u32| ports(switch).map(|port| topology.link(LinkId(port)).to.0);
        let (aggregations, cores): (Vec<u32>, Vec<u32>) = others
            .into_iter()
            .map(|(switch, _)| switch)
            .partition(|&switch| neighbours(switch).any(|other| is_tor[other as usize]));
        match (racks.first(), cores.first()) {
            (Some((tor, _)), _) if aggregations.is_empty() => Err(BuildError::NoAggregation { tor: name(*tor) }),
            (_, None) => Ok(Shape { pods: 1, racks, aggregations, cores }),
            (_, Some(switch)) if line_ports != Ports::Bare => Err(BuildError::OnePod { switch: name(*switch) }),
            (_, Some(_)) => Shape::of_pods(topology, racks, aggregations, cores),
        }
    }

    /// Several pods: what hangs together without core switches.
    fn of_pods(
        topology: &Topology,
        racks: Vec<(u32, Vec<u32>)>,
        aggregations: Vec<u32>,
        cores: Vec<u32>,
    ) -> Result<Shape, BuildError> {
        let name = |node: u32| topology.name(NodeId(node)).to_owned();
        let neighbours = |switch: u32| topology.ports(NodeId(switch)).map(|port| topology.link(LinkId(port)).to.0);
        let mut pod_of = vec![None; topology.nodes() as usize];
        let mut is_inside = vec![false; topology.nodes() as usize];
        racks.iter().map(|(tor, _)| tor).chain(&aggregations).for_each(|switch| is_inside[*switch as usize] = true);
        let mut pods = 0;
        for (tor, _) in &racks {
            if pod_of[*tor as usize].is_some() {
                continue;
            }
            let mut reached = vec![*tor];
            pod_of[*tor as usize] = Some(pods);
            while let Some(switch) = reached.pop() {
                for other in neighbours(switch).filter(|other| is_inside[*other as usize]) {
                    if pod_of[other as usize].replace(pods).is_none() {
                        reached.push(other);
                    }
                }
            }
            pods += 1;
        }
        // What a core switch is joined to is an aggregation switch.
        let stands_alone = |core: &&u32| pods == 1 || neighbours(**core).any(|other| pod_of[other as usize].is_none());
        if let Some(switch) = cores.iter().find(stands_alone) {
            return Err(BuildError::Above { switch: name(*switch) });
        }
        let pod = |switch: u32| pod_of[switch as usize].unwrap_or(0);
        let (mut racks, mut aggregations) = (racks, aggregations);
        // Stable: within a pod they stay in their order.
        racks.sort_by_key(|(tor, _)| pod(*tor));
        aggregations.sort_by_key(|switch| pod(*switch));
        let count = |of: usize| {
            let racks = racks.iter().filter(|(tor, _)| pod(*tor) == of).count();
            (racks, aggregations.iter().filter(|switch| pod(**switch) == of).count())
        };
        let (first_racks, first_aggregations) = count(0);
        for of in 1..pods {
            let (other_racks, other_aggregations) = count(of);
            if (other_racks, other_aggregations) != (first_racks, first_aggregations) {
                let other = racks.iter().find(|(tor, _)| pod(*tor) == of).map_or(0, |(tor, _)| *tor);
                return Err(BuildError::UnevenPods {
                    tor: name(racks[0].0),
                    racks: first_racks,
                    aggregations: first_aggregations,
                    other: name(other),
                    other_racks,
                    other_aggregations,
                });
            }
        }
        Ok(Shape { pods, racks, aggregations, cores })
    }

    pub(super) fn hosts_per_rack(&self, topology: &Topology) -> Result<usize, BuildError> {
        let Some((first, hosts)) = self.racks.first() else { return Ok(0) };
        let name = |node: u32| topology.name(NodeId(node)).to_owned();
        match self.racks.iter().find(|(_, others)| others.len() != hosts.len()) {
            Some((tor, others)) => Err(BuildError::Uneven {
                tor: name(*first),
                hosts: hosts.len(),
                other: name(*tor),
                other_hosts: others.len(),
            }),
            None => Ok(hosts.len()),
        }
    }
}
