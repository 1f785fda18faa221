//! A trace on more or fewer SoCs than it has servers, in a random place each (§6.2).

use super::{Traffic, WorkloadError};
use crate::demand::{Demand, External, index};
use engine::Seed;

/// The servers of a trace on so many SoCs. Fewer: "a random subset of the SoCs that have traffic". More: all, and a random set of
/// those with traffic once more, again and again if need be. A copy talks to whom its original talks; originals and copies of one
/// another and copies among themselves do not talk, as nothing in the paper says that they would.
pub(super) fn onto(trace: &Traffic, socs: u32, seed: Seed) -> Result<Traffic, WorkloadError> {
    let servers = trace.demand.socs();
    let mut stream = seed.stream("xfabric.workload.scale", 0);
    let mut busy = vec![false; index(servers)];
    for (from, to, _) in trace.demand.entries() {
        busy[index(from)] = true;
        busy[index(to)] = true;
    }
    let mut with_traffic: Vec<u32> = (0..servers).filter(|&server| busy[index(server)]).collect();
    stream.shuffle(&mut with_traffic);
    // By SoC, before they are mixed: the server, and whether it is a copy.
    let mut placed: Vec<(u32, bool)> = if socs < servers {
        with_traffic.iter().map(|&server| (server, false)).take(index(socs)).collect()
    } else {
        (0..servers).map(|server| (server, false)).collect()
    };
    let room = index(socs) - placed.len();
    placed.extend(with_traffic.iter().cycle().take(room).map(|&server| (server, true)));
    // With fewer servers with traffic than SoCs the rest is idle.
    let idle = index(socs) - placed.len();
    let mut slots: Vec<Option<(u32, bool)>> = placed.into_iter().map(Some).chain((0..idle).map(|_| None)).collect();
    stream.shuffle(&mut slots);

    let mut of_server: Vec<Vec<(u32, bool)>> = vec![Vec::new(); index(servers)];
    let mut external = External::none(socs);
    // SoCs without a server are a cluster each to themselves, after the others.
    let first_idle = trace.cluster.iter().max().map_or(0, |most| most + 1);
    let mut cluster = Vec::with_capacity(slots.len());
    for (soc, slot) in (0..).zip(&slots) {
        match *slot {
            Some((server, copy)) => {
                of_server[index(server)].push((soc, copy));
                external.sent[index(soc)] = trace.external.sent[index(server)];
                external.received[index(soc)] = trace.external.received[index(server)];
                cluster.push(trace.cluster[index(server)]);
            }
            None => cluster.push(first_idle + soc),
        }
    }
    let spread = |matrix: &Demand| {
        let entries = matrix.entries().flat_map(|(from, to, amount)| {
            let (senders, receivers) = (&of_server[index(from)], &of_server[index(to)]);
            senders.iter().flat_map(move |&(a, a_is_copy)| {
                let talks = receivers.iter().filter(move |(_, b_is_copy)| !(a_is_copy && *b_is_copy));
                talks.map(move |&(b, _)| (a, b, amount))
            })
        });
        Demand::none(socs)?.plus(entries)
    };
    Ok(Traffic { demand: spread(&trace.demand)?, flows: spread(&trace.flows)?, external, cluster })
}
