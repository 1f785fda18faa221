use super::*;

fn why(result: Result<Demand, DemandError>) -> String {
    result.expect_err("refused").to_string()
}

#[test]
fn what_is_refused_and_how() {
    assert_eq!(why(Demand::new(1, vec![0])), "a demand matrix has 2 to 16384 SoCs, not 1");
    assert_eq!(why(Demand::none(100_000)), "a demand matrix has 2 to 16384 SoCs, not 100000");
    assert_eq!(why(Demand::new(3, vec![0; 8])), "a demand matrix of 3 SoCs has 9 entries, 3 rows of 3; here are 8");
    assert_eq!(
        why(Demand::new(2, vec![0, 1, 1, 7])),
        "SoC 1 has a demand of 7 B to itself; the diagonal of a demand matrix is 0"
    );
    assert_eq!(
        why(Demand::rounded(2, &[0.0, 1.5, -2.0, 0.0])),
        "the demand from SoC 1 to SoC 0 is -2; write bytes, 0 or more"
    );
    assert_eq!(
        why(Demand::rounded(2, &[0.0, f64::NAN, 0.0, 0.0])),
        "the demand from SoC 0 to SoC 1 is NaN; write bytes, 0 or more"
    );
    let much = "the demands add up to more than 2^60 B; divide them all by the same number, only their ratios count";
    assert_eq!(why(Demand::new(2, vec![0, u64::MAX, 1, 0])), much);
    assert_eq!(why(Demand::rounded(2, &[0.0, 1e30, 0.0, 0.0])), much);
}

#[test]
fn entries_are_from_row_to_column() {
    let demand = Demand::new(3, vec![0, 1, 2, 3, 0, 5, 0, 7, 0]).expect("a matrix");
    assert_eq!((demand.between(0, 2), demand.between(2, 0), demand.pair(0, 2), demand.pair(1, 0)), (2, 0, 2, 4));
    assert_eq!((demand.row(1), demand.total()), (&[3, 0, 5][..], 18));
    assert_eq!(demand.entries().collect::<Vec<_>>(), [(0, 1, 1), (0, 2, 2), (1, 0, 3), (1, 2, 5), (2, 1, 7)]);
    let more = demand.plus([(2, 0, 4), (2, 0, 1)]).expect("a matrix");
    assert_eq!((more.between(2, 0), more.total()), (5, 23));
    assert_eq!(
        why(demand.plus([(1, 1, 1)])),
        "SoC 1 has a demand of 1 B to itself; the diagonal of a demand matrix is 0"
    );
}

#[test]
fn the_heaviest_share_bound_what_goes_in_one_hop() {
    // 0 exchanges 8 with 1 and 4 with 2, these nothing: with one port each, 0 and 1 are joined, and 2 with nobody it talks to.
    let demand = Demand::new(3, vec![0, 5, 4, 3, 0, 0, 0, 0, 0]).expect("a matrix");
    assert_eq!(demand.heaviest_share(1), Some((8.0 + 8.0 + 4.0) / 2.0 / 12.0));
    assert_eq!((demand.heaviest_share(2), Demand::none(3).expect("a matrix").heaviest_share(2)), (Some(1.0), None));
}

fn vector(internal: &[u64], sent: u64, received: u64) -> DemandVector {
    DemandVector { internal: internal.to_vec(), sent, received }
}

#[test]
fn the_latest_period_counts_with_its_weight() {
    let mut estimate = Estimate::new(3, 0.25).expect("an estimate");
    estimate.report(0, &vector(&[99, 400, 0], 10, 1)).expect("counts");
    assert_eq!(estimate.demand().row(0), [0, 400, 0], "the first report counts whole, the diagonal never");
    estimate.report(0, &vector(&[0, 0, 800], 20, 2)).expect("counts");
    assert_eq!(estimate.demand().row(0), [0, 300, 200]);
    estimate.report(1, &vector(&[8, 0, 0], 5, 5)).expect("counts");
    assert_eq!(estimate.demand().row(0), [0, 300, 200], "SoC 0 did not report");
    assert_eq!((estimate.external().of(0), estimate.external().of(1), estimate.external().of(2)), (22, 10, 0));
}

#[test]
fn what_the_estimate_refuses() {
    let why = |result: Result<(), EstimateError>| result.expect_err("refused").to_string();
    for weight in [0.0, 1.5, f64::NAN] {
        let text = Estimate::new(3, weight).expect_err("refused").to_string();
        assert_eq!(text, format!("the weight of the latest period is {weight}; write more than 0 and at most 1"));
    }
    assert_eq!(Estimate::new(1, 0.5).expect_err("refused").to_string(), "a demand matrix has 2 to 16384 SoCs, not 1");
    let mut estimate = Estimate::new(3, 0.5).expect("an estimate");
    assert_eq!(why(estimate.report(3, &vector(&[0; 3], 0, 0))), "SoC 3 reports demand, SoCs are 0 to 2");
    assert_eq!(why(estimate.report(1, &vector(&[0; 4], 0, 0))), "SoC 1 reports demand to 4 SoCs, the rack has 3");
}

#[test]
fn counters_at_the_end_of_their_range_are_scaled() {
    let mut estimate = Estimate::new(2, 1.0).expect("an estimate");
    estimate.report(0, &vector(&[0, u64::MAX], 0, 0)).expect("counts");
    estimate.report(1, &vector(&[u64::MAX, 0], u64::MAX, u64::MAX)).expect("counts");
    let demand = estimate.demand();
    assert_eq!(demand.between(0, 1), demand.between(1, 0));
    assert!(demand.total() > 0 && estimate.external().of(1) == u64::MAX);
}
