//! What travels inside the fabric.

use units::{Span, Time};

/// A cell on a link, or a message on the control path: half a cache line. Its payload exists as a length and as the packets that
/// end in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(align(32))]
pub struct Cell {
    /// When it arrives at the far end of its link: the link's own note.
    pub at: Time,
    /// The VOQ that it is of.
    pub voq: u32,
    /// Data: number of the cell in its VOQ. Request: bytes that the VOQ has reported in all. Credit: its bytes. Reachability: which part
    /// of the table it tells of. Counts wrap.
    pub sequence: u32,
    /// Data: the first of the packets that end in it, in [`crate::store::Store`]. Request: bytes released in all. Reachability: where its bitmap is.
    pub cargo: u32,
    /// Data: when it left its VOQ, see [`stamp`]. Request: bytes credited in all.
    pub stamp: u32,
    /// The adapter that it goes to.
    pub to: u16,
    /// Length on a link, header and padding included.
    pub len: u16,
    /// Data: bytes of its VOQ before it, modulo 2^16: what is missing can be counted.
    pub offset: u16,
    /// Bytes of `len` that are padding.
    pub padding: u8,
    /// What it is, in the low bits, and the constants.
    pub flags: u8,
}

/// What a cell is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Packets or parts of packets, over the data crossbar.
    Data,
    /// A VOQ says what it has, over the control crossbar.
    Request,
    /// A port lets a VOQ send, over the control crossbar.
    Credit,
    /// A device says whom it reaches, over one link.
    Reachability,
}

impl Kind {
    /// Its bits in [`Cell::flags`].
    pub const fn bits(self) -> u8 {
        self as u8
    }
}

impl Cell {
    /// No packet: the end of a list.
    pub const NONE: u32 = u32::MAX;
    const KIND: u8 = 3;
    /// Fabric Congestion Indication (§4.2): some queue on its way was over the threshold.
    pub const FCI: u8 = 4;
    /// Its first bytes belong to a packet that began in an earlier cell.
    pub const CONTINUES: u8 = 8;
    /// It ends what a credit released, and so a packet.
    pub const LAST: u8 = 16;
    /// A request that takes the place of all that was said before.
    pub const RESYNC: u8 = 32;
    /// Reachability: the sender does not hear the receiver, or hears it badly.
    pub const DEAF: u8 = 64;

    /// A place for a cell.
    pub const EMPTY: Cell = Cell {
        at: Time::MAX,
        voq: 0,
        sequence: 0,
        cargo: Cell::NONE,
        stamp: 0,
        to: 0,
        len: 0,
        offset: 0,
        padding: 0,
        flags: 0,
    };

    /// A message on the control path.
    pub fn control(kind: Kind, voq: u32, to: u16, len: u16) -> Cell {
        let (sequence, cargo, stamp) = (0, Cell::NONE, 0);
        Cell { at: Time::MAX, voq, sequence, cargo, stamp, to, len, offset: 0, padding: 0, flags: kind.bits() }
    }
    /// What it is.
    #[inline(always)]
    pub fn kind(&self) -> Kind {
        match self.flags & Cell::KIND {
            0 => Kind::Data,
            1 => Kind::Request,
            2 => Kind::Credit,
            _three => Kind::Reachability,
        }
    }
    /// Whether it goes over the control crossbar, before data.
    #[inline(always)]
    pub fn is_control(&self) -> bool {
        self.flags & Cell::KIND != 0
    }
    /// Whether a flag is set.
    #[inline(always)]
    pub fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// An instant in 32 bits, in units of 1024 ps, modulo 4.4 s.
#[inline(always)]
pub fn stamp(now: Time) -> u32 {
    (now.as_ps() >> 10) as u32
}

/// Time since a stamp, to 1 ns, if it is less than 4.4 s.
#[inline(always)]
pub fn since(now: Time, earlier: u32) -> Span {
    Span::from_ps(u64::from(stamp(now).wrapping_sub(earlier)) << 10)
}
