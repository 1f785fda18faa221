//! What a stack asks of its driver.

use fabric::Frame;
use units::Time;

/// What a call of a stack asked for. The driver takes it out before the next call.
#[derive(Debug, Clone, Default)]
pub struct Actions {
    /// Acknowledgements and other control frames, to be sent at once whatever waits, in this order.
    pub frames: Vec<Frame>,
    /// Timers to be set.
    pub timers: Vec<Timer>,
    /// A host that has data again: ask it for a frame when its interface has room.
    pub wakes: Option<u32>,
}

/// A call of [`Stack::expire`](crate::Stack::expire) that is due. Most timers move later long before they are due, so a stack asks for a
/// new one only where it must be called earlier than it asked for before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timer {
    /// When.
    pub at: Time,
    /// The connection's place; that of [`End::Host`] is the host.
    pub place: u32,
    /// Tells it from earlier connections in the same place.
    pub epoch: u32,
    /// Which of its ends.
    pub end: End,
}

/// One of the two ends of a connection, or the host of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The one that has the message.
    Sender,
    /// The one that wants it.
    Receiver,
    /// The host, which paces what all its receiving ends ask for.
    Host,
}
