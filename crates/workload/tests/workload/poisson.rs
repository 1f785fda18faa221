//! Arrivals at random: their rate, their load, their law.

use crate::network::{fixed, make, one, setting};
use units::{Rate, Time};
use workload::sizes::{Sizes, published};
use workload::{Arrivals, Bursts, Flow, Group, Kind, Pattern, Poisson, Setting, Workload};

pub(crate) fn kind(load: f64, size: Sizes) -> Kind {
    let (arrivals, pattern) = (Arrivals::Load(load), Pattern::Uniform);
    Kind::Poisson(Poisson { arrivals, flows: None, size, pattern, burst: None, allow_overload: false })
}

fn all(workload: &mut Workload) -> Vec<Flow> {
    std::iter::from_fn(|| workload.start_next()).collect()
}

#[test]
fn the_load_is_what_was_asked_for() {
    let setting = setting(16);
    let mut workload = one(kind(0.5, fixed(100_000)), &setting);
    // 0.5 x 16 x 10 Gb/s over 100 KB: 100000 flows a second.
    assert_eq!(workload.expected_flows(), Some(100_000));
    let info = workload.groups()[0].clone();
    assert_eq!((info.offered_load, info.offered_bps, info.mean_bytes), (Some(0.5), Some(80e9), Some(100_000.0)));
    assert_eq!(info.description, "load 0.5 (5 Gb/s a host, 100000 flows/s in all), any host to any other, 100 KB each");
    let flows = all(&mut workload);
    // Three deviations of a Poisson count.
    assert!((flows.len() as f64 - 100_000.0).abs() < 3.0 * 100_000_f64.sqrt(), "{}", flows.len());
    assert!(flows.is_sorted_by_key(|flow| flow.start) && flows.iter().all(|flow| flow.start < setting.duration));
    for host in 0..16 {
        let sent = flows.iter().filter(|flow| flow.src == host).count() as f64;
        let received = flows.iter().filter(|flow| flow.dst == host).count() as f64;
        let off = 4.0 * 6250_f64.sqrt();
        assert!((sent - 6250.0).abs() < off && (received - 6250.0).abs() < off, "host {host}: {sent} {received}");
    }
}

#[test]
fn heavy_tails_offer_the_load_too() {
    let sizes = Sizes::Cdf(published("web-search").unwrap().cdf(None));
    let mut workload = one(kind(0.8, sizes.clone()), &setting(160));
    let flows = all(&mut workload);
    let offered: f64 = flows.iter().map(|flow| flow.bytes.get() as f64 * 8.0).sum();
    // 93500 flows in a second of 1.71 MB each; the deviation of their sum is sqrt(n E[X^2]), and E[X^2] is 1.87e13 B^2.
    let off = 3.0 * 8.0 * (flows.len() as f64 * 1.87e13).sqrt();
    assert!((offered - 0.8 * 1600e9).abs() < off, "{offered} b/s, {off} off at most");
    assert_eq!(
        workload.groups()[0].description,
        "load 0.8 (8 Gb/s a host, 93500 flows/s in all), any host to any other, web-search sizes (linear), mean 1.71 MB"
    );
}

#[test]
fn gaps_are_exponential_and_do_not_remember() {
    let flows = all(&mut one(kind(0.5, fixed(100_000)), &setting(16)));
    let gaps: Vec<f64> = flows.windows(2).map(|two| two[1].start.since(two[0].start).as_secs_f64()).collect();
    let n = gaps.len() as f64;
    let mean = gaps.iter().sum::<f64>() / n;
    let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / n;
    // The squared coefficient of variation is 1; its standard error is sqrt(8 / n).
    assert!((variance / mean.powi(2) - 1.0).abs() < 3.0 * (8.0 / n).sqrt());
    let above = gaps.iter().filter(|gap| **gap > 1e-5).count() as f64 / n;
    // One in e is longer than the mean, 10 us; three deviations of that share are 0.0046.
    assert!((above - 0.367_879).abs() < 0.0046, "{above}");
    let product = gaps.windows(2).map(|two| (two[0] - mean) * (two[1] - mean)).sum::<f64>() / n;
    assert!((product / variance).abs() < 3.0 / n.sqrt());
}

#[test]
fn picosecond_gaps_keep_the_rate() {
    // A load of 1 on 1000 hosts of 800 Gb/s with 100 B each: 1e12 flows a second, one a picosecond on average.
    let rate = Rate::from_gbps(800);
    let setting = Setting { host_rate: rate, duration: Time::from_ps(300_000), ..setting(1000) };
    let flows = all(&mut one(kind(1.0, fixed(100)), &setting)).len() as f64;
    assert!((flows - 300_000.0).abs() < 3.0 * 300_000_f64.sqrt(), "{flows}");
}

#[test]
fn a_rate_is_flows_a_second_and_its_load_is_printed() {
    let (arrivals, size, pattern) = (Arrivals::Rate(5000.0), fixed(1_000_000), Pattern::RackLocal { fraction: 0.25 });
    let mut workload = one(
        Kind::Poisson(Poisson { arrivals, flows: None, size, pattern, burst: None, allow_overload: false }),
        &setting(16),
    );
    assert_eq!(workload.groups()[0].offered_load, Some(0.25));
    assert_eq!(
        workload.groups()[0].description,
        "load 0.25 (2.5 Gb/s a host, 5000 flows/s in all), 25 % within the rack, 1 MB each"
    );
    let flows = all(&mut workload);
    let local = flows.iter().filter(|flow| flow.src / 4 == flow.dst / 4).count() as f64 / flows.len() as f64;
    assert!((local - 0.25).abs() < 3.0 * (0.25 * 0.75 / 5000_f64).sqrt());
}

#[test]
fn nothing_arrives_before_the_start_or_after_the_stop() {
    let mut group = Group::new("test", kind(0.5, fixed(100_000)));
    group.start = "250 ms".parse().unwrap();
    group.stop = Some("350 ms".parse().unwrap());
    let mut workload = make(&[group.clone()], &setting(16));
    assert_eq!(workload.expected_flows(), Some(10_000));
    let flows = all(&mut workload);
    assert!(flows.iter().all(|flow| flow.start >= group.start && Some(flow.start) < group.stop));
    assert!((flows.len() as f64 - 10_000.0).abs() < 300.0);
}

#[test]
fn it_ends_after_so_many_flows() {
    let with = |rate, flows| {
        let (arrivals, pattern) = (Arrivals::Rate(rate), Pattern::Uniform);
        one(
            Kind::Poisson(Poisson { arrivals, flows, size: fixed(1000), pattern, burst: None, allow_overload: false }),
            &setting(16),
        )
    };
    let mut some = with(10_000.0, Some(1234));
    assert_eq!((some.expected_flows(), some.groups()[0].warnings.len()), (Some(1234), 0));
    let (some, all_of_them) = (all(&mut some), all(&mut with(10_000.0, None)));
    assert_eq!(some, all_of_them[..1234], "the first of those that come without a bound");
    // The run lasts a second, in which 1000 come on average: 95 more are three deviations.
    let short = with(1000.0, Some(1096));
    assert_eq!(short.expected_flows(), Some(1000));
    assert_eq!(short.groups()[0].warnings, ["about 1000 flows arrive before 1 s, not 1096; duration ends it"]);
    assert!(with(1000.0, Some(1094)).groups()[0].warnings.is_empty());
    let description = &short.groups()[0].description;
    assert!(
        description.ends_with("1000 flows/s in all), 1096 flows, any host to any other, 1 KB each"),
        "{description}"
    );
}

#[test]
fn hosts_start_several_at_once() {
    let bursts = |flows| {
        let burst = Some(Bursts { points: vec![(0.5, 1), (1.0, 4)] });
        let (arrivals, pattern) = (Arrivals::Rate(10_000.0), Pattern::Uniform);
        let kind = Kind::Poisson(Poisson { arrivals, flows, size: fixed(1000), pattern, burst, allow_overload: false });
        one(kind, &setting(16))
    };
    let mut workload = bursts(None);
    // Half of the bursts are one flow, the others two to four: two on average.
    let description = &workload.groups()[0].description;
    assert!(description.ends_with("1 KB each, in bursts of 1 to 4 flows, 2 on average"), "{description}");
    assert_eq!(workload.expected_flows(), Some(10_000));
    let flows = all(&mut workload);
    assert!((flows.len() as f64 - 10_000.0).abs() < 500.0, "{}", flows.len());
    let bursts_of: Vec<_> = flows.chunk_by(|a, b| a.start == b.start).collect();
    assert!(bursts_of.iter().all(|burst| burst.iter().all(|flow| flow.src == burst[0].src && flow.dst != flow.src)));
    let part =
        |size: usize| bursts_of.iter().filter(|burst| burst.len() == size).count() as f64 / bursts_of.len() as f64;
    assert!((part(1) - 0.5).abs() < 0.03 && [2, 3, 4].iter().all(|size| (part(*size) - 1.0 / 6.0).abs() < 0.03));
    assert!(bursts_of.iter().any(|burst| burst[0].dst != burst[burst.len() - 1].dst), "each has its own destination");
    // A bound counts flows, and may cut a burst short.
    assert_eq!(all(&mut bursts(Some(101))), flows[..101]);
}

#[test]
fn sizes_do_not_move_arrivals() {
    // The same rate with other sizes: the same times and pairs, so that two runs differ in what is compared only.
    let with = |size| {
        let (arrivals, pattern) = (Arrivals::Rate(10_000.0), Pattern::Uniform);
        let kind = Kind::Poisson(Poisson { arrivals, flows: None, size, pattern, burst: None, allow_overload: false });
        all(&mut one(kind, &setting(16))).into_iter().map(|flow| (flow.start, flow.src, flow.dst)).collect::<Vec<_>>()
    };
    assert_eq!(with(fixed(1000)), with(Sizes::Exponential { mean: units::Bytes::new(5000) }));
}
