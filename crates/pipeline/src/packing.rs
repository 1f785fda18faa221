//! From packets to cells: what a credit releases is chopped as one unit (Stardust §3.3, §3.4).

/// What one credit releases, as cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Burst {
    /// Packets in it, all of them whole.
    pub packets: u32,
    /// Their bytes.
    pub payload: u32,
    /// Cells that they fill; only the last one may have room left.
    pub cells: u32,
}

/// Takes packets in their order and closes a burst whenever the credit is used up.
///
/// A credit releases whole packets until it is used up; what was released beyond it is taken from the next one ("the
/// amount of surplus data is stored for later accounting", §3.3).
#[derive(Debug, Clone)]
pub struct Packer {
    credit: i64,
    payload_per_cell: u32,
    balance: i64,
    open: Burst,
}

impl Packer {
    /// Credits of so many bytes, cells with so much room for packets.
    ///
    /// # Panics
    /// If either is zero.
    pub fn new(credit: u32, payload_per_cell: u32) -> Packer {
        assert!(credit > 0 && payload_per_cell > 0, "a credit and a cell carry something");
        let credit = i64::from(credit);
        Packer { credit, payload_per_cell, balance: credit, open: Burst { packets: 0, payload: 0, cells: 0 } }
    }
    /// The next packet of the queue. Gives the burst, when this packet is its last.
    pub fn push(&mut self, bytes: u32) -> Option<Burst> {
        self.open.packets += 1;
        self.open.payload += bytes;
        self.balance -= i64::from(bytes);
        if self.balance > 0 {
            return None;
        }
        // A packet larger than a credit uses up several of them.
        while self.balance <= 0 {
            self.balance += self.credit;
        }
        let mut burst = std::mem::replace(&mut self.open, Burst { packets: 0, payload: 0, cells: 0 });
        burst.cells = burst.payload.div_ceil(self.payload_per_cell);
        Some(burst)
    }
    /// Bytes that the next burst may release.
    pub fn balance(&self) -> i64 {
        self.balance
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bursts(packer: &mut Packer, size: u32, packets: u32) -> Vec<Burst> {
        (0..packets).filter_map(|_| packer.push(size)).collect()
    }

    #[test]
    fn a_credit_releases_whole_packets_and_the_surplus_is_kept() {
        let mut packer = Packer::new(4096, 256);
        let first = bursts(&mut packer, 513, 8);
        assert_eq!(first, [Burst { packets: 8, payload: 4104, cells: 17 }]);
        assert_eq!(packer.balance(), 4088); // 8 B were too many
        // Each burst takes 8 B more than its credit, until 64 of them have taken one packet's worth.
        let later = bursts(&mut packer, 513, 8 * 64);
        assert_eq!(later.iter().filter(|burst| burst.packets == 7).count(), 1);
        assert!(later.iter().all(|burst| burst.packets == 8 || burst.packets == 7));
    }

    #[test]
    fn packets_that_fit_leave_no_room() {
        let mut packer = Packer::new(4096, 256);
        assert_eq!(bursts(&mut packer, 64, 64), [Burst { packets: 64, payload: 4096, cells: 16 }]);
    }

    #[test]
    fn a_packet_of_several_credits_is_a_burst_of_its_own() {
        let mut packer = Packer::new(2000, 64);
        assert_eq!(packer.push(9000), Some(Burst { packets: 1, payload: 9000, cells: 141 }));
        assert_eq!(packer.balance(), 1000); // 5 credits of 2000 B for 9000 B
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_no_more_is_released_than_credited(
            sizes in prop::collection::vec(1_u32..4000, 1..200), credit in 1_u32..8000, room in 1_u32..300,
        ) {
            let mut packer = Packer::new(credit, room);
            let (mut payload, mut packets) = (0_u64, 0_u32);
            let mut cells = 0_u64;
            let largest = i64::from(*sizes.iter().max().unwrap());
            for size in &sizes {
                if let Some(burst) = packer.push(*size) {
                    payload += u64::from(burst.payload);
                    packets += burst.packets;
                    cells += u64::from(burst.cells);
                    prop_assert_eq!(burst.cells, burst.payload.div_ceil(room));
                    // A credit is always left, and never more than one.
                    prop_assert!(packer.balance() > 0 && packer.balance() <= i64::from(credit));
                    prop_assert!(i64::from(burst.payload) < i64::from(credit) + largest);
                }
            }
            let left = u64::from(packer.open.payload);
            prop_assert_eq!(payload + left, sizes.iter().map(|size| u64::from(*size)).sum::<u64>());
            prop_assert_eq!(packets + packer.open.packets, sizes.len() as u32);
            let alone: u64 = sizes.iter().map(|size| u64::from(size.div_ceil(room))).sum();
            prop_assert!(cells <= alone, "packed {} cells, padded {}", cells, alone);
        }
    }
}
