//! Who is free in a pod whose paths can be assigned afterwards: its hosts, and its racks if they have fewer uplinks than hosts.

use super::{Admission, LARGEST_BATCH};
use crate::pod::{Pod, Turn};

/// Hosts that send, and receive, one packet a slot each.
///
/// Without core switches that take part, a matching of hosts always has paths without collisions, as a Clos network is rearrangeably
/// non-blocking (§3.4 of Fastpod; [`paths`](crate::paths)), as long as no more packets leave or reach a rack than it has uplinks.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Hosts {
    sources: Vec<u64>,
    destinations: Vec<u64>,
    racks: Option<Racks>,
}

/// Racks with fewer uplinks than hosts.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Racks {
    /// The rack of each host.
    of: Vec<u32>,
    /// Whether a packet within a rack takes no uplink.
    turns_below: bool,
    uplinks: u8,
    up: Side,
    down: Side,
}

/// One direction of all racks.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Side {
    /// For each rack, the slots in which it has an uplink left.
    free: Vec<u64>,
    /// For each rack and slot, how many it has left.
    left: Vec<u8>,
}

impl Side {
    fn new(racks: u32) -> Side {
        Side { free: vec![0; racks as usize], left: vec![0; (racks * LARGEST_BATCH) as usize] }
    }

    fn clear(&mut self, uplinks: u8) {
        self.free.fill(u64::MAX);
        self.left.fill(uplinks);
    }

    fn take(&mut self, rack: u32, slot: u32) {
        let left = &mut self.left[(rack * LARGEST_BATCH + slot) as usize];
        *left -= 1;
        if *left == 0 {
            self.free[rack as usize] &= !(1 << slot);
        }
    }
}

impl Hosts {
    /// The hosts of a pod.
    pub fn new(pod: &Pod) -> Hosts {
        let hosts = usize::from(pod.hosts());
        let racks = (pod.uplinks() < pod.hosts_per_rack()).then(|| Racks {
            of: (0..pod.hosts()).map(|host| pod.rack(host)).collect(),
            turns_below: pod.turn() == Turn::AtNearest,
            uplinks: u8::try_from(pod.uplinks()).expect("a word has a bit for each"),
            up: Side::new(pod.racks()),
            down: Side::new(pod.racks()),
        });
        let mut hosts = Hosts { sources: vec![0; hosts], destinations: vec![0; hosts], racks };
        hosts.clear();
        hosts
    }
}

impl Racks {
    /// The racks of which a packet takes an uplink.
    fn of(&self, source: u16, destination: u16) -> Option<(u32, u32)> {
        let (from, to) = (self.of[usize::from(source)], self.of[usize::from(destination)]);
        (from != to || !self.turns_below).then_some((from, to))
    }
}

impl Admission for Hosts {
    fn clear(&mut self) {
        self.sources.fill(u64::MAX);
        self.destinations.fill(u64::MAX);
        if let Some(racks) = &mut self.racks {
            racks.up.clear(racks.uplinks);
            racks.down.clear(racks.uplinks);
        }
    }

    #[inline]
    fn candidates(&self, source: u16, destination: u16, open: u64) -> u64 {
        let ends = open & self.sources[usize::from(source)] & self.destinations[usize::from(destination)];
        match self.racks.as_ref().and_then(|racks| Some((racks, racks.of(source, destination)?))) {
            None => ends,
            Some((racks, (from, to))) => ends & racks.up.free[from as usize] & racks.down.free[to as usize],
        }
    }

    #[inline]
    fn has_moved(&mut self) -> bool {
        false
    }

    #[inline]
    fn admit(&mut self, source: u16, destination: u16, candidates: u64) -> Option<u32> {
        if candidates == 0 {
            return None;
        }
        let slot = candidates.trailing_zeros();
        self.sources[usize::from(source)] &= !(1 << slot);
        self.destinations[usize::from(destination)] &= !(1 << slot);
        if let Some(racks) = &mut self.racks
            && let Some((from, to)) = racks.of(source, destination)
        {
            racks.up.take(from, slot);
            racks.down.take(to, slot);
        }
        Some(slot)
    }
}
