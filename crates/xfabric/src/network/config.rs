//! What an XFabric rack is made with.

use crate::demand::Demand;
use units::{Bytes, Span, Time};

/// A rack. Defaults are those of §5 and §6.5 where the paper states them.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// The largest packet, transport headers included.
    pub mtu: Bytes,
    /// What each packet takes on a link beyond itself: Ethernet's 38 B.
    pub framing: Bytes,
    /// What an output port of a packet switch holds, on the wire; frames beyond it are dropped.
    pub queue: Bytes,
    /// How a packet switch chooses among ports that lead equally near.
    pub multipath: Multipath,
    /// The circuits with which the run begins.
    pub start: Start,
    /// How often a new topology is generated (§3: "every interval t"). `None`: never, the rack is static.
    pub period: Option<Span>,
    /// No topology is generated before this (§6.5: 2 minutes); the first comes a period later.
    pub from: Time,
    /// What the latest period counts in the estimate of demand ([`crate::demand::Estimate`]), above 0 and at most 1.
    pub weight: f64,
    /// How long a circuit is dark while it is changed (§6.6: 20 ns).
    pub switching: Span,
    /// From port to port of a crosspoint.
    pub crosspoint_latency: Span,
    /// How the news of a new topology reaches crosspoints and SoCs.
    pub control: ControlPlane,
    /// From something's breaking or being mended until the controller acts upon it.
    pub detection: Span,
    /// Circuits that a frame may pass before it is discarded, so that loops between tables of different versions end.
    pub hop_limit: u8,
}

/// How the news of a new topology spreads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ControlPlane {
    /// What each message to a crosspoint takes; the next begins when it has ended (§6.6: USB, 1 ms, sequentially).
    pub message: Span,
    /// What a crosspoint takes from the message until its circuits change (§6.6: about 40 us).
    pub program: Span,
    /// From the change of the last crosspoint until SoCs forward by their new tables.
    pub tables: Span,
}

/// How a packet switch chooses among ports that lead equally near. The paper says that there are several (§6.4), not which is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Multipath {
    /// By a hash of the flow.
    Flow,
    /// Anew for each packet, at random.
    Packet,
}

/// The circuits with which the run begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Start {
    /// The most cubic 3D torus of so many SoCs with six ports (§6.1, §6.5).
    Torus,
    /// A random graph (§6.1).
    Random,
    /// Generated for equal demand between all.
    Uniform,
    /// Generated for this demand.
    Demand(Demand),
}

impl Default for Config {
    fn default() -> Config {
        Config {
            mtu: Bytes::new(1500),
            framing: Bytes::new(38),
            queue: Bytes::new(150_000),
            multipath: Multipath::Flow,
            start: Start::Torus,
            period: Some(Span::from_ms(1000)),
            from: Time::ZERO,
            weight: 0.5,
            switching: Span::from_ns(20),
            crosspoint_latency: Span::ZERO,
            control: ControlPlane { message: Span::from_ms(1), program: Span::from_us(40), tables: Span::from_ms(1) },
            detection: Span::from_ms(100),
            hop_limit: 64,
        }
    }
}
