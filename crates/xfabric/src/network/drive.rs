//! What drives the devices of the protocol: messages come and go, crosspoints are programmed, controllers begin and end.

use super::destination::Destination;
use super::protocol::{Protocol, Who, Wish, port_of};
use super::rig::Rig;
use super::{NOBODY, XFabric};
use crate::control::{ControllerOutput, CrosspointOutput, InFlight, LinkMessage, SocOutput, Version};
use engine::{Event, EventQueue, Rank};
use fabric::{Ecn, Frame, Kind, Observer, kind};
use units::Time;

/// Events of kind [`kind::TICK`]: the period of the ideal controller, messages on the control plane, the controller's death, and
/// its beginning elsewhere.
pub(super) const PERIOD: u32 = 0;
const PLANE: u32 = 1;
const DEATH: u32 = 2;
const TAKEOVER: u32 = 3;
/// Events of kind [`kind::DEADLINE`]: news of failures, and the devices' own, in their order.
pub(super) const NEWS: u32 = 0;
const FIRST_DEVICE: u32 = 1;
/// The least payload of an Ethernet frame (IEEE 802.3).
pub(super) const LEAST: usize = 46;

impl<O: Observer> XFabric<O> {
    /// The first events of the devices.
    pub(super) fn begin_protocol(&mut self, queue: &mut EventQueue) {
        let Some(settings) = self.config.controller() else { return };
        let tick = |at, device| Event { at, rank: Rank::new(kind::TICK, device), slot: 0 };
        settings.dies.iter().for_each(|at| queue.push(tick(*at, DEATH)));
        queue.push(tick(self.config.reconfigure_from, TAKEOVER));
        for soc in 0..self.rig.fabric.socs() {
            self.expect_neighbours(soc);
        }
        self.with_protocol(Time::ZERO, queue, |_, _| {});
    }

    /// Lets devices do something, and does what they want done, until they want nothing.
    pub(super) fn with_protocol(&mut self, now: Time, queue: &mut EventQueue, act: impl FnOnce(&mut Protocol, &Rig)) {
        let Some(mut protocol) = self.protocol.take() else { return };
        act(&mut protocol, &self.rig);
        while let Some(wish) = protocol.wishes.pop_front() {
            self.grant(now, wish, &mut protocol, queue);
        }
        if let Some(at) = protocol.plane_deadline() {
            queue.push(Event { at, rank: Rank::new(kind::TICK, PLANE), slot: 0 });
        }
        for (place, at) in protocol.deadlines(now) {
            queue.push(Event { at, rank: Rank::new(kind::DEADLINE, FIRST_DEVICE + place), slot: 0 });
        }
        self.protocol = Some(protocol);
    }

    fn grant(&mut self, now: Time, wish: Wish, protocol: &mut Protocol, queue: &mut EventQueue) {
        match wish {
            Wish::Soc(soc, SocOutput::Transmit { port, message }) => self.send_message(now, soc, port, message, queue),
            Wish::Soc(soc, SocOutput::Controller(body)) => protocol.tell_controller(now, soc, body),
            Wish::Soc(soc, SocOutput::Installed(version)) => self.install(now, soc, version, protocol),
            Wish::Controller(ControllerOutput::Inject(message)) => {
                if let Some(soc) = protocol.controller.as_ref().map(|controller| controller.soc()) {
                    self.hand_over_counts(soc, protocol);
                }
                protocol.inject(message);
            }
            Wish::Controller(ControllerOutput::Note(_)) => {}
            Wish::Controller(ControllerOutput::Command { crosspoint, command }) => {
                protocol.plane.send(now, InFlight::Command { crosspoint, command });
            }
            Wish::Crosspoint(_, CrosspointOutput::Answer { to: soc, answer }) => {
                protocol.plane.send(now, InFlight::Answer { soc, answer });
            }
            Wish::Crosspoint(_, CrosspointOutput::Signal { to: crosspoint, signal }) => {
                protocol.plane.send(now, InFlight::Signal { crosspoint, signal });
            }
            Wish::Crosspoint(crosspoint, CrosspointOutput::Set(version)) => {
                self.set_configuration(now, crosspoint, version, protocol);
            }
        }
    }

    /// A message goes over the circuit of a port, among the frames of hosts.
    fn send_message(&mut self, now: Time, soc: u32, port: u32, message: LinkMessage, queue: &mut EventQueue) {
        let len = message.encode().len().max(LEAST) as u32;
        let sequence = u64::from(self.messages.put(message));
        self.measures.messages[0] += 1;
        let (epoch, entropy, flow, priority) = (0, 0, u32::MAX, 0);
        let (stamp, kind, ecn, echo) = (now, Kind::Data, Ecn::NotCapable, false);
        let frame = Frame {
            sequence,
            stamp,
            flow,
            epoch,
            src: soc,
            dst: Destination::Message.number(self.rig.fabric.socs()),
            len,
            entropy,
            kind,
            priority,
            ecn,
            echo,
            ..Frame::EMPTY
        };
        let port = self.rig.number(crate::graph::Port { soc, number: port });
        let place = self.flight.put(frame);
        self.transmit(now, port, place, queue);
    }
    /// A message did not arrive.
    pub(super) fn lose_message(&mut self, sequence: u64) {
        self.messages.take(sequence as u32);
        self.measures.messages[1] += 1;
    }
    /// A message is at the end of a circuit.
    #[cold]
    pub(super) fn receive_message(&mut self, now: Time, end: u32, sequence: u64, queue: &mut EventQueue) {
        let Some(message) = self.messages.take(sequence as u32) else { return };
        let port = self.rig.port(end);
        let asks = matches!(message, LinkMessage::Routed(_));
        if asks && let Some(mut protocol) = self.protocol.take() {
            self.hand_over_counts(port.soc, &mut protocol);
            self.protocol = Some(protocol);
        }
        self.with_protocol(now, queue, |protocol, _| protocol.receive(port, message));
    }
    /// A frame came from a port that is not the neighbour that tables name (§4.4).
    #[cold]
    pub(super) fn hear(&mut self, now: Time, end: u32, from: u32, queue: &mut EventQueue) {
        self.with_protocol(now, queue, |protocol, rig| protocol.hear(rig.port(end), rig.port(from)));
    }

    /// What the packet switch has counted, for the agent, which may be asked for it.
    fn hand_over_counts(&mut self, soc: u32, protocol: &mut Protocol) {
        let agent = &mut protocol.socs[soc as usize];
        for (to, bytes) in (0..).zip(self.counts.take(soc)).filter(|(_, bytes)| *bytes > 0) {
            agent.count_sent(to, bytes);
        }
        if let Some(tunnels) = &mut self.tunnels {
            let [sent, received] = tunnels.take_counts(soc);
            agent.count_external(sent, received);
        }
    }

    /// A SoC forwards by its new tables.
    fn install(&mut self, now: Time, soc: u32, version: Version, protocol: &Protocol) {
        let agent = &protocol.socs[soc as usize];
        self.forwarding.install(soc, agent.table());
        for number in 0..self.rig.fabric.ports() {
            let port = self.rig.number(crate::graph::Port { soc, number });
            let neighbour = agent.neighbour(number).map_or(NOBODY, |mac| port_of(&self.rig, mac));
            self.received[port as usize].expected = neighbour;
        }
        if let Some(tunnels) = &mut self.tunnels {
            tunnels.gateways[soc as usize] = agent.active().and_then(|update| update.gateway);
        }
        self.find_socs();
        if version == protocol.latest.0 {
            self.measures.install(now.since(protocol.latest.1));
        }
    }
    fn expect_neighbours(&mut self, soc: u32) {
        let Some(protocol) = &self.protocol else { return };
        for number in 0..self.rig.fabric.ports() {
            let port = self.rig.number(crate::graph::Port { soc, number });
            let neighbour = protocol.socs[soc as usize].neighbour(number);
            self.received[port as usize].expected = neighbour.map_or(NOBODY, |mac| port_of(&self.rig, mac));
        }
    }

    /// A crosspoint sets the circuits of a configuration.
    fn set_configuration(&mut self, now: Time, crosspoint: u32, version: Version, protocol: &mut Protocol) {
        let begins = version > protocol.latest.0;
        if begins {
            protocol.latest = (version, now);
        }
        let wanted = protocol.wanted(&self.rig, crosspoint);
        if begins {
            self.measures.reconfigure(self.circuits());
        }
        self.set_circuits(now, &wanted);
    }

    /// The time of a device has come, or that of a message on the control plane, or of a controller.
    pub(super) fn tick_protocol(&mut self, now: Time, event: Event, queue: &mut EventQueue) {
        match event.rank.device() {
            PLANE => {
                while let Some(message) = self.protocol.as_mut().and_then(|protocol| protocol.next_on_plane(now)) {
                    let reaches = match &message {
                        InFlight::Command { crosspoint, .. } | InFlight::Signal { crosspoint, .. } => {
                            self.cabling.health.crosspoint(&self.rig, *crosspoint)
                        }
                        InFlight::Answer { .. } | InFlight::Link { .. } => true,
                    };
                    if reaches {
                        self.with_protocol(now, queue, |protocol, _| protocol.arrive(now, message));
                    }
                }
                self.with_protocol(now, queue, |_, _| {});
            }
            DEATH => self.end_controller(now, queue),
            other => {
                debug_assert_eq!(other, TAKEOVER, "devices have no other ticks");
                self.begin_controller(now, queue);
            }
        }
    }
    pub(super) fn expire(&mut self, now: Time, device: u32, queue: &mut EventQueue) {
        let Some(who) = self.protocol.as_ref().map(|protocol| protocol.who(device - FIRST_DEVICE)) else { return };
        let works = match who {
            Who::Soc(soc) => self.cabling.health.soc(soc),
            Who::Crosspoint(crosspoint) => self.cabling.health.crosspoint(&self.rig, crosspoint),
            Who::Controller => true,
        };
        if works {
            self.show_life(who);
        }
        self.with_protocol(now, queue, |protocol, _| protocol.expire(now, who, works));
    }
    /// Frames that have come from the neighbour on a port are a sign of its life. Agents are told now and then, not each time.
    fn show_life(&mut self, who: Who) {
        let (Who::Soc(soc), Some(protocol)) = (who, &mut self.protocol) else { return };
        for number in 0..self.rig.fabric.ports() {
            let port = crate::graph::Port { soc, number };
            let received = &mut self.received[self.rig.number(port) as usize];
            let new = std::mem::replace(&mut received.told, received.frames) != received.frames;
            if new && received.expected < NOBODY {
                protocol.hear(port, self.rig.port(received.expected));
            }
        }
    }

    /// The controller dies; another may take over.
    pub(super) fn end_controller(&mut self, now: Time, queue: &mut EventQueue) {
        let Some(settings) = self.config.controller() else { return };
        let Some(protocol) = self.protocol.as_mut().filter(|protocol| protocol.controller.is_some()) else { return };
        protocol.end_controller(now);
        if let Some(takeover) = settings.takeover {
            queue.push(Event { at: now + takeover, rank: Rank::new(kind::TICK, TAKEOVER), slot: 0 });
        }
    }
    /// A controller begins on the next SoC of those that can run one and work.
    fn begin_controller(&mut self, now: Time, queue: &mut EventQueue) {
        let Some(settings) = self.config.controller() else { return };
        let hosts = settings.hosts.len();
        let mut next = (0..hosts).map(|turn| settings.hosts[(self.next_host + turn) % hosts]);
        let Some(soc) = next.find(|&soc| self.cabling.health.soc(soc)) else {
            // All are down: try again.
            if let Some(takeover) = settings.takeover {
                queue.push(Event { at: now + takeover, rank: Rank::new(kind::TICK, TAKEOVER), slot: 0 });
            }
            return;
        };
        self.next_host = settings.hosts.iter().position(|&host| host == soc).unwrap_or(0) + 1;
        if self.protocol.as_ref().is_some_and(|protocol| protocol.controller.is_none()) {
            self.measures.controllers += 1;
            self.with_protocol(now, queue, |protocol, _| protocol.begin_controller(now, soc));
        }
    }

    /// A SoC that has stopped begins again: without tables.
    pub(super) fn restart_soc(&mut self, now: Time, soc: u32, queue: &mut EventQueue) {
        if self.protocol.is_none() {
            return;
        }
        self.forwarding.install(soc, None);
        if let Some(tunnels) = &mut self.tunnels {
            tunnels.gateways[soc as usize] = None;
        }
        self.with_protocol(now, queue, |protocol, rig| protocol.restart(rig, now, soc));
        self.expect_neighbours(soc);
    }
    /// What has been repaired may be used again.
    pub(super) fn readmit(&mut self) {
        let known = self.faults.as_ref().map_or(&self.cabling.health, |faults| &faults.known);
        let Some(controller) = self.protocol.as_mut().and_then(|protocol| protocol.controller.as_mut()) else { return };
        for soc in controller.failed_socs().clone().into_iter().filter(|&soc| known.soc(soc)) {
            controller.readmit(soc);
        }
        let failed = controller.failed_ports().clone().into_iter();
        for port in failed.filter(|&port| known.port(&self.rig, self.rig.number(port))) {
            controller.readmit_port(port);
        }
    }
}
