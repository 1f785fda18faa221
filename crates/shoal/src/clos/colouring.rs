//! Spines for the circuits of one slot: an edge colouring of a bipartite multigraph, with as many colours as its largest degree.

/// No edge.
const NONE: u32 = u32::MAX;

/// Edges from leaves (where cells go up) to leaves (where they come down), coloured as they come. König: there is always a colour,
/// if need be after two colours are exchanged along a path.
pub(super) struct Colouring {
    colours: u32,
    /// By leaf and colour: the edge that goes up, and the edge that comes down.
    up: Vec<u32>,
    down: Vec<u32>,
    /// By edge.
    ends: Vec<(u32, u32)>,
    colour: Vec<u16>,
    /// The edges whose colours are being exchanged; kept for its memory.
    path: Vec<u32>,
}

impl Colouring {
    /// For so many leaves and colours.
    pub(super) fn new(leaves: u32, colours: u32) -> Colouring {
        let table = vec![NONE; (leaves * colours) as usize];
        Colouring { colours, up: table.clone(), down: table, ends: Vec::new(), colour: Vec::new(), path: Vec::new() }
    }

    /// Forgets all edges.
    pub(super) fn clear(&mut self) {
        self.up.fill(NONE);
        self.down.fill(NONE);
        self.ends.clear();
        self.colour.clear();
    }

    /// The colour of each edge, in the order in which they came. 0 for those that are none.
    pub(super) fn colours(&self) -> &[u16] {
        &self.colour
    }

    /// Adds an edge from a leaf to a leaf, coloured `wish` if that is free at both. `None` only takes a number.
    ///
    /// # Panics
    /// If a leaf has more edges in one direction than there are colours.
    pub(super) fn add(&mut self, edge: Option<(u32, u32, u32)>) {
        let number = self.ends.len() as u32;
        let (from, to, wish) = edge.unwrap_or((NONE, NONE, 0));
        self.ends.push((from, to));
        self.colour.push(0);
        if edge.is_none() {
            return;
        }
        let colour = match self.free_at_both(from, to, wish) {
            Some(colour) => colour,
            None => self.make_room(from, to),
        };
        self.paint(number, colour);
    }

    fn free_at_both(&self, from: u32, to: u32, wish: u32) -> Option<u32> {
        let free = |&colour: &u32| self.up[self.at(from, colour)] == NONE && self.down[self.at(to, colour)] == NONE;
        (wish..self.colours).chain(0..wish).find(free)
    }

    /// Makes a colour that is free at `from` free at `to` too, where another is free that `from` has taken. From `to`, edges of the one
    /// and of the other alternate along a path, which ends; it comes to leaves that cells go up from by the first colour only, and so
    /// never to `from`. With the two exchanged along the path, all is coloured as well as before, and `to` has the first colour free.
    fn make_room(&mut self, from: u32, to: u32) -> u32 {
        let first = (0..self.colours).find(|&colour| self.up[self.at(from, colour)] == NONE);
        let second = (0..self.colours).find(|&colour| self.down[self.at(to, colour)] == NONE);
        let (first, second) =
            first.zip(second).expect("a leaf has no more nodes than uplinks, so before each edge a colour is free");
        let mut path = std::mem::take(&mut self.path);
        let (mut comes_down, mut leaf, mut colour) = (true, to, first);
        loop {
            let table = if comes_down { &self.down } else { &self.up };
            let edge = table[self.at(leaf, colour)];
            if edge == NONE {
                break;
            }
            path.push(edge);
            let (up, down) = self.ends[edge as usize];
            leaf = if comes_down { up } else { down };
            comes_down = !comes_down;
            colour = first + second - colour;
        }
        for &edge in &path {
            let (up, down, old) = self.place(edge);
            let (up, down) = (self.at(up, old), self.at(down, old));
            (self.up[up], self.down[down]) = (NONE, NONE);
        }
        for edge in path.drain(..) {
            let (_, _, old) = self.place(edge);
            self.paint(edge, first + second - old);
        }
        self.path = path;
        first
    }

    fn place(&self, edge: u32) -> (u32, u32, u32) {
        let (up, down) = self.ends[edge as usize];
        (up, down, u32::from(self.colour[edge as usize]))
    }

    fn paint(&mut self, edge: u32, colour: u32) {
        let (from, to) = self.ends[edge as usize];
        let (from, to) = (self.at(from, colour), self.at(to, colour));
        debug_assert!(self.up[from] == NONE && self.down[to] == NONE, "the colour is free at both ends");
        (self.up[from], self.down[to]) = (edge, edge);
        self.colour[edge as usize] = colour as u16;
    }

    fn at(&self, leaf: u32, colour: u32) -> usize {
        (leaf * self.colours + colour) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Any multigraph whose leaves have at most as many edges a direction as there are colours: made of as many permutations of
        /// the leaves, some edges left out, in any order.
        #[test]
        fn any_circuits_find_spines(
            (leaves, mut edges) in (1..9_u32, 1..7_usize).prop_flat_map(|(leaves, colours)| {
                let permutation = Just((0..leaves).collect::<Vec<_>>()).prop_shuffle();
                (Just(leaves), prop::collection::vec(permutation, colours))
            }).prop_flat_map(|(leaves, permutations)| {
                let edges: Vec<_> = permutations.iter().flat_map(|permutation| (0..).zip(permutation.clone())).collect();
                (Just(leaves), Just((permutations.len() as u32, edges)).prop_perturb(|(colours, mut edges), mut random| {
                    for last in (1..edges.len()).rev() {
                        edges.swap(last, random.random_range(0..=last));
                    }
                    (colours, edges)
                }))
            }),
            missing in prop::collection::vec(prop::bool::weighted(0.2), 54),
        ) {
            let colours = edges.0;
            let mut colouring = Colouring::new(leaves, colours);
            for round in 0..2 {
                colouring.clear();
                edges.1.rotate_left(round);
                let wanted = |at: usize| !missing[at] || round == 1;
                for (at, &(from, to)) in edges.1.iter().enumerate() {
                    colouring.add(wanted(at).then_some((from, to, to % colours)));
                }
                let (mut up, mut down) = (vec![], vec![]);
                for (at, (&(from, to), &colour)) in edges.1.iter().zip(colouring.colours()).enumerate() {
                    prop_assert!(u32::from(colour) < colours);
                    if wanted(at) {
                        prop_assert!(!up.contains(&(from, colour)) && !down.contains(&(to, colour)));
                        up.push((from, colour));
                        down.push((to, colour));
                    }
                }
            }
        }
    }
}
