//! The rack as a [`Network`].

use super::destination::Destination;
use super::drive::{NEWS, PERIOD};
use super::{InPort, Multipath, XFabric};
use engine::{Event, EventQueue, Rank};
use fabric::{
    Counter, Counters, Distribution, Fault, Frame, Inside, LinkCounters, Network, Observer, Offers, Sampled, Totals,
    kind,
};
use units::{Bytes, Pace, Span, Time};

impl<O: Observer> Network for XFabric<O> {
    type Observer = O;

    fn observer(&mut self) -> &mut O {
        &mut self.observer
    }

    fn offers(&self) -> Offers {
        self.config.offers()
    }

    #[inline]
    fn has_room(&self, now: Time, host: u32) -> bool {
        self.hosts[host as usize].since(now) <= self.room && !self.is_down(host)
    }

    fn call_when_ready(&mut self, now: Time, host: u32, queue: &mut EventQueue) {
        if self.is_down(host) {
            return self.call_when_up(host);
        }
        let at = self.when_room(now, host);
        queue.push(Event { at, rank: Rank::new(kind::READY, host), slot: 0 });
    }

    #[inline]
    fn room_at(&self, now: Time, host: u32) -> Option<Time> {
        (!self.is_down(host)).then(|| self.when_room(now, host))
    }

    #[inline]
    fn offer(&mut self, now: Time, frame: Frame, queue: &mut EventQueue) {
        self.totals.offer(frame.len);
        let taken = self.interface(frame.src, frame.len + self.framing);
        let busy = &mut self.hosts[frame.src as usize];
        *busy = now.max(*busy) + taken;
        let place = self.flight.put(frame);
        if self.is_down(frame.src) {
            return self.refuse(now, place);
        }
        if !self.is_soc(frame.src.max(frame.dst)) {
            return self.offer_across(now, place, queue);
        }
        self.counts.count(frame.src, frame.dst, frame.len);
        self.forward(now, frame.src, place, queue);
    }

    #[inline(always)]
    fn handle(&mut self, event: Event, queue: &mut EventQueue) -> Option<Frame> {
        #[cfg(debug_assertions)]
        self.check_conservation();
        match event.rank.kind() {
            kind::ARRIVAL => return self.arrive(event.at, event.rank.device(), event.slot, queue),
            kind::SCHEDULE => self.step(event.at, event.rank.device(), queue),
            kind::DEADLINE if event.rank.device() == NEWS => self.notice(event.at, queue),
            kind::DEADLINE => self.expire(event.at, event.rank.device(), queue),
            other => {
                debug_assert_eq!(other, kind::TICK, "a rack has no other events");
                if event.rank.device() == PERIOD {
                    self.tick(event.at, queue);
                } else {
                    self.tick_protocol(event.at, event, queue);
                }
            }
        }
        None
    }

    fn begin(&mut self, queue: &mut EventQueue) {
        if self.ideal.is_some() {
            self.push_tick(self.config.reconfigure_from, queue);
        }
        if self.protocol.is_some() {
            self.begin_protocol(queue);
        }
    }

    fn fault(&mut self, now: Time, fault: Fault, queue: &mut EventQueue) {
        self.strike(now, fault, queue);
    }

    fn gateway(&self, host: u32) -> Option<u32> {
        self.tunnels.as_ref().map(|tunnels| tunnels.reached_by(host))
    }

    fn counters(&self) -> Vec<Counter> {
        let mut counters = self.measures.counters(self.agreement());
        counters.extend(self.tunnels.iter().flat_map(|tunnels| tunnels.counters()));
        counters
    }

    fn distributions(&self) -> Vec<Distribution> {
        self.measures.distributions(self.circuits())
    }

    fn sample(&mut self, _: Time) -> Vec<Sampled> {
        let mut series = self.measures.sample();
        series.extend(self.tunnels.as_mut().and_then(|tunnels| tunnels.sample()));
        series
    }

    fn totals(&self) -> Totals {
        Totals { in_flight: self.inside(), ..self.totals }
    }

    fn link_counters(&self, now: Time, link: u32) -> LinkCounters {
        if let Some(port) = self.rig.receives[link as usize] {
            let InPort { frames, bytes, .. } = self.received[port as usize];
            return LinkCounters { frames, bytes, ..LinkCounters::default() };
        }
        let out = &self.ports[link as usize];
        out.counters.at_rate(self.rig.rate, out.free_at.since(now))
    }

    fn queue(&self, now: Time, link: u32) -> Bytes {
        let port = self.ports.get(link as usize);
        port.map_or(Bytes::ZERO, |out| self.rig.rate.bytes_in(out.free_at.since(now)))
    }

    fn begin_measurement(&mut self, now: Time) {
        for out in &mut self.ports {
            out.counters = Counters::with_backlog(self.rig.rate, out.free_at.since(now));
        }
        for received in &mut self.received {
            (received.frames, received.bytes, received.told) = (0, 0, 0);
        }
        self.measures.restart();
        if let Some(tunnels) = &mut self.tunnels {
            tunnels.restart();
        }
    }

    /// Over one circuit: whatever two SoCs exchange, there may be a topology that joins them.
    fn ideal(&self, _: u32, _: u32, bytes: Bytes, header: Bytes) -> Span {
        let payload = self.config.mtu.get() - header.get();
        let packets = bytes.get().div_ceil(payload).max(1);
        let last = (bytes.get() - (packets - 1) * payload + header.get()) as u32;
        let full = self.config.mtu.get() as u32;
        let sent = |pace: Pace| {
            let span = |len: u32| pace.span(len + self.framing);
            span(full).saturating_mul(packets - 1) + span(last)
        };
        let least = match self.config.routing {
            Multipath::Flow => sent(self.pace),
            // All ports at once, but no packet faster than a port.
            Multipath::Packet => sent(self.host_pace).max(self.pace.span(last + self.framing)),
        };
        least + self.rig.flight
    }

    fn mtu(&self) -> Bytes {
        self.config.mtu
    }

    fn event_gap(&self) -> Span {
        self.event_gap
    }

    fn check(&self) {
        #[cfg(debug_assertions)]
        {
            self.check_conservation();
            self.cabling.check();
        }
    }

    fn frames_inside(&self) -> Vec<Inside> {
        self.flight.inside().into_iter().filter(|inside| !Destination::is_message(inside.frame.dst)).collect()
    }
}
