//! The arena of frames inside a network: each is stored once, and an index stands for it on its way.

use crate::Frame;
use std::ops::{Index, IndexMut};

/// Frames by place. Memory grows with what is inside, not with what has passed.
#[derive(Debug, Clone, Default)]
pub struct Arena {
    frames: Vec<Frame>,
    taken: Vec<bool>,
    free: Vec<u32>,
}

impl Arena {
    /// Keeps a frame. Its place is its own until it is taken.
    pub fn put(&mut self, frame: Frame) -> u32 {
        if let Some(place) = self.free.pop() {
            self.frames[place as usize] = frame;
            self.taken[place as usize] = true;
            return place;
        }
        let place = u32::try_from(self.frames.len()).expect("fewer than 2^32 frames are kept");
        self.frames.push(frame);
        self.taken.push(true);
        place
    }

    /// The frame leaves, and its place is free.
    pub fn take(&mut self, place: u32) -> Frame {
        debug_assert!(self.taken[place as usize], "no frame leaves twice");
        self.taken[place as usize] = false;
        self.free.push(place);
        self.frames[place as usize]
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.frames.len() - self.free.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All of them, by place.
    pub fn iter(&self) -> impl Iterator<Item = &Frame> {
        self.frames.iter().zip(&self.taken).filter(|(_, taken)| **taken).map(|(frame, _)| frame)
    }

    /// All but those in these places leave.
    pub fn retain(&mut self, places: impl Iterator<Item = u32>) {
        let mut stay = vec![false; self.frames.len()];
        places.for_each(|place| stay[place as usize] = true);
        for (place, (taken, stay)) in (0..).zip(self.taken.iter_mut().zip(stay)) {
            if *taken && !stay {
                *taken = false;
                self.free.push(place);
            }
        }
    }
}

impl Index<u32> for Arena {
    type Output = Frame;

    fn index(&self, place: u32) -> &Frame {
        debug_assert!(self.taken[place as usize], "what is on its way is kept");
        &self.frames[place as usize]
    }
}

impl IndexMut<u32> for Arena {
    fn index_mut(&mut self, place: u32) -> &mut Frame {
        &mut self.frames[place as usize]
    }
}
