//! What a frame's destination means.
//!
//! A frame has one number for it ([`fabric::Frame::dst`]). Hosts use those of SoCs and, beyond them, of the far ends of uplinks; inside the
//! rack a frame may be in a tunnel, or a message of the control protocol. SoCs and uplinks together are far fewer than [`TUNNEL`].

/// Where a frame goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Destination {
    /// To a SoC.
    Soc(u32),
    /// Out of the rack, at the far end of an uplink.
    Uplink(u32),
    /// To the SoC at the end of a tunnel, for the world.
    Tunnel(u32),
    /// From SoC to crosspoint or SoC, as a message of the control protocol says itself.
    Message,
}

/// The number of a frame in a tunnel is this and the SoC at its end.
const TUNNEL: u32 = 1 << 31;
/// The number of messages.
const MESSAGE: u32 = fabric::Frame::NO_HOST;

impl Destination {
    /// What a frame's `number` means in a rack of `socs` SoCs.
    #[inline(always)]
    pub(super) fn of(number: u32, socs: u32) -> Destination {
        match number {
            MESSAGE => Destination::Message,
            TUNNEL.. => Destination::Tunnel(number & !TUNNEL),
            soc if soc < socs => Destination::Soc(soc),
            beyond => Destination::Uplink(beyond - socs),
        }
    }

    /// The number for a frame.
    #[inline(always)]
    pub(super) fn number(self, socs: u32) -> u32 {
        match self {
            Destination::Soc(soc) => soc,
            Destination::Uplink(uplink) => socs + uplink,
            Destination::Tunnel(soc) => TUNNEL | soc,
            Destination::Message => MESSAGE,
        }
    }

    /// Whether `number` is that of the protocol's messages, whatever the rack.
    #[inline(always)]
    pub(super) fn is_message(number: u32) -> bool {
        number == MESSAGE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MOST_PORTS, MOST_SOCS};

    #[test]
    fn every_number_means_one_thing() {
        for socs in [2, 27, MOST_SOCS] {
            let last = socs - 1;
            for (destination, number) in [
                (Destination::Soc(0), 0),
                (Destination::Soc(last), last),
                (Destination::Uplink(0), socs),
                (Destination::Uplink(last), 2 * socs - 1),
                (Destination::Tunnel(0), TUNNEL),
                (Destination::Tunnel(last), TUNNEL + last),
                (Destination::Message, u32::MAX),
            ] {
                assert_eq!((destination.number(socs), Destination::of(number, socs)), (number, destination));
            }
        }
        const { assert!(MOST_SOCS * (1 + MOST_PORTS) < TUNNEL) };
    }
}
