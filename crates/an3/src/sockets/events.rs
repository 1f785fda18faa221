//! What clients hold of a socket, and what they are told.

use units::Time;

/// A logical connection, one way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Socket {
    pub(crate) place: u32,
    pub(super) serial: u32,
}

/// Something that the client of a socket is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SocketEvent {
    /// At its source: there is room again, after [`SendError::Full`].
    Writable,
    /// At its destination: frames have come, as many as this.
    Readable(u32),
    /// At its source: all that was sent has come, as it knows, and the socket has no circuit.
    Idle,
    /// At its destination: all has come, and nothing follows.
    Ended,
    /// At its source: it was closed, and its destination has all of it and knows the end. The socket is no more once all was received.
    Closed,
    /// At its source: it has failed. What has not come never will, and can be taken back. The socket is no more after that.
    Failed(Failure),
}

/// Why a socket has failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// For as long as its client would wait, nothing led to its destination: a link, a switch or the destination itself is broken.
    Unreachable,
    /// Its source has stopped.
    Stopped,
}

/// A socket event, and whose it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Told {
    /// The socket.
    pub socket: Socket,
    /// What its client calls it.
    pub token: u64,
    /// When it happens: now, but for room, which there is when the first cell of a chunk leaves.
    pub at: Time,
    /// What happens.
    pub event: SocketEvent,
}

/// Why a socket takes no frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// No room: [`SocketEvent::Writable`] follows.
    #[error("the socket has no room; it tells when it has")]
    Full,
    /// Its client has closed it.
    #[error("the socket is closed")]
    Closed,
    /// It has failed or is no more.
    #[error("the socket is no more")]
    Gone,
}
