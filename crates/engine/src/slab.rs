//! Things in numbered places, which are used again.

use std::ops::{Index, IndexMut};

/// Things by place. A place that is free is given again, the last one first.
#[derive(Debug, Clone)]
pub struct Slab<T> {
    items: Vec<T>,
    free: Vec<u32>,
}

impl<T> Default for Slab<T> {
    fn default() -> Slab<T> {
        Slab { items: Vec::new(), free: Vec::new() }
    }
}

impl<T> Slab<T> {
    /// Keeps it, and says in which place. The place is its own until it is free.
    ///
    /// # Panics
    /// If 2^32 are kept.
    pub fn put(&mut self, item: T) -> u32 {
        if let Some(place) = self.free.pop() {
            self.items[place as usize] = item;
            return place;
        }
        self.items.push(item);
        u32::try_from(self.items.len() - 1).expect("fewer than 2^32 are kept")
    }

    /// The place is free.
    pub fn free(&mut self, place: u32) {
        self.free.push(place);
    }

    /// How many places there are, free ones among them.
    pub fn places(&self) -> u32 {
        self.items.len() as u32
    }

    /// All items, also those that are in free places.
    pub fn all(&self) -> impl Iterator<Item = &T> {
        self.items.iter()
    }
}

impl<T> Index<u32> for Slab<T> {
    type Output = T;
    #[inline]
    fn index(&self, place: u32) -> &T {
        &self.items[place as usize]
    }
}

impl<T> IndexMut<u32> for Slab<T> {
    #[inline]
    fn index_mut(&mut self, place: u32) -> &mut T {
        &mut self.items[place as usize]
    }
}
