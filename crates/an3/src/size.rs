//! How large a network of AN3 is, what crosses its middle, and what one of its switches does, in closed form (§2.2, §4).

use crate::ring::CYCLE;
use topology::{An3, L1_PORTS};
use units::Rate;

/// The largest network: 64 containers, each of 64 L0 networks of 22 NICs (§2.2).
pub const LARGEST: An3 =
    An3 { containers: 64, networks: 64, hosts: 22, wiring: topology::Wiring::FatTree, egress: 2, container_links: 1 };

/// NICs of a network, and so its servers.
pub fn servers(network: &An3) -> u64 {
    u64::from(network.containers) * u64::from(network.networks) * u64::from(network.hosts)
}

/// What links of L1 switches carry one way between two halves of a network: of its containers if it has several, else of the L0 networks of the one that it has. With an odd
/// number one half has one more, as that is where least crosses. None for a single L0 network.
///
/// Between containers it is the links from primary to primary and from secondary to secondary switches, whichever way circuits go: load balancing over third containers
/// evens out what is between pairs, and adds nothing to a cut. Links of egress NICs are what crosses the middle if they carry less than that.
pub fn bisection(network: &An3, rate: Rate) -> Option<u64> {
    let up = |networks: u32| u64::from(networks) * u64::from(network.egress);
    let links = match (network.containers, network.networks) {
        (1, 1) => return None,
        (1, networks) => up(networks / 2),
        (containers, networks) => {
            let (small, large) = (containers / 2, containers.div_ceil(2));
            let between = 2 * u64::from(small) * u64::from(large) * u64::from(network.container_links);
            between.min(u64::from(small) * up(networks))
        }
    };
    Some(links * rate.as_bps())
}

/// What the crossbar of an L1 switch carries, counted both ways as §4 does: 2.56 Tb/s.
pub fn crossbar(rate: Rate) -> u64 {
    2 * u64::from(L1_PORTS) * rate.as_bps()
}

/// Set-ups and tear-downs that an L1 switch can process in a second: every one ends in the crossbar set-up station, which has one at each cycle of the ring.
pub fn requests_per_second() -> f64 {
    1.0 / CYCLE.as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;
    use topology::Shape;
    use units::Span;

    const TEN: Rate = Rate::from_gbps(10);

    #[test]
    fn the_papers_scale_and_switch() {
        assert_eq!(servers(&LARGEST), 90_112);
        assert_eq!(Shape::An3(LARGEST).size().map(|size| u64::from(size.hosts)), Ok(servers(&LARGEST)));
        assert_eq!(crossbar(TEN), 2_560_000_000_000);
        assert!((requests_per_second() - 156.25e6).abs() < 1.0);
    }

    #[test]
    fn a_bisection_is_what_a_count_of_the_links_that_cross_gives() {
        for (containers, networks, links) in
            [(1, 2, 1), (1, 64, 1), (2, 64, 1), (3, 5, 1), (4, 1, 9), (3, 64, 31), (64, 64, 1)]
        {
            let shape = An3 { containers, networks, container_links: links, ..LARGEST };
            let topology = Shape::An3(shape.clone()).build(TEN, Span::from_ns(100)).expect("a good shape");
            let container = |name: &str| name[1..name.find('-').expect("a name")].parse::<u32>().expect("a number");
            let (mut between, mut up) = (0, 0);
            for link in topology.links() {
                let [from, to] = [link.from, link.to].map(|node| topology.name(node));
                let is_low = |name: &str| container(name) < containers / 2;
                between += u64::from(is_low(from) && !is_low(to));
                let low_network =
                    |name: &str| name.split("-n").nth(1).and_then(|rest| rest.split("-h").next()?.parse::<u32>().ok());
                let counts = if containers > 1 {
                    is_low(from)
                } else {
                    low_network(from).is_some_and(|number| number < networks / 2)
                };
                up += u64::from(counts && topology.is_host(link.from) && !topology.is_host(link.to));
            }
            let expected = if containers > 1 { between.min(up) } else { up };
            assert_eq!(bisection(&shape, TEN), Some(expected * TEN.as_bps()), "{containers} {networks} {links}");
        }
        assert_eq!(bisection(&An3 { containers: 1, networks: 1, ..LARGEST }, TEN), None);
    }
}
