//! What breaks, and what the controller does about it (§6.4: "a link or SoC failure can be overcome by calculating a new topology").
//!
//! A circuit is of no use if anything on it is broken: a port, the cable to its crosspoint in one direction, the crosspoint, or a SoC.
//! What is on it then is lost, and what is sent over it, until `detection` later the controller generates a topology without.
//! A rack that is static, or not yet reconfigured, keeps its circuits and forwards around what is broken.

use super::XFabric;
use super::cabling::Health;
use super::controller::Forwarding;
use super::flight::{End, NONE};
use super::protocol::Protocol;
use crate::graph::Port;
use engine::{Event, EventQueue, Rank};
use fabric::{Counters, Fault, Frame, Observer, What, kind};
use std::collections::VecDeque;
use units::Time;

/// What has happened to a rack.
#[derive(Debug)]
pub(super) struct Faults {
    /// As the controller has it.
    pub known: Health,
    /// What it will hear, and when.
    news: VecDeque<(Time, Fault)>,
    /// By link.
    bit_errors: Box<[f64]>,
    /// Some of them are above 0.
    pub noisy: bool,
    /// Hosts that are down and asked to be called.
    called: Vec<u32>,
}

impl<O: Observer> XFabric<O> {
    /// Something breaks or is repaired.
    pub(super) fn strike(&mut self, now: Time, fault: Fault, queue: &mut EventQueue) {
        let rig = &self.rig;
        let faults = self.faults.get_or_insert_with(|| {
            Box::new(Faults {
                known: Health::sound(rig),
                news: VecDeque::new(),
                bit_errors: vec![0.0; rig.receives.len()].into(),
                noisy: false,
                called: Vec::new(),
            })
        });
        if let Fault::BitErrors { link, rate } = fault {
            faults.bit_errors[link as usize] = rate;
            faults.noisy = faults.bit_errors.iter().any(|rate| *rate > 0.0);
            return;
        }
        if faults.news.back().is_none_or(|(due, _)| *due < now + self.config.detection) {
            let at = now + self.config.detection;
            queue.push(Event { at, rank: Rank::new(kind::DEADLINE, 0), slot: 0 });
        }
        faults.news.push_back((now + self.config.detection, fault));
        if let Fault::Node { node, up: true } = fault {
            for _ in faults.called.extract_if(.., |host| *host == node) {
                queue.push(Event { at: now, rank: Rank::new(kind::READY, node), slot: 0 });
            }
        }
        let changes = self.cabling.strike(rig, fault);
        self.divert(now, &changes);
        if let Fault::Node { node, up: false } = fault {
            self.empty(now, node);
        }
        if let Fault::Node { node: soc, up } = fault
            && self.is_soc(soc)
        {
            if up {
                self.restart_soc(now, soc, queue);
            } else {
                let runs_on = |protocol: &Protocol| protocol.controller.as_ref().is_some_and(|it| it.soc() == soc);
                if self.protocol.as_ref().is_some_and(|protocol| runs_on(protocol)) {
                    self.end_controller(now, queue);
                }
            }
        }
    }

    /// The queues of a SoC, or of an uplink's end, are gone.
    fn empty(&mut self, now: Time, node: u32) {
        let own = match node.checked_sub(self.rig.fabric.socs()) {
            None => self.rig.number(Port { soc: node, number: 0 })..self.rig.number(Port { soc: node + 1, number: 0 }),
            Some(uplink) if uplink < self.rig.uplinks => self.rig.uplink_end(uplink)..self.rig.uplink_end(uplink + 1),
            Some(_) => return,
        };
        for out in &mut self.ports[own.start as usize..own.end as usize] {
            let wait = out.free_at.since(now);
            Counters::abandon(&mut out.counters, self.rig.rate, wait);
            // Those that were on their way still end when they were to; others begin without them.
            (out.free_at, out.last) = (now, NONE);
        }
        self.hosts[node as usize] = now;
    }

    /// News has reached the controller.
    pub(super) fn notice(&mut self, now: Time, queue: &mut EventQueue) {
        let Some(faults) = &mut self.faults else { return };
        while let Some((_, fault)) = faults.news.front().filter(|(due, _)| *due <= now) {
            faults.known.apply(*fault);
            faults.news.pop_front();
        }
        if self.protocol.is_some() {
            return self.readmit();
        }
        match &mut self.ideal {
            Some(ideal) if ideal.pending.is_some() => ideal.again = true,
            Some(_) | None => self.answer(now, queue),
        }
    }

    /// The controller acts upon what it knows: a new topology, or new tables over the circuits that work.
    pub(super) fn answer(&mut self, now: Time, queue: &mut EventQueue) {
        self.measures.rerouted += 1;
        if self.config.period().is_some() && now >= self.config.reconfigure_from {
            self.reconfigure(now, queue);
        }
        if self.ideal.as_ref().is_none_or(|ideal| ideal.pending.is_none()) {
            let known = self.faults.as_ref().map_or(&self.cabling.health, |faults| &faults.known);
            self.forwarding = Forwarding::over(&self.cabling.graph(&self.rig, known));
        }
    }

    /// Whether a wrong bit hits this frame, on the way from this port to that end.
    #[cold]
    pub(super) fn is_hit(&mut self, port: u32, end: End, len: u32) -> bool {
        let Some((faults, end)) = self.faults.as_ref().zip(end.arrival().ok()) else { return false };
        let rates = [port, self.rig.back[end as usize]].map(|link| faults.bit_errors[link as usize]);
        let bytes = u64::from(len + self.framing);
        let passes: f64 = rates.iter().map(|rate| 1.0 - Fault::frame_error(*rate, bytes)).product();
        passes < 1.0 && self.errors.unit() >= passes
    }

    #[inline]
    pub(super) fn is_down(&self, host: u32) -> bool {
        self.faults.is_some() && !self.cabling.health.soc(host)
    }

    /// A host that is down hands over a frame.
    #[cold]
    pub(super) fn refuse(&mut self, now: Time, place: u32) {
        let Frame { src, len, .. } = *self.flight.frame(place);
        self.measures.losses.broken += 1;
        self.see(now, place, self.rig.number(Port { soc: src, number: 0 }), What::Lost);
        self.totals.lose(len);
        self.flight.free(place);
    }

    /// Call this host, which is down, when it is up.
    pub(super) fn call_when_up(&mut self, host: u32) {
        if let Some(faults) = self.faults.as_mut().filter(|faults| !faults.called.contains(&host)) {
            faults.called.push(host);
        }
    }
}
