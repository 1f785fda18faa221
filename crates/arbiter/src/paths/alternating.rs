//! Edge colouring, one edge after another, with alternating paths.

use super::Edge;
use crate::pod::LARGEST_FAN;

/// Tables of which edge has which colour at which vertex.
#[derive(Debug, Clone)]
pub struct Colouring {
    vertices: u32,
    left: Side,
    right: Side,
}

/// One side of the bipartite multigraph.
#[derive(Debug, Clone)]
struct Side {
    /// For each vertex, the colours that none of its edges has.
    free: Vec<u64>,
    /// For each vertex and colour that is not free, the edge that has it.
    edges: Vec<u32>,
}

impl Side {
    fn new(vertices: u32) -> Side {
        Side { free: vec![0; vertices as usize], edges: vec![0; (vertices * LARGEST_FAN) as usize] }
    }

    fn edge(&mut self, vertex: u32, colour: u32) -> &mut u32 {
        &mut self.edges[(vertex * LARGEST_FAN + colour) as usize]
    }

    fn put(&mut self, vertex: u32, colour: u32, edge: u32) {
        self.free[vertex as usize] &= !(1 << colour);
        *self.edge(vertex, colour) = edge;
    }
}

impl Colouring {
    /// For multigraphs with this many vertices on each side.
    pub fn new(vertices: u32) -> Colouring {
        Colouring { vertices, left: Side::new(vertices), right: Side::new(vertices) }
    }

    /// Puts a colour below `colours` for each edge into `result`; no two edges of one colour have an end in common. Same edges, same colours.
    ///
    /// # Panics
    /// If a vertex has more edges than there are colours, or there are more than [`LARGEST_FAN`] colours.
    pub fn colour(&mut self, edges: &[Edge], colours: u32, result: &mut Vec<u8>) {
        self.clear(colours);
        result.clear();
        result.resize(edges.len(), 0);
        for number in 0..edges.len() {
            self.insert(edges, number, result);
        }
    }

    /// Begins anew, with this many colours.
    fn clear(&mut self, colours: u32) {
        let all = if colours == 0 { 0 } else { u64::MAX >> (LARGEST_FAN - colours) };
        self.left.free[..self.vertices as usize].fill(all);
        self.right.free[..self.vertices as usize].fill(all);
    }

    /// Gives an edge this colour, which neither of its ends has.
    fn put(&mut self, edges: &[Edge], number: usize, colour: u32, result: &mut [u8]) {
        let (Edge { left, right }, edge) = (edges[number], number as u32);
        self.left.put(left, colour, edge);
        self.right.put(right, colour, edge);
        result[number] = colour as u8;
    }

    /// Gives an edge a colour, and if need be others to some that have one.
    #[inline]
    fn insert(&mut self, edges: &[Edge], number: usize, result: &mut [u8]) {
        let Edge { left, right } = edges[number];
        let (free_left, free_right) = (self.left.free[left as usize], self.right.free[right as usize]);
        let common = free_left & free_right;
        let colour = if common == 0 {
            assert!(free_left != 0 && free_right != 0, "a vertex has more edges than there are colours");
            let (colour, other) = (free_left.trailing_zeros(), free_right.trailing_zeros());
            self.swap(edges, right, colour, other, result);
            colour
        } else {
            common.trailing_zeros()
        };
        self.put(edges, number, colour, result);
    }

    /// Makes a colour free at a vertex on the right that has `other` free: along the path of edges of the two colours in turn that begins there.
    /// It visits vertices on the left by edges of `colour` only, so never one that has `colour` free.
    fn swap(&mut self, edges: &[Edge], right: u32, colour: u32, other: u32, result: &mut [u8]) {
        let (mut from, mut to) = (colour, other);
        let mut edge = *self.right.edge(right, from);
        self.right.put(right, to, edge);
        self.right.free[right as usize] |= 1 << from;
        let mut leftwards = true;
        loop {
            result[edge as usize] = to as u8;
            let Edge { left, right } = edges[edge as usize];
            let (side, vertex) = if leftwards { (&mut self.left, left) } else { (&mut self.right, right) };
            let free = side.free[vertex as usize] & 1 << to != 0;
            let next = *side.edge(vertex, to);
            side.put(vertex, to, edge);
            if free {
                side.free[vertex as usize] |= 1 << from;
                return;
            }
            *side.edge(vertex, from) = next;
            (edge, from, to) = (next, to, from);
            leftwards = !leftwards;
        }
    }
}
