//! Round robin over the links that reach a destination, in a random order that is renewed every few rounds (§5.3).

use engine::Stream;

/// Sets of links, each with its arbiter.
#[derive(Debug, Clone, Default)]
pub struct Sprayer {
    groups: Vec<Group>,
    links: Vec<u32>,
}

#[derive(Debug, Clone, Copy)]
struct Group {
    /// Its links are `len` from here.
    first: u32,
    len: u32,
    /// Whose turn it is.
    turn: u32,
    /// Rounds until the order is renewed.
    rounds: u32,
}

impl Sprayer {
    /// Adds a set of links; says its number.
    ///
    /// # Panics
    /// If it is empty.
    pub fn add(&mut self, links: &[u32], stream: &mut Stream) -> u32 {
        assert!(!links.is_empty(), "a set of links holds one at least");
        let (first, len) = (self.links.len() as u32, links.len() as u32);
        self.links.extend_from_slice(links);
        stream.shuffle(&mut self.links[first as usize..]);
        self.groups.push(Group { first, len, turn: 0, rounds: 0 });
        self.groups.len() as u32 - 1
    }

    /// The link whose turn it is.
    #[inline(always)]
    pub fn next(&mut self, group: u32, rounds: u32, stream: &mut Stream) -> u32 {
        let group = &mut self.groups[group as usize];
        let link = self.links[(group.first + group.turn) as usize];
        group.turn += 1;
        if group.turn == group.len {
            group.turn = 0;
            group.rounds += 1;
            if group.rounds >= rounds {
                group.rounds = 0;
                if group.len > 1 {
                    let (from, to) = (group.first as usize, (group.first + group.len) as usize);
                    stream.shuffle(&mut self.links[from..to]);
                }
            }
        }
        link
    }

    /// The links of a set, in no particular order.
    pub fn links(&self, group: u32) -> &[u32] {
        let Group { first, len, .. } = self.groups[group as usize];
        &self.links[first as usize..(first + len) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Seed;

    #[test]
    fn every_link_has_one_turn_in_each_round_and_orders_change() {
        let mut stream = Seed(1).stream("test", 0);
        let mut sprayer = Sprayer::default();
        let other = sprayer.add(&[99], &mut stream);
        let group = sprayer.add(&[3, 5, 7, 11, 13, 17], &mut stream);
        let mut orders = Vec::new();
        for _ in 0..40 {
            let round: Vec<u32> = (0..6).map(|_| sprayer.next(group, 4, &mut stream)).collect();
            let mut sorted = round.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [3, 5, 7, 11, 13, 17]);
            assert_eq!(sprayer.next(other, 4, &mut stream), 99);
            orders.push(round);
        }
        for rounds in orders.chunks(4) {
            assert!(rounds.iter().all(|round| *round == rounds[0]), "an order lasts for its rounds");
        }
        let changes = orders.chunks(4).zip(orders.chunks(4).skip(1)).filter(|(a, b)| a[0] != b[0]).count();
        assert!(changes >= 8, "of nine renewals {changes} changed the order");
    }
}
