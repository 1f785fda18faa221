//! htsim's connection matrix (`.cm`), as csg-htsim's `connection_matrix.cpp` reads it: times in picoseconds, sizes in bytes,
//! triggers that ends of connections fire and that start others.
//!
//! Where htsim stops with an assertion (a oneshot fired twice, a barrier fired too often) or leaves a connection waiting for
//! ever, the file is refused. `send_done_trigger` (the sender has had its last acknowledgement) and `recv_done_trigger` (the
//! receiver has had its last byte) both fire when the flow ends: a flow has one end here. Size 0 is a flow without end, as
//! in htsim.

mod triggers;

use super::decimal::{self, Finer};
use super::error::HtsimProblem;
use super::lines::Lines;
use super::{LineProblem, ReadError};
use crate::trace::Trace;
use std::collections::BTreeMap;
use std::io::BufRead;
use units::Time;

pub(super) fn parse(text: impl BufRead, file: &str, hosts: u32) -> Result<Trace, ReadError> {
    let mut matrix = Matrix::default();
    let mut lines = Lines::new(text, file);
    while let Some(line) = lines.next()? {
        matrix.number += 1;
        let words: Vec<&str> = line.split_whitespace().collect();
        let read = matrix.line(&words);
        read.map_err(|problem| lines.wrong(problem))?;
    }
    triggers::resolve(matrix, file, hosts)
}

/// What a file says, line by line.
#[derive(Default)]
struct Matrix {
    /// The line that is being read.
    number: u64,
    header: BTreeMap<&'static str, u64>,
    connections: Vec<Connection>,
    /// The line of each id.
    ids: BTreeMap<u64, u64>,
    triggers: BTreeMap<u64, Trigger>,
    /// Connections that use a word without effect here.
    with_priority: u64,
    with_message: u64,
}

/// A connection, its start or its trigger known.
struct Connection {
    line: u64,
    id: Option<u64>,
    src: u32,
    dst: u32,
    bytes: u64,
    start: ConnectionStart,
    /// Triggers that its end fires.
    fires: Vec<u64>,
}

enum ConnectionStart {
    At(Time),
    Trigger(u64),
}

struct Trigger {
    line: u64,
    kind: TriggerKind,
    count: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TriggerKind {
    /// Starts all its connections, once.
    Oneshot,
    /// Starts one of its connections each time.
    Multishot,
    /// Starts all its connections when it has been fired `count` times.
    Barrier,
}

const HEADER: [&str; 4] = ["Nodes", "Connections", "Triggers", "Failures"];
const CONNECTION: [&str; 9] =
    ["id", "start", "size", "trigger", "send_done_trigger", "recv_done_trigger", "prio", "msg", "addon"];
const TRIGGER: [&str; 5] = ["id", "count", "oneshot", "multishot", "barrier"];

impl Matrix {
    fn line(&mut self, words: &[&str]) -> Result<(), LineProblem> {
        let Some((&first, rest)) = words.split_first() else { return Ok(()) };
        if first.starts_with('#') {
            return Ok(());
        }
        if let Some((src, dst)) = first.split_once("->") {
            return self.connection(src, dst, rest);
        }
        if let Some(word) = HEADER.into_iter().find(|word| *word == first) {
            let value = rest.first().ok_or_else(|| LineProblem::NoValue { word: first.to_owned() })?;
            self.header.insert(word, decimal::whole(value, word, "a whole number")?);
            return Ok(());
        }
        match first {
            "trigger" => self.trigger(rest),
            "failure" => Err(HtsimProblem::Failure.into()),
            _ => Err(LineProblem::UnknownWord {
                word: first.to_owned(),
                nearest: settings::nearest(first, HEADER.into_iter().chain(["trigger", "failure"])),
                expected: "`src->dst ...`, `trigger ...`, or one of Nodes, Connections, Triggers and Failures with a number",
            }),
        }
    }

    fn connection(&mut self, src: &str, dst: &str, words: &[&str]) -> Result<(), LineProblem> {
        let (src, dst) = (decimal::host(src, "src")?, decimal::host(dst, "dst")?);
        let (mut id, mut start, mut size, mut trigger, mut fires) = (None, None, None, None, Vec::new());
        let mut words = words.iter().copied().peekable();
        while let Some(word) = words.next() {
            let Some(word) = CONNECTION.into_iter().find(|known| *known == word) else {
                let nearest = settings::nearest(word, CONNECTION);
                let expected = "start, size, id, trigger, send_done_trigger, recv_done_trigger, prio or msg";
                return Err(LineProblem::UnknownWord { word: word.to_owned(), nearest, expected });
            };
            if word == "addon" {
                return Err(HtsimProblem::Addon.into());
            }
            if word == "msg" {
                // Its number may be left out.
                words.next_if(|next| next.bytes().all(|digit| digit.is_ascii_digit()));
                self.with_message += 1;
                continue;
            }
            let value = words.next().ok_or_else(|| LineProblem::NoValue { word: word.to_owned() })?;
            match word {
                "start" => start = Some(decimal::time(value, "start", 0, Finer::Refuse)?),
                "size" => size = Some(decimal::whole(value, "size", "a whole number of bytes")?),
                "id" => id = Some(decimal::whole(value, "id", "a whole number from 1")?),
                "trigger" => trigger = Some(decimal::whole(value, "trigger", "the id of a trigger")?),
                "prio" => {
                    decimal::whole(value, "prio", "a whole number")?;
                    self.with_priority += 1;
                }
                _ => fires.push(decimal::whole(value, "done trigger", "the id of a trigger")?),
            }
        }
        let start = match (start, trigger) {
            (None, None) => return Err(HtsimProblem::NoStart.into()),
            (Some(_), Some(_)) => return Err(HtsimProblem::TwoStarts.into()),
            (None, Some(_)) if id.is_none() => return Err(HtsimProblem::NoId.into()),
            (None, Some(trigger)) => ConnectionStart::Trigger(trigger),
            (Some(time), None) => ConnectionStart::At(time),
        };
        if let Some(id) = id {
            if id == 0 {
                return Err(HtsimProblem::ZeroId.into());
            }
            if let Some(before) = self.ids.insert(id, self.number) {
                return Err(LineProblem::SameId { id, before });
            }
        }
        let bytes = size.ok_or(HtsimProblem::NoSize)?;
        self.connections.push(Connection { line: self.number, id, src, dst, bytes, start, fires });
        Ok(())
    }

    fn trigger(&mut self, words: &[&str]) -> Result<(), LineProblem> {
        let (mut id, mut kind, mut count) = (None, None, 0);
        let mut words = words.iter().copied();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| LineProblem::NoValue { word: word.to_owned() });
            let named = match word {
                "id" => {
                    id = Some(decimal::whole(value()?, "id", "a whole number from 1")?);
                    continue;
                }
                "count" => {
                    count = decimal::whole(value()?, "count", "a whole number")?;
                    continue;
                }
                "oneshot" => TriggerKind::Oneshot,
                "multishot" => TriggerKind::Multishot,
                "barrier" => TriggerKind::Barrier,
                _ => {
                    let nearest = settings::nearest(word, TRIGGER);
                    let expected = "id, oneshot, multishot, barrier or count";
                    return Err(LineProblem::UnknownWord { word: word.to_owned(), nearest, expected });
                }
            };
            if kind.replace(named).is_some() {
                return Err(HtsimProblem::HalfTrigger.into());
            }
        }
        let (Some(id), Some(kind)) = (id, kind) else { return Err(HtsimProblem::HalfTrigger.into()) };
        if id == 0 {
            return Err(HtsimProblem::ZeroId.into());
        }
        match self.triggers.insert(id, Trigger { line: self.number, kind, count }) {
            Some(Trigger { line: before, .. }) => Err(HtsimProblem::SameTrigger { id, before }.into()),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
