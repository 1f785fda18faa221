//! Progressive filling: all rates rise together, and those that cross a resource which is full stop there.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

#[cfg(test)]
mod tests;

/// The second resource of a member that crosses only one.
pub const NONE: u32 = u32::MAX;

/// Max-min fair shares of resources, each member crossing one or two of them. Holds its working space, so that filling again and
/// again takes no memory.
///
/// Bertsekas and Gallager, Data Networks (2nd ed.), §6.5.2. A resource is full when what is left of it, divided by the members that
/// still rise, has become the level of the water. Members that stop elsewhere leave more to the others, so this share only grows: a
/// heap of shares of which the least is looked at again has the next resource that is full, in O((members + resources) log
/// resources).
#[derive(Debug, Clone, Default)]
pub struct Filling {
    /// By resource: what is left, and the members that still rise.
    left: Vec<f64>,
    rising: Vec<u32>,
    /// By resource: where its members begin in `members`; one more at the end.
    first: Vec<u32>,
    members: Vec<u32>,
    fixed: Vec<bool>,
    heap: BinaryHeap<Reverse<(u64, u32)>>,
}

impl Filling {
    /// The rate of each member of `crossings`, in the unit of `capacities`, into `rates`.
    ///
    /// `crossings` names a member's two resources, which differ, or one and [`NONE`].
    ///
    /// # Panics
    /// If a resource has no capacity, or `rates` is of another length than `crossings`.
    pub fn fill(&mut self, capacities: &[f64], crossings: &[[u32; 2]], rates: &mut [f64]) {
        assert_eq!(crossings.len(), rates.len(), "a rate for each member");
        self.list(capacities, crossings);
        self.fixed.clear();
        self.fixed.resize(crossings.len(), false);
        self.heap.clear();
        for resource in 0..capacities.len() {
            if self.rising[resource] > 0 {
                self.heap.push(Reverse((self.share(resource), resource as u32)));
            }
        }
        while let Some(Reverse((seen, resource))) = self.heap.pop() {
            let full = resource as usize;
            if self.rising[full] == 0 {
                continue;
            }
            let share = self.share(full);
            if share > seen {
                self.heap.push(Reverse((share, resource)));
                continue;
            }
            let level = f64::from_bits(share);
            self.rising[full] = 0;
            for place in self.first[full]..self.first[full + 1] {
                let member = self.members[place as usize] as usize;
                if std::mem::replace(&mut self.fixed[member], true) {
                    continue;
                }
                rates[member] = level;
                let [one, two] = crossings[member];
                let other = if one == resource { two } else { one };
                if other != NONE {
                    let left = &mut self.left[other as usize];
                    *left = (*left - level).max(0.0);
                    self.rising[other as usize] -= 1;
                }
            }
        }
    }

    /// Lists members by resource.
    fn list(&mut self, capacities: &[f64], crossings: &[[u32; 2]]) {
        self.left.clear();
        self.left.extend_from_slice(capacities);
        self.rising.clear();
        self.rising.resize(capacities.len(), 0);
        for resource in crossings.iter().flatten().filter(|resource| **resource != NONE) {
            self.rising[*resource as usize] += 1;
        }
        self.first.clear();
        let mut sum = 0;
        for count in &self.rising {
            // The end of each for now: filling in from the back leaves the beginning.
            sum += count;
            self.first.push(sum);
        }
        self.first.push(sum);
        self.members.clear();
        self.members.resize(sum as usize, 0);
        for (member, resources) in (0..).zip(crossings) {
            for resource in resources.iter().filter(|resource| **resource != NONE) {
                let end = &mut self.first[*resource as usize];
                *end -= 1;
                self.members[*end as usize] = member;
            }
        }
    }

    /// What each rising member of a resource could have, as bits: numbers that are not negative are in the order of their bits.
    fn share(&self, resource: usize) -> u64 {
        (self.left[resource] / f64::from(self.rising[resource])).to_bits()
    }
}
