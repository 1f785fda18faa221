//! A message that is alone in a fabric never takes less than the ideal time, and exactly that where the ideal is exact.

use crate::lab::{Lab, flows, ms, us};
use engine::{Control, Seed};
use ethernet::{Ethernet, Fifo, Routing, Switching};
use fluid::{Fluid, Sharing};
use proptest::prelude::*;
use stardust::config::{Cells, Class, InteriorKind};
use stardust::interior::Interior;
use stardust::{Lanes, LockStep, Stardust};
use topology::{LinkId, Shape, Topology};
use transport::Config as Protocol;
use transport::config::Direct;
use units::{Bytes, Rate, Span};

fn shapes() -> impl Strategy<Value = Shape> {
    prop_oneof![
        (2_u32..5, 1_u32..5, 1_u32..4).prop_map(|(leaves, spines, hosts_per_leaf)| Shape::LeafSpine {
            leaves,
            spines,
            hosts_per_leaf
        }),
        Just(Shape::FatTree { k: 4, oversubscription: 1.0 }),
        (2_u32..5, 1_u32..4).prop_map(|(hosts, planes)| Shape::Planes { hosts, planes }),
        (2_u32..5).prop_map(|hosts| Shape::Star { hosts }),
    ]
}

/// Links of all rates and delays, all alike, or alike but for those of hosts.
fn topologies() -> impl Strategy<Value = Topology> {
    let spec = (1_u64..400, 0_u64..2000);
    (shapes(), prop::collection::vec(spec, 7), 0..3).prop_map(|(shape, specs, kind)| with_specs(&shape, &specs, kind))
}

fn with_specs(shape: &Shape, specs: &[(u64, u64)], kind: i32) -> Topology {
    let mut topology = shape.build(Rate::from_gbps(10), Span::from_ns(100)).unwrap();
    for link in (0..topology.links().len() as u32).map(LinkId) {
        let at_host = topology.link(link).from.0.min(topology.link(link).to.0) < topology.hosts();
        let (rate, delay) = specs[match kind {
            0 => link.index() % specs.len(),
            1 => 0,
            _ => usize::from(at_host),
        }];
        topology.set_link(link, Some(Rate::from_gbps(rate)), Some(Span::from_ns(delay))).unwrap();
    }
    topology
}

fn interior(lock_step: bool) -> InteriorKind {
    if lock_step { InteriorKind::LockStep } else { InteriorKind::Events }
}

fn over<I: Interior>(lab: &Lab, config: &stardust::Config) -> Option<f64> {
    let network = Stardust::<I>::new(config, &lab.topology, Seed(lab.seed)).unwrap();
    lab.run_over(network, &Protocol::Direct(Direct { header: Bytes::new(40) }), &Control::default())
        .numbers("flows", "slowdown")[0]
}

fn sizes() -> impl Strategy<Value = u64> {
    prop_oneof![1_u64..4000, 1_u64..200_000]
}

#[derive(Debug, Clone, Copy)]
struct Fabric {
    routing: Routing,
    switching: Switching,
    mtu: u64,
    framing: u64,
}

fn fabrics() -> impl Strategy<Value = Fabric> {
    let routing = prop_oneof![Just(Routing::Ecmp), Just(Routing::Spray)];
    let cut = Switching::CutThrough;
    let switching = prop_oneof![Just(Switching::StoreAndForward), Just(cut)];
    let mtu = prop_oneof![Just(1500), Just(9000), 100_u64..4000];
    (routing, switching, mtu, prop_oneof![Just(0_u64), Just(38)])
        .prop_map(|(routing, switching, mtu, framing)| Fabric { routing, switching, mtu, framing })
}

fn lab(topology: &Topology, fabric: Fabric, bytes: u64, seed: u64) -> Lab {
    let pair = (0, topology.hosts() - 1);
    let mut lab = Lab::new(topology.clone(), flows([(pair.0, pair.1, Bytes::new(bytes), us(3))]), ms(1000));
    lab.seed = seed;
    lab.fabric.routing = fabric.routing;
    lab.fabric.switching = fabric.switching;
    lab.fabric.mtu = Bytes::new(fabric.mtu);
    lab.fabric.framing = Bytes::new(fabric.framing);
    lab.fabric.port.queue = ethernet::Length::Bytes(Bytes::new(1 << 40));
    lab
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn over_ethernet(topology in topologies(), fabric in fabrics(), bytes in sizes(), seed in 1_u64..1000) {
        let slowdown = lab(&topology, fabric, bytes, seed).run(&Protocol::Direct(Direct { header: Bytes::new(40) })).numbers("flows", "slowdown");
        let slowdown = slowdown[0].unwrap();
        prop_assert!(slowdown >= 1.0, "slowdown {slowdown}");
        // Exact where there is but one path.
        let routes = topology::Routes::shortest(&topology).unwrap();
        prop_assert!(slowdown == 1.0 || !routes.is_only_path(0, topology.hosts() - 1), "slowdown {slowdown} over the only path");
    }

    #[test]
    fn over_ethernet_whose_links_are_alike(shape in shapes(), fabric in fabrics(), bytes in sizes(), seed in 1_u64..1000) {
        // Whatever path hashes choose is as good as any. (Two links of one host are no path of their own.)
        let fabric = Fabric { routing: Routing::Ecmp, ..fabric };
        let topology = shape.build(Rate::from_gbps(10), Span::from_ns(100)).unwrap();
        let report = lab(&topology, fabric, bytes, seed).run(&Protocol::Direct(Direct { header: Bytes::new(40) }));
        prop_assert_eq!(report.numbers("flows", "slowdown"), [Some(1.0)]);
    }

    #[test]
    fn over_stardust(
        leaves in 1_u32..4,
        spines in 1_u32..5,
        specs in prop::collection::vec((1_u64..400, 0_u64..2000), 7),
        kind in 0..3,
        cells in (prop_oneof![Just((256_u64, 16_u64)), (64_u64..600, 1_u64..60)], any::<bool>(), 1_u64..64),
        is_urgent in any::<bool>(),
        lock_step in any::<bool>(),
        mtu in 100_u64..9000,
        bytes in sizes(),
        seed in 1_u64..1000,
    ) {
        let shape = Shape::LeafSpine { leaves, spines, hosts_per_leaf: 3 };
        let topology = with_specs(&shape, &specs, if lock_step { 2 } else { kind });
        let mut config = stardust::Config { mtu: Bytes::new(mtu), interior: interior(lock_step), ..stardust::Config::default() };
        let ((size, header), packing, shortest) = cells;
        config.cells = Cells {
            size: Bytes::new(size),
            header: Bytes::new(header),
            shortest: Bytes::new(shortest),
            packing,
            packet_header: Bytes::ZERO,
        };
        config = config.with_classes(&[Class { weight: 0, low_latency: is_urgent }]);
        let fabric = Fabric { routing: Routing::Ecmp, switching: Switching::StoreAndForward, mtu, framing: 38 };
        let lab = lab(&topology, fabric, bytes, seed);
        let slowdown =
            if lock_step { over::<LockStep>(&lab, &config) } else { over::<Lanes>(&lab, &config) };
        // Nothing if it is not done in a second.
        prop_assert!(slowdown.is_none_or(|slowdown| slowdown >= 1.0), "slowdown {slowdown:?}");
    }

    #[test]
    fn over_a_fluid_network(topology in topologies(), mtu in 100_u64..10_000, bytes in sizes(), shares in 0_usize..3, seed in 1_u64..1000) {
        let sharing = [Sharing::Interfaces, Sharing::EcmpPaths, Sharing::Detours][shares];
        let lab = lab(&topology, Fabric { routing: Routing::Ecmp, switching: Switching::StoreAndForward, mtu, framing: 0 }, bytes, seed);
        let config = fluid::Config { mtu: Bytes::new(mtu), sharing };
        let Ok(network) = Fluid::new(&config, &topology, Seed(seed)) else { return Ok(()) };
        let report = lab.run_over(network, &Protocol::Direct(Direct { header: Bytes::new(40) }), &Control::default());
        let slowdown = report.numbers("flows", "slowdown")[0].unwrap();
        prop_assert!(slowdown >= 1.0, "slowdown {slowdown}");
    }
}

#[test]
fn a_message_sprayed_over_equal_links_is_as_quick_as_over_one() {
    // Long messages: the last link is never idle. Short ones: the last packet may overtake.
    for bytes in [1, 1460, 1461, 2000, 14_600, 100_000, 1_000_003] {
        let mut least = f64::INFINITY;
        for seed in 1..20 {
            let fabric =
                Fabric { routing: Routing::Spray, switching: Switching::StoreAndForward, mtu: 1500, framing: 38 };
            let report = lab(&crate::lab::tree(4), fabric, bytes, seed).run_over(
                Ethernet::<Fifo>::new(
                    &lab(&crate::lab::tree(4), fabric, bytes, seed).fabric,
                    &crate::lab::tree(4),
                    Seed(seed),
                )
                .unwrap(),
                &Protocol::Direct(Direct { header: Bytes::new(40) }),
                &Control::default(),
            );
            let slowdown = report.numbers("flows", "slowdown")[0].unwrap();
            assert!(slowdown >= 1.0, "{bytes} B, seed {seed}: {slowdown}");
            least = least.min(slowdown);
        }
        assert_eq!(least, 1.0, "{bytes} B: the ideal can be reached");
    }
}
