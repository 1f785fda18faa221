//! How long it takes to find a topology: XFabric's algorithm beside OSA's, for racks of 27 to 4096 SoCs with six ports each (the
//! paper's Fig 6a), on one core. XFabric's time is that of circuits and forwarding tables, OSA's that of the graph alone. OSA up to 1024, as in the paper; its last row takes about a minute.
//!
//! `cargo bench -p benches --bench cabling`

use benches::medians;
use engine::Seed;
use std::hint::black_box;
use xfabric::baselines::osa::{Matching, osa};
use xfabric::demand::Demand;
use xfabric::forwarding::tables;
use xfabric::generate::crosspoints::Fabric;
use xfabric::generate::{Ties, generate};
use xfabric::graph::paths::Distances;
use xfabric::study::workload::{Production, random_destinations};

fn main() {
    println!("milliseconds of one core; demand: the synthetic production cluster, and everyone to everyone");
    println!("{:>5}  {:>11}  {:>11}  {:>11}  {:>9}", "SoCs", "production", "all to all", "OSA", "OSA ratio");
    for socs in [27, 64, 125, 216, 343, 512, 1024, 2048, 4096] {
        let fabric = Fabric::port_by_port(socs, 6).expect("a rack").with_fixed_circuits(Seed(1));
        let production = Production::default().on(socs, Seed(1)).expect("a workload").demand;
        let all_to_all = random_destinations(socs, socs - 1, Seed(1)).expect("a workload");
        let find = |demand: &Demand| {
            let cabling = generate(&fabric, black_box(demand), Ties::Shuffled(1)).expect("sizes agree");
            let graph = cabling.graph(&fabric);
            black_box(tables(&graph, &Distances::of(&graph)));
        };
        let rounds = if socs <= 1024 { 5 } else { 3 };
        let [sparse, dense] = medians(rounds, [&mut || find(&production), &mut || find(&all_to_all)]);
        let with_osa = socs <= 1024;
        let mut match_osa = || {
            black_box(osa(black_box(&production), 6, Matching::Repeated, Seed(1)).expect("a rack"));
        };
        let [osa] = if with_osa { medians(1, [&mut match_osa]) } else { [f64::NAN] };
        let (ms, ratio) = (|seconds: f64| seconds * 1e3, osa / sparse);
        let of_osa = |number: f64, digits| if with_osa { format!("{number:.digits$}") } else { "-".to_owned() };
        let (osa, ratio) = (of_osa(ms(osa), 2), of_osa(ratio, 0));
        println!("{socs:>5}  {:>11.2}  {:>11.2}  {osa:>11}  {ratio:>9}", ms(sparse), ms(dense));
    }
}
