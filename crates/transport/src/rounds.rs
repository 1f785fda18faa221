//! Which path a sender uses next that sprays its packets: every path once, in random order, then all again in another order (NDP §3.1).

/// Paths that are told apart: of more, so many are drawn.
const MOST_PATHS: u32 = 256;

/// Rounds over the paths of a connection.
#[derive(Debug, Clone)]
pub(crate) struct Rounds {
    /// The paths that are told apart, each at its place.
    numbers: Vec<u32>,
    /// Places, in the order of this round, and which is next.
    order: Vec<u16>,
    next: usize,
}

impl Rounds {
    /// Over so many paths.
    pub(crate) fn new(paths: u32) -> Rounds {
        let places = paths.clamp(1, MOST_PATHS) as u16;
        Rounds { numbers: (0..places.into()).collect(), order: (0..places).collect(), next: usize::MAX }
    }

    /// How many paths are told apart.
    pub(crate) fn places(&self) -> usize {
        self.order.len()
    }

    /// The next path begins a round.
    pub(crate) fn is_over(&self) -> bool {
        self.next >= self.order.len()
    }

    /// The next path, of `paths`: its place here and its number. `pick` draws a number below another.
    pub(crate) fn next(&mut self, paths: u32, mut pick: impl FnMut(u32) -> u32) -> (u16, u32) {
        if self.is_over() {
            if self.next == usize::MAX && paths > MOST_PATHS {
                self.numbers.iter_mut().for_each(|path| *path = pick(paths));
            }
            // Fisher and Yates.
            for last in (1..self.order.len()).rev() {
                self.order.swap(last, pick(last as u32 + 1) as usize);
            }
            self.next = 0;
        }
        let place = self.order[self.next];
        self.next += 1;
        (place, self.numbers[usize::from(place)])
    }
}
