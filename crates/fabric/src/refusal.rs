//! What several fabrics refuse.

use settings::{Section, plain};
use units::{Bytes, Pace};

/// Why a key of a fabric can't have its value, and the cure.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Longer than the longest frame.
    #[error("makes frames of {} with its framing; the longest are {}: write at most \"{}\"", plain(*frame), plain(Pace::LONGEST), plain(*most))]
    MtuTooLarge {
        /// Packet and framing.
        frame: Bytes,
        /// The largest packet that fits.
        most: Bytes,
    },
    /// Every full frame would be dropped.
    #[error("is shorter than one frame of {} (mtu and framing), so every full one would be dropped", plain(*frame))]
    QueueTooShort {
        /// Packet and framing.
        frame: Bytes,
    },
    /// Every full packet would be dropped.
    #[error("holds less than one packet of {}", plain(*packet))]
    BufferTooSmall {
        /// Packet and header.
        packet: Bytes,
    },
    /// Lengths are counted in few bits.
    #[error("makes {}, and {} is the most; choose less", plain(*size), plain(*most))]
    TooLong {
        /// What it comes to.
        size: Bytes,
        /// The most there may be.
        most: Bytes,
    },
    /// A cell must carry something.
    #[error("leaves no room in a cell of {}; make it shorter, or fabric.cell longer", plain(*cell))]
    CellWithoutRoom {
        /// The longest cell.
        cell: Bytes,
    },
}

/// The longest frame on a link, which has a bound; `mtu` is the key of the longest packet.
pub fn check_frame(mtu: Bytes, framing: Bytes, section: &mut Section<'_, '_>) -> Bytes {
    let frame = Bytes::new(mtu.get().saturating_add(framing.get()));
    if frame > Pace::LONGEST {
        let most = Pace::LONGEST.saturating_sub(framing);
        section.refuse("mtu", Refusal::MtuTooLarge { frame, most });
    }
    frame
}
