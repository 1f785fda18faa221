//! Which connections there are, by flow: looked up once for each frame and each time that a transport asks for room.

use crate::connection::Connection;
use engine::Slab;

/// No connection.
const NONE: u32 = u32::MAX;

/// All connections, and by the place of their flow which of them there are: one for each direction and epoch, of which few live at once.
#[derive(Debug, Default)]
pub(crate) struct Flows {
    all: Slab<Connection>,
    first: Vec<u32>,
}

impl Flows {
    /// The connection with this key ([`Connection::key`]).
    pub(crate) fn find(&self, key: [u32; 3]) -> Option<u32> {
        self.of(key[0]).find(|place| self.all[*place].key == key)
    }

    /// Connections of a flow.
    pub(crate) fn of(&self, flow: u32) -> impl Iterator<Item = u32> {
        let first = self.first.get(flow as usize).copied().filter(|place| *place != NONE);
        std::iter::successors(first, |place| self.after(*place))
    }

    /// The next connection of the same flow.
    pub(crate) fn after(&self, place: u32) -> Option<u32> {
        let next = self.all[place].next;
        (next != NONE).then_some(next)
    }

    /// Keeps one whose key no other has.
    pub(crate) fn put(&mut self, mut connection: Connection) -> u32 {
        let flow = connection.key[0] as usize;
        if self.first.len() <= flow {
            self.first.resize(flow + 1, NONE);
        }
        connection.next = self.first[flow];
        let place = self.all.put(connection);
        self.first[flow] = place;
        place
    }

    /// Forgets one.
    pub(crate) fn free(&mut self, place: u32) {
        let Connection { key, next, .. } = self.all[place];
        self.all[place].is_open = false;
        let before = self.of(key[0]).find(|other| self.all[*other].next == place);
        match before {
            Some(before) => self.all[before].next = next,
            None => self.first[key[0] as usize] = next,
        }
        self.all.free(place);
    }

    /// All of them, by their keys.
    pub(crate) fn sorted(&self) -> Vec<u32> {
        let mut places: Vec<u32> = (0..self.all.places()).filter(|place| self.all[*place].is_open).collect();
        places.sort_unstable_by_key(|place| self.all[*place].key);
        places
    }
}

impl std::ops::Index<u32> for Flows {
    type Output = Connection;
    #[inline]
    fn index(&self, place: u32) -> &Connection {
        &self.all[place]
    }
}

impl std::ops::IndexMut<u32> for Flows {
    #[inline]
    fn index_mut(&mut self, place: u32) -> &mut Connection {
        &mut self.all[place]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_and_epochs_of_a_flow_are_told_apart() {
        let mut flows = Flows::default();
        let keys = [[7, 0, 3], [7, 0, 9], [7, 1, 3], [2, 0, 3]];
        let places = keys.map(|key| flows.put(Connection::new(key, 1)));
        assert_eq!(keys.map(|key| flows.find(key)), places.map(Some));
        assert_eq!(flows.find([7, 1, 9]), None);
        assert_eq!(flows.find([1 << 20, 0, 0]), None);
        assert_eq!(flows.sorted(), [places[3], places[0], places[1], places[2]]);
        flows.free(places[1]);
        flows.free(places[2]);
        assert_eq!(keys.map(|key| flows.find(key)), [Some(places[0]), None, None, Some(places[3])]);
        let again = flows.put(Connection::new(keys[1], 1));
        assert_eq!([flows.find(keys[1]), flows.find(keys[0])], [Some(again), Some(places[0])]);
    }
}
