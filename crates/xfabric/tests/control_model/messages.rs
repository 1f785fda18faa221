//! What kind of message it is.

use crate::model::{Script, State};
use xfabric::control::{Body, Command, Epoch, InFlight, LinkMessage, Packet, Rack, Signal, Version};

/// Is this message ignored now and, as versions and epochs do not go back, for ever, its answer too? `obeyed`: crosspoints obey any
/// epoch.
pub(crate) fn is_spent(rack: &Rack<Script>, message: &InFlight, obeyed: bool) -> bool {
    let nobodys = |epoch: Epoch| rack.controllers.values().all(|controller| controller.epoch() != epoch);
    match message {
        InFlight::Command { crosspoint, command } => {
            let (Command::Take { epoch } | Command::Map { epoch, .. } | Command::Reconfigure { epoch, .. }) = *command;
            let refused = epoch < rack.crosspoints[*crosspoint as usize].promised();
            refused && nobodys(epoch) && !obeyed
        }
        InFlight::Answer { .. } => false,
        InFlight::Signal { crosspoint, signal } => {
            let receiver = &rack.crosspoints[*crosspoint as usize];
            match *signal {
                Signal::Confirm { from, .. } => !receiver.unconfirmed().contains(&from),
                Signal::Reconfigure { from, version } => {
                    let sender = &rack.crosspoints[from as usize];
                    receiver.active().version >= version
                        && !receiver.unconfirmed().contains(&from)
                        && !sender.unconfirmed().contains(crosspoint)
                }
            }
        }
        InFlight::Link { port, message } => {
            let receiver = &rack.socs[port.soc as usize];
            match message {
                LinkMessage::Hello { .. } => false,
                LinkMessage::Reconfigure { version } => *version <= receiver.version(),
                LinkMessage::Routed(packet) => match &packet.body {
                    Body::Query { epoch, .. } => nobodys(*epoch),
                    Body::Report(report) => nobodys(report.epoch),
                    Body::Map { soc, base, update } => {
                        let receiver = &rack.socs[*soc as usize];
                        let pending = receiver.pending().map_or(0, |pending| pending.version);
                        nobodys(Version(update.version).epoch())
                            && *base <= receiver.version()
                            && update.version <= pending.max(receiver.version().0)
                    }
                    Body::Stored { version, .. } => nobodys(version.epoch()),
                },
            }
        }
    }
}

/// Is nothing in flight but late hellos, so that timers may fire?
pub(crate) fn waits(state: &State) -> bool {
    let hello = |message: &InFlight| matches!(message, InFlight::Link { message: LinkMessage::Hello { .. }, .. });
    state.in_flight.iter().all(hello)
}

/// Between its SoCs.
pub(crate) fn in_transit(message: &InFlight) -> bool {
    matches!(message, InFlight::Link { message: LinkMessage::Routed(Packet { back, .. }), .. } if !back.is_empty())
}

/// From the controller of this epoch, and not past its first hop.
pub(crate) fn is_from(message: &InFlight, of: Epoch) -> bool {
    match message {
        InFlight::Command { command, .. } => {
            let (Command::Take { epoch } | Command::Map { epoch, .. } | Command::Reconfigure { epoch, .. }) = command;
            *epoch == of
        }
        InFlight::Link { message: LinkMessage::Routed(packet), .. } => match &packet.body {
            Body::Query { epoch, .. } => *epoch == of,
            Body::Map { update, .. } => Version(update.version).epoch() == of,
            Body::Report(_) | Body::Stored { .. } => false,
        },
        InFlight::Link { .. } | InFlight::Answer { .. } | InFlight::Signal { .. } => false,
    }
}

/// The number of the crosspoint or SoC that a controller's message is for.
pub(crate) fn receiver(message: &InFlight) -> u32 {
    match message {
        InFlight::Command { crosspoint, .. } | InFlight::Signal { crosspoint, .. } => *crosspoint,
        InFlight::Answer { soc, .. } => *soc,
        InFlight::Link { port, message: LinkMessage::Routed(packet) } => match packet.body {
            Body::Query { soc, .. } | Body::Map { soc, .. } | Body::Stored { soc, .. } => soc,
            Body::Report(_) => port.soc,
        },
        InFlight::Link { port, .. } => port.soc,
    }
}

pub(crate) fn asks(message: &InFlight) -> bool {
    match message {
        InFlight::Command { .. } => true,
        InFlight::Link { message: LinkMessage::Routed(packet), .. } => {
            matches!(packet.body, Body::Query { .. } | Body::Map { .. })
        }
        InFlight::Link { .. } | InFlight::Answer { .. } | InFlight::Signal { .. } => false,
    }
}

pub(crate) fn is_answer(message: &InFlight) -> bool {
    match message {
        InFlight::Answer { .. } => true,
        InFlight::Link { message: LinkMessage::Routed(packet), .. } => {
            matches!(packet.body, Body::Report(_) | Body::Stored { .. })
        }
        InFlight::Link { .. } | InFlight::Command { .. } | InFlight::Signal { .. } => false,
    }
}
