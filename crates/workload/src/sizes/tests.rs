use super::*;
use engine::Seed;
use proptest::prelude::*;

/// Mean of many draws, and three standard errors of it, estimated from the draws.
fn drawn(sizes: &Sizes, draws: u32) -> (f64, f64) {
    let mut stream = Seed(11).stream("test", 0);
    let (mut sum, mut squares) = (0.0, 0.0);
    for _ in 0..draws {
        let size = sizes.sample(&mut stream).get() as f64;
        sum += size;
        squares += size * size;
    }
    let mean = sum / f64::from(draws);
    (mean, 3.0 * ((squares / f64::from(draws) - mean * mean).max(0.0) / f64::from(draws)).sqrt())
}

fn close(sizes: &Sizes) {
    let (mean, error) = drawn(sizes, 200_000);
    assert!((mean - sizes.mean()).abs() <= error + 1.0, "{sizes}: drew a mean of {mean}, {error} off at most");
}

#[test]
fn draws_have_the_stated_mean() {
    close(&Sizes::Fixed(Bytes::new(1500)));
    close(&Sizes::Exponential { mean: Bytes::new(100_000) });
    close(&Sizes::Uniform { min: Bytes::new(1), max: Bytes::new(9999) });
    // The variance of a Pareto distribution of shape above 2 is finite, so the standard error means something.
    close(&Sizes::Pareto { shape: 2.5, mean: Bytes::new(100_000), bound: Bytes::MAX });
    close(&Sizes::Pareto { shape: 1.05, mean: Bytes::new(100_000), bound: Bytes::new(1_000_000) });
    for known in PUBLISHED {
        for (_, interpolation) in Interpolation::NAMES {
            close(&Sizes::Cdf(known.cdf(Some(interpolation))));
        }
    }
}

#[test]
fn a_bound_takes_half_of_shoals_mean() {
    // Shoal §7.3: shape 1.05, mean 100 KB; NetBench's bound of 1 GiB.
    let sizes = Sizes::Pareto { shape: 1.05, mean: Bytes::new(100_000), bound: PARETO_BOUND };
    assert!((sizes.mean() - 48_577.3).abs() < 0.1, "{}", sizes.mean());
    assert_eq!(
        sizes.to_string(),
        "Pareto sizes of shape 1.05, mean 48.6 KB bounded at 1.07 GB (100 KB without the bound)"
    );
    let unbounded = Sizes::Pareto { shape: 1.05, mean: Bytes::new(100_000), bound: Bytes::MAX };
    assert_eq!(unbounded.mean(), 100_000.0);
    assert_eq!(unbounded.to_string(), "Pareto sizes of shape 1.05, mean 100 KB, without bound");
}

/// Means in bytes: step down, linear, step up, as `Interpolation` has them.
fn means(name: &str) -> [f64; 3] {
    [Interpolation::StepDown, Interpolation::Linear, Interpolation::Step]
        .map(|interpolation| published(name).unwrap().cdf(Some(interpolation)).mean())
}

fn within(value: f64, expected: f64, share: f64) -> bool {
    (value - expected).abs() <= share * expected
}

#[test]
fn published_means_are_those_of_their_files() {
    // Lower step, linear, upper step, by hand from the files.
    assert!(means("web-search").iter().zip([0.988e6, 1.711e6, 2.435e6]).all(|(m, e)| within(*m, e, 0.001)));
    assert!(means("data-mining").iter().zip([2.117e6, 12.66e6, 23.2e6]).all(|(m, e)| within(*m, e, 0.001)));
    assert!(means("facebook-hadoop-hpcc").iter().zip([57e3, 120e3, 184e3]).all(|(m, e)| within(*m, e, 0.005)));
    // Linear, as their users read them.
    for (name, mean) in [
        ("facebook-web", 91e3),
        ("facebook-cache", 610e3),
        ("facebook-hadoop", 569e3),
        ("facebook-memcached", 342.0),
        ("alibaba-storage", 41e3),
        ("web-search-opera", 1.49e6),
        ("data-mining-opera", 5.04e6),
        ("facebook-hadoop-opera", 3.42e6),
        ("xfabric-production", 9.3e6),
        ("xfabric-production-mice", 129e3),
    ] {
        assert!(within(published(name).unwrap().cdf(None).mean(), mean, 0.005), "{name}");
    }
    // Homa's files state their mean in the first line: the upper step's.
    for (name, mean) in
        [("facebook-web-homa", 68_936.79), ("facebook-cache-homa", 718_204.9), ("facebook-hadoop-homa", 194_330.9)]
    {
        assert!(within(published(name).unwrap().cdf(None).mean(), mean, 0.0005), "{name}");
    }
    // All 843 rows of the file have a linear mean of 2891.8 B; thinning to 93 adds less than half a percent.
    let google = published("google-rpc").unwrap();
    assert_eq!(google.points.len(), 93);
    assert!(within(google.cdf(None).mean(), 2891.8, 0.005));
}

#[test]
fn imc10_is_what_yaps_draws() {
    let cdf = published("imc10").unwrap().cdf(None);
    // Of u, `ceil(y1 + (u - x1) (y2 - y1) / (x2 - x1))` packets between the points (x1, y1) and (x2, y2) of the file.
    for (unit, packets) in [
        (0.0, 1),
        (0.49, 1),
        (0.55, 2),
        (0.65, 3),
        (0.71, 4),
        (0.74, 5),
        (0.76, 6),
        (0.79, 7),
        (0.806, 23),
        (0.9, 267),
        (0.901, 286),
        (0.999, 2089),
    ] {
        assert_eq!(cdf.quantile(unit), Bytes::new(packets * 1460), "{unit}");
    }
    // YAPS sums the means of the points and has 133.806 packets; rounding up adds half a packet to the half of the flows that is
    // not of one packet: from a to b packets, both whole, the mean is (a + b + 1) / 2.
    assert!((cdf.mean() / 1460.0 - 134.05625).abs() < 1e-9, "{}", cdf.mean());
    assert_eq!(cdf.to_string(), "imc10 sizes (linear-packets), mean 196 KB");
    // Lower step, linear, upper step.
    let linear = means("imc10").map(|mean| mean / 1460.0);
    assert!(
        linear.iter().zip([83.1375, 133.80625, 184.475]).all(|(mean, by_hand)| (mean - by_hand).abs() < 1e-9),
        "{linear:?}"
    );
}

#[test]
fn thinned_google_rpc_keeps_the_curve() {
    // Rows of the file that were left out: the fraction of flows no larger, and the size that the thinned curve has there.
    let cdf = published("google-rpc").unwrap().cdf(None);
    for (bytes, fraction) in [
        (755.0, 0.835243),
        (1117.0, 0.870810),
        (1603.0, 0.896178),
        (6046.0, 0.953893),
        (30_468.0, 0.989971),
        (101_694.0, 0.996010),
        (488_000.0, 0.999420),
        (954_000.0, 0.999733),
        (1_960_314.0, 0.999879),
    ] {
        let size = cdf.quantile(fraction).get() as f64;
        assert!(within(size, bytes, 0.05), "{size} instead of {bytes}");
    }
}

#[test]
fn every_published_distribution_rises_to_one() {
    for known in PUBLISHED {
        assert!(Cdf::new(known.name, known.points.to_vec(), known.interpolation).is_ok(), "{}", known.name);
        assert!(known.source.len() > 20 && !known.summary.ends_with('.'), "{}", known.name);
        assert_eq!(published(known.name).unwrap(), known);
    }
}

#[test]
fn unknown_names_are_answered_with_the_nearest() {
    let message = published("websearch").unwrap_err().to_string();
    assert!(
        message.starts_with("there are no published flow sizes `websearch` (did you mean `web-search`?); there are ")
    );
    assert_eq!(
        "linaer".parse::<Interpolation>().unwrap_err(),
        "there is no interpolation `linaer` (did you mean `linear`?); there are linear, step, step-down, log-linear and \
         linear-packets"
    );
    for (name, interpolation) in Interpolation::NAMES {
        assert_eq!(name.parse(), Ok(interpolation));
        assert_eq!(interpolation.to_string(), name);
    }
}

#[test]
fn wrong_distributions_are_named() {
    let wrong = |sizes: Sizes| sizes.check().unwrap_err().to_string();
    let (none, kilo, mega) = (Bytes::ZERO, Bytes::new(1000), Bytes::new(1_000_000));
    assert_eq!(wrong(Sizes::Fixed(none)), "a flow has at least 1 B, and this one has none");
    assert_eq!(wrong(Sizes::Exponential { mean: none }), "a flow has at least 1 B, and this one has none");
    assert_eq!(wrong(Sizes::Uniform { min: none, max: kilo }), "a flow has at least 1 B, and this one has none");
    assert_eq!(wrong(Sizes::Uniform { min: mega, max: kilo }), "the smallest size, 1 MB, is above the largest, 1 KB");
    assert_eq!(
        wrong(Sizes::Pareto { shape: 1.0, mean: kilo, bound: mega }),
        "a Pareto distribution of shape 1 has no mean; the shape must be above 1"
    );
    assert_eq!(
        wrong(Sizes::Pareto { shape: 2.0, mean: mega, bound: kilo }),
        "the bound 1 KB is below the smallest flow of this Pareto distribution, 500 KB; give a larger bound or a smaller \
         mean"
    );
    assert!(Sizes::Uniform { min: kilo, max: kilo }.check().is_ok());
    assert!(Sizes::Fixed(kilo).check().is_ok());
}

fn read(text: &str, unit: CdfUnit) -> Result<Cdf, String> {
    parse_cdf(text, "sizes.txt", unit, Interpolation::Linear).map_err(|error| error.to_string())
}

#[test]
fn files_are_read_in_all_their_dialects() {
    let percent = read("0 0\n1000 50\n2000 100\n", CdfUnit::Bytes).unwrap();
    let fraction = read("# comment\nbytes,fraction\n0,0\n\n1000,0.5\n2000,1\n", CdfUnit::Bytes).unwrap();
    let homa = read("1000.5\n0  0.0\n1000 0.5\n2000 1\n", CdfUnit::Bytes).unwrap();
    assert_eq!(percent.points(), [(0, 0.0), (1000, 0.5), (2000, 1.0)]);
    assert_eq!(percent.points(), fraction.points());
    assert_eq!(percent.points(), homa.points());
    // NetSys/simulator's CDF_dctcp.txt, of a linear mean of 1.67 MB.
    let netsys = "6 1 0\n6 1 0.15\n13 1 0.2\n19 1 0.3\n33 1 0.4\n53 1 0.53\n133 1 0.6\n667 1 0.7\n1333 1 0.8\n\
                  3333 1 0.9\n6667 1 0.97\n20000 1 1\n";
    assert!(within(read(netsys, CdfUnit::NETSYS).unwrap().mean(), 1.67e6, 0.005));
    assert_eq!(percent.to_string(), "sizes.txt sizes (linear), mean 1 KB");
    assert_eq!(percent.interpolation(), Interpolation::Linear);
}

#[test]
fn wrong_lines_are_named_by_number() {
    let wrong = |text: &str| read(text, CdfUnit::Bytes).unwrap_err();
    assert_eq!(
        wrong("0 0\n1000\n"),
        "sizes.txt, line 2: expected two columns (a size in bytes; the fraction or percentage of flows no larger), found \
         1 columns: `1000`"
    );
    assert_eq!(wrong("0 0\n10e3 1\n"), "sizes.txt, line 2: `10e3` is not a whole number of bytes or packets");
    assert_eq!(wrong("0 0\n1000 one\n"), "sizes.txt, line 2: `one` is not a cumulative probability");
    assert_eq!(
        wrong("0 0\n\n1000 0.5\n900 1\n"),
        "sizes.txt, line 4: the size 900 is below the one before it, 1000; sizes must not fall"
    );
    assert_eq!(
        wrong("0 0\n1000 60\n2000 50\n3000 100"),
        "sizes.txt, line 3: the cumulative probability 50 is below the one before it, 60; it must not fall"
    );
    assert_eq!(
        wrong("0 0\n1000 0.5\n2000 0.9\n"),
        "sizes.txt, line 3: the last cumulative probability is 0.9; it must be 1 (or 100, in percent)"
    );
    assert_eq!(
        wrong("0 0\n1000 1.5\n2000 1\n"),
        "sizes.txt, line 2: the cumulative probability 1.5 is not between 0 and 1"
    );
    assert_eq!(wrong("0 1\n"), "sizes.txt, line 1: the largest size is 0 B; a flow has at least 1 B");
    assert_eq!(
        wrong(""),
        "sizes.txt: there are no points; a cumulative distribution has at least one: its largest size, with probability 1"
    );
    assert_eq!(
        read("6 0\n", CdfUnit::NETSYS).unwrap_err(),
        "sizes.txt, line 1: expected three columns (a size in packets; one not used; the fraction or percentage of flows \
         no larger), found 2 columns: `6 0`"
    );
    let missing = read_cdf(std::path::Path::new("no/such/file"), CdfUnit::Bytes, Interpolation::Step).unwrap_err();
    assert!(missing.to_string().starts_with("no/such/file: "), "{missing}");
}

fn points() -> impl Strategy<Value = Vec<(u64, f64)>> {
    prop::collection::vec((0_u64..10_000_000, 0.0..1.0_f64), 0..12).prop_map(|raw| {
        let mut sizes: Vec<u64> = raw.iter().map(|(size, _)| *size).collect();
        let mut shares: Vec<f64> = raw.iter().map(|(_, share)| *share).collect();
        sizes.sort_unstable();
        shares.sort_by(f64::total_cmp);
        let mut points: Vec<_> = sizes.into_iter().zip(shares).collect();
        points.push((10_000_000, 1.0));
        points
    })
}

proptest! {
    #[test]
    fn sizes_rise_with_probability_and_stay_within_the_points(points in points(), at in 0..Interpolation::NAMES.len()) {
        let cdf = Cdf::new("p", points, Interpolation::NAMES[at].1).unwrap();
        let sizes: Vec<_> = (0..1000).map(|step| cdf.quantile(f64::from(step) / 1000.0)).collect();
        prop_assert!(sizes.is_sorted());
        // Whole packets: the last one may be longer than what is left.
        let most = if cdf.interpolation() == Interpolation::LinearPackets { 6850 * PACKET.get() } else { 10_000_000 };
        prop_assert!(sizes[0] >= Bytes::new(1) && sizes[999] <= Bytes::new(most));
    }

    #[test]
    fn the_mean_is_the_integral_of_the_quantile(points in points(), at in 0..Interpolation::NAMES.len()) {
        let cdf = Cdf::new("p", points, Interpolation::NAMES[at].1).unwrap();
        let steps = 100_000;
        let integral =
            (0..steps).map(|s| cdf.quantile((f64::from(s) + 0.5) / f64::from(steps)).get() as f64).sum::<f64>()
                / f64::from(steps);
        // A step of the quantile is met within one step of the sum: at most 10^7 / 10^5 bytes for each of 13 points.
        prop_assert!((cdf.mean() - integral).abs() < 1301.0, "{} {integral}", cdf.mean());
    }

    #[test]
    fn interpolations_are_in_order(points in points()) {
        let mean = |interpolation| Cdf::new("p", points.clone(), interpolation).unwrap().mean();
        let (down, log, linear, up) = (
            mean(Interpolation::StepDown), mean(Interpolation::LogLinear), mean(Interpolation::Linear),
            mean(Interpolation::Step),
        );
        // Linear between 0 and b has a mean of b / 2; the others count 0 as 1.
        let packets = mean(Interpolation::LinearPackets);
        prop_assert!(linear - 1.0 <= packets && packets <= linear + PACKET.get() as f64 + 1.0, "{linear} {packets}");
        prop_assert!(down <= log * (1.0 + 1e-9) && log <= linear * (1.0 + 1e-9) + 1.0 && linear <= up * (1.0 + 1e-9));
    }

    #[test]
    fn pareto_stays_between_scale_and_bound(shape in 1.01..5.0_f64, unit in 0.0..1.0_f64) {
        let sizes = Sizes::Pareto { shape, mean: Bytes::new(100_000), bound: PARETO_BOUND };
        prop_assert!(sizes.check().is_ok());
        let size = pareto::quantile(shape, Bytes::new(100_000), PARETO_BOUND, unit).get() as f64;
        prop_assert!(size >= (100_000.0 * (shape - 1.0) / shape).floor() && size <= PARETO_BOUND.get() as f64);
        prop_assert!(sizes.mean() <= 100_000.0);
    }
}
