//! The ring of an L1 switch (§4.2): places that go around from ringmaster to ringmaster, one of them at each in every cycle.
//!
//! The paper says that a switch handles 156 million requests a second, which is one in each cycle of 6.4 ns: a request takes one place once around the ring, as its answer
//! comes in the place that it leaves. Ringmasters and the station that sets the crossbar up pass a place on in a cycle.

use crate::frame::SLOTS;
use units::Span;

/// A cycle: 64 bits of what a 10 Gb/s port carries, or 156.25 million of them a second (§4.2).
pub const CYCLE: Span = Span::from_ps(6_400);

/// Ringmasters, one for each line card (§4).
pub const RINGMASTERS: u32 = 16;

/// Ports of a line card (§4).
pub const PORTS: u32 = SLOTS / RINGMASTERS;

/// Where places stop: at ringmasters, and at the station that sets the crossbar up.
pub const STATIONS: u32 = RINGMASTERS + 1;

/// The places of a ring: until when each is taken, in cycles since the run began, and by which station.
///
/// A station lets a place pass that comes back to it from its own request: the next station that waits takes it. Otherwise those that came first would keep all places as long as
/// they have requests, and others would get none (of which the paper says nothing; slotted rings do it so). It costs one cycle in eighteen where all contend.
#[derive(Debug, Clone)]
pub struct Ring {
    taken_until: [u64; STATIONS as usize],
    by: [u32; STATIONS as usize],
}

impl Default for Ring {
    fn default() -> Ring {
        Ring { taken_until: [0; STATIONS as usize], by: [STATIONS; STATIONS as usize] }
    }
}

impl Ring {
    /// The ringmaster of a port.
    pub fn station(port: u8) -> u32 {
        u32::from(port) / PORTS
    }

    /// Cycles from one station to another; none if it is the same.
    pub fn distance(from: u32, to: u32) -> u64 {
        u64::from((to + STATIONS - from) % STATIONS)
    }

    /// The place that is at a station in a cycle.
    fn place(station: u32, cycle: u64) -> usize {
        ((u64::from(station) + u64::from(STATIONS) - cycle % u64::from(STATIONS)) % u64::from(STATIONS)) as usize
    }

    /// Takes the place that is at a station in this cycle for so many cycles, if it is free.
    pub fn take(&mut self, station: u32, cycle: u64, cycles: u64) -> bool {
        let is_free = self.is_free(station, cycle);
        if is_free {
            let place = Ring::place(station, cycle);
            (self.taken_until[place], self.by[place]) = (cycle + cycles, station);
        }
        is_free
    }

    fn is_free(&self, station: u32, cycle: u64) -> bool {
        let place = Ring::place(station, cycle);
        self.taken_until[place] < cycle || self.taken_until[place] == cycle && self.by[place] != station
    }

    /// The next cycle, from this one on, in which a free place comes to a station if nobody takes it before.
    pub fn next_free(&self, station: u32, cycle: u64) -> u64 {
        (cycle..).find(|cycle| self.is_free(station, *cycle)).expect("places become free")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    #[test]
    fn nearly_one_request_a_cycle_goes_around() {
        let mut ring = Ring::default();
        // Everybody asks in every cycle: as many get a place as cycles go by, whoever they are.
        let cycles = 10_000;
        let mut requests = 0;
        for cycle in 0..cycles {
            requests += (0..RINGMASTERS).filter(|station| ring.take(*station, cycle, u64::from(STATIONS))).count();
        }
        // Less one in eighteen for places that go on to the next station.
        assert!((9_400..=10_017).contains(&requests), "{requests} requests in {cycles} cycles");
    }

    /// Ringmasters ask as often as they may, eight requests at a time, since an input has one on the ring; what others send goes its way at the same time. From when on each asks is given.
    fn shares(begin: impl Fn(u32) -> u64, urgent: u64) -> Vec<u32> {
        let mut ring = Ring::default();
        let mut out = vec![VecDeque::new(); RINGMASTERS as usize];
        let mut shares = vec![0; RINGMASTERS as usize];
        let cycles = 40_000;
        for cycle in 0..cycles {
            for station in (0..RINGMASTERS).filter(|station| cycle >= begin(*station)) {
                let own = &mut out[station as usize];
                while own.front().is_some_and(|back| *back <= cycle) {
                    own.pop_front();
                }
                // Every so often something urgent goes first, half around the ring.
                if urgent > 0 && (cycle + u64::from(station)) % urgent == 0 {
                    ring.take(station, cycle, 8);
                } else if own.len() < PORTS as usize && ring.take(station, cycle, STATIONS.into()) {
                    own.push_back(cycle + u64::from(STATIONS));
                    shares[station as usize] += u32::from(cycle > cycles / 2);
                }
            }
        }
        shares
    }

    #[test]
    fn every_ringmaster_gets_its_share_whoever_came_first() {
        let orders: [fn(u32) -> u64; 3] =
            [|_| 0, |station| u64::from(station) * 40, |station| u64::from(15 - station) * 40];
        for begin in orders {
            for urgent in [0, 31, 60] {
                let shares = shares(begin, urgent);
                let (least, most) = (shares.iter().min().expect("16"), shares.iter().max().expect("16"));
                assert!(*least > 0 && most <= &(least * 3 / 2), "urgent every {urgent}: {shares:?}");
            }
        }
    }

    #[test]
    fn a_place_comes_around() {
        let mut ring = Ring::default();
        assert!(ring.take(3, 100, 5));
        // It is five stations further when it is free again.
        assert!(!ring.take(7, 104, 1));
        assert!(ring.take(8, 105, u64::from(STATIONS)));
        assert_eq!(ring.next_free(9, 106), 107);
        assert_eq!(ring.next_free(8, 122), 123, "after once around its own place goes on to others");
        assert_eq!([Ring::distance(3, 8), Ring::distance(8, 3), Ring::distance(4, 4)], [5, 12, 0]);
    }
}
