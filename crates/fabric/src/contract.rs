//! What a fabric is before it runs: a configuration that a person writes, and, once it is checked on a topology, everything that the rest
//! asks of it. A crate that implements [`Configuration`] and [`Fabric`] for its types, and [`Network`] for what runs, is a fabric.

use crate::{Footprint, Needs, Network, Observer, Offers, Red};
use engine::{Control, Seed};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use settings::{KeyPath, Length, Section};
use std::error::Error;
use std::fmt::Debug;
use std::sync::Arc;
use topology::{Joined, Routes, Topology};
use units::{Bytes, Span};

/// The documented configuration of a fabric: the keys of `[fabric]`, their defaults, and their reference.
pub trait Configuration: Debug + Clone + Default + PartialEq + Serialize + DeserializeOwned + JsonSchema {
    /// What they make on a topology.
    type Fabric: Fabric;

    /// Whether it runs where hosts pass on what others send ([`Topology::hosts_forward`]), and nowhere else.
    const HOSTS_FORWARD: bool = false;

    /// The fabric on this site. What is wrong is reported to `section`, whose keys are its own; then what is returned is
    /// not used.
    fn check(&self, site: &Site<'_>, section: &mut Section<'_, '_>) -> Option<Self::Fabric>;
}

/// Reads a file that lies where the experiment does: its whole name, for messages, and its text; or says why it can't be read.
pub type ReadText<'a> = &'a dyn Fn(&str) -> Result<(String, String), String>;

/// Where a fabric is to be built.
#[derive(Clone, Copy)]
pub struct Site<'a> {
    /// Hosts, switches and links.
    pub topology: &'a Arc<Topology>,
    /// All shortest paths over switches, if the topology is in one part and its hosts pass nothing on.
    pub routes: Option<&'a Arc<Routes>>,
    /// What `[topology]` says of single ports, in the order in which it applies.
    pub ports: &'a [PortChange],
    /// How many of the topology's hosts are the far ends of a rack's uplinks: the last ones.
    pub uplinks: u32,
    /// The two halves, if it is a rack that is joined to an outside.
    pub parts: Option<&'a Parts<'a>>,
    /// Reads a file that the configuration names.
    pub text: ReadText<'a>,
}

/// A rack, what is outside, and how they are joined.
pub struct Parts<'a> {
    /// How.
    pub joined: &'a Arc<Joined>,
    /// The rack by itself.
    pub rack: Site<'a>,
    /// The outside by itself.
    pub outside: Site<'a>,
}

/// Ports that are different from what `[fabric]` says of all, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct PortChange {
    /// The table that says so, for messages.
    pub path: KeyPath,
    /// Its links.
    pub links: Vec<u32>,
    /// What the ports hold.
    pub queue: Option<Length>,
    /// From where they mark.
    pub ecn_threshold: Option<Option<Length>>,
    /// How likely they mark, in place of a threshold.
    pub red: Option<Red>,
    /// How often the links lose a frame.
    pub loss: Option<f64>,
}

impl Site<'_> {
    /// Refuses queues, marks and losses of single links, which belong to Ethernet's ports.
    pub fn refuse_port_changes(&self, fabric: &'static str, section: &mut Section<'_, '_>) {
        for PortChange { path, queue, ecn_threshold, red, loss, .. } in self.ports {
            let written = [
                ("queue", queue.is_some()),
                ("ecn_threshold", ecn_threshold.is_some()),
                ("red", red.is_some()),
                ("loss", loss.is_some()),
            ];
            for (key, _) in written.into_iter().filter(|(_, is_written)| *is_written) {
                section.refuse_elsewhere(&path.child(key), OfPorts { key, fabric });
            }
        }
    }
    /// Refuses an outside, for fabrics that gateways do not join to one.
    pub fn refuse_outside(&self, fabric: &'static str, section: &mut Section<'_, '_>) -> Option<()> {
        if self.parts.is_none() {
            return Some(());
        }
        section.refuse_elsewhere(&KeyPath::from("topology.outside"), NoGateways { fabric });
        None
    }
}

/// A key of Ethernet's ports.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("is for the ports of Ethernet switches; {fabric} has no {key} of single links, see [fabric]")]
struct OfPorts {
    key: &'static str,
    fabric: &'static str,
}

/// An outside that nothing joins to the fabric.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "joins a rack to what is outside, and a fabric of kind {fabric} is no rack; leave it out, or write fabric.kind = \"shoal\" or \"xfabric\""
)]
struct NoGateways {
    fabric: &'static str,
}

/// A fabric that fits its topology. It owns what was built to find that out.
pub trait Fabric: Debug + Send + Sync {
    /// What it offers to transports.
    fn offers(&self) -> Offers;

    /// The largest packet, the transport's header included.
    fn mtu(&self) -> Bytes;

    /// What each packet takes on a host's link beyond itself.
    fn framing(&self) -> Bytes {
        Bytes::ZERO
    }

    /// Whether a flow uses all paths there are, and not one.
    fn spreads(&self) -> bool;

    /// What a run of this length takes of memory.
    fn footprint(&self, duration: Span) -> Footprint;

    /// Hops (a frame or cell over a link) that this much traffic takes.
    fn hops(&self, traffic: &Traffic) -> f64 {
        traffic.packets * traffic.links
    }

    /// Bytes that a message takes of its host's link: `sent` bytes in so many packets, headers included.
    fn on_link(&self, sent: f64, packets: f64) -> f64 {
        sent + packets * self.framing().get() as f64
    }

    /// All the ways in which it can lose frames though nothing is broken.
    fn losses(&self) -> Vec<Loss> {
        Vec::new()
    }

    /// What it holds at most, in bytes, if more than that is lost; and what to write so that nothing is.
    fn holds(&self) -> Option<(f64, &'static str)> {
        None
    }

    /// Whether it sends again itself what links and switches lose when they break. Then only what a host has that stops is lost.
    fn repairs(&self) -> bool {
        false
    }

    /// Whether something in it can break.
    fn can_fail(&self) -> bool {
        true
    }

    /// Whether it shares rates ideally and drops nothing, so that a transport has nothing to do.
    fn is_ideal(&self) -> bool {
        false
    }

    /// What can be run but may not be what was meant.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }

    /// Builds what runs, and hands it to `runner`: so a run is compiled for each network, and for nothing else.
    ///
    /// # Errors
    /// If what chance gives a run can't be built.
    fn run<R: Runner>(&self, run: &Run<'_>, runner: R) -> Result<R::Outcome, BuildFailure>
    where
        Self: Sized;
}

/// Why what runs could not be built, though its plan was checked.
pub type BuildFailure = Box<dyn Error + Send + Sync>;

/// What distinguishes a run of a fabric from others.
#[derive(Debug, Clone, Copy)]
pub struct Run<'a> {
    /// Where all its chance comes from.
    pub seed: Seed,
    /// What may stop it.
    pub control: &'a Control,
}

/// Takes a network of whatever type.
pub trait Runner {
    /// Who looks on.
    type Observer: Observer;
    /// What comes of it.
    type Outcome;

    /// The observer, for the network that is built. One that is made of several asks once for each: all are handles of one observer then.
    fn observer(&mut self) -> Self::Observer;

    /// Does what is to be done with the network.
    fn run<N: Network<Observer = Self::Observer>>(self, network: N) -> Self::Outcome;
}

/// Traffic, for estimates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Traffic {
    /// Payload in bytes.
    pub bytes: f64,
    /// Packets, acknowledgements too.
    pub packets: f64,
    /// Links of a packet's path, on average.
    pub links: f64,
    /// Messages, as far as they are known to end.
    pub messages: f64,
}

/// A way in which a fabric can lose frames.
#[derive(Debug, Clone, PartialEq)]
pub enum Loss {
    /// Links lose frames by chance.
    Chance {
        /// How likely the worst of them does, for each frame.
        most: f64,
    },
    /// Circuits change under what is on them.
    Circuits,
    /// Something can fill.
    Full {
        /// What, and how much it holds, such as `"a queue of 100 packets"`.
        what: String,
        /// How much that is.
        holds: Length,
        /// What to write so that it does not overflow.
        cure: &'static str,
    },
}

/// Something that a fabric offers, or would.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offer {
    /// It does.
    Given,
    /// It would, with this setting.
    With(&'static str),
    /// Whatever is set, it does not.
    Never,
}

impl Offer {
    /// Given if `given`, and otherwise with this setting.
    pub fn given_or(given: bool, setting: &'static str) -> Offer {
        if given { Offer::Given } else { Offer::With(setting) }
    }
    /// Whether it is given.
    pub fn is_given(self) -> bool {
        self == Offer::Given
    }
}

/// Something that a transport needs and its fabric does not offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lack {
    /// What, in words.
    pub what: &'static str,
    /// The setting that would give it, if there is one.
    pub cure: Option<&'static str>,
}

impl Needs {
    /// What is needed and not offered; `None` if the two fit.
    pub fn unmet(self, offers: Offers) -> Option<Lack> {
        let wanted = [
            (self.ecn, offers.ecn, "ECN marks"),
            (self.lossless, offers.lossless, "a fabric that loses nothing"),
            (self.trimming, offers.trimming, "switches that trim packets"),
            (self.ranked, offers.ranked, "switches that order packets by rank"),
        ];
        wanted.into_iter().find_map(|(needed, offer, what)| match offer {
            Offer::With(setting) if needed => Some(Lack { what, cure: Some(setting) }),
            Offer::Never if needed => Some(Lack { what, cure: None }),
            Offer::Given | Offer::With(_) | Offer::Never => None,
        })
    }
}
