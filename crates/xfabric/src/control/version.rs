//! Whose turn it is, and which configuration is the newest.

use crate::MOST_SOCS;

/// A controller's term of office. Crosspoints obey the latest epoch alone, so that what a dead controller sent cannot undo what
/// its successor did.
///
/// Epochs are ordered by number and then by SoC. No two controllers ever work in the same one: a crosspoint grants an epoch once,
/// and a controller works only in an epoch that all crosspoints have granted to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Epoch {
    /// Counted up by each controller that takes over; at most [`Epoch::MOST`].
    pub number: u32,
    /// The SoC on which the controller runs.
    pub soc: u32,
}

impl Epoch {
    /// The highest number that a version has room for.
    pub const MOST: u32 = (1 << 24) - 1;

    /// The least epoch of this SoC that comes after another.
    pub fn after(other: Epoch, soc: u32) -> Epoch {
        Epoch { number: (other.number + 1).min(Epoch::MOST), soc }
    }
}

/// The 64-bit number of a configuration (§4.4). No two configurations have the same; the later has the higher.
///
/// From the highest bit: 24 bits of the epoch's number, 14 of its SoC, 26 that count the epoch's configurations. At ten
/// configurations a second an epoch lasts 77 days; a controller then takes a new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Version(pub u64);

const SOC_BITS: u32 = MOST_SOCS.trailing_zeros();
const SEQUENCE_BITS: u32 = 26;

impl Version {
    /// Nothing has been configured yet.
    pub const NONE: Version = Version(0);

    /// The `sequence`-th configuration of an epoch, counted from 1.
    ///
    /// # Panics
    /// If a number has more bits than it has room for.
    pub fn new(epoch: Epoch, sequence: u32) -> Version {
        assert!(epoch.number <= Epoch::MOST && epoch.soc < MOST_SOCS && sequence >> SEQUENCE_BITS == 0);
        let (number, soc) = (u64::from(epoch.number), u64::from(epoch.soc));
        Version(number << (SOC_BITS + SEQUENCE_BITS) | soc << SEQUENCE_BITS | u64::from(sequence))
    }
    /// The epoch in which it was made.
    pub fn epoch(self) -> Epoch {
        let number = (self.0 >> (SOC_BITS + SEQUENCE_BITS)) as u32;
        Epoch { number, soc: (self.0 >> SEQUENCE_BITS) as u32 & (MOST_SOCS - 1) }
    }
    /// Its place among the configurations of its epoch.
    pub fn sequence(self) -> u32 {
        self.0 as u32 & ((1 << SEQUENCE_BITS) - 1)
    }
    /// The next one of the same epoch; `None` if the epoch has used up its numbers.
    pub fn next(self) -> Option<Version> {
        let sequence = self.sequence() + 1;
        (sequence >> SEQUENCE_BITS == 0).then(|| Version::new(self.epoch(), sequence))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered_as_epochs_are_and_then_by_sequence() {
        let epoch = |number, soc| Epoch { number, soc };
        let version = |number, soc, sequence| Version::new(epoch(number, soc), sequence);
        let most = (1 << 26) - 1;
        let ascending = [Version::NONE, version(1, 0, 1), version(1, 0, most), version(1, 3, 1), version(2, 0, 1)];
        assert!(ascending.is_sorted());
        let highest = version(Epoch::MOST, MOST_SOCS - 1, most);
        assert_eq!((highest.0, highest.epoch(), highest.sequence()), (u64::MAX, epoch(Epoch::MOST, 16383), most));
        assert_eq!((version(1, 3, 1).next(), highest.next()), (Some(version(1, 3, 2)), None));
        assert!(Epoch::after(epoch(7, 5), 2) > epoch(7, 5));
    }
}
