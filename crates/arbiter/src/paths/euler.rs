//! Edge colouring by halves: an Euler split sends every other edge of each trail to one half and the rest to the other, which halves all degrees.

use super::Edge;
use super::alternating::Colouring;

/// No edge.
const NONE: u32 = u32::MAX;

/// Tables for splits.
#[derive(Debug, Clone)]
pub struct Splitter {
    vertices: u32,
    /// The first edge of each vertex that has not been gone over; left vertices, then right ones.
    first: Vec<u32>,
    degree: Vec<u32>,
    /// For each place in the part that is split, the next edge of its left and of its right end.
    next: Vec<[u32; 2]>,
    gone: Vec<bool>,
    /// Numbers of edges, of which each part is a stretch.
    order: Vec<u32>,
    halves: [Vec<u32>; 2],
    /// Stretches that are to be split, and those that are matchings.
    parts: Vec<(u32, u32)>,
    matchings: Vec<(u32, u32)>,
}

impl Splitter {
    /// For multigraphs with this many vertices on each side.
    pub fn new(vertices: u32) -> Splitter {
        Splitter {
            vertices,
            first: vec![NONE; 2 * vertices as usize],
            degree: vec![0; 2 * vertices as usize],
            next: Vec::new(),
            gone: Vec::new(),
            order: Vec::new(),
            halves: [Vec::new(), Vec::new()],
            parts: Vec::new(),
            matchings: Vec::new(),
        }
    }

    /// As [`Colouring::colour`]. The multigraph is split in halves until each part is a matching: 2^r of them for a largest degree above 2^(r-1).
    /// The largest are colours; the edges of those that are too many are put in one after another, with alternating paths.
    ///
    /// # Panics
    /// If a vertex has more edges than there are colours.
    pub fn colour(&mut self, colouring: &mut Colouring, edges: &[Edge], colours: u32, result: &mut Vec<u8>) {
        result.clear();
        result.resize(edges.len(), 0);
        colouring.clear(colours);
        self.order.clear();
        self.order.extend(0..edges.len() as u32);
        self.matchings.clear();
        self.parts.clear();
        self.parts.push((0, edges.len() as u32));
        while let Some((begin, end)) = self.parts.pop() {
            if self.split(edges, begin, end) {
                let middle = begin + self.halves[0].len() as u32;
                self.order[begin as usize..middle as usize].copy_from_slice(&self.halves[0]);
                self.order[middle as usize..end as usize].copy_from_slice(&self.halves[1]);
                self.parts.extend([(begin, middle), (middle, end)]);
            } else if begin < end {
                self.matchings.push((begin, end));
            }
        }
        self.matchings.sort_unstable_by_key(|&(begin, end)| (std::cmp::Reverse(end - begin), begin));
        for (colour, &(begin, end)) in (0..).zip(&self.matchings) {
            for &number in &self.order[begin as usize..end as usize] {
                if colour < colours {
                    colouring.put(edges, number as usize, colour, result);
                } else {
                    colouring.insert(edges, number as usize, result);
                }
            }
        }
    }

    /// Splits a stretch in halves, unless it is a matching. A vertex of degree d has at most d / 2 edges in each, rounded up: trails that do not
    /// come back begin and end at vertices of odd degree, one each, and those that do have an even length, as the graph is bipartite.
    fn split(&mut self, edges: &[Edge], begin: u32, end: u32) -> bool {
        let part = &self.order[begin as usize..end as usize];
        let ends = |number: u32| {
            let Edge { left, right } = edges[number as usize];
            [left as usize, (self.vertices + right) as usize]
        };
        self.first.fill(NONE);
        self.degree.fill(0);
        self.next.clear();
        self.gone.clear();
        self.gone.resize(part.len(), false);
        let mut largest = 0;
        for (place, &number) in (0..).zip(part) {
            let ends = ends(number);
            self.next.push(ends.map(|vertex| self.first[vertex]));
            for vertex in ends {
                self.first[vertex] = place;
                self.degree[vertex] += 1;
                largest = largest.max(self.degree[vertex]);
            }
        }
        if largest <= 1 {
            return false;
        }
        self.halves.iter_mut().for_each(Vec::clear);
        for odd in [true, false] {
            for start in 0..self.first.len() {
                if odd && self.degree[start].is_multiple_of(2) {
                    continue;
                }
                let (mut vertex, mut half) = (start, 0);
                // From a vertex of odd degree one trail; of what is left after those, all.
                loop {
                    let side = usize::from(vertex >= self.vertices as usize);
                    while self.first[vertex] != NONE && self.gone[self.first[vertex] as usize] {
                        self.first[vertex] = self.next[self.first[vertex] as usize][side];
                    }
                    let place = self.first[vertex];
                    if place == NONE {
                        break;
                    }
                    self.gone[place as usize] = true;
                    let number = part[place as usize];
                    self.halves[half].push(number);
                    half = 1 - half;
                    for end in ends(number) {
                        self.degree[end] -= 1;
                    }
                    vertex = ends(number)[1 - side];
                }
            }
        }
        true
    }
}
