//! The bytes of control messages. Numbers are big-endian, lists carry their length, and the first byte says what it is.
//!
//! | first byte | message | then |
//! |---|---|---|
//! | 1 | [`Command::Take`] | epoch |
//! | 2 | [`Command::Map`] | epoch, version, base, changes |
//! | 3 | [`Command::Reconfigure`] | epoch, version |
//! | 17 | [`Answer::Status`] | crosspoint, promised, granted, active setting, pending setting |
//! | 18 | [`Answer::Stored`] | crosspoint, version |
//! | 19 | [`Answer::Reconfigured`] | crosspoint, version |
//! | 33 | [`Signal::Reconfigure`] | crosspoint, version |
//! | 34 | [`Signal::Confirm`] | crosspoint, version |
//! | 49 | [`LinkMessage::Hello`] | address, version, stored version |
//! | 50 | [`LinkMessage::Reconfigure`] | version |
//! | 51 | [`LinkMessage::Routed`] with [`Body::Query`] | route, back, SoC, epoch, round |
//! | 52 | the same with [`Body::Map`] | route, back, SoC, base, [`Update`] |
//! | 53 | the same with [`Body::Report`] | route, back, SoC, epoch, round, version, silent ports, demand |
//! | 54 | the same with [`Body::Stored`] | route, back, SoC, version |
//!
//! An epoch is 4 B of number and 2 of SoC; a version 8 B; SoCs and crosspoints 2 B. Changes are the number of the crosspoint's last
//! port that changes plus one (2 B), a bitmap of the ports up to it (§4.4), and 2 B for each port in the bitmap: the port at the
//! other end, 65535 for none. Routes are 1 B of length and 1 B a hop. A demand vector is 2 B of length, then 8 B for each SoC, out
//! of the rack, and into it. An update comes last and is as in [`crate::forwarding::Update`].

mod bytes;
#[cfg(test)]
mod tests;

use super::message::{Answer, Body, Command, LinkMessage, Packet, PortMap, Report, Setting, Signal};
use super::version::Epoch;
use crate::MOST_SOCS;
use crate::demand::DemandVector;
use crate::forwarding::{self, Update};
use bytes::{Reader, Writer};

/// Why these bytes are no message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// Cut off.
    #[error("the message ends after {given} B, in the middle")]
    Short {
        /// Bytes that there are.
        given: usize,
    },
    /// With something after it.
    #[error("{left} B follow the message")]
    Long {
        /// How many.
        left: usize,
    },
    /// Nothing that is known, or not where it is expected.
    #[error("no {expected} starts with byte {tag}")]
    Tag {
        /// The first byte.
        tag: u8,
        /// What was expected.
        expected: &'static str,
    },
    /// A number that is out of its range.
    #[error("{value} is no {what}")]
    Value {
        /// What it should be.
        what: &'static str,
        /// What it says.
        value: u64,
    },
    /// The tables in it are none.
    #[error(transparent)]
    Update(#[from] forwarding::DecodeError),
}

type Decoded<T> = Result<T, DecodeError>;

impl Command {
    /// The bytes that are sent.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Writer::default();
        match self {
            Command::Take { epoch } => {
                out.tag(1);
                out.epoch(*epoch);
            }
            Command::Map { epoch, version, base, changes } => {
                out.tag(2);
                out.epoch(*epoch);
                out.version(*version);
                out.version(*base);
                write_changes(&mut out, changes);
            }
            Command::Reconfigure { epoch, version } => {
                out.tag(3);
                out.epoch(*epoch);
                out.version(*version);
            }
        }
        out.done()
    }

    /// What was sent.
    ///
    /// # Errors
    /// For bytes that [`Command::encode`] never makes.
    pub fn decode(bytes: &[u8]) -> Decoded<Command> {
        let mut from = Reader::new(bytes);
        let command = match from.u8()? {
            1 => Command::Take { epoch: from.epoch()? },
            2 => Command::Map {
                epoch: from.epoch()?,
                version: from.version()?,
                base: from.version()?,
                changes: read_changes(&mut from)?,
            },
            3 => Command::Reconfigure { epoch: from.epoch()?, version: from.version()? },
            tag => return Err(DecodeError::Tag { tag, expected: "command" }),
        };
        from.end().map(|()| command)
    }
}

impl Answer {
    /// The bytes that are sent.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Writer::default();
        match self {
            Answer::Status { crosspoint, promised, granted, active, pending } => {
                out.tag(17);
                out.small(*crosspoint);
                out.epoch(*promised);
                out.tag(u8::from(*granted));
                write_setting(&mut out, active);
                out.tag(u8::from(pending.is_some()));
                if let Some(pending) = pending {
                    write_setting(&mut out, pending);
                }
            }
            Answer::Stored { crosspoint, version } => {
                out.tag(18);
                out.small(*crosspoint);
                out.version(*version);
            }
            Answer::Reconfigured { crosspoint, version } => {
                out.tag(19);
                out.small(*crosspoint);
                out.version(*version);
            }
        }
        out.done()
    }

    /// What was sent.
    ///
    /// # Errors
    /// For bytes that [`Answer::encode`] never makes.
    pub fn decode(bytes: &[u8]) -> Decoded<Answer> {
        let mut from = Reader::new(bytes);
        let answer = match from.u8()? {
            17 => {
                let (crosspoint, promised, granted) = (from.small()?, from.epoch()?, from.flag()?);
                let active = read_setting(&mut from)?;
                let pending = if from.flag()? { Some(read_setting(&mut from)?) } else { None };
                Answer::Status { crosspoint, promised, granted, active, pending }
            }
            18 => Answer::Stored { crosspoint: from.small()?, version: from.version()? },
            19 => Answer::Reconfigured { crosspoint: from.small()?, version: from.version()? },
            tag => return Err(DecodeError::Tag { tag, expected: "answer" }),
        };
        from.end().map(|()| answer)
    }
}

impl Signal {
    /// The bytes that are sent.
    pub fn encode(&self) -> Vec<u8> {
        let (tag, from, version) = match *self {
            Signal::Reconfigure { from, version } => (33, from, version),
            Signal::Confirm { from, version } => (34, from, version),
        };
        let mut out = Writer::default();
        out.tag(tag);
        out.small(from);
        out.version(version);
        out.done()
    }

    /// What was sent.
    ///
    /// # Errors
    /// For bytes that [`Signal::encode`] never makes.
    pub fn decode(bytes: &[u8]) -> Decoded<Signal> {
        let mut from = Reader::new(bytes);
        let signal = match from.u8()? {
            33 => Signal::Reconfigure { from: from.small()?, version: from.version()? },
            34 => Signal::Confirm { from: from.small()?, version: from.version()? },
            tag => return Err(DecodeError::Tag { tag, expected: "signal" }),
        };
        from.end().map(|()| signal)
    }
}

impl LinkMessage {
    /// The bytes that are sent.
    ///
    /// # Panics
    /// If a route has more than 255 hops, or an update not as many neighbours as ports.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Writer::default();
        match self {
            LinkMessage::Hello { from, version, stored } => {
                out.tag(49);
                out.bytes(&from.0);
                out.version(*version);
                out.version(*stored);
            }
            LinkMessage::Reconfigure { version } => {
                out.tag(50);
                out.version(*version);
            }
            LinkMessage::Routed(Packet { route, back, body }) => {
                let tag = match body {
                    Body::Query { .. } => 51,
                    Body::Map { .. } => 52,
                    Body::Report(_) => 53,
                    Body::Stored { .. } => 54,
                };
                out.tag(tag);
                out.route(route);
                out.route(back);
                write_body(&mut out, body);
            }
        }
        out.done()
    }

    /// What was sent.
    ///
    /// # Errors
    /// For bytes that [`LinkMessage::encode`] never makes.
    pub fn decode(bytes: &[u8]) -> Decoded<LinkMessage> {
        let mut from = Reader::new(bytes);
        let message = match from.u8()? {
            49 => LinkMessage::Hello { from: from.mac()?, version: from.version()?, stored: from.version()? },
            50 => LinkMessage::Reconfigure { version: from.version()? },
            tag @ 51..=54 => {
                let (route, back) = (from.route()?, from.route()?);
                LinkMessage::Routed(Packet { route, back, body: read_body(&mut from, tag)? })
            }
            tag => return Err(DecodeError::Tag { tag, expected: "message between neighbours" }),
        };
        from.end().map(|()| message)
    }
}

fn write_body(out: &mut Writer, body: &Body) {
    match body {
        Body::Query { soc, epoch, round } => {
            out.small(*soc);
            out.epoch(*epoch);
            out.bytes(&round.to_be_bytes());
        }
        Body::Map { soc, base, update } => {
            out.small(*soc);
            out.version(*base);
            out.bytes(&update.encode());
        }
        Body::Report(Report { soc, epoch, round, active, silent, demand }) => {
            out.small(*soc);
            out.epoch(*epoch);
            out.bytes(&round.to_be_bytes());
            out.version(*active);
            out.bytes(&silent.to_be_bytes());
            out.small(demand.internal.len() as u32);
            for bytes in demand.internal.iter().chain([&demand.sent, &demand.received]) {
                out.bytes(&bytes.to_be_bytes());
            }
        }
        Body::Stored { soc, version } => {
            out.small(*soc);
            out.version(*version);
        }
    }
}

fn read_body(from: &mut Reader<'_>, tag: u8) -> Decoded<Body> {
    let soc = from.small()?;
    Ok(match tag {
        51 => Body::Query { soc, epoch: from.epoch()?, round: from.u32()? },
        52 => Body::Map { soc, base: from.version()?, update: Update::decode(from.rest())? },
        53 => {
            let (epoch, round, active, silent) = (from.epoch()?, from.u32()?, from.version()?, from.u16()?);
            let socs = from.small()?;
            if socs > MOST_SOCS {
                return Err(DecodeError::Value { what: "number of SoCs", value: u64::from(socs) });
            }
            let internal = (0..socs).map(|_| from.u64()).collect::<Decoded<Vec<u64>>>()?;
            let demand = DemandVector { internal, sent: from.u64()?, received: from.u64()? };
            Body::Report(Report { soc, epoch, round, active, silent, demand })
        }
        _ => Body::Stored { soc, version: from.version()? },
    })
}

fn write_changes(out: &mut Writer, changes: &[(u16, Option<u16>)]) {
    let ports = changes.iter().map(|(port, _)| port + 1).max().unwrap_or(0);
    let mut bitmap = vec![0_u8; usize::from(ports).div_ceil(8)];
    for &(port, _) in changes {
        bitmap[usize::from(port / 8)] |= 1 << (port % 8);
    }
    out.bytes(&ports.to_be_bytes());
    out.bytes(&bitmap);
    for &(_, peer) in changes {
        out.peer(peer);
    }
}

fn read_changes(from: &mut Reader<'_>) -> Decoded<Vec<(u16, Option<u16>)>> {
    let ports = from.u16()?;
    let bitmap = from.take(usize::from(ports).div_ceil(8))?.to_vec();
    let set = |port: usize| bitmap[port / 8] >> (port % 8) & 1 == 1;
    // The last port changes, and nothing after it does: a list has one encoding.
    let last = usize::from(ports).checked_sub(1).is_none_or(set);
    if !last || (usize::from(ports)..8 * bitmap.len()).any(set) {
        return Err(DecodeError::Value { what: "last port that changes", value: u64::from(ports) });
    }
    (0..ports).filter(|&port| set(usize::from(port))).map(|port| Ok((port, from.peer()?))).collect()
}

fn write_setting(out: &mut Writer, Setting { version, map }: &Setting) {
    out.version(*version);
    out.small(map.len() as u32);
    for &peer in map {
        out.peer(peer);
    }
}

fn read_setting(from: &mut Reader<'_>) -> Decoded<Setting> {
    let (version, ports) = (from.version()?, from.u16()?);
    let map = (0..ports).map(|_| from.peer()).collect::<Decoded<PortMap>>()?;
    Ok(Setting { version, map })
}

impl Epoch {
    fn checked(number: u32, soc: u32) -> Decoded<Epoch> {
        if number > Epoch::MOST {
            return Err(DecodeError::Value { what: "number of an epoch", value: u64::from(number) });
        }
        if soc >= MOST_SOCS {
            return Err(DecodeError::Value { what: "SoC", value: u64::from(soc) });
        }
        Ok(Epoch { number, soc })
    }
}
