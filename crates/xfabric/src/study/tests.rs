use super::*;
use settings::Flat;

fn study(settings: &str) -> Study {
    Study::read(&Flat::parse(settings).expect("an object")).expect("a study")
}

fn refused(settings: &str) -> String {
    Study::read(&Flat::parse(settings).expect("an object")).expect_err("refused").to_string()
}

#[test]
fn a_rack_that_follows_its_clusters_is_one_hop_wide() {
    let rows = study(r#"{"socs": 64, "workload": "clustered", "cluster": 4, "subflows": 20}"#).rows().expect("rows");
    let [xfabric, osa, torus, random] = rows.try_into().expect("four topologies");
    // Three circuits a SoC join a cluster of four; all shortest paths are one circuit, or more side by side.
    for followed in [xfabric, osa] {
        assert_eq!((followed.path_length, followed.direct), (Some(1.0), Some(1.0)));
    }
    for fixed in [torus, random] {
        assert!(fixed.path_length.is_some_and(|hops| hops > 2.0), "{fixed:?}");
        assert!(fixed.direct < Some(0.3));
    }
    assert_eq!((xfabric.direct_at_most, random.direct_at_most), (Some(1.0), Some(1.0)));
    // Sixteen clusters of six pairs with equal bytes.
    assert!(xfabric.effective_pairs.is_some_and(|pairs| (pairs - 96.0).abs() < 1e-9));
    // The share of a bottleneck is at least what an even load of all directed links would be.
    for row in [xfabric, osa, torus, random] {
        let even = row.total_load.expect("placed") / (64.0 * 6.0);
        assert!(row.bottleneck.expect("placed") >= even * 0.999, "{row:?}");
        assert!(row.disjoint_paths >= Some(1.0) && row.uplink_path_length.is_none());
    }
}

#[test]
fn what_is_not_asked_for_is_not_computed() {
    let study = study(r#"{"socs": 27, "topologies": "random, random", "uplinks": 4}"#);
    let [row] = study.rows().expect("rows").try_into().expect("one topology");
    assert_eq!((row.topology, row.disjoint_paths, row.bottleneck, row.skew), (Topology::Random, None, None, None));
    assert!(row.uplink_path_length.is_some());
}

#[test]
fn uplinks_are_placed_where_the_traffic_is() {
    let near = |choice: &str| {
        let settings =
            format!(r#"{{"socs": 64, "topologies": "xfabric", "with_uplinks": "yes", "uplink_choice": "{choice}"}}"#);
        study(&settings).rows().expect("rows")[0].uplink_path_length.expect("traffic to the world")
    };
    let [placed, nearest, uniform] = ["placed", "nearest", "uniform"].map(near);
    assert!(nearest <= placed && placed < uniform, "{nearest} {placed} {uniform}");
}

#[test]
fn the_same_seed_gives_the_same_rows_and_computes_as_many_tables_as_socs() {
    let study = study(r#"{"socs": 27, "seed": 7, "topologies": "xfabric,osa"}"#);
    assert_eq!(study.rows(), study.rows());
    let traffic = study.traffic().expect("traffic");
    assert_eq!(study.compute(Topology::XFabric, &traffic), Ok(27));
    assert!(study.compute(Topology::Osa, &traffic).is_ok_and(|links| (78..=81).contains(&links)));
}

#[test]
fn what_is_refused_and_how() {
    assert_eq!(refused(r#"{"socs": 1}"#), "socs = 1: expected a whole number from 2 to 16384");
    assert_eq!(refused(r#"{"workload": "socail"}"#), "workload = socail: did you mean social?");
    assert_eq!(refused(r#"{"topologies": "tree"}"#), "topologies = tree: expected some of xfabric, osa, torus, random");
    assert_eq!(
        refused(r#"{"soc_ports": 4}"#),
        "soc_ports = 4: a 3D torus has SoCs of 6 ports; leave `torus` out of `topologies`, or write 6"
    );
    assert_eq!(refused(r#"{"seeds": 4}"#), "seeds: no such setting; did you mean seed?");
    assert_eq!(
        refused(r#"{"nodes": 4000}"#),
        "nodes = 4000: is read only with workload = social; write that, or leave this out"
    );
    assert_eq!(
        refused(r#"{"workload": "social", "nodes": 300}"#),
        "nodes = 300: expected a whole number from 343 to 10000000"
    );
    let workload = r#"{"socs": 9, "workload": "clustered", "cluster": 10}"#;
    assert_eq!(refused(workload), "cluster = 10: expected a whole number from 2 to 9");
}
