//! The control plane: how long what controller and crosspoints say to each other is on its way (§4.4, §6.6).
//!
//! Over the prototype's USB one exchange follows another, a command or a signal with its answer. Crosspoints' signals wait for it as the
//! controller's commands do: §6.6 has the last crosspoint reconfigured 8 ms after the first, because the controller "sequentially communicates
//! with each"; signals that did not wait would have told it within two messages. Over Ethernet all go at once.

use super::message::{Command, Signal};
use super::rack::InFlight;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::DelayText;
use std::collections::{BTreeMap, VecDeque};
use units::{Span, Time};

/// What the paths to crosspoints and between them are like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ControlPlane {
    /// How the controller's messages reach crosspoints.
    #[serde(rename = "control_plane")]
    pub exchanges: Exchanges,
    /// What a message to or from a crosspoint takes.
    #[schemars(with = "DelayText")]
    #[serde(rename = "control_message")]
    pub message: Span,
    /// What a crosspoint takes from the command until its circuits change.
    #[schemars(with = "DelayText")]
    #[serde(rename = "crosspoint_program")]
    pub program: Span,
}

/// How the controller's messages reach crosspoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Exchanges {
    /// One after the other, as over the prototype's USB.
    Sequential,
    /// All at once, as over Ethernet.
    Parallel,
}

impl Default for ControlPlane {
    /// The prototype's (§6.6): USB with 1 ms for an exchange, one after another, and about 40 us for a crosspoint.
    fn default() -> ControlPlane {
        ControlPlane { exchanges: Exchanges::Sequential, message: Span::from_ms(1), program: Span::from_us(40) }
    }
}

/// What is on the control plane, and what waits for it, first come, first served.
#[derive(Debug, Clone)]
pub struct Plane {
    settings: ControlPlane,
    waiting: VecDeque<InFlight>,
    /// When the last exchange that has begun ends.
    free_at: Time,
    /// By arrival, and then by the order in which they began.
    in_flight: BTreeMap<(Time, u64), InFlight>,
    serial: u64,
}

impl Plane {
    /// A plane on which nothing is.
    pub fn new(settings: ControlPlane) -> Plane {
        Plane { settings, waiting: VecDeque::new(), free_at: Time::ZERO, in_flight: BTreeMap::new(), serial: 0 }
    }

    /// Sends a message, when its turn comes. Answers are part of their exchange.
    pub fn send(&mut self, now: Time, message: InFlight) {
        match (self.settings.exchanges == Exchanges::Sequential, is_answer(&message)) {
            (false, _) => self.put(now + self.settings.message, message),
            (true, true) => self.put(now, message),
            // What still waits to be sent need not be sent twice.
            (true, false) if self.waiting.contains(&message) => {}
            (true, false) => {
                if self.waiting.is_empty() {
                    self.free_at = self.free_at.max(now);
                }
                self.waiting.push_back(message);
                self.begin_while(|free_at| free_at <= now);
            }
        }
    }

    /// When [`Plane::expire`] is to be called.
    pub fn deadline(&self) -> Option<Time> {
        let arrives = self.in_flight.first_key_value().map(|(&(at, _), _)| at);
        let begins = (!self.waiting.is_empty()).then_some(self.free_at);
        arrives.into_iter().chain(begins).min()
    }

    /// A message that has arrived, if one has: call it until there is none.
    pub fn expire(&mut self, now: Time) -> Option<InFlight> {
        self.begin_while(|free_at| free_at <= now);
        let first = self.in_flight.first_entry().filter(|first| first.key().0 <= now)?;
        Some(first.remove())
    }

    /// The controller has died: commands that it had not begun to send are never sent.
    pub fn end_controller(&mut self, now: Time) {
        self.begin_while(|free_at| free_at < now);
        self.waiting.retain(|message| !matches!(message, InFlight::Command { .. }));
    }

    fn begin_while(&mut self, is_free: impl Fn(Time) -> bool) {
        while is_free(self.free_at)
            && let Some(message) = self.waiting.pop_front()
        {
            self.free_at += self.settings.message;
            self.put(self.free_at, message);
        }
    }
    fn put(&mut self, at: Time, message: InFlight) {
        let sets = match &message {
            InFlight::Command { command, .. } => matches!(command, Command::Reconfigure { .. }),
            InFlight::Signal { signal, .. } => matches!(signal, Signal::Reconfigure { .. }),
            InFlight::Answer { .. } | InFlight::Link { .. } => false,
        };
        let at = at + if sets { self.settings.program } else { Span::ZERO };
        self.in_flight.insert((at, self.serial), message);
        self.serial += 1;
    }
}

fn is_answer(message: &InFlight) -> bool {
    match message {
        InFlight::Answer { .. } => true,
        InFlight::Signal { signal, .. } => matches!(signal, Signal::Confirm { .. }),
        InFlight::Command { .. } | InFlight::Link { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::{Answer, Epoch, Version};

    const VERSION: Version = Version(7);

    fn take(crosspoint: u32) -> InFlight {
        InFlight::Command { crosspoint, command: Command::Take { epoch: Epoch::default() } }
    }
    fn reconfigure(crosspoint: u32) -> InFlight {
        InFlight::Command { crosspoint, command: Command::Reconfigure { epoch: Epoch::default(), version: VERSION } }
    }
    fn signal(crosspoint: u32) -> InFlight {
        InFlight::Signal { crosspoint, signal: Signal::Reconfigure { from: 0, version: VERSION } }
    }
    fn confirm(crosspoint: u32) -> InFlight {
        InFlight::Signal { crosspoint, signal: Signal::Confirm { from: 0, version: VERSION } }
    }
    fn answer() -> InFlight {
        InFlight::Answer { soc: 0, answer: Answer::Stored { crosspoint: 0, version: VERSION } }
    }
    fn us(us: u64) -> Time {
        Time::ZERO + Span::from_us(us)
    }
    /// All that is left, and when it arrives, in microseconds.
    fn rest(plane: &mut Plane) -> Vec<(u64, InFlight)> {
        let mut found = Vec::new();
        while let Some(at) = plane.deadline() {
            while let Some(message) = plane.expire(at) {
                found.push((at.as_ps() / 1_000_000, message));
            }
        }
        found
    }
    fn plane(exchanges: Exchanges) -> Plane {
        Plane::new(ControlPlane { message: Span::from_ms(1), exchanges, program: Span::from_us(40) })
    }

    #[test]
    fn one_exchange_after_another() {
        let mut bus = plane(Exchanges::Sequential);
        assert_eq!(bus.deadline(), None);
        bus.send(us(100), take(0));
        bus.send(us(100), reconfigure(1));
        bus.send(us(200), signal(2));
        // Answers, and confirmations, do not wait: they are part of an exchange.
        bus.send(us(300), answer());
        bus.send(us(300), confirm(3));
        let all = [(300, answer()), (300, confirm(3)), (1100, take(0)), (2140, reconfigure(1)), (3140, signal(2))];
        assert_eq!(rest(&mut bus), all);
        // It has been idle.
        bus.send(us(5000), take(0));
        assert_eq!(rest(&mut bus), [(6000, take(0))]);
    }

    #[test]
    fn what_waits_to_be_sent_is_not_sent_twice() {
        let mut bus = plane(Exchanges::Sequential);
        for at in 0..100 {
            (0..2).for_each(|crosspoint| bus.send(us(at), take(crosspoint)));
        }
        // What has been sent, and has not been answered, is.
        assert_eq!(rest(&mut bus), [(1000, take(0)), (2000, take(1)), (3000, take(0))]);
    }

    #[test]
    fn all_at_once() {
        let mut ethernet = plane(Exchanges::Parallel);
        for message in [take(0), reconfigure(1), signal(2), answer(), confirm(3)] {
            ethernet.send(us(100), message);
        }
        let all = [(1100, take(0)), (1100, answer()), (1100, confirm(3)), (1140, reconfigure(1)), (1140, signal(2))];
        assert_eq!(rest(&mut ethernet), all);
    }

    #[test]
    fn a_dead_controller_sends_what_it_has_begun() {
        let mut bus = plane(Exchanges::Sequential);
        (0..3).for_each(|crosspoint| bus.send(us(0), take(crosspoint)));
        bus.send(us(10), signal(5));
        bus.send(us(20), take(3));
        // The second has begun at 1000 us. What crosspoints say goes on.
        bus.end_controller(us(1500));
        assert_eq!(rest(&mut bus), [(1000, take(0)), (2000, take(1)), (3040, signal(5))]);
        // What would have begun at that very instant is not sent.
        let mut bus = plane(Exchanges::Sequential);
        (0..2).for_each(|crosspoint| bus.send(us(0), take(crosspoint)));
        bus.end_controller(us(1000));
        assert_eq!(rest(&mut bus), [(1000, take(0))]);
    }
}
