//! Packets inside the fabric, each kept once from its host's interface to its last link, in linked lists that never copy it.

use fabric::Frame;

/// All packets inside, and which follows which. Memory grows with what is inside, not with what has passed.
#[derive(Debug, Clone, Default)]
pub struct Store {
    frames: Vec<Frame>,
    next: Vec<u32>,
    free: Vec<u32>,
    /// The host link that each is on or waits for, for those who look on; [`Store::FREE`] for a free place.
    links: Vec<u32>,
}

/// Packets in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct List {
    /// The first; [`Store::NONE`] if there is none.
    pub head: u32,
    /// The last; means nothing in an empty list.
    pub tail: u32,
}

impl Default for List {
    fn default() -> List {
        List { head: Store::NONE, tail: Store::NONE }
    }
}

impl List {
    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.head == Store::NONE
    }
}

impl Store {
    /// No packet.
    pub const NONE: u32 = u32::MAX;
    const FREE: u32 = u32::MAX;

    /// Keeps a packet that is on or waits for a link; says where.
    #[inline]
    pub fn put(&mut self, frame: Frame, link: u32) -> u32 {
        if let Some(place) = self.free.pop() {
            self.frames[place as usize] = frame;
            self.next[place as usize] = Store::NONE;
            self.links[place as usize] = link;
            return place;
        }
        let place = u32::try_from(self.frames.len()).expect("fewer than 2^32 packets are inside");
        self.frames.push(frame);
        self.next.push(Store::NONE);
        self.links.push(link);
        place
    }

    /// The host link that a packet is on or waits for.
    #[inline]
    pub fn link(&self, place: u32) -> u32 {
        self.links[place as usize]
    }

    /// The packet in a place.
    #[inline]
    pub fn frame(&self, place: u32) -> &Frame {
        debug_assert_ne!(self.links[place as usize], Store::FREE, "a packet is inside once");
        &self.frames[place as usize]
    }

    /// The packet in a place, to be marked.
    pub fn frame_mut(&mut self, place: u32) -> &mut Frame {
        &mut self.frames[place as usize]
    }

    /// What comes after it in its list.
    #[inline]
    pub fn next(&self, place: u32) -> u32 {
        self.next[place as usize]
    }

    /// The packet leaves.
    #[inline]
    pub fn take(&mut self, place: u32) -> Frame {
        debug_assert_ne!(self.links[place as usize], Store::FREE, "a packet leaves once");
        self.links[place as usize] = Store::FREE;
        self.free.push(place);
        self.frames[place as usize]
    }

    /// It is now on, or waits for, another link.
    pub fn set_link(&mut self, place: u32, link: u32) {
        self.links[place as usize] = link;
    }

    /// Puts a packet at the end of a list.
    #[inline]
    pub fn append(&mut self, list: &mut List, place: u32) {
        self.next[place as usize] = Store::NONE;
        if list.is_empty() {
            list.head = place;
        } else {
            self.next[list.tail as usize] = place;
        }
        list.tail = place;
    }

    /// Takes the first packet out of a list; it is kept.
    #[inline]
    pub fn pop(&mut self, list: &mut List) -> Option<u32> {
        let place = list.head;
        if place == Store::NONE {
            return None;
        }
        list.head = self.next[place as usize];
        self.next[place as usize] = Store::NONE;
        Some(place)
    }

    /// How many are inside.
    pub fn len(&self) -> usize {
        self.frames.len() - self.free.len()
    }

    /// Whether nothing is inside.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Every packet inside, with its link.
    pub fn iter(&self) -> impl Iterator<Item = (Frame, u32)> + '_ {
        self.frames
            .iter()
            .zip(&self.links)
            .filter(|(_, link)| **link != Store::FREE)
            .map(|(frame, link)| (*frame, *link))
    }
}
