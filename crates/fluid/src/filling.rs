//! Progressive filling: all rates rise together, and those that cross a resource which is full stop there.

use engine::Control;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

#[cfg(test)]
mod tests;

/// Fills the rest of the row of a member that crosses fewer resources than others.
pub const NONE: u32 = u32::MAX;

/// What each member crosses: a row of the same width for each, resources first, then [`NONE`]. No member crosses a resource twice.
#[derive(Debug, Clone)]
pub struct Crossings {
    width: usize,
    rows: Vec<u32>,
}

impl Default for Crossings {
    fn default() -> Crossings {
        Crossings { width: 1, rows: Vec::new() }
    }
}

impl Crossings {
    /// How many members there are.
    pub fn len(&self) -> usize {
        self.rows.len() / self.width
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// One member more, the last. All rows grow if it crosses more than any before.
    pub fn push(&mut self, resources: &[u32]) {
        if resources.len() > self.width {
            let rows = self.rows.chunks_exact(self.width);
            let more = resources.len() - self.width;
            self.rows = rows.flat_map(|row| row.iter().copied().chain(std::iter::repeat_n(NONE, more))).collect();
            self.width = resources.len();
        }
        self.rows.extend_from_slice(resources);
        self.rows.extend(std::iter::repeat_n(NONE, self.width - resources.len()));
    }

    /// A member leaves; the last takes its place.
    ///
    /// # Panics
    /// If there is no such member.
    pub fn swap_remove(&mut self, member: usize) {
        let last = self.rows.len() - self.width;
        self.rows.copy_within(last.., member * self.width);
        self.rows.truncate(last);
    }

    /// No member is left.
    pub fn clear(&mut self) {
        self.rows.clear();
    }

    /// What a member crosses.
    pub fn of(&self, member: usize) -> impl Iterator<Item = u32> {
        let row = &self.rows[member * self.width..(member + 1) * self.width];
        row.iter().copied().take_while(|resource| *resource != NONE)
    }
}

/// Max-min fair shares of resources, each member crossing some of them. Holds its working space, so that filling again and again
/// takes no memory.
///
/// Bertsekas and Gallager, Data Networks (2nd ed.), §6.5.2. A resource is full when what is left of it, divided by the members that
/// still rise, has become the level of the water. Members that stop elsewhere leave more to the others, so this share only grows: a
/// heap of shares of which the least is looked at again has the next resource that is full. O(c + r log r) for c crossings of r
/// resources that somebody crosses, as long as a share is seldom looked at in vain.
#[derive(Debug, Clone, Default)]
pub struct Filling {
    /// Resources that somebody crosses.
    used: Vec<u32>,
    /// By resource: what is left, and the members that still rise. None does between fillings.
    left: Vec<f64>,
    rising: Vec<u32>,
    /// By resource that is used: where its members are in `members`.
    range: Vec<[u32; 2]>,
    members: Vec<u32>,
    fixed: Vec<bool>,
    heap: BinaryHeap<Reverse<(u64, u32)>>,
    /// With a million members it takes a second.
    pub(crate) control: Control,
}

impl Filling {
    /// The rate of each member of `crossings`, in the unit of `capacities`, into `rates`. If it is told to stop, `rates` are of no use.
    ///
    /// # Panics
    /// If a resource has no capacity, or `rates` is of another length than `crossings`.
    pub fn fill(&mut self, capacities: &[f64], crossings: &Crossings, rates: &mut [f64]) {
        assert_eq!(crossings.len(), rates.len(), "a rate for each member");
        self.list(capacities, crossings);
        self.fixed.clear();
        self.fixed.resize(crossings.len(), false);
        let mut shares = std::mem::take(&mut self.heap).into_vec();
        shares.extend(self.used.iter().map(|resource| Reverse((self.share(*resource as usize), *resource))));
        self.heap = shares.into();
        while let Some(Reverse((seen, resource))) = self.heap.pop() {
            let full = resource as usize;
            if self.rising[full] == 0 {
                continue;
            }
            if self.control.is_stopped() {
                return;
            }
            let share = self.share(full);
            if share > seen {
                self.heap.push(Reverse((share, resource)));
                continue;
            }
            let level = f64::from_bits(share);
            self.rising[full] = 0;
            let [first, end] = self.range[full];
            for member in &self.members[first as usize..end as usize] {
                let member = *member as usize;
                if std::mem::replace(&mut self.fixed[member], true) {
                    continue;
                }
                rates[member] = level;
                for other in crossings.of(member).filter(|other| *other != resource) {
                    let left = &mut self.left[other as usize];
                    *left = (*left - level).max(0.0);
                    self.rising[other as usize] -= 1;
                }
            }
        }
    }

    /// Lists members by resource.
    fn list(&mut self, capacities: &[f64], crossings: &Crossings) {
        if self.rising.len() < capacities.len() {
            self.rising.resize(capacities.len(), 0);
            self.left.resize(capacities.len(), 0.0);
            self.range.resize(capacities.len(), [0; 2]);
        }
        self.used.clear();
        for resource in crossings.rows.iter().filter(|resource| **resource != NONE) {
            let rising = &mut self.rising[*resource as usize];
            if *rising == 0 {
                self.used.push(*resource);
            }
            *rising += 1;
        }
        let mut sum = 0;
        for resource in self.used.iter().map(|resource| *resource as usize) {
            self.left[resource] = capacities[resource];
            self.range[resource] = [sum; 2];
            sum += self.rising[resource];
        }
        self.members.clear();
        self.members.resize(sum as usize, 0);
        for member in 0..crossings.len() {
            for resource in crossings.of(member) {
                let [_, end] = &mut self.range[resource as usize];
                self.members[*end as usize] = member as u32;
                *end += 1;
            }
        }
    }

    /// What each rising member of a resource could have, as bits: numbers that are not negative are in the order of their bits.
    fn share(&self, resource: usize) -> u64 {
        (self.left[resource] / f64::from(self.rising[resource])).to_bits()
    }
}
