//! `papers/xfabric/production-27.csv`, which experiments of §6.5 read, is what the generator makes of 27 servers. (Of 339, a random 27
//! hardly talk to each other: 28 pairs, which any topology generator joins directly.)

use engine::Seed;
use std::fmt::Write;
use xfabric::study::workload::Production;

#[test]
fn the_matrix_of_27_socs_is_that_of_the_generator() {
    let traffic = Production { servers: 27, largest_cluster: 27, ..Production::default() }.on(27, Seed(1)).unwrap();
    let mut text = "src,dst,weight\n".to_owned();
    for (src, dst, flows) in traffic.flows.entries() {
        let _ = writeln!(text, "{src},{dst},{flows}");
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../papers/xfabric/production-27.csv");
    let file = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(file, text, "{path} is not what the generator makes: write this there");
}
