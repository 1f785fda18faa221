//! The process on a SoC that looks after its packet switch: it counts demand, stores new tables, checks who its neighbours are, and
//! changes tables when told to or when its circuits have changed (§4.1, §4.4).

use super::message::{Body, LinkMessage, Packet, Report};
use super::version::{Epoch, Version};
use crate::demand::{DemandVector, index};
use crate::forwarding::{Mac, Table, Update};
use units::{Span, Time};

/// How a SoC watches its links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SocSettings {
    /// A hello goes out on every port once in this time.
    pub hello: Span,
    /// After so many times without a sign of life a link counts as broken; 0: never.
    pub misses: u32,
}

/// What a [`SocAgent`] wants done.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SocOutput {
    /// Send this to whoever is at the other end of the port; lost if nobody is.
    Transmit {
        /// From 0.
        port: u32,
        /// What to send.
        message: LinkMessage,
    },
    /// For the controller that runs on this SoC; lost if none does.
    Controller(Body),
    /// The packet switch forwards by the tables of this version from now on: [`SocAgent::table`].
    Installed(Version),
}

/// The longest way, in hops, that a message of the controller can be sent.
pub(super) const MOST_HOPS: usize = 255;

/// A SoC's agent. All its state is soft: one that has lost it is given new tables by the controller.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SocAgent {
    soc: u32,
    addresses: Box<[Mac]>,
    settings: SocSettings,
    active: Option<Update>,
    pending: Option<Update>,
    /// By port: hellos sent since the neighbour was last heard.
    quiet: Box<[u32]>,
    counted: DemandVector,
    /// The last report's question and counters, should the question be repeated because the report was lost.
    reported: Option<(Epoch, u32, DemandVector)>,
    hello_at: Time,
}

impl SocAgent {
    /// A SoC that has just started: without tables, its counters at 0. `addresses` are those of its ports.
    pub fn new(soc: u32, socs: u32, addresses: Vec<Mac>, settings: SocSettings, now: Time) -> SocAgent {
        SocAgent {
            soc,
            quiet: vec![0; addresses.len()].into(),
            addresses: addresses.into(),
            settings,
            active: None,
            pending: None,
            counted: DemandVector { internal: vec![0; index(socs)], sent: 0, received: 0 },
            reported: None,
            hello_at: now,
        }
    }
    /// With tables in use, as in a rack that has been running.
    #[must_use]
    pub fn configured(self, update: Update) -> SocAgent {
        SocAgent { active: Some(update), ..self }
    }

    /// Which SoC this is.
    pub fn soc(&self) -> u32 {
        self.soc
    }
    /// The table in use; `None` if it has none yet.
    pub fn table(&self) -> Option<&Table> {
        self.active.as_ref().map(|update| &update.table)
    }
    /// What is in use: table, neighbours, gateway and version.
    pub fn active(&self) -> Option<&Update> {
        self.active.as_ref()
    }
    /// What is stored to be used next.
    pub fn pending(&self) -> Option<&Update> {
        self.pending.as_ref()
    }
    /// The version in use; [`Version::NONE`] without tables.
    pub fn version(&self) -> Version {
        version_of(&self.active)
    }
    /// Who is at the other end of a port, according to the tables in use.
    pub fn neighbour(&self, port: u32) -> Option<Mac> {
        self.active.as_ref().and_then(|update| *update.neighbours.get(index(port))?)
    }
    /// Has the neighbour on this port been heard lately?
    pub fn is_up(&self, port: u32) -> bool {
        self.settings.misses == 0 || self.quiet[index(port)] <= self.settings.misses
    }

    /// Counts bytes that a host sent to another SoC of the rack (§4.1).
    pub fn count_sent(&mut self, to: u32, bytes: u64) {
        let counter = &mut self.counted.internal[index(to)];
        *counter = counter.saturating_add(bytes);
    }
    /// Counts bytes that a host exchanged with the world outside the rack: `T_i` and `T_e` (§4.1).
    pub fn count_external(&mut self, sent: u64, received: u64) {
        self.counted.sent = self.counted.sent.saturating_add(sent);
        self.counted.received = self.counted.received.saturating_add(received);
    }

    /// A frame of hosts has come in on this port from this address. It is a sign of life; and if it comes from another SoC than
    /// the tables name, and from the one that the stored tables name, the circuits have changed (§4.4).
    pub fn hear(&mut self, port: u32, from: Mac, out: &mut Vec<SocOutput>) {
        if self.neighbour(port) == Some(from) {
            self.quiet[index(port)] = 0;
        } else if self.is_next_neighbour(port, from) {
            self.switch(out);
        }
    }

    /// A message has come in on this port.
    pub fn receive(&mut self, port: u32, message: LinkMessage, out: &mut Vec<SocOutput>) {
        match message {
            LinkMessage::Hello { from, version, stored } => self.greeted(port, from, (version, stored), out),
            LinkMessage::Reconfigure { version } => {
                self.reconfigure(version, out);
            }
            LinkMessage::Routed(mut packet) if packet.back.len() < MOST_HOPS => {
                packet.back.push(port as u8);
                self.forward(packet, out);
            }
            LinkMessage::Routed(_) => {}
        }
    }

    /// A message of the controller on this SoC: for another SoC, for this one, or the flood, which it begins on each of its ports
    /// (§4.4) even if this SoC has noticed the change by itself.
    pub fn inject(&mut self, message: LinkMessage, out: &mut Vec<SocOutput>) {
        match message {
            LinkMessage::Routed(packet) => self.forward(packet, out),
            LinkMessage::Reconfigure { version } => {
                if !self.reconfigure(version, out) {
                    self.flood(version, out);
                }
            }
            LinkMessage::Hello { .. } => {}
        }
    }

    /// When [`SocAgent::expire`] is to be called.
    pub fn deadline(&self) -> Option<Time> {
        Some(self.hello_at)
    }

    /// Says hello on all ports, if it is time to.
    pub fn expire(&mut self, now: Time, out: &mut Vec<SocOutput>) {
        if now < self.hello_at {
            return;
        }
        self.hello_at = now + self.settings.hello;
        let (version, stored) = (self.version(), version_of(&self.pending));
        let most = if self.settings.misses == 0 { 0 } else { self.settings.misses.saturating_add(1) };
        for ((port, &from), quiet) in (0..).zip(&self.addresses).zip(&mut self.quiet) {
            // Counted as far as it matters.
            *quiet = quiet.saturating_add(1).min(most);
            out.push(SocOutput::Transmit { port, message: LinkMessage::Hello { from, version, stored } });
        }
    }

    fn greeted(&mut self, port: u32, from: Mac, (version, stored): (Version, Version), out: &mut Vec<SocOutput>) {
        let mine = self.version();
        if self.neighbour(port) == Some(from) {
            self.quiet[index(port)] = 0;
        }
        let next = version_of(&self.pending);
        // Floods can be lost, so a neighbour's newer version counts as one, and an older one is answered.
        let told = version > mine && version == next;
        // A hello may have been in flight since before the last reconfiguration, when the sender was at the other end as it will be
        // again after the next. Since then it cannot have had the tables that are stored here: these come when all circuits of
        // the last reconfiguration are set.
        let fresh = version.max(stored) >= next;
        if told || (fresh && self.is_next_neighbour(port, from)) {
            self.switch(out);
        } else if version < mine {
            out.push(SocOutput::Transmit { port, message: LinkMessage::Reconfigure { version: mine } });
        }
    }

    fn is_next_neighbour(&self, port: u32, from: Mac) -> bool {
        let next = self.pending.as_ref().and_then(|update| *update.neighbours.get(index(port))?);
        next == Some(from) && self.neighbour(port) != next
    }

    /// Uses the stored tables if they are of this version. Did it?
    fn reconfigure(&mut self, version: Version, out: &mut Vec<SocOutput>) -> bool {
        let stored = version > self.version() && version_of(&self.pending) == version;
        if stored {
            self.switch(out);
        }
        stored
    }

    /// Uses the stored tables and tells all neighbours.
    fn switch(&mut self, out: &mut Vec<SocOutput>) {
        if let Some(update) = self.pending.take() {
            self.install(update, out);
        }
    }

    fn install(&mut self, update: Update, out: &mut Vec<SocOutput>) {
        let version = Version(update.version);
        self.active = Some(update);
        self.quiet.fill(0);
        out.push(SocOutput::Installed(version));
        self.flood(version, out);
    }

    fn flood(&self, version: Version, out: &mut Vec<SocOutput>) {
        let message = LinkMessage::Reconfigure { version };
        out.extend((0..self.addresses.len() as u32).map(|port| SocOutput::Transmit { port, message: message.clone() }));
    }

    /// On to the next hop, or to whom it is for.
    fn forward(&mut self, mut packet: Packet, out: &mut Vec<SocOutput>) {
        match packet.route.pop() {
            Some(port) if usize::from(port) < self.addresses.len() => {
                out.push(SocOutput::Transmit { port: u32::from(port), message: LinkMessage::Routed(packet) });
            }
            Some(_) => {}
            None => match packet.body {
                Body::Query { soc, epoch, round } if soc == self.soc => {
                    let body = Body::Report(self.report(epoch, round));
                    self.forward(Packet { route: packet.back, back: Vec::new(), body }, out);
                }
                Body::Map { soc, base, update } if soc == self.soc => {
                    if let Some(body) = self.store(base, update, out) {
                        self.forward(Packet { route: packet.back, back: Vec::new(), body }, out);
                    }
                }
                // Circuits changed while it was in flight, and it ended at the wrong SoC.
                Body::Query { .. } | Body::Map { .. } => {}
                body @ (Body::Report(_) | Body::Stored { .. }) => out.push(SocOutput::Controller(body)),
            },
        }
    }

    fn report(&mut self, epoch: Epoch, round: u32) -> Report {
        let repeated = self.reported.take().filter(|&(of, number, _)| (of, number) == (epoch, round));
        let demand = repeated.map_or_else(|| self.take_counters(), |(_, _, demand)| demand);
        self.reported = Some((epoch, round, demand.clone()));
        let ports = 0..self.addresses.len() as u32;
        let silent = |&port: &u32| self.neighbour(port).is_some() && !self.is_up(port);
        let silent = ports.filter(silent).fold(0, |set, port| set | 1 << port);
        Report { soc: self.soc, epoch, round, active: self.version(), silent, demand }
    }

    fn take_counters(&mut self) -> DemandVector {
        let none = DemandVector { internal: vec![0; self.counted.internal.len()], sent: 0, received: 0 };
        std::mem::replace(&mut self.counted, none)
    }

    /// Stores an update. The answer, if one is due.
    fn store(&mut self, base: Version, update: Update, out: &mut Vec<SocOutput>) -> Option<Body> {
        let (socs, ports) = (self.counted.internal.len(), self.addresses.len());
        if index(update.table.socs()) != socs || update.neighbours.len() != ports {
            return None;
        }
        let version = Version(update.version);
        // All crosspoints have set `base`: a flood that should have said so was lost.
        self.reconfigure(base, out);
        if version > self.version() {
            if version == base {
                self.install(update, out);
                self.pending.take_if(|pending| Version(pending.version) < version);
            } else if version > version_of(&self.pending) {
                self.pending = Some(update);
            }
        }
        let stored = [self.version(), version_of(&self.pending)].contains(&version);
        stored.then_some(Body::Stored { soc: self.soc, version })
    }
}

fn version_of(update: &Option<Update>) -> Version {
    update.as_ref().map_or(Version::NONE, |update| Version(update.version))
}
