//! Which sockets flows have: looked up once for each frame and each time that a transport asks for room.

use crate::sockets::Socket;
use engine::Slab;

/// No socket.
const NONE: u32 = u32::MAX;

/// A flow's socket from one of its ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    /// The flow's place and epoch, and its source.
    pub key: [u32; 3],
    pub socket: Socket,
    next: u32,
}

/// Sockets by the place of their flow: one for each direction and epoch, of which few live at once.
#[derive(Debug, Default)]
pub(crate) struct Flows {
    all: Slab<Entry>,
    first: Vec<u32>,
}

impl Flows {
    /// The socket with this key ([`Entry::key`]).
    #[inline]
    pub(crate) fn find(&self, key: [u32; 3]) -> Option<Socket> {
        self.of(key[0]).find(|entry| entry.key == key).map(|entry| entry.socket)
    }

    /// Sockets of a flow.
    #[inline]
    pub(crate) fn of(&self, flow: u32) -> impl Iterator<Item = &Entry> {
        let at = |place: u32| (place != NONE).then(|| &self.all[place]);
        let first = self.first.get(flow as usize).and_then(|place| at(*place));
        std::iter::successors(first, move |entry| at(entry.next))
    }

    /// Keeps one whose key no other has.
    pub(crate) fn put(&mut self, key: [u32; 3], socket: Socket) {
        let flow = key[0] as usize;
        if self.first.len() <= flow {
            self.first.resize(flow + 1, NONE);
        }
        self.first[flow] = self.all.put(Entry { key, socket, next: self.first[flow] });
    }

    /// Forgets the one with this key, if there is one.
    pub(crate) fn remove(&mut self, key: [u32; 3]) {
        let mut before = NONE;
        let mut place = self.first.get(key[0] as usize).copied().unwrap_or(NONE);
        while place != NONE && self.all[place].key != key {
            (before, place) = (place, self.all[place].next);
        }
        if place == NONE {
            return;
        }
        let next = self.all[place].next;
        match before {
            NONE => self.first[key[0] as usize] = next,
            _ => self.all[before].next = next,
        }
        self.all.free(place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sockets::{Client, Limits, Reach, Sockets};

    #[test]
    fn directions_and_epochs_of_a_flow_are_told_apart() {
        let mut sockets = Sockets::new(10, Limits { buffer: 640, chunk: 4, growth: false });
        let mut flows = Flows::default();
        let keys = [[7, 0, 3], [7, 0, 9], [7, 1, 3], [2, 0, 3]];
        let opened = keys.map(|key| sockets.open([key[2], 1], Reach::Local, (Client::Frames, 0), None));
        keys.into_iter().zip(opened).for_each(|(key, socket)| flows.put(key, socket));
        assert_eq!(keys.map(|key| flows.find(key)), opened.map(Some));
        assert_eq!(flows.find([7, 1, 9]), None);
        assert_eq!(flows.find([1 << 20, 0, 0]), None);
        assert_eq!((flows.of(7).count(), flows.of(2).count(), flows.of(1).count()), (3, 1, 0));
        flows.remove(keys[1]);
        flows.remove(keys[2]);
        flows.remove([7, 5, 5]);
        flows.remove([1 << 20, 0, 0]);
        assert_eq!(keys.map(|key| flows.find(key)), [Some(opened[0]), None, None, Some(opened[3])]);
        flows.put(keys[1], opened[1]);
        assert_eq!([flows.find(keys[1]), flows.find(keys[0])], [Some(opened[1]), Some(opened[0])]);
    }
}
