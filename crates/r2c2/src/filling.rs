//! Water-filling: all rates rise together, and flows that cross a link which is full stop there.
//!
//! Unlike on single paths, only a part of a flow crosses a link: what a link has for a unit of every rate that still rises is the sum of
//! these parts, and it is full when that, times the level of the water, is what it has left.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

/// Flows of which the same parts cross the same links, and that share alike.
#[derive(Debug, Clone)]
pub(crate) struct Member {
    /// How many flows.
    pub flows: f64,
    /// Where in [`Parts`] the links are that they cross. A link may be in both.
    pub parts: [Range<u32>; 2],
}

/// Links, and the part of a flow that crosses each.
#[derive(Debug, Clone, Default)]
pub(crate) struct Parts {
    pub links: Vec<u32>,
    pub parts: Vec<f64>,
}

impl Parts {
    pub(crate) fn of(&self, ranges: &[Range<u32>; 2]) -> impl Iterator<Item = (u32, f64)> {
        let places = ranges.clone().into_iter().flatten();
        places.map(|place| (self.links[place as usize], self.parts[place as usize]))
    }
}

/// Working space, kept from one filling to the next.
#[derive(Debug, Default)]
pub(crate) struct Filling {
    /// By link: what all rates that still rise take of it for a unit each, and how many members' parts that is.
    slope: Vec<f64>,
    rising: Vec<u32>,
    /// Links that somebody crosses, and by link where its members are in `members`.
    used: Vec<u32>,
    range: Vec<[u32; 2]>,
    members: Vec<u32>,
    stands: Vec<bool>,
    heap: BinaryHeap<Reverse<(u64, u32)>>,
}

impl Filling {
    /// The rate of each flow of each member, into `levels`; what links have, in `left`, becomes what they have left.
    ///
    /// Max-min fair: Bertsekas and Gallager, Data Networks (2nd ed.), §6.5.2. As members that stand leave more to the others, the level at
    /// which a link is full only rises, so a heap of levels of which the least is looked at again has the next link that is full.
    pub(crate) fn fill(&mut self, left: &mut [f64], parts: &Parts, members: &[Member], levels: &mut Vec<f64>) {
        self.list(left.len(), parts, members);
        self.stands.clear();
        self.stands.resize(members.len(), false);
        levels.clear();
        levels.resize(members.len(), f64::INFINITY);
        let mut heap = std::mem::take(&mut self.heap);
        heap.extend(self.used.iter().map(|link| Reverse((self.level(left, *link), *link))));
        while let Some(Reverse((seen, link))) = heap.pop() {
            if self.rising[link as usize] == 0 {
                continue;
            }
            let bits = self.level(left, link);
            if bits > seen {
                heap.push(Reverse((bits, link)));
                continue;
            }
            let level = f64::from_bits(bits);
            let [first, end] = self.range[link as usize];
            for place in first..end {
                let member = self.members[place as usize] as usize;
                if std::mem::replace(&mut self.stands[member], true) {
                    continue;
                }
                levels[member] = level;
                let Member { flows, parts: ranges } = &members[member];
                for (link, part) in parts.of(ranges) {
                    let link = link as usize;
                    left[link] = (left[link] - flows * part * level).max(0.0);
                    self.slope[link] -= flows * part;
                    self.rising[link] -= 1;
                }
            }
        }
        self.heap = heap;
    }

    /// Lists members by link.
    fn list(&mut self, links: usize, parts: &Parts, members: &[Member]) {
        self.slope.resize(links, 0.0);
        self.rising.resize(links, 0);
        self.range.resize(links, [0; 2]);
        self.used.clear();
        for member in members {
            for (link, part) in parts.of(&member.parts) {
                let place = link as usize;
                if self.rising[place] == 0 {
                    self.used.push(link);
                    self.slope[place] = 0.0;
                }
                self.rising[place] += 1;
                self.slope[place] += member.flows * part;
            }
        }
        let mut sum = 0;
        for link in self.used.iter().map(|link| *link as usize) {
            self.range[link] = [sum; 2];
            sum += self.rising[link];
        }
        self.members.clear();
        self.members.resize(sum as usize, 0);
        for (number, member) in (0..).zip(members) {
            for (link, _) in parts.of(&member.parts) {
                let [_, end] = &mut self.range[link as usize];
                self.members[*end as usize] = number;
                *end += 1;
            }
        }
    }

    /// The level at which a link is full, as bits: numbers that are not negative are in the order of their bits.
    fn level(&self, left: &[f64], link: u32) -> u64 {
        let link = link as usize;
        // What is left of a difference may be a little below what it is of, and a link without room has none for however little.
        (left[link] / self.slope[link].max(f64::MIN_POSITIVE)).min(f64::MAX).to_bits()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Flows, and the links that they cross with the part of each.
    type Crossing = (u32, Vec<(u32, f64)>);

    fn members(of: &[Crossing]) -> (Vec<Member>, Parts) {
        let mut parts = Parts::default();
        let mut member = |(flows, crosses): &Crossing| {
            let first = parts.links.len() as u32;
            for (link, part) in crosses {
                parts.links.push(*link);
                parts.parts.push(*part);
            }
            let (middle, end) = (first + crosses.len() as u32 / 2, parts.links.len() as u32);
            Member { flows: f64::from(*flows), parts: [first..middle, middle..end] }
        };
        (of.iter().map(&mut member).collect(), parts)
    }

    fn levels(capacities: &[f64], of: &[Crossing]) -> Vec<f64> {
        let (members, parts) = members(of);
        let mut levels = Vec::new();
        Filling::default().fill(&mut capacities.to_vec(), &parts, &members, &mut levels);
        levels
    }

    #[test]
    fn parts_of_flows_share_links_by_hand() {
        // One flow in two halves over links 0 and 1, and two flows all over link 1: 0.5 a + 2 b = 10 with a = b.
        assert_eq!(levels(&[10.0, 10.0], &[(1, vec![(0, 0.5), (1, 0.5)]), (2, vec![(1, 1.0)])]), [4.0, 4.0]);
        // The two stop at 1 on link 2; the other has what link 1 has left: 0.5 a + 2 = 10.
        let of = [(1, vec![(0, 0.5), (1, 0.5)]), (2, vec![(1, 1.0), (2, 1.0)])];
        assert_eq!(levels(&[10.0, 10.0, 2.0], &of), [16.0, 1.0]);
        // A link without room.
        assert_eq!(levels(&[0.0, 5.0], &[(1, vec![(0, 0.1)]), (1, vec![(1, 1.0)])]), [0.0, 5.0]);
    }

    fn cases() -> impl Strategy<Value = (Vec<f64>, Vec<Crossing>)> {
        let capacities = prop::collection::vec(1.0_f64..100.0, 8);
        let crosses = prop::collection::btree_map(0_u32..8, 0.01_f64..1.0, 1..6);
        let member = (1_u32..5, crosses.prop_map(|crosses| crosses.into_iter().collect()));
        (capacities, prop::collection::vec(member, 1..12))
    }

    proptest! {
        /// What makes rates max-min fair: each flow has a link that is full and on which no flow has a higher rate.
        #[test]
        fn every_flow_has_a_bottleneck((capacities, of) in cases()) {
            let levels = levels(&capacities, &of);
            let load = |link: u32| -> f64 {
                let part = |crosses: &[(u32, f64)]| crosses.iter().find(|(own, _)| *own == link).map_or(0.0, |(_, part)| *part);
                of.iter().zip(&levels).map(|((flows, crosses), level)| f64::from(*flows) * part(crosses) * level).sum()
            };
            for (link, capacity) in (0..).zip(&capacities) {
                prop_assert!(load(link) <= capacity * (1.0 + 1e-9), "link {link} carries too much");
            }
            for ((_, crosses), level) in of.iter().zip(&levels) {
                let is_bottleneck = |link: u32| {
                    let others = of.iter().zip(&levels).filter(|((_, crosses), _)| crosses.iter().any(|(own, _)| *own == link));
                    let most = others.map(|(_, level)| *level).fold(0.0, f64::max);
                    load(link) >= capacities[link as usize] * (1.0 - 1e-9) && *level >= most * (1.0 - 1e-9)
                };
                prop_assert!(crosses.iter().any(|(link, _)| is_bottleneck(*link)), "a flow could have more");
            }
        }
    }
}
