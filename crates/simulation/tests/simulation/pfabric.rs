//! pFabric over ports that order by rank, against what its paper says of it (Alizadeh et al., SIGCOMM 2013): flows complete nearly as soon as on
//! average they can at all, short ones at the 99th percentile too, and none waits for ever.

use crate::lab::{Lab, Report, dctcp, fabric, flows, ms, star, us};
use engine::{Control, Seed};
use ethernet::{Config, Length, Port, Ranked, Routing, Switching};
use topology::Shape;
use transport::{Config as Protocol, config};
use units::{Bytes, Rate, Span, Time};
use workload::sizes::{Sizes, published};
use workload::{Arrivals, Group, Kind, Pattern, Poisson};

/// The paper's numbers, for 10 Gb/s.
fn ten() -> (Protocol, Config) {
    let port = Port { queue: Length::Packets(24), ecn_threshold: None, red: None, loss: 0.0 };
    (Protocol::Pfabric(config::Pfabric::default()), Config { pfabric: true, port, ..fabric() })
}

/// In proportion for 100 Gb/s and four links of 1 us: a bandwidth-delay product of 72 packets.
fn hundred() -> (Protocol, Config) {
    let pfabric = config::Pfabric {
        initial_window: 72,
        max_window: 90,
        timeout: Span::from_us(27),
        ..config::Pfabric::default()
    };
    let port = Port { queue: Length::Packets(144), ecn_threshold: None, red: None, loss: 0.0 };
    let (switching, routing) = (Switching::CutThrough, Routing::Spray);
    (Protocol::Pfabric(pfabric), Config { pfabric: true, port, switching, routing, ..fabric() })
}

fn run(lab: &mut Lab, (transport, fabric): (Protocol, Config)) -> Report {
    lab.fabric = fabric;
    lab.run_with::<Ranked>(&transport, &Control::default())
}

/// Completion times in seconds, in order of the flows' numbers.
fn times(report: &Report) -> Vec<f64> {
    assert!(report.is_done(), "{:?}", report.outcome.ended);
    let ids = report.integers("flows", "id").into_iter().map(Option::unwrap);
    let times = report.integers("flows", "fct_ps").into_iter().map(Option::unwrap);
    let mut by_id: Vec<(u64, u64)> = ids.zip(times).collect();
    by_id.sort_unstable();
    by_id.into_iter().map(|(_, ps)| ps as f64 * 1e-12).collect()
}

fn mean(of: &[f64]) -> f64 {
    of.iter().sum::<f64>() / of.len() as f64
}

/// Seconds that a message takes of a link of 10 Gb/s, in packets of 1500 B with a header of 40 B and 38 B of framing.
fn work(bytes: u64) -> f64 {
    (bytes + bytes.div_ceil(1460) * 78) as f64 * 8.0 / 10e9
}

/// When each of the jobs is done, if one machine always does the one of which least remains: what no order beats on average (Schrage, 1968). Jobs
/// come at these times, in their order, with so much work.
fn shortest_remaining_first(jobs: &[(f64, f64)]) -> Vec<f64> {
    let (mut done, mut left) = (vec![0.0; jobs.len()], Vec::<(usize, f64)>::new());
    let (mut now, mut come) = (0.0_f64, 0);
    while come < jobs.len() || !left.is_empty() {
        let next = jobs.get(come).map_or(f64::INFINITY, |(at, _)| *at);
        let least = (0..left.len()).min_by(|a, b| left[*a].1.total_cmp(&left[*b].1));
        match least {
            Some(place) if now + left[place].1 <= next => {
                let (job, work) = left.swap_remove(place);
                now += work;
                done[job] = now;
            }
            _ => {
                if let Some(place) = least {
                    left[place].1 -= next - now;
                }
                now = next;
                left.push((come, jobs[come].1));
                come += 1;
            }
        }
    }
    done
}

/// Flows to one host from many, as likely short as long, at 80 % of its link.
fn to_one_host(senders: u32, count: u64) -> Vec<(u32, u32, Bytes, Time)> {
    let mut stream = Seed(7).stream("test", 0);
    let sizes = [5_000_u64, 20_000, 60_000, 200_000, 1_000_000];
    let mean = sizes.iter().map(|bytes| work(*bytes)).sum::<f64>() / sizes.len() as f64;
    let mut at = 0.0;
    let flow = |_| {
        at += stream.exponential(mean / 0.8);
        let from = 1 + stream.below(u64::from(senders)) as u32;
        let bytes = sizes[stream.below(sizes.len() as u64) as usize];
        (from, 0, Bytes::new(bytes), Time::ZERO + Span::from_secs_f64(at))
    };
    (0..count).map(flow).collect()
}

#[test]
fn at_one_link_flows_complete_nearly_as_soon_as_by_the_best_order() {
    let list = to_one_host(30, 2000);
    let mut lab = Lab::new(star(31), flows(list.clone()), ms(10_000));
    let jobs: Vec<_> = list.iter().map(|(.., bytes, at)| (at.as_ps() as f64 * 1e-12, work(bytes.get()))).collect();
    // Two links of 1 us, and a packet that is whole at the switch before it goes on.
    let way = |bytes: u64| 2e-6 + work(bytes.min(1460));
    let ideal: Vec<f64> = shortest_remaining_first(&jobs)
        .into_iter()
        .zip(&list)
        .map(|(done, (.., bytes, at))| done - at.as_ps() as f64 * 1e-12 + way(bytes.get()))
        .collect();
    let found = times(&run(&mut lab, ten()));
    let ratio = mean(&found) / mean(&ideal);
    // Those of 5 KB, of which nearly all find the link busy with something of which more remains.
    let short = |times: &[f64]| {
        let mut short: Vec<f64> =
            times.iter().zip(&list).filter(|(_, (.., bytes, _))| bytes.get() == 5000).map(|(time, _)| *time).collect();
        short.sort_by(f64::total_cmp);
        short[short.len() * 99 / 100]
    };
    lab.fabric = fabric();
    let fair = times(&lab.run(&dctcp()));
    // 1.14; DCTCP's is 1.67, and its short flows take six times as long as these.
    assert!((1.0..1.2).contains(&ratio), "{ratio}");
    assert!(mean(&fair) > 1.4 * mean(&found), "{} and {}", mean(&fair), mean(&found));
    assert!(short(&found) < 1.1 * short(&ideal), "{} and {}", short(&found), short(&ideal));
    assert!(short(&fair) > 5.0 * short(&found), "{} and {}", short(&fair), short(&found));
}

/// The pod of an 8-port fat-tree: 4 racks of 4 hosts, 4 switches above.
#[test]
fn short_flows_of_a_loaded_pod_take_hardly_longer_than_alone() {
    let size = Sizes::Cdf(published("web-search").unwrap().cdf(None));
    let poisson = Poisson {
        arrivals: Arrivals::Load(0.8),
        flows: None,
        size,
        pattern: Pattern::Uniform,
        burst: None,
        allow_overload: false,
    };
    let pod = Shape::LeafSpine { leaves: 4, spines: 4, hosts_per_leaf: 4 };
    let pod = pod.build(Rate::from_gbps(100), Span::from_us(1)).unwrap();
    let mut lab = Lab::new(pod, vec![Group::new("searches", Kind::Poisson(poisson))], ms(8));
    let report = run(&mut lab, hundred());
    let (bytes, found) = (report.integers("flows", "bytes"), report.numbers("flows", "slowdown"));
    let short = |bytes: &Option<u64>| bytes.is_some_and(|bytes| bytes < 10_000);
    let mut slowdowns: Vec<f64> =
        bytes.iter().zip(found).filter(|(bytes, _)| short(bytes)).filter_map(|(_, slowdown)| slowdown).collect();
    slowdowns.sort_by(f64::total_cmp);
    assert!(slowdowns.len() > 80 && slowdowns[0] >= 1.0, "{slowdowns:?}");
    let [median, p99] = [50, 99].map(|percent| slowdowns[slowdowns.len() * percent / 100]);
    assert!(median < 1.1 && p99 < 1.25, "{median} and {p99}");
    assert!(report.summary("total_dropped_frames") > 0, "of long flows");
}

#[test]
fn long_flows_get_what_short_ones_leave() {
    // Five of 4 MB that drop each other's packets, and 80 % of the link in flows of 20 KB that all go before them.
    let short = (0..4000).map(|n: u64| {
        let at = (n as f64 * work(20_000) / 0.8 * 1e12) as u64;
        (6 + (n % 20) as u32, 0, Bytes::new(20_000), Time::ZERO + Span::from_ps(at))
    });
    let long = (1..=5).map(|from| (from, 0, Bytes::new(4_000_000), us(0)));
    let mut lab = Lab::new(star(26), flows(long.chain(short)), ms(10_000));
    let report = run(&mut lab, ten());
    let found = times(&report);
    assert!(report.summary("timeouts") > 100);
    // Short ones are there for 84 ms, in which the link has room for 20 MB beside them.
    let last = found[..5].iter().copied().fold(0.0, f64::max);
    assert!(last < 0.12, "{last}: {:?}", &found[..5]);
    let longest = found[5..].iter().copied().fold(0.0, f64::max);
    assert!(longest < 30e-6, "{longest}");
}
