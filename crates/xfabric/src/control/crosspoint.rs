//! The micro-controller of a crosspoint: it holds a configuration, loads the next, and sets it when told to, by the controller or by
//! another crosspoint (§4.4).

use super::message::{Answer, Command, PortMap, Setting, Signal};
use super::version::{Epoch, Version};
use std::collections::BTreeSet;
use units::{Span, Time};

/// How a crosspoint tells the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CrosspointSettings {
    /// Repeated after this time to those that have not confirmed.
    pub retry: Span,
    /// So many times at most; then it is left to the next controller.
    pub tries: u32,
}

/// What a [`CrosspointAgent`] wants done.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum CrosspointOutput {
    /// Send this to the controller on a SoC.
    Answer {
        /// The SoC.
        to: u32,
        /// What to send.
        answer: Answer,
    },
    /// Send this to another crosspoint.
    Signal {
        /// Its number.
        to: u32,
        /// What to send.
        signal: Signal,
    },
    /// Set the circuits of [`CrosspointAgent::active`].
    Set(Version),
}

/// A crosspoint's agent.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CrosspointAgent {
    number: u32,
    /// All others.
    others: Box<[u32]>,
    settings: CrosspointSettings,
    promised: Epoch,
    active: Setting,
    pending: Option<Setting>,
    /// Those that have not confirmed what is set here.
    unconfirmed: BTreeSet<u32>,
    tries: u32,
    retry_at: Option<Time>,
}

impl CrosspointAgent {
    /// One of `crosspoints`, with so many ports, none of them joined.
    pub fn new(number: u32, crosspoints: u32, ports: u16, settings: CrosspointSettings) -> CrosspointAgent {
        CrosspointAgent {
            number,
            others: (0..crosspoints).filter(|&other| other != number).collect(),
            settings,
            promised: Epoch::default(),
            active: Setting { version: Version::NONE, map: vec![None; usize::from(ports)] },
            pending: None,
            unconfirmed: BTreeSet::new(),
            tries: 0,
            retry_at: None,
        }
    }
    /// With circuits set, as in a rack that has been running.
    ///
    /// # Panics
    /// If the circuits are not of this crosspoint.
    #[must_use]
    pub fn configured(self, active: Setting) -> CrosspointAgent {
        assert!(active.map.len() == self.active.map.len() && is_map(&active.map), "circuits of another crosspoint");
        CrosspointAgent { active, ..self }
    }

    /// Which crosspoint this is.
    pub fn number(&self) -> u32 {
        self.number
    }
    /// What is set.
    pub fn active(&self) -> &Setting {
        &self.active
    }
    /// What is loaded.
    pub fn pending(&self) -> Option<&Setting> {
        self.pending.as_ref()
    }
    /// The epoch that it obeys.
    pub fn promised(&self) -> Epoch {
        self.promised
    }

    /// Other crosspoints that have not confirmed what is set here.
    pub fn unconfirmed(&self) -> &BTreeSet<u32> {
        &self.unconfirmed
    }

    /// A controller's command.
    pub fn command(&mut self, now: Time, command: Command, out: &mut Vec<CrosspointOutput>) {
        let (to, answer) = match command {
            Command::Take { epoch } => {
                let granted = epoch > self.promised;
                self.promised = self.promised.max(epoch);
                (epoch.soc, self.status(granted))
            }
            Command::Map { epoch, version, base, changes } => {
                let loaded = epoch == self.promised && self.load(version, base, &changes);
                let stored = Answer::Stored { crosspoint: self.number, version };
                (epoch.soc, if loaded { stored } else { self.status(false) })
            }
            Command::Reconfigure { epoch, version } => {
                let set = epoch == self.promised && self.reconfigure(now, version, out);
                let done = Answer::Reconfigured { crosspoint: self.number, version };
                (epoch.soc, if set { done } else { self.status(false) })
            }
        };
        out.push(CrosspointOutput::Answer { to, answer });
    }

    /// Another crosspoint's signal.
    pub fn signal(&mut self, now: Time, signal: Signal, out: &mut Vec<CrosspointOutput>) {
        let (from, version) = match signal {
            Signal::Reconfigure { from, version } => {
                if self.reconfigure(now, version, out) {
                    let signal = Signal::Confirm { from: self.number, version: self.active.version };
                    out.push(CrosspointOutput::Signal { to: from, signal });
                }
                (from, version)
            }
            Signal::Confirm { from, version } => (from, version),
        };
        if version >= self.active.version {
            self.unconfirmed.remove(&from);
            self.retry_at = self.retry_at.filter(|_| !self.unconfirmed.is_empty());
        }
    }

    /// When [`CrosspointAgent::expire`] is to be called.
    pub fn deadline(&self) -> Option<Time> {
        self.retry_at
    }

    /// Repeats its signal to those that have not confirmed it, if it is time to.
    pub fn expire(&mut self, now: Time, out: &mut Vec<CrosspointOutput>) {
        if self.retry_at.is_none_or(|at| now < at) {
            return;
        }
        self.tries += 1;
        if self.tries > self.settings.tries {
            self.retry_at = None;
            return;
        }
        self.retry_at = Some(now + self.settings.retry);
        self.tell(out);
    }

    fn status(&self, granted: bool) -> Answer {
        let (crosspoint, promised) = (self.number, self.promised);
        Answer::Status { crosspoint, promised, granted, active: self.active.clone(), pending: self.pending.clone() }
    }

    /// Is this version loaded, or set already?
    fn load(&mut self, version: Version, base: Version, changes: &[(u16, Option<u16>)]) -> bool {
        if self.active.version >= version {
            return self.active.version == version;
        }
        let mut map = self.active.map.clone();
        let known = changes.iter().all(|&(port, peer)| match map.get_mut(usize::from(port)) {
            Some(entry) => {
                *entry = peer;
                true
            }
            None => false,
        });
        // What was sent before that which is loaded may arrive after it.
        let latest = self.pending.as_ref().is_none_or(|pending| version >= pending.version);
        let loaded = latest && base == self.active.version && known && is_map(&map);
        if loaded {
            self.pending = Some(Setting { version, map });
        }
        loaded
    }

    /// Is this version, or a later one, set?
    fn reconfigure(&mut self, now: Time, version: Version, out: &mut Vec<CrosspointOutput>) -> bool {
        if let Some(pending) =
            self.pending.take_if(|pending| pending.version == version && version > self.active.version)
        {
            self.active = pending;
            out.push(CrosspointOutput::Set(version));
            self.unconfirmed = self.others.iter().copied().collect();
            self.tries = 0;
            self.retry_at = (!self.others.is_empty()).then(|| now + self.settings.retry);
            self.tell(out);
        }
        self.active.version >= version
    }

    fn tell(&self, out: &mut Vec<CrosspointOutput>) {
        let signal = Signal::Reconfigure { from: self.number, version: self.active.version };
        out.extend(self.unconfirmed.iter().map(|&to| CrosspointOutput::Signal { to, signal }));
    }
}

/// Does each port that is joined lead to another that leads back?
fn is_map(map: &PortMap) -> bool {
    (0..).zip(map).all(|(port, peer)| match *peer {
        Some(peer) => peer != port && map.get(usize::from(peer)) == Some(&Some(port)),
        None => true,
    })
}
