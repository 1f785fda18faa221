//! Lines, arbiter and stages together, one clock after the other.

use crate::arbiter::Arbiter;
use crate::design::Lines;
use crate::measured::{Measured, Tally};
use crate::source::{Source, Unit};
use crate::spec::Plan;
use crate::stage::Stage;
use engine::Seed;
use std::collections::VecDeque;

/// A line and what waits at its port.
struct Port {
    source: Source,
    /// What arrives next, and the line time it still takes, in bits times Hz: no rounding, whatever the rates are.
    arriving: Vec<Unit>,
    needs: u64,
    passed: u64,
    waiting_bytes: u64,
}

struct Machine {
    ports: Vec<Port>,
    queues: Vec<VecDeque<Unit>>,
    arbiter: Arbiter,
    stages: Vec<Stage>,
    /// Units within the stages: they leave in the order in which they entered.
    inside: VecDeque<Unit>,
    line_bps: u64,
    clock_hz: u64,
    port_buffer: u64,
    pauses: bool,
    /// Bytes of packets that a unit off the line could hold, where that is not what it holds.
    room_per_unit: Option<u64>,
    offered: Tally,
    delivered: Tally,
    dropped: Tally,
    capacity: u64,
    /// Line time, in bits times Hz, in which a line waited for room.
    paused: u128,
}

/// Runs a data path and measures it. Sizes are drawn from the streams `pipeline.size` of the seed, one for each port.
pub fn run(plan: &Plan, seed: Seed) -> Measured {
    let mut machine = Machine::new(plan, seed);
    for now in 0..plan.spec.warmup_clocks {
        machine.step(now);
    }
    let (offered, delivered, dropped) = (machine.offered, machine.delivered, machine.dropped);
    let (capacity, paused) = (machine.capacity, machine.paused);
    let end = plan.spec.warmup_clocks + plan.spec.clocks;
    for now in plan.spec.warmup_clocks..end {
        machine.step(now);
    }
    let mut held = Tally::default();
    for unit in machine.queues.iter().flatten().chain(&machine.inside) {
        held.add(unit);
    }
    Measured {
        clocks: plan.spec.clocks,
        clock_hz: plan.spec.clock_hz,
        lines_bps: plan.spec.line_rate.as_bps() * u64::from(plan.spec.ports),
        offered: less(machine.offered, offered),
        delivered: less(machine.delivered, delivered),
        dropped: less(machine.dropped, dropped),
        capacity: machine.capacity - capacity,
        paused_line_bytes: ((machine.paused - paused) / (8 * u128::from(plan.spec.clock_hz))) as u64,
        whole: [machine.offered, machine.delivered, machine.dropped, held],
    }
}

impl Machine {
    fn new(plan: &Plan, seed: Seed) -> Machine {
        let spec = &plan.spec;
        let mut stages = vec![Stage::new(spec.lookup_clocks, 0)];
        stages.extend(spec.design.hold(spec.traffic).map(|hold| Stage::new(1, hold)));
        if spec.output_hold > 0 {
            stages.push(Stage::new(1, spec.output_hold));
        }
        let mut machine = Machine {
            ports: Vec::new(),
            queues: (0..spec.ports).map(|_| VecDeque::new()).collect(),
            arbiter: Arbiter::new((spec.ports + spec.idle_inputs) as usize, spec.polls),
            stages,
            inside: VecDeque::new(),
            line_bps: spec.line_rate.as_bps(),
            clock_hz: spec.clock_hz,
            port_buffer: spec.port_buffer.get(),
            pauses: spec.pauses,
            room_per_unit: (plan.lines == Lines::Cells).then(|| u64::from(plan.payload_per_cell())),
            offered: Tally::default(),
            delivered: Tally::default(),
            dropped: Tally::default(),
            capacity: 0,
            paused: 0,
        };
        for port in 0..spec.ports {
            let mut line = Port {
                source: Source::new(plan, seed, port),
                arriving: Vec::new(),
                needs: 0,
                passed: 0,
                waiting_bytes: 0,
            };
            line.prepare(machine.clock_hz);
            machine.ports.push(line);
        }
        machine
    }

    /// One clock. From the end to the start, so that what moves in a clock is seen by the next stage in the next one.
    fn step(&mut self, now: u64) {
        let mut room = true; // every input has an output of its rate to itself
        for place in (0..self.stages.len()).rev() {
            let moved = self.stages[place].step(now, room);
            if let Some(word) = moved {
                match self.stages.get_mut(place + 1) {
                    Some(behind) => behind.take(word),
                    None if word.last => {
                        let unit = self.inside.pop_front().expect("what leaves has entered");
                        self.delivered.add(&unit);
                    }
                    None => {}
                }
            }
            room = self.stages[place].has_room();
        }
        if room && let Some((word, entered)) = self.arbiter.step(&mut self.queues) {
            if let Some((port, unit)) = entered {
                self.ports[port].waiting_bytes -= u64::from(unit.bytes);
                self.inside.push_back(unit);
            }
            self.stages[0].take(word);
        }
        for place in 0..self.ports.len() {
            self.receive(place);
        }
    }

    /// What has arrived by the end of this clock can enter in the next one.
    fn receive(&mut self, place: usize) {
        let port = &mut self.ports[place];
        port.passed += self.line_bps;
        while port.passed >= port.needs {
            let bytes: u64 = port.arriving.iter().map(|unit| u64::from(unit.bytes)).sum();
            let fits = port.waiting_bytes + bytes <= self.port_buffer;
            if self.pauses && !fits {
                self.paused += u128::from(port.passed - port.needs);
                port.passed = port.needs;
                break;
            }
            port.passed -= port.needs;
            for unit in port.arriving.drain(..) {
                self.offered.add(&unit);
                self.capacity += self.room_per_unit.unwrap_or(u64::from(unit.payload));
                if fits {
                    self.queues[place].push_back(unit);
                } else {
                    self.dropped.add(&unit);
                }
            }
            if fits {
                port.waiting_bytes += bytes;
            }
            port.prepare(self.clock_hz);
        }
    }
}

impl Port {
    fn prepare(&mut self, clock_hz: u64) {
        self.source.next_arrival(&mut self.arriving);
        let line_bytes: u64 = self.arriving.iter().map(|unit| u64::from(unit.line_bytes)).sum();
        self.needs = 8 * line_bytes * clock_hz;
    }
}

fn less(all: Tally, before: Tally) -> Tally {
    Tally {
        units: all.units - before.units,
        packets: all.packets - before.packets,
        payload: all.payload - before.payload,
        line_bytes: all.line_bytes - before.line_bytes,
    }
}
