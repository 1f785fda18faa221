//! A stand-in for the trace of 339 servers (§6.2).
//!
//! From the paper: clusters of servers with a common hostname prefix that communicate heavily; many-to-one, "servers with a common
//! hostname prefix often exchange traffic with a specific server with a different hostname prefix"; flows with an unknown end
//! count as uplink traffic; flow sizes as in §6.5; consistent with Kandula et al. (IMC 2009).
//!
//! From Kandula et al., §4.1: within its group a server talks to almost all others or to less than a quarter of them; the
//! median numbers of correspondents are two within the group and four outside; bytes of pairs that talk are spread over many
//! orders of magnitude.
//!
//! Ours, as neither says: sizes of clusters, how often two servers talk that do, and which share leaves the rack. They are settings.

use super::{FlowSizes, Traffic, WorkloadError, in_range};
use crate::MOST_SOCS;
use crate::demand::{Demand, External, index};
use engine::{Seed, Stream};
use std::collections::BTreeMap;

/// How the synthetic production cluster is made. The defaults are those of the reproduction; they were set before it first ran.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Production {
    /// Servers of the trace, 339 in the paper.
    pub servers: u32,
    /// Servers with the same hostname prefix: 2 to this many, each power of two as likely as the next (log-uniform).
    pub largest_cluster: u32,
    /// One in so many servers talks to its whole cluster, the others to a quarter of it, at least to one (Kandula et al.).
    pub whole_cluster_one_in: u32,
    /// Others outside the cluster that each server exchanges a single flow with: four in the median (Kandula et al.), of which the
    /// cluster's server of many-to-one traffic is one.
    pub strangers: u32,
    /// Flows between two servers that talk: 1 to this many, log-uniform.
    pub most_flows: u32,
}

impl Default for Production {
    fn default() -> Production {
        Production { servers: 339, largest_cluster: 32, whole_cluster_one_in: 4, strangers: 3, most_flows: 1000 }
    }
}

impl Production {
    /// The traffic on so many SoCs. With fewer SoCs than servers, a random subset of the servers that have traffic; with more, a
    /// random set of those is there twice (§6.2).
    ///
    /// # Errors
    /// For settings out of range, and racks that [`Demand`] refuses.
    pub fn on(&self, socs: u32, seed: Seed) -> Result<Traffic, WorkloadError> {
        in_range("servers", self.servers, 2, MOST_SOCS)?;
        in_range("largest_cluster", self.largest_cluster, 2, self.servers)?;
        in_range("whole_cluster_one_in", self.whole_cluster_one_in, 1, u32::MAX)?;
        in_range("strangers", self.strangers, 0, self.servers - 1)?;
        in_range("most_flows", self.most_flows, 1, 1_000_000)?;
        Demand::none(socs)?;
        super::scale::onto(&self.trace(seed)?, socs, seed)
    }

    fn trace(&self, seed: Seed) -> Result<Traffic, WorkloadError> {
        let clusters = self.clusters(&mut seed.stream("xfabric.workload.clusters", 0));
        let mut trace = Trace {
            most_flows: self.most_flows,
            sizes: FlowSizes::production(),
            stream: seed.stream("xfabric.workload.flows", 0),
            between: BTreeMap::new(),
            external: External::none(self.servers),
        };
        let mut partners = seed.stream("xfabric.workload.partners", 0);
        for members in &clusters {
            let outside: Vec<u32> = (0..self.servers).filter(|server| !members.contains(server)).collect();
            let service = pick(&mut partners, &outside, 1);
            for &server in members {
                let others: Vec<u32> = members.iter().copied().filter(|&other| other != server).collect();
                let whole = partners.below(u64::from(self.whole_cluster_one_in)) == 0;
                let many = if whole { others.len() } else { others.len().div_ceil(4) };
                for other in pick(&mut partners, &others, many) {
                    trace.talk(server, other);
                }
                for &service in &service {
                    trace.talk(server, service);
                }
                for stranger in pick(&mut partners, &outside, index(self.strangers)) {
                    trace.flow(server, stranger);
                }
                trace.talk_to_the_world(server);
            }
        }
        let mut cluster = vec![0; index(self.servers)];
        for (number, members) in (0..).zip(&clusters) {
            members.iter().for_each(|&server| cluster[index(server)] = number);
        }
        let none = Demand::none(self.servers)?;
        Ok(Traffic {
            demand: none.plus(trace.between.iter().map(|(&(from, to), &(bytes, _))| (from, to, bytes)))?,
            flows: none.plus(trace.between.iter().map(|(&(from, to), &(_, flows))| (from, to, flows)))?,
            external: trace.external,
            cluster,
        })
    }

    fn clusters(&self, stream: &mut Stream) -> Vec<Vec<u32>> {
        let mut clusters = Vec::new();
        let mut first = 0;
        while first < self.servers {
            let size = log_uniform(stream, 2, self.largest_cluster).min(self.servers - first);
            clusters.push((first..first + size).collect());
            first += size;
        }
        clusters
    }
}

/// A whole number from `least` to `most`, twice as large as likely as half as large.
fn log_uniform(stream: &mut Stream, least: u32, most: u32) -> u32 {
    let (low, high) = (libm::log(f64::from(least)), libm::log(f64::from(most) + 1.0));
    let drawn = libm::exp(low + (high - low) * stream.unit()) as u32;
    drawn.clamp(least, most)
}

/// So many of them, in random order; all if there are fewer.
fn pick(stream: &mut Stream, of: &[u32], many: usize) -> Vec<u32> {
    let mut all = of.to_vec();
    stream.shuffle(&mut all);
    all.truncate(many);
    all
}

struct Trace {
    most_flows: u32,
    sizes: FlowSizes,
    stream: Stream,
    /// By source and destination: bytes and flows.
    between: BTreeMap<(u32, u32), (u64, u64)>,
    external: External,
}

impl Trace {
    fn talk(&mut self, a: u32, b: u32) {
        for _ in 0..log_uniform(&mut self.stream, 1, self.most_flows) {
            self.flow(a, b);
        }
    }
    /// One flow, in either direction.
    fn flow(&mut self, a: u32, b: u32) {
        let pair = if self.stream.below(2) == 0 { (a, b) } else { (b, a) };
        let size = self.sizes.draw(&mut self.stream);
        let (bytes, flows) = self.between.entry(pair).or_default();
        *bytes += size;
        *flows += 1;
    }
    fn talk_to_the_world(&mut self, server: u32) {
        for _ in 0..log_uniform(&mut self.stream, 1, self.most_flows) {
            let size = self.sizes.draw(&mut self.stream);
            let External { sent, received } = &mut self.external;
            let counter = if self.stream.below(2) == 0 { sent } else { received };
            counter[index(server)] += size;
        }
    }
}
