//! The cell header, bit for bit (Fig 5), and what a node may still read of a corrupted one (App D).
//!
//! Fields follow each other in Fig 5's order, the most significant bit first: source, destination, sequence number, rate-limit
//! feedback, start of packet, end of packet, last cell dropped, CRC. The order on the wire is our choice; the paper gives widths only.

mod crc;
mod sequence;
#[cfg(test)]
mod tests;
mod widths;

pub use sequence::{Numbering, Sequence};
pub use widths::{Needs, Widths, width};

/// Bytes of a header (Fig 5).
pub const BYTES: usize = 8;

/// Most nodes that a header of 8 bytes has fields for.
pub const MOST_NODES: u32 = 4096;

/// Bits of flags: start of packet, end of packet, last cell dropped.
pub const FLAGS: u32 = 3;

/// Bits of the CRC.
pub const CRC_BITS: u32 = 8;

/// Why there is no such header.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    /// More nodes than addresses.
    #[error("`nodes` is {nodes}; a cell header of 8 bytes can address up to 4096 nodes")]
    Nodes {
        /// What it was given.
        nodes: u32,
    },
    /// A value that its field does not hold.
    #[error("the cell's {field} is {value}; its {bits} bits hold up to {}", (1_u64 << .bits) - 1)]
    Wide {
        /// Which field.
        field: &'static str,
        /// The value.
        value: u32,
        /// Bits of the field.
        bits: u32,
    },
}

/// What a cell's header says, without the CRC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// Where the packet comes from.
    pub source: u16,
    /// Where it goes: the final destination, not the node that the cell is sent to.
    pub destination: u16,
    /// The cell's number in its flow, source to destination.
    pub sequence: Sequence,
    /// Rate-limit feedback, in cells (Eq 6), for the subflow of the last cell that came the other way.
    pub feedback: u16,
    /// The cell is the first of a packet.
    pub start: bool,
    /// The cell is the last of a packet.
    pub end: bool,
    /// The last cell that came the other way was dropped (App C, App D).
    pub last_dropped: bool,
}

/// A cell whose CRC does not fit: all that is to be taken from it. It counts as saying that the last cell was dropped, whatever the bit
/// says (App D: "conservative").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Corrupted {
    /// The rate-limit feedback as it came; it may be wrong itself.
    pub feedback: u16,
}

/// Widths of the fields, 64 bits in all.
///
/// Up to 1024 nodes they are Fig 5's. There, the feedback has a bit more than an address because Eq 6 goes up to `2 N - 2`. For more
/// nodes the paper has no header. We keep 8 bytes: each doubling takes a bit for either address and one for the feedback, and the
/// sequence number gives all three: 22 bits up to 1024 nodes, 19 up to 2048, 16 up to 4096. What it costs is room to reorder a flow
/// in, [`Numbering::window`]: 2^21, 2^18 or 2^15 cells of 56 B payload, which are 117, 14.7 or 1.8 MB; the paper's runs reorder 200 KB at
/// most (§7.3). The other way, a ninth byte, would cost 1/56 of every cell's payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    node: u32,
    sequence: u32,
    feedback: u32,
}

impl Layout {
    /// Fig 5.
    pub const FIGURE_5: Layout = Layout::of(10);

    const fn of(node: u32) -> Layout {
        let feedback = node + 1;
        Layout { node, sequence: 8 * BYTES as u32 - FLAGS - CRC_BITS - 2 * node - feedback, feedback }
    }

    /// The fields for so many nodes.
    ///
    /// # Errors
    /// For more than [`MOST_NODES`].
    pub fn for_nodes(nodes: u32) -> Result<Layout, HeaderError> {
        match nodes {
            0..=1024 => Ok(Layout::FIGURE_5),
            1025..=MOST_NODES => Ok(Layout::of(width(u64::from(nodes - 1)) as u32)),
            _ => Err(HeaderError::Nodes { nodes }),
        }
    }

    /// Bits of the source, and of the destination.
    pub fn node_bits(self) -> u32 {
        self.node
    }
    /// Bits of the sequence number.
    pub fn sequence_bits(self) -> u32 {
        self.sequence
    }
    /// Bits of the rate-limit feedback.
    pub fn feedback_bits(self) -> u32 {
        self.feedback
    }
    /// How cells are numbered.
    pub fn numbering(self) -> Numbering {
        Numbering::new(self.sequence)
    }

    /// The header on the wire, with the CRC of a cell with this payload.
    ///
    /// The CRC covers the whole cell. The paper says only that it is used "to check for cell corruption" and that a corrupted cell is
    /// dropped and sent again (App D), which would not save a payload that it does not cover. It is CRC-8 with the polynomial
    /// `x^8 + x^4 + x^3 + x^2 + 1` (0x1D, SAE J1850's) from a register of ones, such that the cell as it is sent, header first, leaves
    /// the remainder zero. The paper names no polynomial. This one is primitive: its period of 255 bits is the longest there is, so
    /// over 64 bytes it misses the fewest double errors. Detected are all single errors, all bursts of up to 8 bits, all
    /// double errors within the header and all double errors of a cell but those exactly 255 or 510 bits apart, 259 of 130,816 in a
    /// cell of 64 B; by counting alone, no 8 bits of check miss fewer. A cell of zeros does not pass, so a dead line is no cell.
    ///
    /// # Errors
    /// If a field does not hold its value.
    pub fn encode(self, header: &Header, payload: &[u8]) -> Result<[u8; BYTES], HeaderError> {
        let fields = [
            ("source", u32::from(header.source), self.node),
            ("destination", u32::from(header.destination), self.node),
            ("sequence number", header.sequence.get(), self.sequence),
            ("rate-limit feedback", u32::from(header.feedback), self.feedback),
            ("start of packet", u32::from(header.start), 1),
            ("end of packet", u32::from(header.end), 1),
            ("last cell dropped", u32::from(header.last_dropped), 1),
        ];
        let mut word = 0_u64;
        for (field, value, bits) in fields {
            if value >> bits != 0 {
                return Err(HeaderError::Wide { field, value, bits });
            }
            word = word << bits | u64::from(value);
        }
        let mut bytes = (word << 8).to_be_bytes();
        bytes[BYTES - 1] = crc::check_byte(bytes, payload);
        Ok(bytes)
    }

    /// Reads a header, if the CRC fits header and payload.
    ///
    /// # Errors
    /// What may be used of a cell that is corrupted.
    pub fn decode(self, bytes: [u8; BYTES], payload: &[u8]) -> Result<Header, Corrupted> {
        let mut rest = u64::from_be_bytes(bytes);
        let mut take = |bits: u32| {
            let field = rest >> (64 - bits);
            rest <<= bits;
            field as u32
        };
        let header = Header {
            source: take(self.node) as u16,
            destination: take(self.node) as u16,
            sequence: self.numbering().of(u64::from(take(self.sequence))),
            feedback: take(self.feedback) as u16,
            start: take(1) == 1,
            end: take(1) == 1,
            last_dropped: take(1) == 1,
        };
        if crc::fits(bytes, payload) { Ok(header) } else { Err(Corrupted { feedback: header.feedback }) }
    }
}
