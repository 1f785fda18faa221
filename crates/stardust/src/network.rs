//! Adapters, elements, hosts and links put together.

use crate::build::{Attachment, BuildError, Layout, Parts, Role, Wire};
use crate::cell::Cell;
use crate::clock::Clock;
use crate::config::{Class, Config};
use crate::edge::{EdgeClass, Interface, Outlet};
use crate::faults::Broken;
use crate::ingress::Ingress;
use crate::inside::{Memory, memory};
use crate::interior::Interior;
use crate::lane::LinkClass;
use crate::reach::{Bitmap, Reach};
use crate::reassembly::{Outcome, Reassembly};
use crate::scheduler::{Packets, Scheduler};
use crate::spray::Sprayer;
use crate::store::Store;
use crate::tables::Tables;
use engine::{Event, EventQueue, Rank, Seed, Stream};
use fabric::{
    Counter, Counters, Distribution, Fault, Frame, Inside, LinkCounters, Network, Observer, Off, Offers, Seen, Totals,
    What, kind,
};
use results::Histogram;
use topology::{LinkId, Topology};
use units::{Bytes, Span, Time};

/// What the fabric as a whole counts, since the measurement began.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sums {
    pub cells: u64,
    pub cell_bytes: u64,
    pub cells_delivered: u64,
    /// Cells and control messages that links lost because something had failed.
    pub cells_lost: u64,
    /// Cells and control messages that a device dropped because its table had no link to their adapter.
    pub cells_astray: u64,
    /// Packets that adapters discarded for the same reason.
    pub packets_astray: u64,
    /// Links that were declared failed although they worked.
    pub false_failures: u64,
    pub indicated: u64,
    pub requests: u64,
    pub credits: u64,
    pub credit_bytes: u64,
    pub reachability: u64,
    pub pauses: u64,
    pub homeless: u64,
    pub host_pauses: u64,
    pub timeouts: u64,
}

/// A Stardust fabric, its inside computed by `I`.
pub struct Stardust<I, O = Off> {
    pub(crate) observer: O,
    pub(crate) interior: I,
    pub(crate) config: Config,
    /// Traffic classes, first the one of priority 0.
    pub(crate) classes: Vec<Class>,
    pub(crate) layout: Layout,
    pub(crate) link_classes: Vec<LinkClass>,
    pub(crate) edge_classes: Vec<EdgeClass>,
    pub(crate) store: Store,
    pub(crate) interfaces: Vec<Interface>,
    pub(crate) outlets: Vec<Outlet>,
    pub(crate) ingress: Ingress,
    pub(crate) scheduler: Scheduler,
    pub(crate) reassembly: Reassembly,
    pub(crate) sprayer: Sprayer,
    /// Control messages take turns of their own over the same sets of links: the control crossbar.
    pub(crate) control: Sprayer,
    pub(crate) tables: Tables,
    pub(crate) reach: Reach,
    /// Bitmaps of reachability messages in flight.
    pub(crate) bitmaps: Vec<Bitmap>,
    pub(crate) free_bitmaps: Vec<u32>,
    /// By device: its cell memory.
    pub(crate) held: Vec<Memory>,
    pub(crate) broken: Broken,
    /// Hosts that are off.
    pub(crate) off_hosts: Vec<bool>,
    pub(crate) stream: Stream,
    /// Draws which cells and packets are received wrong.
    pub(crate) errors: Stream,
    pub(crate) totals: Totals,
    pub(crate) sums: Sums,
    pub(crate) cell_latency: Histogram,
    /// Scratch: cells of a burst; packets that a cell completed.
    pub(crate) cells: Vec<Cell>,
    pub(crate) outcome: Outcome,
    event_gap: Span,
    /// Data cells between adapters: sent, not delivered, not lost.
    #[cfg(debug_assertions)]
    pub(crate) cells_inside: u64,
}

impl<I: Interior> Stardust<I> {
    /// Builds the fabric on a topology: switches with hosts are Fabric Adapters, others Fabric Elements. Chance (spraying, errors)
    /// comes from the seed's streams `stardust.*`.
    ///
    /// # Errors
    /// If the topology is no Stardust fabric.
    pub fn new(config: &Config, topology: &Topology, seed: Seed) -> Result<Stardust<I>, BuildError> {
        let parts = Parts::new(config, topology)?;
        parts.suit::<I>(topology)?;
        Ok(Stardust::on(config, topology, parts, seed, Off))
    }
}

impl<I: Interior, O: Observer> Stardust<I, O> {
    /// As [`Stardust::new`], on a topology that was read, and that suits the interior; and observed.
    pub fn on(config: &Config, topology: &Topology, parts: Parts, seed: Seed, observer: O) -> Stardust<I, O> {
        let Parts { layout, link_classes, edge_classes } = parts;
        let classes = config.classes();
        let links = topology.links().len();
        let mut stream = seed.stream("stardust.spray", 0);
        let mut reach = Reach::new(config.reachability, layout.devices, layout.adapters, links as u32);
        let mut tables = Tables::new(&layout);
        let (mut sprayer, mut control) = (Sprayer::default(), Sprayer::default());
        reach.warm_up(layout.devices, &layout, |link| {
            // A device's first message is up to a period after the beginning, and then the delay.
            let delay = topology.link(LinkId(link)).delay.as_ps();
            let messages = 1 + delay.div_ceil(config.reachability.period.as_ps().max(1));
            u32::try_from(messages).unwrap_or(u32::MAX)
        });
        for device in 0..layout.devices {
            engine::look();
            tables.rebuild(device, &reach, &layout, &mut [&mut sprayer, &mut control], &mut stream);
        }
        debug_assert!(
            layout.check_complete(topology, |from, to| tables.route(from, to as u16, true).is_some()).is_ok()
        );
        if config.reachability.cold_start {
            reach = Reach::new(config.reachability, layout.devices, layout.adapters, links as u32);
            for device in 0..layout.devices {
                tables.rebuild(device, &reach, &layout, &mut [&mut sprayer, &mut control], &mut stream);
            }
        }
        let fabric_rate: f64 = topology.links().iter().map(|link| link.rate.as_bps() as f64).sum();
        let held = (0..layout.devices).map(|device| memory(device, config, &layout, &link_classes)).collect();
        Stardust {
            observer,
            classes: classes.clone(),
            interior: I::new(config, &layout, &link_classes),
            link_classes,
            edge_classes,
            store: Store::default(),
            interfaces: vec![Interface::default(); layout.hosts.len()],
            outlets: vec![Outlet::new(classes.len()); layout.hosts.len()],
            ingress: Ingress::new(layout.adapters, config),
            scheduler: Scheduler::new(
                &layout.port_rates(topology),
                layout.adapters,
                &classes,
                config.credits,
                Packets {
                    longest: config.longest_packet().get() as u32,
                    uncounted: config.framing.get() as i32 - config.cells.packet_header.get() as i32,
                },
            ),
            reassembly: Reassembly::new(layout.adapters, config.cells, config.adapter.reassembly.get()),
            sprayer,
            control,
            tables,
            reach,
            bitmaps: Vec::new(),
            free_bitmaps: Vec::new(),
            held,
            broken: Broken::new(links, layout.devices as usize),
            off_hosts: vec![false; layout.hosts.len()],
            stream,
            errors: seed.stream("stardust.errors", 0),
            totals: Totals::default(),
            sums: Sums::default(),
            cell_latency: Histogram::new(7),
            cells: Vec::new(),
            outcome: Outcome::default(),
            #[cfg(debug_assertions)]
            cells_inside: 0,
            event_gap: Span::from_secs_f64(config.cells.size.bits() as f64 / fabric_rate),
            layout,
            config: config.clone(),
        }
    }

    #[inline(always)]
    pub(crate) fn wire(&self, link: u32) -> Wire {
        self.layout.wires[link as usize]
    }

    pub(crate) fn attachment(&self, host: u32) -> Attachment {
        self.layout.hosts[host as usize]
    }

    pub(crate) fn link_class(&self, link: u32) -> &LinkClass {
        &self.link_classes[usize::from(self.layout.wires[link as usize].class)]
    }

    pub(crate) fn edge_class(&self, link: u32) -> &EdgeClass {
        &self.edge_classes[usize::from(self.layout.wires[link as usize].class)]
    }

    #[cfg(debug_assertions)]
    fn check_conservation(&self) {
        let Totals { offered, delivered, dropped, lost, .. } = self.totals;
        assert_eq!(offered, delivered + dropped + lost + self.store.len() as u64, "packets are conserved");
    }
}

impl<I: Interior, O: Observer> Network for Stardust<I, O> {
    type Observer = O;

    fn observer(&mut self) -> &mut O {
        &mut self.observer
    }

    fn offers(&self) -> Offers {
        self.config.offers()
    }

    fn has_room(&self, now: Time, host: u32) -> bool {
        let interface = &self.interfaces[host as usize];
        let class = self.edge_class(self.attachment(host).up);
        !interface.paused
            && !self.off_hosts[host as usize]
            && interface.wait(now) <= class.time_on_wire(self.config.mtu.get() as u32)
    }

    fn call_when_ready(&mut self, now: Time, host: u32, queue: &mut EventQueue) {
        let room = self.edge_class(self.attachment(host).up).time_on_wire(self.config.mtu.get() as u32);
        let interface = &mut self.interfaces[host as usize];
        if interface.paused || self.off_hosts[host as usize] {
            interface.awaited = true;
            return;
        }
        let at = now + interface.wait(now).saturating_sub(room);
        queue.push(Event { at, rank: Rank::new(kind::READY, host), slot: 0 });
    }

    #[inline]
    fn offer(&mut self, now: Time, frame: Frame, queue: &mut EventQueue) {
        self.totals.offer(frame.len);
        self.totals.hops += 1;
        let up = self.attachment(frame.src).up;
        let class = self.edge_classes[usize::from(self.wire(up).class)];
        let end = self.interfaces[frame.src as usize].send(now, frame.len, &class);
        self.observer.see(now, Seen::Frame { frame: &frame, link: up, what: What::Queued { leaves: Some(end) } });
        let packet = self.store.put(frame, self.attachment(frame.dst).down);
        queue.push(Event { at: end + class.delay, rank: Rank::new(kind::ARRIVAL, up), slot: packet });
    }

    fn begin(&mut self, queue: &mut EventQueue) {
        // Devices were not switched on at the same instant.
        let period = self.config.reachability.period.as_ps();
        for device in 0..self.layout.devices {
            let phase = Span::from_ps(self.stream.below(period));
            queue.push(Clock::Reachability(device).event(Time::ZERO + phase));
        }
    }

    fn fault(&mut self, now: Time, fault: Fault, queue: &mut EventQueue) {
        self.apply(now, fault, queue);
    }

    #[inline(always)]
    fn handle(&mut self, event: Event, queue: &mut EventQueue) -> Option<Frame> {
        let (now, device) = (event.at, event.rank.device());
        #[cfg(debug_assertions)]
        self.check_conservation();
        match event.rank.kind() {
            kind::ARRIVAL => {
                let wire = self.wire(device);
                match wire.role {
                    Role::Up | Role::Down => I::on_arrival(self, event, queue),
                    Role::FromHost => self.take_packet(now, device, event.slot, queue),
                    Role::ToHost => return self.leave(now, device, event.slot),
                    Role::Unused => unreachable!("unused links carry nothing"),
                }
            }
            kind::LINK_FREE => self.end_packet(now, device, queue),
            kind::SCHEDULE => self.grant(now, device, queue),
            kind::DEADLINE if device % 2 == 0 => self.check_waiting(now, device / 2, queue),
            kind::DEADLINE => self.check_reassembly(now, device / 2, queue),
            _tick => match Clock::of(event) {
                Clock::Reachability(device) => self.tick(now, device, queue),
                Clock::Hold(link) => self.hold(now, link, queue),
                Clock::Release(link) => self.release(now, link, queue),
                Clock::Dark(link) => self.see_dark(now, link),
                Clock::Step => I::on_step(self, now, queue),
            },
        }
        None
    }

    fn totals(&self) -> Totals {
        Totals { in_flight: self.store.len() as u64, ..self.totals }
    }

    fn link_counters(&self, now: Time, link: u32) -> LinkCounters {
        let wire = self.wire(link);
        match wire.role {
            Role::FromHost => {
                let interface = &self.interfaces[wire.from as usize];
                interface.counters.at_rate(self.edge_class(link).rate, interface.wait(now))
            }
            Role::ToHost => {
                let outlet = &self.outlets[wire.to as usize];
                let class = self.edge_class(link);
                outlet.counters.at_rate(class.rate, outlet.wait(class))
            }
            Role::Up | Role::Down | Role::Unused => self.interior.counters(now, link, self.link_class(link)),
        }
    }

    fn queue(&self, now: Time, link: u32) -> Bytes {
        let wire = self.wire(link);
        match wire.role {
            Role::FromHost => self.edge_class(link).rate.bytes_in(self.interfaces[wire.from as usize].wait(now)),
            Role::ToHost => Bytes::new(self.outlets[wire.to as usize].waiting()),
            Role::Up | Role::Down | Role::Unused => self.interior.queued(now, link, self.link_class(link)),
        }
    }

    fn begin_measurement(&mut self, now: Time) {
        for link in 0..self.layout.wires.len() as u32 {
            let wire = self.wire(link);
            let (counters, rate, wait) = match wire.role {
                Role::FromHost => {
                    let (rate, interface) = (self.edge_class(link).rate, &mut self.interfaces[wire.from as usize]);
                    let wait = interface.wait(now);
                    (&mut interface.counters, rate, wait)
                }
                Role::ToHost => {
                    let class = *self.edge_class(link);
                    let outlet = &mut self.outlets[wire.to as usize];
                    let wait = outlet.wait(&class);
                    (&mut outlet.counters, class.rate, wait)
                }
                Role::Up | Role::Down | Role::Unused => {
                    let class = &self.link_classes[usize::from(wire.class)];
                    self.interior.restart_counters(now, link, class);
                    continue;
                }
            };
            *counters = Counters::with_backlog(rate, wait);
        }
        self.sums = Sums::default();
        self.cell_latency = Histogram::new(7);
        self.ingress.peak = 0;
        self.ingress.marked = 0;
        self.reassembly.peak = 0;
        self.reassembly.given_up = 0;
        self.scheduler.cuts = 0;
    }

    fn ideal(&self, src: u32, dst: u32, bytes: Bytes, header: Bytes) -> Span {
        crate::ideal::message(self, src, dst, bytes, header)
    }

    fn mtu(&self) -> Bytes {
        self.config.mtu
    }

    fn event_gap(&self) -> Span {
        self.event_gap
    }

    fn counters(&self) -> Vec<Counter> {
        crate::report::counters(self)
    }

    fn distributions(&self) -> Vec<Distribution> {
        vec![crate::report::cell_latency(&self.cell_latency)]
    }

    fn check(&self) {
        crate::report::check(self);
    }

    fn frames_inside(&self) -> Vec<Inside> {
        self.store.iter().map(|(frame, link)| Inside { frame, link }).collect()
    }
}
