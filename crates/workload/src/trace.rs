//! Flows from a list: what every reader of traces returns.

use crate::readers::{LineProblem, ReadError};
use engine::{Looks, looking};
use units::{Bytes, Span, Time, bounds};

/// A list of flows, some of which wait for others.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Trace {
    /// Where it is from, such as a file; for messages.
    pub file: String,
    /// The flows, in any order.
    pub flows: Vec<TraceFlow>,
    /// What flows wait for.
    pub gates: Vec<Gate>,
    /// What a person should know about how the file was read.
    pub warnings: Vec<String>,
}

/// One flow of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceFlow {
    /// Its number in the file; for messages.
    pub id: u64,
    /// Host that sends.
    pub src: u32,
    /// Host that receives.
    pub dst: u32,
    /// How much; [`Bytes::MAX`]: it never ends.
    pub bytes: Bytes,
    /// When.
    pub start: TraceStart,
    /// Line of the file, from 1; in Parquet its row; 0 if it is from no file.
    pub line: u64,
}

/// When a flow of a trace starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TraceStart {
    /// At a time.
    At(Time),
    /// Some time after others end.
    After {
        /// Index of the gate it waits at.
        gate: u32,
        /// After how many passings of that gate, at least 1.
        passings: u32,
        /// How long after.
        delay: Span,
    },
}

/// What flows wait for: the ends of others, which pass it one by one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Gate {
    /// Indices of the flows whose ends pass it; one that is there twice passes it twice.
    pub passed_by: Vec<u32>,
}

impl TraceFlow {
    /// Whether it waits for others.
    pub fn waits(&self) -> bool {
        matches!(self.start, TraceStart::After { .. })
    }
}

impl Trace {
    /// Whether all flows are between different hosts of 0..hosts, have something to send, and start if all others do and
    /// those with an end do end.
    ///
    /// # Errors
    /// The first flow that is wrong, by its line.
    pub fn check(&self, hosts: u32) -> Result<(), ReadError> {
        let fail = |flow: &TraceFlow, problem| ReadError::at(&self.file, flow.line, problem);
        if self.flows.is_empty() {
            return Err(ReadError::whole(&self.file, LineProblem::NoFlows));
        }
        for flow in looking(&self.flows) {
            if let Some(host) = [flow.src, flow.dst].into_iter().find(|host| *host >= hosts) {
                return Err(fail(flow, LineProblem::NoSuchHost { id: flow.id, host, hosts }));
            }
            if flow.src == flow.dst {
                return Err(fail(flow, LineProblem::ToItself { id: flow.id, host: flow.src }));
            }
            if flow.bytes == Bytes::ZERO {
                return Err(fail(flow, LineProblem::NoBytes { id: flow.id }));
            }
            let wait = match flow.start {
                TraceStart::At(at) => at.since(Time::ZERO),
                TraceStart::After { delay, .. } => delay,
            };
            if wait > bounds::TIME {
                return Err(fail(flow, LineProblem::Beyond { id: flow.id, field: "start", most: "100000 s" }));
            }
            if flow.bytes > bounds::MESSAGE && flow.bytes != Bytes::MAX {
                return Err(fail(flow, LineProblem::Beyond { id: flow.id, field: "bytes", most: "1000 TB" }));
            }
            let gate = |gate: u32| self.gates.get(gate as usize);
            if let TraceStart::After { gate: at, passings, .. } = flow.start {
                let passed = gate(at).map_or(0, |gate| gate.passed_by.len());
                if passings == 0 || passed < passings as usize {
                    return Err(fail(flow, LineProblem::TooFewEnds { id: flow.id, needs: passings, ends: passed }));
                }
            }
        }
        let all = self.flows.len();
        if let Some(gate) = self.gates.iter().find(|gate| gate.passed_by.iter().any(|flow| *flow as usize >= all)) {
            let flow = gate.passed_by.iter().copied().max().unwrap_or_default();
            return Err(ReadError::whole(&self.file, LineProblem::NoSuchFlow { flow: u64::from(flow) }));
        }
        match self.never_started().first() {
            None => Ok(()),
            Some(&index) => {
                let flow = &self.flows[index];
                Err(fail(flow, LineProblem::NeverStarts { id: flow.id }))
            }
        }
    }

    /// Flows that do not start even if every flow that starts and has an end does end: those that wait in a circle, or for
    /// one that never ends. Ascending.
    fn never_started(&self) -> Vec<usize> {
        let passes = Passes::new(self);
        let mut waiters = Waiters::new(self);
        let mut started = vec![false; self.flows.len()];
        let mut ready: Vec<u32> =
            (0..).zip(&self.flows).filter(|(_, flow)| !flow.waits()).map(|(index, _)| index).collect();
        let mut looks = Looks::default();
        while let Some(index) = ready.pop() {
            looks.step();
            started[index as usize] = true;
            if self.flows[index as usize].bytes != Bytes::MAX {
                for &(_, gate) in passes.of(index) {
                    ready.extend(waiters.pass(gate));
                }
            }
        }
        (0..started.len()).filter(|index| !started[*index]).collect()
    }
}

/// Which gates each flow's end passes.
pub(crate) struct Passes(Vec<(u32, u32)>);

impl Passes {
    pub(crate) fn new(trace: &Trace) -> Passes {
        let gates = (0..).zip(&trace.gates);
        let mut passes: Vec<_> =
            looking(gates).flat_map(|(gate, it)| it.passed_by.iter().map(move |flow| (*flow, gate))).collect();
        passes.sort_unstable();
        Passes(passes)
    }
    /// (flow, gate) for each passing, by gate.
    pub(crate) fn of(&self, flow: u32) -> &[(u32, u32)] {
        let from = self.0.partition_point(|(passer, _)| *passer < flow);
        let upto = self.0.partition_point(|(passer, _)| *passer <= flow);
        &self.0[from..upto]
    }
}

/// Who waits at each gate.
pub(crate) struct Waiters {
    /// (gate, passings needed, flow), sorted.
    queue: Vec<(u32, u32, u32)>,
    /// For each gate: how often it has been passed, and the first in the queue that has not started.
    gates: Vec<(u32, u32)>,
}

impl Waiters {
    pub(crate) fn new(trace: &Trace) -> Waiters {
        let mut queue: Vec<_> = looking((0..).zip(&trace.flows))
            .filter_map(|(flow, it)| match it.start {
                TraceStart::At(_) => None,
                TraceStart::After { gate, passings, .. } => Some((gate, passings, flow)),
            })
            .collect();
        queue.sort_unstable();
        let first = |gate| queue.partition_point(|(at, ..)| *at < gate) as u32;
        let gates = looking(0..trace.gates.len() as u32).map(|gate| (0, first(gate))).collect();
        Waiters { queue, gates }
    }
    /// The gate is passed once more; the flows that have waited for that.
    pub(crate) fn pass(&mut self, gate: u32) -> Vec<u32> {
        let (passed, first) = &mut self.gates[gate as usize];
        *passed += 1;
        let mut out = Vec::new();
        while let Some(&(_, _, flow)) =
            self.queue.get(*first as usize).filter(|(at, needs, _)| *at == gate && needs <= passed)
        {
            out.push(flow);
            *first += 1;
        }
        out
    }
    /// The flows that wait at this gate for another passing.
    pub(crate) fn at(&self, gate: u32) -> impl Iterator<Item = u32> {
        let (_, first) = self.gates[gate as usize];
        self.queue[first as usize..].iter().take_while(move |(at, ..)| *at == gate).map(|(.., flow)| *flow)
    }
}
