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

/// The places of a ring, and until when each is taken, in cycles since the run began.
#[derive(Debug, Clone)]
pub struct Ring {
    taken_until: [u64; STATIONS as usize],
}

impl Default for Ring {
    fn default() -> Ring {
        Ring { taken_until: [0; STATIONS as usize] }
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
        let taken_until = &mut self.taken_until[Ring::place(station, cycle)];
        let is_free = *taken_until <= cycle;
        if is_free {
            *taken_until = cycle + cycles;
        }
        is_free
    }

    /// The next cycle, from this one on, in which a free place comes to a station if nobody takes it before.
    pub fn next_free(&self, station: u32, cycle: u64) -> u64 {
        (cycle..).find(|cycle| self.taken_until[Ring::place(station, *cycle)] <= *cycle).expect("places become free")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_request_a_cycle_goes_around() {
        let mut ring = Ring::default();
        // Everybody asks in every cycle: as many get a place as cycles go by, whoever they are.
        let cycles = 10_000;
        let mut requests = 0;
        for cycle in 0..cycles {
            requests += (0..RINGMASTERS).filter(|station| ring.take(*station, cycle, u64::from(STATIONS))).count();
        }
        assert!((9_900..=10_017).contains(&requests), "{requests} requests in {cycles} cycles");
    }

    #[test]
    fn a_place_comes_around() {
        let mut ring = Ring::default();
        assert!(ring.take(3, 100, 5));
        // It is five stations further when it is free again.
        assert!(!ring.take(7, 104, 1));
        assert!(ring.take(8, 105, u64::from(STATIONS)));
        assert_eq!(ring.next_free(9, 106), 107);
        assert_eq!(ring.next_free(8, 122), 122, "after once around");
        assert_eq!([Ring::distance(3, 8), Ring::distance(8, 3), Ring::distance(4, 4)], [5, 12, 0]);
    }
}
