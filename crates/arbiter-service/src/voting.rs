//! A voter among addresses, and what it remembers on disk.

use crate::journal::Journal;
use crate::metrics::VoterMetrics;
use crate::outbox::Outbox;
use crate::settings::ServiceError;
use crate::wire::{Codec, Message, WireError};
use arbiter::Slot;
use arbiter::control::{Epoch, Voter};
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use units::Span;

/// A lease that ends later than this many slots from now is not granted: twice the longest that there is. Somebody's clock is wrong, and nobody could hand out
/// slots before that any more.
const FURTHEST: u64 = 2_000_000;
/// What a file of a voter begins with.
const TITLE: &str = "gossamer voter 1";

/// A voter that answers datagrams.
#[derive(Debug)]
pub struct VotingServer {
    voter: Voter,
    memory: Option<Memory>,
    outbox: Outbox,
    metrics: VoterMetrics,
    journal: Journal,
}

impl VotingServer {
    /// A voter that remembers in `file`, if there is one, and begins with what that has; else it believes that all slots before `leased` are leased.
    ///
    /// # Errors
    /// The file cannot be read, or is none of a voter.
    pub fn new(codec: Codec, slot: Span, file: Option<&str>, leased: Slot) -> Result<VotingServer, ServiceError> {
        let wrong = |file: &str, reason: String| ServiceError::State { file: file.to_owned(), reason };
        let mut voter = Voter::remembering(Epoch::default(), Slot(0), leased);
        let memory = match file {
            None => None,
            Some(file) => {
                match std::fs::read_to_string(file) {
                    Ok(text) => {
                        voter = parse(&text).ok_or_else(|| wrong(file, "this is no file of a voter".to_owned()))?;
                    }
                    Err(error) if error.kind() == ErrorKind::NotFound => {}
                    Err(error) => return Err(wrong(file, error.to_string())),
                }
                let memory = Memory::new(file.into(), slot, &voter);
                memory.write(&voter, voter.until()).map_err(|error| wrong(file, error.to_string()))?;
                Some(memory)
            }
        };
        let (metrics, journal) = (VoterMetrics::default(), Journal::default());
        Ok(VotingServer { voter, memory, outbox: Outbox::new(codec), metrics, journal })
    }

    /// A datagram has come, at this time and slot.
    pub fn on_datagram(&mut self, at: Duration, now: Slot, from: SocketAddr, content: Result<Message, WireError>) {
        match content {
            Ok(Message::Ask { lease, .. }) if lease.until.since(now) > FURTHEST => {
                self.metrics.malformed.value += 1;
                let until = lease.until;
                let text = || {
                    format!("{from} asks for slots before {until}; it is {now}: clocks do not agree; it was dropped")
                };
                self.journal.note_one_of("furthest", at, text);
            }
            Ok(Message::Ask { voter, lease }) => {
                let before = self.voter.epoch();
                let vote = self.voter.handle(lease);
                if let Some(memory) = &mut self.memory
                    && let Err(error) = memory.remember(&self.voter)
                {
                    // It has granted nothing until somebody hears of it.
                    self.metrics.unwritten += 1;
                    let text = || format!("{}: {error}; it does not vote", memory.file.display());
                    self.journal.note_one_of("unwritten", at, text);
                    return;
                }
                match vote {
                    arbiter::control::Vote::Granted { .. } => self.metrics.granted += 1,
                    arbiter::control::Vote::Refused { .. } => self.metrics.refused += 1,
                }
                let epoch = self.voter.epoch();
                if epoch != before {
                    let Epoch { number, arbiter } = epoch;
                    let floor = self.voter.floor();
                    self.journal.note(format!("obeys arbiter {arbiter}, epoch {number}, from {floor} on"));
                }
                self.outbox.put(from, &Message::Vote { voter, vote });
            }
            Ok(
                Message::Requests { .. }
                | Message::Allocations { .. }
                | Message::Vote { .. }
                | Message::Beat(_)
                | Message::TakeOver { .. }
                | Message::Refusal { .. },
            ) => {
                self.metrics.misplaced += 1;
                let text = || format!("{from} sends what is not for a voter; it was dropped");
                self.journal.note_one_of("misplaced", at, text);
            }
            Err(error) => {
                let kind = self.metrics.malformed.count(&error);
                self.journal.note_one_of(kind, at, || format!("{from}: {error}; it was dropped"));
            }
        }
    }

    /// What is to be sent.
    pub fn outbox(&mut self) -> &mut Outbox {
        &mut self.outbox
    }

    /// What has happened since this was last asked.
    pub fn journal(&mut self) -> &mut Journal {
        &mut self.journal
    }

    /// What has been counted, as of now.
    pub fn metrics(&mut self, at: Duration) -> &mut VoterMetrics {
        let Epoch { number, arbiter } = self.voter.epoch();
        (self.metrics.epoch, self.metrics.arbiter) = (number, arbiter);
        self.metrics.until = self.voter.until().0;
        self.metrics.uptime_ns = at.as_nanos() as u64;
        &mut self.metrics
    }
}

/// The file of a voter. It is written before a vote is sent, but a second's worth of slots ahead, so that not every vote waits for the disk: a voter that begins
/// again believes that it has leased these too.
#[derive(Debug)]
struct Memory {
    file: PathBuf,
    /// How many slots ahead.
    margin: u64,
    epoch: Epoch,
    until: Slot,
}

impl Memory {
    fn new(file: PathBuf, slot: Span, voter: &Voter) -> Memory {
        let margin = 1_000_000_000_000_u64.div_ceil(slot.as_ps().max(1));
        Memory { file, margin, epoch: voter.epoch(), until: voter.until() }
    }

    fn remember(&mut self, voter: &Voter) -> io::Result<()> {
        if voter.epoch() == self.epoch && voter.until() <= self.until {
            return Ok(());
        }
        let until = voter.until().plus(self.margin);
        self.write(voter, until)?;
        (self.epoch, self.until) = (voter.epoch(), until);
        Ok(())
    }

    /// Whole, or not at all: under another name first.
    fn write(&self, voter: &Voter, until: Slot) -> io::Result<()> {
        let mut new = self.file.clone().into_os_string();
        new.push(".new");
        let new = Path::new(&new);
        let Epoch { number, arbiter } = voter.epoch();
        let mut file = File::create(new)?;
        write!(file, "{TITLE}\nepoch {number}\narbiter {arbiter}\nfloor {}\nuntil {}\n", voter.floor().0, until.0)?;
        file.sync_all()?;
        std::fs::rename(new, &self.file)
    }
}

/// What a file of a voter says.
fn parse(text: &str) -> Option<Voter> {
    let mut lines = text.lines();
    if lines.next() != Some(TITLE) {
        return None;
    }
    let mut number = |key: &str| lines.next()?.strip_prefix(key)?.trim().parse::<u64>().ok();
    let (epoch, arbiter, floor, until) = (number("epoch ")?, number("arbiter ")?, number("floor ")?, number("until ")?);
    let epoch = Epoch { number: epoch, arbiter: u8::try_from(arbiter).ok()? };
    Some(Voter::remembering(epoch, Slot(floor), Slot(until)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::tag::Key;
    use arbiter::control::{Lease, Vote};

    fn codec() -> Codec {
        Codec::new(Key::default(), Span::from_ms(1))
    }

    fn ask(voter: &mut VotingServer, number: u64, until: u64) -> Vote {
        let epoch = Epoch { number, arbiter: 1 };
        let lease = Lease { epoch, until: Slot(until) };
        let from = "127.0.0.1:7200".parse().expect("an address");
        voter.on_datagram(Duration::ZERO, Slot(50), from, Ok(Message::Ask { voter: 2, lease }));
        let answers: Vec<_> = voter.outbox().datagrams().map(|(_, bytes)| codec().decode(bytes)).collect();
        voter.outbox().clear();
        match answers.as_slice() {
            [Ok(Message::Vote { voter: 2, vote })] => *vote,
            other => panic!("no vote: {other:?}"),
        }
    }

    #[test]
    fn a_voter_that_begins_again_grants_nothing_twice() {
        let folder = std::env::temp_dir().join(format!("gossamer-voter-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let file = folder.join("state");
        let file = file.to_str().expect("a name in UTF-8");
        let begin = || VotingServer::new(codec(), Span::from_ms(1), Some(file), Slot(0)).expect("a voter");
        let epoch = |number| Epoch { number, arbiter: 1 };
        let mut voter = begin();
        assert!(matches!(ask(&mut voter, 5, 100), Vote::Granted { until: Slot(100), .. }));
        ask(&mut voter, 5, 300);
        drop(voter);
        let mut again = begin();
        assert_eq!(ask(&mut again, 4, 400), Vote::Refused { epoch: epoch(5) });
        // A thousand slots, a second's worth, were written ahead.
        let granted = Vote::Granted { epoch: epoch(6), floor: Slot(1100), until: Slot(1100) };
        assert_eq!(ask(&mut again, 6, 400), granted);
        std::fs::write(file, "gossamer voter 1\nepoch x\n").expect("a file");
        let wrong =
            VotingServer::new(codec(), Span::from_ms(1), Some(file), Slot(0)).expect_err("no voter").to_string();
        assert_eq!(wrong, format!("{file}: this is no file of a voter"));
        std::fs::remove_dir_all(&folder).expect("a folder");
    }

    #[test]
    fn what_is_not_for_a_voter_is_counted() {
        let mut voter = VotingServer::new(codec(), Span::from_ms(1), None, Slot(0)).expect("a voter");
        let from = "127.0.0.1:7200".parse().expect("an address");
        voter.on_datagram(Duration::ZERO, Slot(50), from, Err(WireError::Tag));
        let lease = Lease { epoch: Epoch { number: 1, arbiter: 0 }, until: Slot(2_000_051) };
        voter.on_datagram(Duration::ZERO, Slot(50), from, Ok(Message::Ask { voter: 0, lease }));
        voter.on_datagram(Duration::ZERO, Slot(50), from, Ok(Message::TakeOver { epoch: Epoch::default() }));
        assert_eq!(voter.outbox().datagrams().count(), 0);
        let metrics = voter.metrics(Duration::ZERO);
        assert_eq!((metrics.malformed.tag, metrics.malformed.value, metrics.misplaced, metrics.until), (1, 1, 1, 0));
        let said = voter.journal().take();
        assert_eq!(said.len(), 3);
        let clocks =
            "127.0.0.1:7200 asks for slots before slot 2000051; it is slot 50: clocks do not agree; it was dropped";
        assert_eq!(said[1], clocks);
    }
}
