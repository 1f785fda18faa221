//! How much an arbiter allocates a core-second: time slots and paths apart, for pods from 16 to 8192 hosts.
//!
//! `cargo bench -p benches --bench arbiter`; with `-- NAME` only the rows whose name contains NAME. One thread. Demands as in Fastpass's own benchmark
//! (`benchmark_graph_algo.c`): each host asks for an exponential number of slots, ten in the mean, to a random host, so often that the load is
//! what the row says; `backlogged` has 16 demands a host that never end. An allocation is a packet of 1500 B in the sum of Tb/s, as in Fastpass.

use arbiter::allocation::hosts::Hosts;
use arbiter::allocation::{Allocator, Policy};
use arbiter::control::{Action, Arbiter, Request, Settings, Voter};
use arbiter::interpod::{Attached, Core, Demand, InterPod};
use arbiter::paths::PathAssigner;
use arbiter::pipeline::Pipelined;
use arbiter::{Path, Pod, Slot, Transfer};
use benches::medians;
use cpu_time::{ProcessTime, ThreadTime};
use engine::Seed;
use std::hint::black_box;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

/// Slots that are handed on to another core together.
const GROUP: usize = 16;

/// What is asked for, slot by slot: source, destination, slots.
type Requests = Vec<Vec<(u16, u16, u32)>>;

fn poisson(hosts: u16, load: f64, slots: usize) -> Requests {
    let mut requests = vec![Vec::new(); slots];
    for source in 0..hosts {
        let mut random = Seed(1).stream("arbiter", source.into());
        let (mut time, mut over) = (0.0, 0.0);
        loop {
            time += random.exponential(10.0 / load);
            let Some(slot) = requests.get_mut(time as usize) else { break };
            over += random.exponential(10.0);
            let wanted = over as u32;
            over -= f64::from(wanted);
            let destination = (u64::from(source) + 1 + random.below(u64::from(hosts) - 1)) % u64::from(hosts);
            if wanted > 0 {
                slot.push((source, destination as u16, wanted));
            }
        }
    }
    requests
}

fn backlogged(hosts: u16, slots: usize) -> Requests {
    let mut requests = vec![Vec::new(); slots];
    for source in 0..hosts {
        let mut random = Seed(1).stream("arbiter", source.into());
        for _ in 0..16 {
            let destination = (u64::from(source) + 1 + random.below(u64::from(hosts) - 1)) % u64::from(hosts);
            requests[0].push((source, destination as u16, 1 << 24));
        }
    }
    requests
}

/// Allocates all slots; those after the warm-up are kept.
fn allocate(
    pod: &Pod,
    policy: Policy,
    batch: u32,
    requests: &Requests,
    warm: usize,
    kept: &mut Vec<Vec<Transfer>>,
) -> f64 {
    let hosts = pod.hosts();
    let mut allocator = Allocator::new(policy, Hosts::new(pod), hosts, hosts, batch, Slot(0));
    let mut slots = requests.iter();
    let mut serve = |count: usize, kept: &mut [Vec<Transfer>]| {
        for (number, wanted) in slots.by_ref().take(count).enumerate() {
            for &(source, destination, slots) in wanted {
                allocator.add(source, destination, slots);
            }
            let (_, transfers) = allocator.next_slot();
            if let Some(place) = kept.get_mut(number) {
                place.clear();
                place.extend_from_slice(transfers);
            }
        }
    };
    serve(warm, &mut []);
    kept.resize_with(requests.len() - warm, || Vec::with_capacity(hosts.into()));
    let [seconds] = medians(1, [&mut || serve(usize::MAX, kept)]);
    seconds
}

struct Row {
    name: String,
    pod: Pod,
    policy: Policy,
    batch: u32,
    requests: Requests,
    warm: usize,
}

fn print(row: &Row) {
    let mut kept = Vec::new();
    let mut times: Vec<f64> =
        (0..3).map(|_| allocate(&row.pod, row.policy, row.batch, &row.requests, row.warm, &mut kept)).collect();
    times.sort_by(f64::total_cmp);
    let (slots, count) = (kept.len() as f64, kept.iter().map(Vec::len).sum::<usize>() as f64);
    let (mut assigner, mut paths): (PathAssigner, Vec<Path>) = (PathAssigner::new(&row.pod), Vec::new());
    let [coloured] = medians(3, [&mut || kept.iter().for_each(|slot| assigner.assign(black_box(slot), &mut paths))]);
    let us = |seconds: f64| seconds * 1e6 / slots;
    let terabits = |seconds: f64| count * 12e3 / seconds / 1e12;
    let (allocation, used) = (times[1], count / slots / f64::from(row.pod.hosts()));
    println!(
        "| {} | {:.2} | {:.3} | {:.1} | {:.2} | {:.3} | {:.2} | {:.2} |",
        row.name,
        used,
        us(allocation),
        allocation * 1e9 / count,
        terabits(allocation),
        us(coloured),
        terabits(coloured),
        terabits(allocation + coloured),
    );
}

fn main() {
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with("--")).unwrap_or_default();
    println!("one core, median of three; us are of one slot, Tb/s of packets of 1500 B a core\n");
    println!("| hosts, load | used | slots us | ns each | Tb/s | paths us | Tb/s | both Tb/s |");
    println!("|---|---|---|---|---|---|---|---|");
    let two = |racks, hosts| Pod::two_tiers(racks, hosts, hosts).expect("a pod");
    let pods = [
        ("16", two(4, 4), 50_000),
        ("128", two(8, 16), 20_000),
        ("256", two(16, 16), 10_000),
        ("1024", two(32, 32), 4_000),
        ("8192", two(128, 64), 512),
        ("8192 in three tiers", Pod::whole_fat_tree(32).expect("a fat-tree"), 512),
    ];
    let row = |name: String, pod: &Pod, policy, batch, requests: Requests, warm| {
        if name.contains(&wanted) {
            print(&Row { name, pod: pod.clone(), policy, batch, requests, warm });
        }
    };
    for (name, pod, slots) in &pods {
        for load in [0.5, 0.9, 0.99] {
            let requests = poisson(pod.hosts(), load, slots * 2);
            row(format!("{name}, {load}"), pod, Policy::MaxMin, 64, requests, *slots);
        }
        row(format!("{name}, backlogged"), pod, Policy::MaxMin, 64, backlogged(pod.hosts(), slots * 2), *slots);
    }
    let large = two(32, 32);
    row("1024, 0.9, batches of 16".into(), &large, Policy::MaxMin, 16, poisson(1024, 0.9, 8_000), 4_000);
    row("1024, 0.9, smallest first".into(), &large, Policy::MinCompletion, 64, poisson(1024, 0.9, 8_000), 4_000);
    row("1024, 0.9, smallest first, 16".into(), &large, Policy::MinCompletion, 16, poisson(1024, 0.9, 8_000), 4_000);
    if wanted.is_empty() || "pipeline".contains(&wanted) {
        println!("\n| two cores: hosts, load | used | slots us | paths us | real time us |\n|---|---|---|---|---|");
        for (name, pod, slots) in &pods[1..4] {
            for load in [0.5, 0.9] {
                let requests = poisson(pod.hosts(), load, slots * 2);
                println!("{}", pipelined(&format!("{name}, {load}"), pod, &requests, *slots));
            }
        }
    }
    if wanted.is_empty() || "chain".contains(&wanted) {
        println!("\n| hosts, load | batch | slots us | of that beginnings us | the rest us |\n|---|---|---|---|---|");
        for (name, pod, slots) in &pods[2..4] {
            for load in [0.5, 0.9] {
                let requests = poisson(pod.hosts(), load, slots * 2);
                for batch in [64, 16, 4] {
                    println!("{}", chained(&format!("{name}, {load}"), pod, batch, &requests, *slots));
                }
            }
        }
    }
    if wanted.is_empty() || "requests between pods".contains(&wanted) {
        println!("\n{}", requests());
        println!("\n| between pods, hosts | used | us a slot | ns each |\n|---|---|---|---|");
        for ports in [8, 16, 32] {
            println!("{}", between_pods(ports));
        }
    }
}

/// Slots on one core and their paths on another: what each takes for a slot, in processor time, handing over included, and how long both take together.
fn pipelined(name: &str, pod: &Pod, requests: &Requests, warm: usize) -> String {
    let hosts = pod.hosts();
    let allocator = Allocator::new(Policy::MaxMin, Hosts::new(pod), hosts, hosts, 64, Slot(0));
    let count = |number| NonZeroUsize::new(number).expect("at least one");
    let mut pipelined = Pipelined::new(allocator, pod, count(1), count(GROUP)).expect("threads");
    let mut groups = requests.chunks(GROUP);
    let mut serve = |slots: usize| {
        let mut sent = 0;
        for group in groups.by_ref().take(slots / GROUP) {
            for &(source, destination, slots) in group.iter().flatten() {
                pipelined.allocator().add(source, destination, slots);
            }
            if let Some(done) = pipelined.next_group() {
                sent += done.iter().map(|slot| slot.paths.len()).sum::<usize>();
                pipelined.recycle(done);
            }
        }
        sent
    };
    serve(warm);
    let slots = requests.len() - warm;
    #[allow(clippy::disallowed_methods, reason = "two threads take less real time than processor time")]
    let (began, mine, all) = (Instant::now(), ThreadTime::now(), ProcessTime::now());
    let sent = serve(slots);
    let (real, mine, all) = (began.elapsed(), mine.elapsed(), all.elapsed());
    let us = |time: Duration| time.as_secs_f64() * 1e6 / slots as f64;
    let used = sent as f64 / slots as f64 / f64::from(hosts);
    format!("| {name} | {used:.2} | {:.2} | {:.2} | {:.2} |", us(mine), us(all - mine), us(real))
}

/// What a slot takes, and how much of that is not at the beginning of a batch, where demands that waited are gone through: cores in a row, a batch each, could do that
/// beginning while the one before is at work, but the rest only one after another.
fn chained(name: &str, pod: &Pod, batch: u32, requests: &Requests, warm: usize) -> String {
    let hosts = pod.hosts();
    let mut allocator = Allocator::new(Policy::MaxMin, Hosts::new(pod), hosts, hosts, batch, Slot(0));
    let (mut beginnings, mut began) = (Duration::ZERO, ThreadTime::now());
    for (number, wanted) in requests.iter().enumerate() {
        if number == warm {
            (beginnings, began) = (Duration::ZERO, ThreadTime::now());
        }
        for &(source, destination, slots) in wanted {
            allocator.add(source, destination, slots);
        }
        if number.is_multiple_of(batch as usize) {
            let began = ThreadTime::now();
            black_box(allocator.next_slot());
            beginnings += began.elapsed();
        } else {
            black_box(allocator.next_slot());
        }
    }
    let (all, slots) = (began.elapsed(), (requests.len() - warm) as f64);
    let us = |time: Duration| time.as_secs_f64() * 1e6 / slots;
    format!("| {name} | {batch} | {:.2} | {:.2} | {:.2} |", us(all), us(beginnings), us(all - beginnings))
}

/// How long an arbiter takes for a request, with nothing or a few allocations on their way to the host.
fn requests() -> String {
    let pod = Pod::two_tiers(32, 32, 32).expect("a pod");
    let settings = Settings {
        pod,
        policy: Policy::MaxMin,
        batch: 64,
        arbiter: 0,
        voters: 1,
        ahead: 16,
        repair: 16,
        lease: 1 << 20,
        patience: 1000,
    };
    let mut arbiter = Arbiter::new(settings, Slot(0)).expect("settings agree");
    let (mut voter, mut actions) = (Voter::default(), Vec::new());
    arbiter.take_over(&mut actions);
    if let Some(&Action::Ask(number, lease)) = actions.first() {
        arbiter.on_vote(number, voter.handle(lease), &mut actions);
    }
    let (mut count, mut given) = (0_u32, vec![0_u64; 1024]);
    let mut random = Seed(1).stream("arbiter", 0);
    let destinations: Vec<u16> = (0..1024_u64).map(|host| ((host + 1 + random.below(1023)) % 1024) as u16).collect();
    let [seconds] = medians(
        1,
        [&mut || {
            for slot in 1..3000 {
                actions.clear();
                arbiter.advance(Slot(slot), &mut actions);
                for action in &actions {
                    if let Action::Allocate(allocation) = action {
                        given[usize::from(allocation.source)] += 1;
                    }
                }
                for (source, &destination) in (0..).zip(&destinations) {
                    let granted = given[usize::from(source)];
                    let held = u64::MAX >> 48;
                    let request =
                        Request { source, destination, slot: Slot(slot), held, requested: granted + 1, granted };
                    count += u32::from(arbiter.on_request(request, &mut actions).is_ok());
                }
            }
        }],
    );
    let per_request = seconds * 1e9 / f64::from(count);
    format!(
        "the machine, 1024 hosts that each ask in every slot: {per_request:.0} ns a request, slots and paths included"
    )
}

/// A third of the demands each within, out and in; 16 a host, without end.
fn between_pods(ports: u32) -> String {
    let attached = Attached::of_fat_tree(ports).expect("a fat-tree");
    let mut arbiter = InterPod::new(&attached, Policy::MaxMin, 64, Slot(0));
    let cores: Vec<Core> = attached.cores().collect();
    let mut random = Seed(1).stream("arbiter", 1);
    let hosts = u64::from(attached.pod().hosts());
    for number in 0..hosts * 16 {
        let (source, destination) = (random.below(hosts) as u16, random.below(hosts) as u16);
        let demand = match number % 3 {
            0 if source == destination => continue,
            0 => Demand::Within { source, destination },
            1 => Demand::Out { source, pod: random.below(u64::from(ports)) as u16 },
            _ => Demand::In { core: cores[random.below(cores.len() as u64) as usize], destination },
        };
        arbiter.add(demand, 1 << 24);
    }
    let slots = 64 * (4096 / hosts).max(8);
    let mut count = 0;
    let [seconds] = medians(1, [&mut || (0..slots).for_each(|_| count += arbiter.next_slot().1.len())]);
    let (used, each) = (count as f64 / (slots * hosts) as f64, seconds * 1e9 / count as f64);
    format!("| {hosts} | {used:.2} | {:.2} | {each:.1} |", seconds * 1e6 / slots as f64)
}
