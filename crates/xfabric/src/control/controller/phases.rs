//! What the controller does, one phase after another.

use super::{Controller, ControllerOutput, Known, Note, Phase};
use crate::control::generator::Generator;
use crate::control::message::{Body, Command, LinkMessage, Packet, Setting};
use crate::control::routes::Routes;
use crate::control::version::{Epoch, Version};
use crate::control::wiring::address;
use crate::demand::index;
use crate::forwarding::Update;
use crate::graph::Port;
use crate::graph::paths::Distances;
use std::collections::BTreeSet;
use units::Time;

impl<G: Generator> Controller<G> {
    pub(super) fn status(
        &mut self,
        now: Time,
        crosspoint: u32,
        (promised, granted): (Epoch, bool),
        status: Known,
        out: &mut Vec<ControllerOutput>,
    ) {
        let Some(known) = self.known.get_mut(index(crosspoint)) else { return };
        match self.phase {
            Phase::Stopped => {}
            Phase::Taking if granted && promised == self.epoch => {
                *known = Some(status);
                self.crosspoints_left.remove(&crosspoint);
                self.advance(now, out);
            }
            // Somebody has worked in this epoch or a later one, perhaps a controller on this SoC that has died.
            Phase::Taking if promised >= self.epoch => self.take(now, promised, out),
            Phase::Taking => {}
            Phase::Finishing(_)
            | Phase::Resting
            | Phase::Gathering
            | Phase::Distributing
            | Phase::Commanding
            | Phase::Delivering => {
                if promised > self.epoch {
                    self.phase = Phase::Stopped;
                    self.deadline = None;
                    out.push(ControllerOutput::Note(Note::Superseded(promised)));
                } else if promised == self.epoch {
                    *known = Some(status);
                }
            }
        }
    }

    /// A crosspoint has loaded this version.
    pub(super) fn is_loaded(&mut self, crosspoint: u32, version: Version) {
        if self.phase == Phase::Distributing
            && version == self.version
            && self.crosspoints_left.remove(&crosspoint)
            && let Some(known) = &mut self.known[index(crosspoint)]
        {
            known.pending = Some(Setting { version, map: self.maps[index(crosspoint)].clone() });
        }
    }

    /// A crosspoint has set this version.
    pub(super) fn is_set(&mut self, crosspoint: u32, version: Version) {
        let Some(Some(known)) = self.known.get_mut(index(crosspoint)) else { return };
        let expected = match self.phase {
            Phase::Finishing(unfinished) => unfinished,
            Phase::Commanding => self.version,
            Phase::Taking
            | Phase::Resting
            | Phase::Gathering
            | Phase::Distributing
            | Phase::Delivering
            | Phase::Stopped => return,
        };
        if version == expected
            && self.crosspoints_left.remove(&crosspoint)
            && let Some(set) = known.pending.take_if(|pending| pending.version == version)
        {
            known.active = set;
        }
    }

    /// Takes the epoch after this one.
    fn take(&mut self, now: Time, after: Epoch, out: &mut Vec<ControllerOutput>) {
        self.epoch = Epoch::after(after, self.soc);
        self.version = Version::new(self.epoch, 0);
        self.known.fill(None);
        let all = (0..self.wiring.crosspoints()).collect();
        self.enter(now, Phase::Taking, all, BTreeSet::new(), out);
    }

    fn enter(
        &mut self,
        now: Time,
        phase: Phase,
        crosspoints: BTreeSet<u32>,
        socs: BTreeSet<u32>,
        out: &mut Vec<ControllerOutput>,
    ) {
        self.phase = phase;
        self.crosspoints_left = crosspoints;
        self.socs_left = socs;
        self.tries = 0;
        self.send(now, out);
    }

    /// Sends those that are left their message, again perhaps.
    pub(super) fn send(&mut self, now: Time, out: &mut Vec<ControllerOutput>) {
        let epoch = self.epoch;
        for &crosspoint in &self.crosspoints_left {
            let command = match self.phase {
                Phase::Finishing(version) => Command::Reconfigure { epoch, version },
                Phase::Distributing => self.map_for(crosspoint),
                Phase::Commanding => Command::Reconfigure { epoch, version: self.version },
                Phase::Taking | Phase::Resting | Phase::Gathering | Phase::Delivering | Phase::Stopped => {
                    Command::Take { epoch }
                }
            };
            out.push(ControllerOutput::Command { crosspoint, command });
        }
        if !self.socs_left.is_empty() {
            let routes = Routes::of(&self.links(), self.soc, self.tries);
            for &soc in &self.socs_left {
                let body = if self.phase == Phase::Gathering {
                    Body::Query { soc, epoch, round: self.round }
                } else {
                    Body::Map { soc, base: self.in_force(), update: self.updates[index(soc)].clone() }
                };
                if let Some(route) = routes.to(soc) {
                    let packet = Packet { route, back: Vec::new(), body };
                    out.push(ControllerOutput::Inject(LinkMessage::Routed(packet)));
                }
            }
        }
        self.tries += 1;
        self.deadline = Some(now + self.settings.retry);
    }

    fn map_for(&self, crosspoint: u32) -> Command {
        let active = self.known[index(crosspoint)].as_ref().map(|known| &known.active);
        let base = active.map_or(Version::NONE, |active| active.version);
        let entries = (0..).zip(&self.maps[index(crosspoint)]);
        let changed = |(port, peer): (u16, &Option<u16>)| {
            let now = active.and_then(|active| *active.map.get(usize::from(port))?);
            (now != *peer).then_some((port, *peer))
        };
        Command::Map { epoch: self.epoch, version: self.version, base, changes: entries.filter_map(changed).collect() }
    }

    /// On to the next phase if everybody has answered.
    pub(super) fn advance(&mut self, now: Time, out: &mut Vec<ControllerOutput>) {
        if !self.crosspoints_left.is_empty() || !self.socs_left.is_empty() {
            return;
        }
        match self.phase {
            Phase::Taking => self.finish(now, out),
            Phase::Finishing(version) => self.finished(now, version, out),
            Phase::Gathering => self.plan(now, out),
            Phase::Distributing => {
                let all = self.crosspoints().map(|(crosspoint, _)| crosspoint).collect();
                self.enter(now, Phase::Commanding, all, BTreeSet::new(), out);
                self.advance(now, out);
            }
            Phase::Commanding => self.commanded(now, out),
            Phase::Delivering => self.rest(now),
            Phase::Resting | Phase::Stopped => {}
        }
    }

    /// What is to be done if some do not answer.
    pub(super) fn give_up(&mut self, now: Time, out: &mut Vec<ControllerOutput>) {
        if self.phase == Phase::Taking && self.known.iter().all(Option::is_none) {
            // Without a control plane there is nothing else to do.
            self.tries = 0;
            return self.send(now, out);
        }
        for crosspoint in std::mem::take(&mut self.crosspoints_left) {
            self.known[index(crosspoint)] = None;
            out.push(ControllerOutput::Note(Note::CrosspointFailed(crosspoint)));
        }
        for soc in std::mem::take(&mut self.socs_left) {
            self.failed_socs.insert(soc);
            out.push(ControllerOutput::Note(Note::SocFailed(soc)));
        }
        match self.phase {
            // A topology without them, at once: tables that lead to them or through them are of no use.
            Phase::Distributing | Phase::Delivering => self.plan(now, out),
            Phase::Commanding => {
                self.commanded(now, out);
                self.plan(now, out);
            }
            Phase::Taking | Phase::Finishing(_) | Phase::Gathering | Phase::Resting | Phase::Stopped => {
                self.advance(now, out);
            }
        }
    }

    /// A predecessor may have died when some crosspoints had set a configuration and others had not: these are told to.
    fn finish(&mut self, now: Time, out: &mut Vec<ControllerOutput>) {
        self.version = Version::new(self.epoch, 0);
        let latest = self.in_force();
        let behind = self.crosspoints().filter(|(_, known)| {
            let pending = known.pending.as_ref();
            known.active.version < latest && pending.is_some_and(|pending| pending.version == latest)
        });
        let behind: BTreeSet<u32> = behind.map(|(crosspoint, _)| crosspoint).collect();
        out.push(ControllerOutput::Note(Note::TookOver(self.epoch)));
        if behind.is_empty() {
            self.finished(now, latest, out);
        } else {
            self.enter(now, Phase::Finishing(latest), behind, BTreeSet::new(), out);
        }
    }

    /// The flood of what is in force may have been what the predecessor did not come to.
    fn finished(&mut self, now: Time, version: Version, out: &mut Vec<ControllerOutput>) {
        if version > Version::NONE {
            out.push(ControllerOutput::Inject(LinkMessage::Reconfigure { version }));
        }
        self.gather(now, out);
    }

    fn rest(&mut self, now: Time) {
        self.phase = Phase::Resting;
        self.deadline = Some(now.max(self.round_began + self.settings.period));
    }

    /// Begins a round: asks all SoCs that circuits lead to what they have sent (§4.1).
    pub(super) fn gather(&mut self, now: Time, out: &mut Vec<ControllerOutput>) {
        self.round += 1;
        self.round_began = now;
        self.reports.clear();
        let epoch = self.epoch;
        for (crosspoint, _) in (0..).zip(&self.known).filter(|(_, known)| known.is_none()) {
            out.push(ControllerOutput::Command { crosspoint, command: Command::Take { epoch } });
        }
        let socs = self.reachable();
        self.enter(now, Phase::Gathering, BTreeSet::new(), socs, out);
    }

    /// SoCs that circuits lead to.
    fn reachable(&self) -> BTreeSet<u32> {
        let routes = Routes::of(&self.links(), self.soc, 0);
        (0..self.wiring.fabric().socs())
            .filter(|&soc| !self.failed_socs.contains(&soc) && routes.to(soc).is_some())
            .collect()
    }

    /// A topology for what has been reported; distributes it if it changes anything.
    fn plan(&mut self, now: Time, out: &mut Vec<ControllerOutput>) {
        self.judge_links(out);
        let choice = self.generator.generate(&self.usable(), &self.alive());
        self.maps = self.wiring.maps(&choice.circuits, choice.uplinks.as_ref());
        let in_force = self.in_force();
        let socs = 0..self.wiring.fabric().socs();
        let gateways: Vec<Option<u32>> =
            socs.map(|soc| choice.uplinks.as_ref().map(|uplinks| uplinks.gateway(soc))).collect();
        let is_set = |(crosspoint, known): (u32, &Known)| {
            known.active.version == in_force && known.active.map == self.maps[index(crosspoint)]
        };
        let is_used = self.reports.values().all(|&(version, _)| version == in_force);
        let same_gateways = choice.uplinks.is_none() || gateways == self.gateways;
        if self.crosspoints().all(is_set) && is_used && same_gateways {
            out.push(ControllerOutput::Note(Note::Unchanged(in_force)));
            return self.rest(now);
        }
        let Some(version) = self.version.next() else {
            return self.take(now, self.epoch, out);
        };
        self.version = version;
        self.gateways = gateways;
        let graph = self.links_to_be();
        let distances = Distances::of(&graph);
        self.updates = Update::of_rack(&graph, &distances, choice.uplinks.as_ref(), version.0, address);
        let reachable = self.reachable();
        let all = 0..self.wiring.fabric().socs();
        self.unreached = all.filter(|soc| !reachable.contains(soc) && !self.failed_socs.contains(soc)).collect();
        let crosspoints = self.crosspoints().map(|(crosspoint, _)| crosspoint).collect();
        self.enter(now, Phase::Distributing, crosspoints, reachable, out);
    }

    /// Links over which neighbours that both answer, and use the tables in force, do not hear each other.
    fn judge_links(&mut self, out: &mut Vec<ControllerOutput>) {
        let (links, in_force) = (self.links(), self.in_force());
        for (&soc, &(version, silent)) in &self.reports {
            for number in (0..self.wiring.fabric().ports()).filter(|&port| silent >> port & 1 == 1) {
                let port = Port { soc, number };
                let Some(peer) = links.peer(port) else { continue };
                let other = self.reports.get(&peer.soc).map(|&(version, _)| version);
                if version == in_force && other == Some(in_force) && self.failed_ports.insert(port) {
                    self.failed_ports.insert(peer);
                    out.push(ControllerOutput::Note(Note::LinkFailed(port)));
                }
            }
        }
        // Judged once.
        self.reports.values_mut().for_each(|(_, silent)| *silent = 0);
    }

    /// All crosspoints have been commanded: begins the flood.
    fn commanded(&mut self, now: Time, out: &mut Vec<ControllerOutput>) {
        let version = self.version;
        for (_, report) in self.reports.iter_mut() {
            report.0 = version;
        }
        out.push(ControllerOutput::Inject(LinkMessage::Reconfigure { version }));
        out.push(ControllerOutput::Note(Note::Reconfigured(version)));
        let reachable = self.reachable();
        let late: BTreeSet<u32> = self.unreached.intersection(&reachable).copied().collect();
        self.unreached.clear();
        if late.is_empty() {
            self.rest(now);
        } else {
            self.enter(now, Phase::Delivering, BTreeSet::new(), late, out);
        }
    }
}
