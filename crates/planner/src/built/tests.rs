use super::{Amount, Built, System, price};
use topology::{An3, Shape, Topology, Wiring};
use units::{Rate, Span};

fn build(shape: Shape, gbps: u64) -> Topology {
    shape.build(Rate::from_gbps(gbps), Span::from_ns(500)).expect("a good shape")
}
fn leaf_spine(spines: u32, gbps: u64) -> Topology {
    build(Shape::LeafSpine { leaves: 8, spines, hosts_per_leaf: 8 }, gbps)
}
fn near(amount: Option<f64>, expected: f64) {
    let amount = amount.expect("it is given");
    assert!((amount - expected).abs() < 1e-6 * expected, "{amount} is not {expected}");
}

#[test]
fn packet_switches_are_in_proportion_to_their_ports() {
    // 8 leaves of 16 ports and 8 spines of 8 at 100 Gb/s are three switches of 6.4 Tb/s (Stardust, Table 3 and §7).
    let of = |system| price(system, &leaf_spine(8, 100));
    let links_usd = 64.0 * 84.0 + 64.0 * (2.0 * 435.0 + 8.0);
    let ethernet = of(System::Ethernet);
    near(ethernet.cost.switches, 3.0 * 16_200.0);
    near(ethernet.cost.links, links_usd);
    near(ethernet.power.switches, 3.0 * 310.0);
    near(ethernet.power.links, 128.0 * 3.5);
    near(ethernet.cost.total(), 3.0 * 16_200.0 + links_usd);
    let stardust = of(System::Stardust);
    near(stardust.cost.switches, (2.0 + 0.67) * 16_200.0);
    near(stardust.power.switches, (2.0 + 0.666) * 310.0);
    let fastpod = of(System::Fastpod);
    near(fastpod.cost.switches, 0.5 * 3.0 * 16_200.0);
    near(fastpod.power.total(), 0.5 * 3.0 * 310.0 + 128.0 * 3.5);
    assert_eq!(fastpod.cost.links, ethernet.cost.links);
}

#[test]
fn what_the_book_lacks_is_in_proportion_to_the_nearest_rate_and_says_so() {
    let ethernet = price(System::Ethernet, &leaf_spine(8, 10));
    near(ethernet.cost.total(), 0.3 * 16_200.0 + 64.0 * 84.0 * 0.4 + 64.0 * (2.0 * 125.0 * 0.4 + 8.0));
    let sources: Vec<&str> = ethernet.prices.iter().map(|used| used.source.as_str()).collect();
    assert!(sources.iter().any(|source| source.starts_with("in proportion to 6.4 Tb/s: Stardust")), "{sources:?}");
    // Fewer spines are fewer ports and links.
    let less = price(System::Ethernet, &leaf_spine(6, 10));
    let spine = 160.0 / 6_400.0 * 16_200.0 + 8.0 * 108.0;
    near(ethernet.cost.total().zip(less.cost.total()).map(|(all, six)| all - six), 2.0 * spine);
}

#[test]
fn core_switches_have_buffers() {
    let tree = build(Shape::FatTree { k: 4, oversubscription: 1.0 }, 100);
    let (fastpod, ethernet) = (price(System::Fastpod, &tree), price(System::Ethernet, &tree));
    // 20 switches of 4 ports, of which 4 are core.
    near(ethernet.cost.switches, 8_000.0 / 6_400.0 * 16_200.0);
    near(fastpod.cost.switches, (0.5 * 16.0 + 4.0) / 20.0 * 8_000.0 / 6_400.0 * 16_200.0);
    // Half of the cables between switches are of the last tier.
    near(ethernet.cost.links, 16.0 * 84.0 + 32.0 * 2.0 * 435.0 + 16.0 * 8.0 + 16.0 * 62.0);
}

#[test]
fn what_a_paper_does_not_give_is_not_given() {
    let shoal = price(System::Shoal, &build(Shape::FoldedClos { radix: 16, leaves: Some(8) }, 20));
    near(shoal.power.switches, 3_840.0 / 3_200.0 * 38.5);
    assert_eq!(shoal.power.total(), None);
    assert_eq!(shoal.cost, Amount::nothing("the paper counts cost in packet switches, and has no price in USD"));
    let an3 = |gbps| {
        let shape =
            An3 { containers: 1, networks: 4, hosts: 16, wiring: Wiring::Torus, egress: 16, container_links: 1 };
        price(System::An3, &build(Shape::An3(shape), gbps))
    };
    near(an3(10).cost.switches, 0.5 * 6_600.0);
    near(an3(10).cost.links, 128.0 * 0.1 + 128.0 * 110.0);
    near(an3(10).power.switches, 200.0);
    assert_eq!(an3(10).power.why, "the paper has no power of optical ends (AN3, §6)");
    assert_eq!(an3(25), Built::nothing("the paper has prices and power of parts of 10 Gb/s alone"));
    let xfabric = |gbps| price(System::XFabric, &build(Shape::Planes { hosts: 64, planes: 6 }, gbps));
    near(xfabric(10).cost.switches, 384.0 * 3.0);
    near(xfabric(1).power.switches, 384.0 * 0.28);
    assert_eq!(xfabric(10).cost.total(), None);
    assert_eq!(xfabric(25).power.why, "the paper has crosspoints of 10 Gb/s a port at most");
}
