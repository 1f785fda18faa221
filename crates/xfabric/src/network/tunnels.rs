//! Traffic that leaves the rack, and traffic that comes in (§3, §4.2).
//!
//! A SoC sends what is for the world to its gateway, a SoC with an uplink, whatever lies between them: a tunnel. Where it ends the SoC looks
//! into its own tables: it has an uplink and sends the packet out, or it has none any more and sends it on to its own gateway. What comes in by
//! an uplink is for a SoC, and goes there by the tables of those on the way.
//!
//! The data-centre network sends what is for a SoC to the uplink that the SoC's gateway has. It knows at once which one that is; while the
//! gateway has none, because tables are ahead of circuits or behind them, it goes on with the last.

use super::XFabric;
use super::destination::Destination;
use engine::EventQueue;
use fabric::{Counter, Frame, Observer, Over, Sampled};
use units::{Span, Time};

/// Ways out of the rack and into it.
#[derive(Debug, Clone)]
pub(super) struct Tunnels {
    /// By SoC: its gateway, by the tables that it uses.
    pub gateways: Box<[Option<u32>]>,
    /// By SoC: the uplink by which the world sends to it.
    reached_by: Box<[u32]>,
    /// By SoC: bytes sent out and received since they were last reported (§4.1).
    counted: Box<[[u64; 2]]>,
    /// Packets out and in, and the circuits that they passed inside, since the measurement began.
    passed: [Passed; 2],
    /// The sum of both at the last sample.
    sampled: Passed,
    /// Uplinks that were given to another SoC.
    moved: u64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Passed {
    packets: u64,
    hops: u64,
}

impl Passed {
    /// What came after `before`, which may be of an earlier count.
    fn less(self, before: Passed) -> Passed {
        Passed { packets: self.packets.wrapping_sub(before.packets), hops: self.hops.wrapping_sub(before.hops) }
    }
}

const OUT: usize = 0;
const IN: usize = 1;

impl Tunnels {
    /// With these gateways, by SoC.
    pub(super) fn new(gateways: Box<[Option<u32>]>) -> Tunnels {
        let socs = gateways.len();
        Tunnels {
            gateways,
            reached_by: vec![0; socs].into(),
            counted: vec![[0; 2]; socs].into(),
            passed: [Passed::default(); 2],
            sampled: Passed::default(),
            moved: 0,
        }
    }

    /// What a SoC has sent out and received; it begins anew.
    pub(super) fn take_counts(&mut self, soc: u32) -> [u64; 2] {
        std::mem::take(&mut self.counted[soc as usize])
    }
    /// The uplink by which the world sends to a SoC.
    pub(super) fn reached_by(&self, soc: u32) -> u32 {
        self.reached_by[soc as usize]
    }
    /// The measurement begins.
    pub(super) fn restart(&mut self) {
        // The next sample is of what has passed since the last one, restart or not.
        self.sampled = self.sampled.less(self.all());
        (self.passed, self.moved) = ([Passed::default(); 2], 0);
    }

    fn pass(&mut self, way: usize, hops: u8) {
        let passed = &mut self.passed[way];
        passed.packets += 1;
        // The uplink is a circuit too, but not one of the rack's own topology.
        passed.hops += u64::from(hops) - 1;
    }
    fn all(&self) -> Passed {
        let [out, into] = self.passed;
        Passed { packets: out.packets + into.packets, hops: out.hops + into.hops }
    }

    pub(super) fn counters(&self) -> [Counter; 4] {
        let counter = |name, unit, value| Counter { name, unit, value };
        let Passed { packets, hops } = self.all();
        let mean = if packets > 0 { hops as f64 / packets as f64 } else { 0.0 };
        [
            counter("packets out by uplinks", "packets", self.passed[OUT].packets as f64),
            counter("packets in by uplinks", "packets", self.passed[IN].packets as f64),
            counter("mean path length to uplinks", "hops", mean),
            counter("uplinks that were moved", "times", self.moved as f64),
        ]
    }
    /// Series since the last sample; none if nothing has passed.
    pub(super) fn sample(&mut self) -> Option<Sampled> {
        let now = self.all();
        let Passed { packets, hops } = now.less(self.sampled);
        self.sampled = now;
        let mean = hops as f64 / packets as f64;
        let (name, unit, over) = ("mean path length to uplinks", "hops", Over::Mean);
        (packets > 0).then_some(Sampled { name, unit, value: mean, over })
    }
}

impl<O: Observer> XFabric<O> {
    /// Where a frame with this number goes.
    #[inline(always)]
    fn destination(&self, number: u32) -> Destination {
        Destination::of(number, self.rig.fabric.socs())
    }
    /// Whether a host or a destination is a SoC; all other numbers are higher ([`Destination`]).
    #[inline(always)]
    pub(super) fn is_soc(&self, number: u32) -> bool {
        number < self.rig.fabric.socs()
    }
    /// A frame from a SoC to the world, or from an uplink to a SoC.
    #[cold]
    pub(super) fn offer_across(&mut self, now: Time, place: u32, queue: &mut EventQueue) {
        let Frame { src, len, .. } = *self.flight.frame(place);
        if let Destination::Uplink(uplink) = self.destination(src) {
            return self.transmit(now, self.rig.uplink_end(uplink), place, queue);
        }
        if let Some(tunnels) = &mut self.tunnels {
            tunnels.counted[src as usize][OUT] += u64::from(len);
        }
        self.send_out(now, [src; 2], place, queue);
    }

    /// The frame in `place` is at a SoC, in a tunnel or at its end.
    fn send_out(&mut self, now: Time, [soc, end]: [u32; 2], place: u32, queue: &mut EventQueue) {
        let gateway = if end == soc {
            self.tunnels.as_ref().and_then(|tunnels| tunnels.gateways[soc as usize])
        } else {
            Some(end)
        };
        let Some(gateway) = gateway else { return self.discard(now, place, false) };
        if self.flight.flying(place).hops == self.config.hop_limit {
            return self.discard(now, place, true);
        }
        self.flight.readdress(place, Destination::Tunnel(gateway).number(self.rig.fabric.socs()));
        if gateway == soc {
            return self.transmit(now, self.rig.uplink_port(soc), place, queue);
        }
        let set = self.forwarding.set(soc, gateway);
        if set == 0 {
            return self.discard(now, place, false);
        }
        let number = self.choose(set, soc, self.flight.frame(place).entropy);
        let port = self.rig.number(crate::graph::Port { soc, number });
        self.transmit(now, port, place, queue);
    }

    /// A frame that is for no SoC has come to the end of a circuit.
    #[cold]
    pub(super) fn arrive_elsewhere(
        &mut self,
        now: Time,
        end: u32,
        place: u32,
        queue: &mut EventQueue,
    ) -> Option<Frame> {
        let frame = *self.flight.frame(place);
        let tunnel = match self.destination(frame.dst) {
            Destination::Message => {
                self.flight.free(place);
                self.receive_message(now, end, frame.sequence, queue);
                return None;
            }
            Destination::Tunnel(soc) => soc,
            Destination::Soc(_) | Destination::Uplink(_) => {
                unreachable!("what is for a SoC goes there without a tunnel")
            }
        };
        let Some(uplink) = self.rig.uplink_at(end) else {
            self.send_out(now, [self.rig.port(end).soc, tunnel], place, queue);
            return None;
        };
        let hops = self.flight.flying(place).hops;
        self.flight.free(place);
        self.totals.deliver(frame.len);
        if let Some(tunnels) = &mut self.tunnels {
            tunnels.pass(OUT, hops);
        }
        Some(Frame { dst: Destination::Uplink(uplink).number(self.rig.fabric.socs()), ..frame })
    }

    /// A frame of `len` bytes from the world has reached its SoC.
    #[cold]
    pub(super) fn arrive_from_outside(&mut self, soc: u32, len: u32, hops: u8) {
        if let Some(tunnels) = &mut self.tunnels {
            tunnels.counted[soc as usize][IN] += u64::from(len);
            tunnels.pass(IN, hops);
        }
    }

    /// The world looks for SoCs anew: some have other gateways, or these other uplinks.
    pub(super) fn find_socs(&mut self) {
        let Some(tunnels) = &mut self.tunnels else { return };
        for (reached_by, gateway) in tunnels.reached_by.iter_mut().zip(&tunnels.gateways) {
            let circuit = gateway.and_then(|gateway| self.cabling.joined(self.rig.uplink_port(gateway)));
            if let Some(uplink) = circuit.and_then(|end| self.rig.uplink_at(end)) {
                *reached_by = uplink;
            }
        }
    }

    /// Some of these circuits, which are about to be set, may give uplinks to other SoCs.
    pub(super) fn count_moves(&mut self, wanted: &[(u32, Option<u32>)]) {
        let Some(tunnels) = &mut self.tunnels else { return };
        let moves = |&&(port, peer): &&(u32, Option<u32>)| {
            peer.is_some() && peer != self.cabling.joined(port) && self.rig.uplink_at(port).is_some()
        };
        tunnels.moved += wanted.iter().filter(moves).count() as u64;
    }

    /// Whether a SoC's gateway has an uplink, if there are any.
    pub(super) fn has_way_out(&self, soc: u32) -> bool {
        let Some(tunnels) = &self.tunnels else { return true };
        let gateway = tunnels.gateways[soc as usize];
        gateway.is_some_and(|gateway| self.cabling.joined(self.rig.uplink_port(gateway)).is_some())
    }

    /// What an interface takes for a frame: that of a SoC's host, or the end of an uplink.
    pub(super) fn interface(&self, host: u32, len: u32) -> Span {
        if self.is_soc(host) { self.host_pace.span(len) } else { self.pace.span(len) }
    }
}
