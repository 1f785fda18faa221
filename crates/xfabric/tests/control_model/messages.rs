//! What kind of message it is.

use crate::model::{Script, State};
use xfabric::control::{Body, Command, Epoch, LinkMessage, Packet, Rack, Signal, UnderWay, Version};

/// Is this message ignored now and, as versions and epochs do not go back, for ever, its answer too? `obeyed`: crosspoints obey any
/// epoch.
pub(crate) fn is_spent(rack: &Rack<Script>, message: &UnderWay, obeyed: bool) -> bool {
    let nobodys = |epoch: Epoch| rack.controllers.values().all(|controller| controller.epoch() != epoch);
    match message {
        UnderWay::Command { crosspoint, command } => {
            let (Command::Take { epoch } | Command::Map { epoch, .. } | Command::Reconfigure { epoch, .. }) = *command;
            let refused = epoch < rack.crosspoints[*crosspoint as usize].promised();
            refused && nobodys(epoch) && !obeyed
        }
        UnderWay::Answer { .. } => false,
        UnderWay::Signal { crosspoint, signal } => {
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
        UnderWay::Link { port, message } => {
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

/// Is nothing under way but late hellos, so that timers may fire?
pub(crate) fn waits(state: &State) -> bool {
    let hello = |message: &UnderWay| matches!(message, UnderWay::Link { message: LinkMessage::Hello { .. }, .. });
    state.under_way.iter().all(hello)
}

/// Between its SoCs.
pub(crate) fn in_transit(message: &UnderWay) -> bool {
    matches!(message, UnderWay::Link { message: LinkMessage::Routed(Packet { back, .. }), .. } if !back.is_empty())
}

/// From the controller of this epoch, and not past its first hop.
pub(crate) fn is_from(message: &UnderWay, of: Epoch) -> bool {
    match message {
        UnderWay::Command { command, .. } => {
            let (Command::Take { epoch } | Command::Map { epoch, .. } | Command::Reconfigure { epoch, .. }) = command;
            *epoch == of
        }
        UnderWay::Link { message: LinkMessage::Routed(packet), .. } => match &packet.body {
            Body::Query { epoch, .. } => *epoch == of,
            Body::Map { update, .. } => Version(update.version).epoch() == of,
            Body::Report(_) | Body::Stored { .. } => false,
        },
        UnderWay::Link { .. } | UnderWay::Answer { .. } | UnderWay::Signal { .. } => false,
    }
}

/// The number of the crosspoint or SoC that a controller's message is for.
pub(crate) fn receiver(message: &UnderWay) -> u32 {
    match message {
        UnderWay::Command { crosspoint, .. } | UnderWay::Signal { crosspoint, .. } => *crosspoint,
        UnderWay::Answer { soc, .. } => *soc,
        UnderWay::Link { port, message: LinkMessage::Routed(packet) } => match packet.body {
            Body::Query { soc, .. } | Body::Map { soc, .. } | Body::Stored { soc, .. } => soc,
            Body::Report(_) => port.soc,
        },
        UnderWay::Link { port, .. } => port.soc,
    }
}

pub(crate) fn asks(message: &UnderWay) -> bool {
    match message {
        UnderWay::Command { .. } => true,
        UnderWay::Link { message: LinkMessage::Routed(packet), .. } => {
            matches!(packet.body, Body::Query { .. } | Body::Map { .. })
        }
        UnderWay::Link { .. } | UnderWay::Answer { .. } | UnderWay::Signal { .. } => false,
    }
}

pub(crate) fn is_answer(message: &UnderWay) -> bool {
    match message {
        UnderWay::Answer { .. } => true,
        UnderWay::Link { message: LinkMessage::Routed(packet), .. } => {
            matches!(packet.body, Body::Report(_) | Body::Stored { .. })
        }
        UnderWay::Link { .. } | UnderWay::Command { .. } | UnderWay::Signal { .. } => false,
    }
}
