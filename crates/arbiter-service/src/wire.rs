//! Datagrams: what hosts, arbiters and voters send each other, byte by byte. `docs/arbiter.md` has the tables.
//!
//! All numbers are in network byte order. A datagram is a header of [`HEADER`] bytes, a body that its kind decides, and a [`tag`] of [`TAG`] bytes. It is refused
//! whole or taken whole; nothing in it is believed before the tag has been found right.

pub mod tag;
#[cfg(test)]
pub(crate) mod tests;

use arbiter::control::{Allocation, Beat, Epoch, Lease, Request, Vote};
use arbiter::{Path, Slot};
use tag::Key;
use units::Span;

/// How a datagram begins.
pub const MAGIC: [u8; 4] = *b"GsAr";
/// The version of this format.
pub const VERSION: u8 = 1;
/// Bytes of a header.
pub const HEADER: usize = 16;
/// Bytes of a tag.
pub const TAG: usize = 8;
/// Bytes of the largest datagram: with headers of IPv6 and UDP it fits into an Ethernet frame.
pub const LARGEST: usize = 1400;
/// Entries of the largest request.
pub const MOST_WANTS: usize = (LARGEST - HEADER - TAG - WANTS) / WANT;
/// Entries of the largest datagram of allocations.
pub const MOST_GIVEN: usize = (LARGEST - HEADER - TAG - GIVENS) / GIVEN;

const WANTS: usize = 20;
const WANT: usize = 18;
const GIVENS: usize = 14;
const GIVEN: usize = 13;

/// A datagram's content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// From a host to arbiters.
    Requests {
        /// The host.
        source: u16,
        /// The host's slot.
        slot: Slot,
        /// For which of the 64 slots after that it holds an allocation.
        held: u64,
        /// What it wants, by destination: 1 to [`MOST_WANTS`].
        wants: Vec<Want>,
    },
    /// From an arbiter to a host.
    Allocations {
        /// The arbiter's.
        epoch: Epoch,
        /// The host.
        source: u16,
        /// When it may send where: 1 to [`MOST_GIVEN`].
        given: Vec<Given>,
    },
    /// From an arbiter to a voter.
    Ask {
        /// The voter's number among those of the arbiter that asks.
        voter: u8,
        /// What it wants.
        lease: Lease,
    },
    /// From a voter to the arbiter that asked.
    Vote {
        /// The number that it was asked as.
        voter: u8,
        /// Its answer.
        vote: Vote,
    },
    /// From the arbiter in charge to the others.
    Beat(Beat),
    /// From an arbiter that is about to end to the one that is to take over.
    TakeOver {
        /// Of the one that ends.
        epoch: Epoch,
    },
    /// From an arbiter to a host whose request it cannot take.
    Refusal {
        /// The host, as its request has it.
        source: u16,
        /// The destination that the request was refused for.
        destination: u16,
        /// Why.
        reason: Reason,
    },
}

/// What a host wants for one destination: see [`Request`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Want {
    /// Where to.
    pub destination: u16,
    /// Slots that it has ever wanted.
    pub requested: u64,
    /// Slots that it has ever been given.
    pub granted: u64,
}

/// One slot of a host: see [`Allocation`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Given {
    /// When.
    pub slot: Slot,
    /// Where to.
    pub destination: u16,
    /// Over which switches.
    pub path: Path,
}

/// Why a request was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// A host is not of the pod, which has so many.
    UnknownHost {
        /// Hosts of the pod.
        hosts: u16,
    },
    /// A host asks for slots to itself.
    ToItself,
    /// The host's slot is after the arbiter's.
    FromTheFuture {
        /// The arbiter's slot.
        now: Slot,
    },
    /// The host's slots are of another length. The right one is in the header.
    SlotLength,
}

/// What is wrong with a datagram.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// Too little for any datagram.
    #[error("{length} bytes are too short for a datagram: its header and its tag are {} bytes", HEADER + TAG)]
    Short {
        /// Bytes that came.
        length: usize,
    },
    /// Too much for any datagram.
    #[error("a datagram is longer than {LARGEST} bytes")]
    Long,
    /// Something else altogether.
    #[error("a datagram begins with the bytes {found:02x?}, not with {MAGIC:02x?}")]
    Magic {
        /// Its first four bytes.
        found: [u8; 4],
    },
    /// Another version.
    #[error("a datagram is of version {found} of the format, not of version {VERSION}")]
    Version {
        /// Its version.
        found: u8,
    },
    /// Cut off, or with something behind it.
    #[error("a datagram says that it has {said} bytes, and has {length}")]
    Length {
        /// What its header says.
        said: u16,
        /// Bytes that came.
        length: usize,
    },
    /// Forged, damaged, or made with another key.
    #[error(
        "a datagram's tag is not that of its content under this key: it is forged or damaged, or its sender has another key"
    )]
    Tag,
    /// From somebody who counts other slots.
    #[error("a sender's slots last {said}, not {ours}")]
    SlotLength {
        /// Length of the sender's slots.
        said: Span,
        /// Of the receiver's.
        ours: Span,
        /// Whether it is a request.
        is_request: bool,
    },
    /// No kind of this version.
    #[error("there are no datagrams of kind {kind}")]
    Kind {
        /// Its kind.
        kind: u8,
    },
    /// A body that is too long or too short.
    #[error("a datagram of kind {kind} has a body of {found} bytes, not of {expected}")]
    Body {
        /// Its kind.
        kind: u8,
        /// Bytes that it should have.
        expected: usize,
        /// Bytes that it has.
        found: usize,
    },
    /// A request for nothing, or allocations of nothing.
    #[error("a datagram of kind {kind} has no entries")]
    Empty {
        /// Its kind.
        kind: u8,
    },
    /// A number that means nothing where it stands.
    #[error("a datagram of kind {kind} has {value} for its {field}")]
    Value {
        /// Its kind.
        kind: u8,
        /// What the field is called.
        field: &'static str,
        /// What is in it.
        value: u8,
    },
}

/// Kinds by number.
mod kind {
    pub(super) const REQUESTS: u8 = 1;
    pub(super) const ALLOCATIONS: u8 = 2;
    pub(super) const ASK: u8 = 3;
    pub(super) const GRANTED: u8 = 4;
    pub(super) const REFUSED: u8 = 5;
    pub(super) const BEAT: u8 = 6;
    pub(super) const TAKE_OVER: u8 = 7;
    pub(super) const REFUSAL: u8 = 8;
}

impl Message {
    /// What a request of a host is, entry by entry; nothing for other messages.
    pub fn requests(&self) -> impl Iterator<Item = Request> + '_ {
        let (common, wants) = match self {
            Message::Requests { source, slot, held, wants } => ((*source, *slot, *held), wants.as_slice()),
            Message::Allocations { .. }
            | Message::Ask { .. }
            | Message::Vote { .. }
            | Message::Beat(_)
            | Message::TakeOver { .. }
            | Message::Refusal { .. } => ((0, Slot(0), 0), [].as_slice()),
        };
        wants.iter().map(move |&Want { destination, requested, granted }| {
            let (source, slot, held) = common;
            Request { source, destination, slot, held, requested, granted }
        })
    }
}

/// Writes and reads the datagrams of a pod: its slots are of one length, and its members share a key.
#[derive(Debug, Clone)]
pub struct Codec {
    key: Key,
    slot: Span,
}

impl Codec {
    /// For a pod.
    pub fn new(key: Key, slot: Span) -> Codec {
        Codec { key, slot }
    }

    /// Writes a message behind what `buffer` has.
    ///
    /// # Panics
    /// If it has no entries where it should have some, or more than fit.
    pub fn encode(&self, message: &Message, buffer: &mut Vec<u8>) {
        let begin = buffer.len();
        buffer.extend_from_slice(&MAGIC);
        buffer.extend_from_slice(&[VERSION, 0, 0, 0]);
        buffer.extend_from_slice(&self.slot.as_ps().to_be_bytes());
        let kind = body(message, buffer);
        let length = buffer.len() + TAG - begin;
        assert!(length <= LARGEST, "a message of {length} bytes fits no datagram");
        buffer[begin + 5] = kind;
        buffer[begin + 6..begin + 8].copy_from_slice(&(length as u16).to_be_bytes());
        let tag = self.key.tag(&buffer[begin..]);
        buffer.extend_from_slice(&tag.to_be_bytes());
    }

    /// Reads a datagram.
    ///
    /// # Errors
    /// [`WireError`], which names the first thing that is wrong. Never panics, whatever the bytes are.
    pub fn decode(&self, datagram: &[u8]) -> Result<Message, WireError> {
        let length = datagram.len();
        if length < HEADER + TAG {
            return Err(WireError::Short { length });
        }
        if length > LARGEST {
            return Err(WireError::Long);
        }
        let (content, tag) = datagram.split_at(length - TAG);
        let mut bytes = Bytes(content);
        let (magic, [version, kind]) = (bytes.take(), bytes.take());
        if magic != MAGIC {
            return Err(WireError::Magic { found: magic });
        }
        if version != VERSION {
            return Err(WireError::Version { found: version });
        }
        let said = bytes.half();
        if usize::from(said) != length {
            return Err(WireError::Length { said, length });
        }
        if self.key.tag(content) != Bytes(tag).long() {
            return Err(WireError::Tag);
        }
        let slot = Span::from_ps(bytes.long());
        if slot != self.slot {
            let is_request = kind == kind::REQUESTS;
            return Err(WireError::SlotLength { said: slot, ours: self.slot, is_request });
        }
        read(kind, bytes)
    }
}

/// Writes the body of a message; its kind.
fn body(message: &Message, buffer: &mut Vec<u8>) -> u8 {
    let put_epoch = |buffer: &mut Vec<u8>, epoch: &Epoch| {
        buffer.extend_from_slice(&epoch.number.to_be_bytes());
        buffer.push(epoch.arbiter);
    };
    match message {
        Message::Requests { source, slot, held, wants } => {
            assert!(!wants.is_empty(), "a request has entries");
            buffer.extend_from_slice(&source.to_be_bytes());
            buffer.extend_from_slice(&(wants.len() as u16).to_be_bytes());
            buffer.extend_from_slice(&slot.0.to_be_bytes());
            buffer.extend_from_slice(&held.to_be_bytes());
            for want in wants {
                buffer.extend_from_slice(&want.destination.to_be_bytes());
                buffer.extend_from_slice(&want.requested.to_be_bytes());
                buffer.extend_from_slice(&want.granted.to_be_bytes());
            }
            kind::REQUESTS
        }
        Message::Allocations { epoch, source, given } => {
            assert!(!given.is_empty(), "allocations have entries");
            put_epoch(buffer, epoch);
            buffer.push(0);
            buffer.extend_from_slice(&source.to_be_bytes());
            buffer.extend_from_slice(&(given.len() as u16).to_be_bytes());
            for Given { slot, destination, path } in given {
                buffer.extend_from_slice(&slot.0.to_be_bytes());
                buffer.extend_from_slice(&destination.to_be_bytes());
                buffer.extend_from_slice(&match *path {
                    Path::Edge => [0, 0, 0],
                    Path::Aggregation(aggregation) => [1, aggregation, 0],
                    Path::Core { aggregation, core } => [2, aggregation, core],
                });
            }
            kind::ALLOCATIONS
        }
        Message::Ask { voter, lease } => {
            buffer.push(*voter);
            put_epoch(buffer, &lease.epoch);
            buffer.extend_from_slice(&lease.until.0.to_be_bytes());
            kind::ASK
        }
        Message::Vote { voter, vote: Vote::Granted { epoch, floor, until } } => {
            buffer.push(*voter);
            put_epoch(buffer, epoch);
            buffer.extend_from_slice(&floor.0.to_be_bytes());
            buffer.extend_from_slice(&until.0.to_be_bytes());
            kind::GRANTED
        }
        Message::Vote { voter, vote: Vote::Refused { epoch } } => {
            buffer.push(*voter);
            put_epoch(buffer, epoch);
            kind::REFUSED
        }
        Message::Beat(Beat { epoch }) => {
            put_epoch(buffer, epoch);
            kind::BEAT
        }
        Message::TakeOver { epoch } => {
            put_epoch(buffer, epoch);
            kind::TAKE_OVER
        }
        Message::Refusal { source, destination, reason } => {
            let (code, value) = match *reason {
                Reason::UnknownHost { hosts } => (0, hosts.into()),
                Reason::ToItself => (1, 0),
                Reason::FromTheFuture { now } => (2, now.0),
                Reason::SlotLength => (3, 0),
            };
            buffer.extend_from_slice(&source.to_be_bytes());
            buffer.extend_from_slice(&destination.to_be_bytes());
            buffer.push(code);
            buffer.extend_from_slice(&u64::to_be_bytes(value));
            kind::REFUSAL
        }
    }
}

/// Reads a body.
fn read(kind: u8, mut bytes: Bytes<'_>) -> Result<Message, WireError> {
    let found = bytes.0.len();
    let fits =
        |expected: usize| if found == expected { Ok(()) } else { Err(WireError::Body { kind, expected, found }) };
    let at_least = |expected: usize| if found < expected { fits(expected) } else { Ok(()) };
    let entries = |count: u16| if count == 0 { Err(WireError::Empty { kind }) } else { Ok(usize::from(count)) };
    match kind {
        kind::REQUESTS => {
            at_least(WANTS)?;
            let (source, count) = (bytes.half(), entries(bytes.half())?);
            let (slot, held) = (bytes.slot(kind)?, bytes.long());
            fits(WANTS + count * WANT)?;
            let want = |_| Want { destination: bytes.half(), requested: bytes.long(), granted: bytes.long() };
            Ok(Message::Requests { source, slot, held, wants: (0..count).map(want).collect() })
        }
        kind::ALLOCATIONS => {
            at_least(GIVENS)?;
            let (epoch, [_reserved], source) = (bytes.epoch(kind)?, bytes.take(), bytes.half());
            let count = entries(bytes.half())?;
            fits(GIVENS + count * GIVEN)?;
            let given = (0..count).map(|_| {
                let (slot, destination, way) = (bytes.slot(kind)?, bytes.half(), bytes.take());
                let path = match way {
                    [0, _, _] => Path::Edge,
                    [1, aggregation, _] => Path::Aggregation(aggregation),
                    [2, aggregation, core] => Path::Core { aggregation, core },
                    [value, _, _] => return Err(WireError::Value { kind, field: "path", value }),
                };
                Ok(Given { slot, destination, path })
            });
            Ok(Message::Allocations { epoch, source, given: given.collect::<Result<_, _>>()? })
        }
        kind::ASK => {
            fits(18)?;
            let ([voter], epoch, until) = (bytes.take(), bytes.epoch(kind)?, bytes.slot(kind)?);
            Ok(Message::Ask { voter, lease: Lease { epoch, until } })
        }
        kind::GRANTED => {
            fits(26)?;
            let ([voter], epoch) = (bytes.take(), bytes.epoch(kind)?);
            let (floor, until) = (bytes.slot(kind)?, bytes.slot(kind)?);
            Ok(Message::Vote { voter, vote: Vote::Granted { epoch, floor, until } })
        }
        kind::REFUSED => {
            fits(10)?;
            let ([voter], epoch) = (bytes.take(), bytes.epoch(kind)?);
            Ok(Message::Vote { voter, vote: Vote::Refused { epoch } })
        }
        kind::BEAT => {
            fits(9)?;
            Ok(Message::Beat(Beat { epoch: bytes.epoch(kind)? }))
        }
        kind::TAKE_OVER => {
            fits(9)?;
            Ok(Message::TakeOver { epoch: bytes.epoch(kind)? })
        }
        kind::REFUSAL => {
            fits(13)?;
            let (source, destination, [code]) = (bytes.half(), bytes.half(), bytes.take());
            let value = bytes.long();
            let reason = match code {
                0 => Reason::UnknownHost { hosts: value as u16 },
                1 => Reason::ToItself,
                2 => Reason::FromTheFuture { now: Slot(value) },
                3 => Reason::SlotLength,
                value => return Err(WireError::Value { kind, field: "reason", value }),
            };
            Ok(Message::Refusal { source, destination, reason })
        }
        kind => Err(WireError::Kind { kind }),
    }
}

/// Bytes that are taken from the front. Lengths have been checked before.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let (first, rest) = self.0.split_first_chunk().expect("its length has been checked");
        self.0 = rest;
        *first
    }

    fn half(&mut self) -> u16 {
        u16::from_be_bytes(self.take())
    }

    fn long(&mut self) -> u64 {
        u64::from_be_bytes(self.take())
    }

    /// A count that has room to grow: 2^63 slots and epochs never come.
    fn count(&mut self, kind: u8, field: &'static str) -> Result<u64, WireError> {
        let count = self.long();
        let value = count.to_be_bytes()[0];
        if value & 0x80 == 0 { Ok(count) } else { Err(WireError::Value { kind, field, value }) }
    }

    fn slot(&mut self, kind: u8) -> Result<Slot, WireError> {
        self.count(kind, "slot's first byte").map(Slot)
    }

    fn epoch(&mut self, kind: u8) -> Result<Epoch, WireError> {
        let (number, [arbiter]) = (self.count(kind, "epoch's first byte")?, self.take());
        Ok(Epoch { number, arbiter })
    }
}

impl Given {
    /// As the arbiter has it.
    pub fn allocation(self, epoch: Epoch, source: u16) -> Allocation {
        let Given { slot, destination, path } = self;
        Allocation { epoch, slot, source, destination, path }
    }
}
