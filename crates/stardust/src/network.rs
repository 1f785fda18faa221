//! Adapters, elements, hosts and links put together.

use crate::build::{Attachment, BuildError, Layout, Role, Wire, classes};
use crate::cell::{self, Cell, Kind};
use crate::config::Config;
use crate::edge::{EdgeClass, Interface, Outlet};
use crate::faults::Broken;
use crate::ingress::{Admitted, Ingress, Way};
use crate::interior::Interior;
use crate::lane::LinkClass;
use crate::reach::{Bitmap, Links, News, Reach};
use crate::reassembly::{Outcome, Reassembly};
use crate::scheduler::Scheduler;
use crate::spray::Sprayer;
use crate::store::Store;
use crate::tables::Tables;
use engine::{Event, EventQueue, Rank, Seed, Stream};
use fabric::{Counter, Counters, Distribution, Fault, Frame, Inside, LinkCounters, Network, Offers, Totals, kind};
use results::Histogram;
use topology::{LinkId, Topology};
use units::{Bytes, Span, Time};

/// What the fabric as a whole counts, since the measurement began.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sums {
    pub cells: u64,
    pub cell_bytes: u64,
    pub cells_delivered: u64,
    pub cells_lost: u64,
    pub cells_astray: u64,
    pub indicated: u64,
    pub requests: u64,
    pub credits: u64,
    pub credit_bytes: u64,
    pub reachability: u64,
    pub pauses: u64,
    pub host_pauses: u64,
    pub timeouts: u64,
}

/// A Stardust fabric, its inside computed by `I`.
pub struct Stardust<I> {
    pub(crate) interior: I,
    pub(crate) config: Config,
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
    /// Bitmaps of reachability messages that are under way.
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
    cells: Vec<Cell>,
    outcome: Outcome,
    event_gap: Span,
}

/// The cell memory of an element.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Memory {
    /// Cells before its links and on them.
    pub cells: u32,
    /// Cells in memory at which its inputs are paused.
    pub pause_at: u32,
    pub paused: bool,
}

/// Clocks of the fabric, as devices of [`kind::TICK`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Clock {
    /// A device's reachability messages are due.
    Reachability(u32),
    /// The far end of a link pauses it, or lets it go on.
    Hold(u32),
    Release(u32),
    /// The device at the end of a link sees that it has no signal.
    Dark(u32),
    /// The interior's own.
    Step,
}

impl Clock {
    pub(crate) fn event(self, at: Time) -> Event {
        let (clock, device) = match self {
            Clock::Step => (0, 0),
            Clock::Reachability(device) => (1, device),
            Clock::Hold(link) => (2, link),
            Clock::Release(link) => (3, link),
            Clock::Dark(link) => (4, link),
        };
        Event { at, rank: Rank::new(kind::TICK, device * 5 + clock), slot: 0 }
    }
    fn of(event: Event) -> Clock {
        let (clock, device) = (event.rank.device() % 5, event.rank.device() / 5);
        match clock {
            0 => Clock::Step,
            1 => Clock::Reachability(device),
            2 => Clock::Hold(device),
            3 => Clock::Release(device),
            _four => Clock::Dark(device),
        }
    }
}

impl<I: Interior> Stardust<I> {
    /// Builds the fabric on a topology: switches with hosts are Fabric Adapters, others Fabric Elements. Chance (spraying, errors)
    /// comes from the seed's streams `stardust.*`.
    ///
    /// # Errors
    /// If the topology is no Stardust fabric.
    pub fn new(config: &Config, topology: &Topology, seed: Seed) -> Result<Stardust<I>, BuildError> {
        let mut layout = Layout::new(topology)?;
        let (link_classes, edge_classes) = classes(config, topology, &mut layout);
        if let Some(link) = I::unsuited(&layout, &link_classes) {
            return Err(BuildError::UnequalRates { link: topology.link_name(LinkId(link)) });
        }
        let links = topology.links().len();
        let mut stream = seed.stream("stardust.spray", 0);
        let mut reach = Reach::new(config.reachability, layout.devices, layout.adapters, links as u32);
        let mut tables = Tables::new(&layout);
        let (mut sprayer, mut control) = (Sprayer::default(), Sprayer::default());
        reach.warm_up(layout.devices, &layout);
        for device in 0..layout.devices {
            tables.rebuild(device, &reach, &layout, &mut [&mut sprayer, &mut control], &mut stream);
        }
        layout.check_complete(topology, |from, to| tables.way(from, to as u16, true).is_some())?;
        if config.reachability.cold {
            reach = Reach::new(config.reachability, layout.devices, layout.adapters, links as u32);
            for device in 0..layout.devices {
                tables.rebuild(device, &reach, &layout, &mut [&mut sprayer, &mut control], &mut stream);
            }
        }
        let fabric_rate: f64 = topology.links().iter().map(|link| link.rate.as_bps() as f64).sum();
        let held = (0..layout.devices).map(|device| memory(device, config, &layout, &link_classes)).collect();
        Ok(Stardust {
            interior: I::new(config, &layout, &link_classes),
            link_classes,
            edge_classes,
            store: Store::default(),
            interfaces: vec![Interface::default(); layout.hosts.len()],
            outlets: vec![Outlet::new(config.classes.len()); layout.hosts.len()],
            ingress: Ingress::new(layout.adapters, config),
            scheduler: Scheduler::new(&layout.port_rates(topology), layout.adapters, &config.classes, config.credits),
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
            event_gap: Span::from_secs_f64(config.cells.size.bits() as f64 / fabric_rate),
            layout,
            config: config.clone(),
        })
    }

    #[inline(always)]
    fn wire(&self, link: u32) -> Wire {
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

    // ----- cells on links

    /// A data cell joins a link's queue.
    #[inline(always)]
    fn send_data(&mut self, now: Time, link: u32, cell: Cell, queue: &mut EventQueue) {
        let wire = self.layout.wires[link as usize];
        self.interior.join(now, link, cell, &self.link_classes[usize::from(wire.class)], queue);
        self.held[wire.from as usize].cells += 1;
        self.totals.hops += 1;
    }

    /// A control message joins before all data.
    fn send_control(&mut self, now: Time, link: u32, cell: Cell, queue: &mut EventQueue) {
        let wire = self.layout.wires[link as usize];
        self.interior.join_first(now, link, cell, &self.link_classes[usize::from(wire.class)], queue);
        self.held[wire.from as usize].cells += 1;
        self.totals.hops += 1;
    }

    /// A cell has left the memory of the device before a link.
    #[inline(always)]
    pub(crate) fn forget_cell(&mut self, now: Time, link: u32, queue: &mut EventQueue) {
        let from = self.layout.wires[link as usize].from;
        let memory = &mut self.held[from as usize];
        memory.cells -= 1;
        if memory.paused {
            self.try_release(now, from, queue);
        }
    }

    /// A cell has come over a link inside.
    #[inline(always)]
    pub(crate) fn take_cell(&mut self, now: Time, link: u32, cell: Cell, queue: &mut EventQueue) {
        let wire = self.wire(link);
        if self.broken.any && self.is_spoiled(link, &cell) {
            return;
        }
        if cell.is_control() && cell.kind() == Kind::Reachability {
            self.hear(link, &cell);
            return;
        }
        if wire.role == Role::Down && wire.to < self.layout.adapters {
            self.deliver_cell(now, cell, queue);
        } else {
            self.forward(now, wire, cell, queue);
        }
    }

    /// A Fabric Element passes a cell on (§4.2): over a link downwards that leads to its adapter, else, if it is on its way up, over
    /// one upwards.
    #[inline(always)]
    fn forward(&mut self, now: Time, wire: Wire, cell: Cell, queue: &mut EventQueue) {
        let Some(way) = self.tables.way(wire.to, cell.to, wire.role == Role::Up) else {
            self.lose_cell(&cell);
            self.sums.cells_astray += 1;
            return;
        };
        let rounds = self.config.adapter.rounds;
        if cell.is_control() {
            let link = self.control.next(way, rounds, &mut self.stream);
            self.send_control(now, link, cell, queue);
        } else {
            let link = self.sprayer.next(way, rounds, &mut self.stream);
            self.pass_on(now, wire.to, link, cell, queue);
        }
    }

    /// A data cell in an element joins the queue of the link that it was given.
    #[inline(always)]
    pub(crate) fn pass_on(&mut self, now: Time, element: u32, link: u32, cell: Cell, queue: &mut EventQueue) {
        let class = usize::from(self.layout.wires[link as usize].class);
        self.interior.join(now, link, cell, &self.link_classes[class], queue);
        self.totals.hops += 1;
        let memory = &mut self.held[element as usize];
        memory.cells += 1;
        if memory.cells > memory.pause_at && !memory.paused {
            self.try_pause(now, element, queue);
        }
    }

    /// Cells that an element has in memory.
    fn count(&self, now: Time, element: u32) -> u32 {
        self.layout.out(element).map(|link| self.interior.waiting(now, link, self.link_class(link))).sum()
    }

    /// §5.5: as a last resort an element pauses what comes to it rather than drop a cell.
    #[cold]
    #[inline(never)]
    fn try_pause(&mut self, now: Time, element: u32, queue: &mut EventQueue) {
        let count = self.count(now, element);
        let links = self.layout.out(element).count() as u32;
        debug_assert!(count <= self.config.element.memory * links, "element {element} would drop a cell");
        if count >= self.held[element as usize].pause_at {
            self.held[element as usize].paused = true;
            self.sums.pauses += 1;
            self.tell_neighbours(now, element, Clock::Hold, queue);
        }
    }

    #[cold]
    #[inline(never)]
    fn try_release(&mut self, now: Time, element: u32, queue: &mut EventQueue) {
        if self.count(now, element) <= self.held[element as usize].pause_at / 4 * 3 {
            self.held[element as usize].paused = false;
            self.tell_neighbours(now, element, Clock::Release, queue);
        }
    }

    /// Pause and release reach the neighbours after the links' delays.
    fn tell_neighbours(&mut self, now: Time, element: u32, clock: impl Fn(u32) -> Clock, queue: &mut EventQueue) {
        for link in self.layout.out(element) {
            let delay = self.link_classes[usize::from(self.wire(link).class)].delay;
            queue.push(clock(self.layout.back(link)).event(now + delay));
        }
    }

    /// A cell has come to the adapter that it is for.
    #[inline(always)]
    fn deliver_cell(&mut self, now: Time, cell: Cell, queue: &mut EventQueue) {
        match cell.kind() {
            Kind::Data => {
                self.sums.cells_delivered += 1;
                self.cell_latency.record(cell::since(now, cell.stamp).as_ps() >> 10);
                let indicated = cell.has(Cell::FCI);
                self.sums.indicated += u64::from(indicated);
                self.scheduler.observe(now, cell.to, indicated);
                self.reassemble(now, cell, queue);
            }
            Kind::Request => self.take_request(now, &cell, queue),
            Kind::Credit => self.take_credit(now, cell.voq, cell.sequence, queue),
            Kind::Reachability => unreachable!("reachability messages go over one link"),
        }
    }

    // ----- requests and credits

    /// A control message on its way from an adapter to another, or to itself.
    fn dispatch(&mut self, now: Time, from: u16, cell: Cell, queue: &mut EventQueue) {
        if cell.to == from {
            self.deliver_cell(now, cell, queue);
            return;
        }
        match self.tables.way(u32::from(from), cell.to, true) {
            Some(way) => {
                let link = self.control.next(way, self.config.adapter.rounds, &mut self.stream);
                self.send_control(now, link, cell, queue);
            }
            None => self.sums.cells_astray += 1, // the watchdog says it again
        }
    }

    /// A VOQ reports what it has, if it is time.
    fn ask(&mut self, now: Time, voq: u32, queue: &mut EventQueue) {
        if let Some(request) = self.ingress.request(voq) {
            self.sums.requests += 1;
            let from = self.ingress.voqs[voq as usize].src;
            self.dispatch(now, from, request, queue);
        }
        let watchdog = self.config.credits.watchdog;
        let voq_state = &mut self.ingress.voqs[voq as usize];
        if voq_state.is_waiting() && !voq_state.watched {
            voq_state.watched = true;
            queue.push(Event { at: now + watchdog, rank: Rank::new(kind::DEADLINE, voq * 2), slot: 0 });
        }
    }

    /// A VOQ may have waited too long for a credit.
    fn check_waiting(&mut self, now: Time, voq: u32, queue: &mut EventQueue) {
        let watchdog = self.config.credits.watchdog;
        let state = &mut self.ingress.voqs[voq as usize];
        state.watched = false;
        if !state.is_waiting() {
            return;
        }
        state.watched = true;
        let mut due = state.since + watchdog;
        if due <= now {
            due = now + watchdog;
            let from = state.src;
            let request = self.ingress.resync(voq);
            self.sums.requests += 1;
            self.dispatch(now, from, request, queue);
        }
        queue.push(Event { at: due, rank: Rank::new(kind::DEADLINE, voq * 2), slot: 0 });
    }

    fn take_request(&mut self, now: Time, cell: &Cell, queue: &mut EventQueue) {
        let voq = &self.ingress.voqs[cell.voq as usize];
        let (port, class) = (voq.port, voq.class);
        let has_turn = if cell.has(Cell::RESYNC) {
            self.scheduler.resync(now, cell.voq, port, class, (cell.sequence, cell.stamp))
        } else {
            self.scheduler.request(cell.voq, port, class, cell.sequence)
        };
        if has_turn {
            self.schedule(now, port, queue);
        }
    }

    pub(crate) fn schedule(&mut self, now: Time, port: u32, queue: &mut EventQueue) {
        let at = self.scheduler.turn(now, port);
        queue.push(Event { at, rank: Rank::new(kind::SCHEDULE, port), slot: 0 });
    }

    /// A port's scheduler has its turn.
    fn grant(&mut self, now: Time, port: u32, queue: &mut EventQueue) {
        if let Some(grant) = self.scheduler.grant(now, port) {
            self.sums.credits += 1;
            self.sums.credit_bytes += u64::from(grant.bytes);
            let from = self.scheduler.ports[port as usize].adapter;
            let to = self.ingress.voqs[grant.voq as usize].src;
            let len = self.config.credits.message.get() as u16;
            let credit = Cell { sequence: grant.bytes, ..Cell::control(Kind::Credit, grant.voq, to, len) };
            self.dispatch(now, from, credit, queue);
        }
        if self.scheduler.has_turn(port) {
            self.schedule(now, port, queue);
        }
    }

    /// A credit has come to its VOQ.
    fn take_credit(&mut self, now: Time, voq: u32, bytes: u32, queue: &mut EventQueue) {
        let mut cells = std::mem::take(&mut self.cells);
        self.ingress.credit(now, voq, bytes, &mut self.store, &mut cells);
        self.spray(now, voq, &mut cells, queue);
        self.cells = cells;
        self.ask(now, voq, queue);
        let adapter = self.ingress.voqs[voq as usize].src;
        self.unpause(now, adapter, queue);
    }

    /// Cells leave a VOQ over all links that lead to their destination (§3.2).
    fn spray(&mut self, now: Time, voq: u32, cells: &mut Vec<Cell>, queue: &mut EventQueue) {
        let state = &self.ingress.voqs[voq as usize];
        let (src, dst) = (state.src, state.dst);
        if src == dst {
            for cell in cells.drain(..) {
                self.reassemble(now, cell, queue);
            }
            return;
        }
        let way = self.tables.way(u32::from(src), dst, true);
        for cell in cells.drain(..) {
            self.sums.cells += 1;
            self.sums.cell_bytes += u64::from(cell.len);
            match way {
                Some(way) => {
                    let link = self.sprayer.next(way, self.config.adapter.rounds, &mut self.stream);
                    self.send_data(now, link, cell, queue);
                }
                None => self.lose_cell(&cell),
            }
        }
    }

    // ----- reassembly, and the last link

    fn reassemble(&mut self, now: Time, cell: Cell, queue: &mut EventQueue) {
        let mut outcome = std::mem::take(&mut self.outcome);
        let waits = self.reassembly.arrive(now, &cell, &self.store, &mut outcome);
        if waits {
            let timeout = self.config.adapter.reassembly_timeout;
            let stream = self.reassembly.stream(cell.voq);
            if !stream.armed {
                stream.armed = true;
                let at = (stream.since + timeout).max(now);
                queue.push(Event { at, rank: Rank::new(kind::DEADLINE, cell.voq * 2 + 1), slot: 0 });
            }
        }
        self.hand_out(now, cell.voq, &mut outcome, queue);
        self.outcome = outcome;
    }

    fn check_reassembly(&mut self, now: Time, voq: u32, queue: &mut EventQueue) {
        let mut outcome = std::mem::take(&mut self.outcome);
        let (adapter, timeout) = (self.ingress.voqs[voq as usize].dst, self.config.adapter.reassembly_timeout);
        let before = self.reassembly.given_up;
        let again = self.reassembly.expire(now, adapter, voq, timeout, &self.store, &mut outcome);
        self.sums.timeouts += u64::from(self.reassembly.given_up > before);
        if let Some(at) = again {
            queue.push(Event { at, rank: Rank::new(kind::DEADLINE, voq * 2 + 1), slot: 0 });
        }
        self.hand_out(now, voq, &mut outcome, queue);
        self.outcome = outcome;
    }

    /// Complete packets go to their port.
    fn hand_out(&mut self, now: Time, voq: u32, outcome: &mut Outcome, queue: &mut EventQueue) {
        let port = self.ingress.voqs[voq as usize].port;
        for packet in outcome.complete.drain(..) {
            let link = self.attachment(port).down;
            let class = self.edge_classes[usize::from(self.wire(link).class)];
            if self.outlets[port as usize].take(packet, &mut self.store, &class) {
                self.begin_packet(now, port, queue);
            }
        }
        for packet in outcome.torn.drain(..) {
            self.store.take(packet);
            self.totals.lost += 1;
        }
        if outcome.missing > 0 && self.scheduler.settle(now, port, outcome.missing) {
            self.schedule(now, port, queue);
        }
        outcome.clear();
    }

    /// A port's link is free.
    fn begin_packet(&mut self, now: Time, port: u32, queue: &mut EventQueue) {
        let link = self.attachment(port).down;
        let class = self.edge_classes[usize::from(self.wire(link).class)];
        if let Some((packet, end)) = self.outlets[port as usize].begin(now, &mut self.store, &class) {
            self.totals.hops += 1;
            queue.push(Event { at: end, rank: Rank::new(kind::LINK_FREE, link), slot: 0 });
            queue.push(Event { at: end + class.delay, rank: Rank::new(kind::ARRIVAL, link), slot: packet });
        }
    }

    /// A port's link has sent a packet.
    fn end_packet(&mut self, now: Time, link: u32, queue: &mut EventQueue) {
        let port = self.wire(link).to;
        let class = self.edge_classes[usize::from(self.wire(link).class)];
        let Some(len) = self.outlets[port as usize].end(&class) else { return };
        let size = len + self.config.cells.packet_header.get() as u32;
        if self.scheduler.settle(now, port, size) {
            self.schedule(now, port, queue);
        }
        self.begin_packet(now, port, queue);
    }

    /// A packet has come from a host to its adapter.
    fn take_packet(&mut self, now: Time, link: u32, packet: u32, queue: &mut EventQueue) {
        let frame = *self.store.frame(packet);
        if self.broken.any && self.is_packet_spoiled(now, link, frame.len) {
            self.lose_packet(packet);
            return;
        }
        let (src, dst) = (self.attachment(frame.src).adapter, self.attachment(frame.dst));
        if src != dst.adapter && self.tables.way(u32::from(src), dst.adapter, true).is_none() {
            self.lose_packet(packet); // nobody reaches its destination
            return;
        }
        let class = frame.priority.min(self.config.classes.len() as u8 - 1);
        let ports = self.layout.ports[usize::from(dst.adapter)].len() as u32;
        let way = Way { src, dst: dst.adapter, port: frame.dst, place: dst.place, ports, class };
        match self.ingress.admit(now, way, packet, &mut self.store) {
            Admitted::Dropped => {
                self.interfaces[frame.src as usize].counters.dropped += 1;
                self.store.take(packet);
                self.totals.dropped += 1;
            }
            Admitted::Queued(voq) if self.config.classes[usize::from(class)].low_latency => {
                let mut cells = std::mem::take(&mut self.cells);
                self.ingress.send_at_once(now, voq, &mut self.store, &mut cells);
                self.spray(now, voq, &mut cells, queue);
                self.cells = cells;
            }
            Admitted::Queued(voq) => self.ask(now, voq, queue),
        }
        self.pause(src);
    }

    /// An adapter whose memory fills pauses its hosts.
    fn pause(&mut self, adapter: u16) {
        let Some(threshold) = self.config.adapter.pause_threshold else { return };
        if self.ingress.used[usize::from(adapter)] <= threshold.get() {
            return;
        }
        for host in &self.layout.ports[usize::from(adapter)] {
            let interface = &mut self.interfaces[*host as usize];
            if !interface.paused {
                interface.paused = true;
                self.sums.host_pauses += 1;
            }
        }
    }

    /// And lets them go on when there is room again.
    pub(crate) fn unpause(&mut self, now: Time, adapter: u16, queue: &mut EventQueue) {
        let Some(threshold) = self.config.adapter.pause_threshold else { return };
        if self.ingress.used[usize::from(adapter)] >= threshold.get() / 4 * 3 {
            return;
        }
        for index in 0..self.layout.ports[usize::from(adapter)].len() {
            let host = self.layout.ports[usize::from(adapter)][index];
            let interface = &mut self.interfaces[host as usize];
            if std::mem::take(&mut interface.paused) && std::mem::take(&mut interface.awaited) {
                self.call_when_ready(now, host, queue);
            }
        }
    }

    // ----- losses

    /// A data cell is lost, and with it the packets that end in it; a control message is only lost.
    pub(crate) fn lose_cell(&mut self, cell: &Cell) {
        self.sums.cells_lost += 1;
        if cell.is_control() {
            if cell.kind() == Kind::Reachability {
                self.free_bitmaps.push(cell.cargo);
            }
            return;
        }
        let mut packet = cell.cargo;
        while packet != Store::NONE {
            let next = self.store.next(packet);
            self.lose_packet(packet);
            packet = next;
        }
    }

    pub(crate) fn lose_packet(&mut self, packet: u32) {
        self.store.take(packet);
        self.totals.lost += 1;
    }

    // ----- reachability

    /// A device's period: it says whom it reaches, and looks which links have been silent.
    fn tick(&mut self, now: Time, device: u32, queue: &mut EventQueue) {
        queue.push(Clock::Reachability(device).event(now + self.config.reachability.period));
        if self.broken.devices[device as usize] {
            return;
        }
        let mut changed = false;
        let (part, below, all) = self.reach.tell(device);
        let len = self.config.reachability.message.get() as u16;
        let links: Vec<u32> = self.layout.out(device).collect();
        for link in links {
            let back = self.layout.back(link);
            changed |= self.reach.end_period(back) == News::Changed;
            let told = if self.wire(link).role == Role::Up { below } else { all };
            let place = self.free_bitmaps.pop().unwrap_or_else(|| {
                self.bitmaps.push(0);
                self.bitmaps.len() as u32 - 1
            });
            self.bitmaps[place as usize] = told;
            let deaf = if self.reach.is_alive(back) { 0 } else { Cell::DEAF };
            let message = Cell::control(Kind::Reachability, 0, 0, len);
            let message = Cell { sequence: part, cargo: place, flags: message.flags | deaf, ..message };
            self.sums.reachability += 1;
            if self.broken.links[link as usize].down {
                self.free_bitmaps.push(place);
            } else {
                self.send_control(now, link, message, queue);
            }
        }
        if changed {
            self.rebuild(device);
        }
    }

    fn hear(&mut self, link: u32, cell: &Cell) {
        let told = self.bitmaps[cell.cargo as usize];
        self.free_bitmaps.push(cell.cargo);
        if self.reach.hear(link, cell.sequence, told, cell.has(Cell::DEAF)) == News::Changed {
            self.rebuild(self.wire(link).to);
        }
    }

    /// What a device knows has changed: its tables are made anew, and packets for adapters that it no longer reaches are discarded.
    pub(crate) fn rebuild(&mut self, device: u32) {
        self.reach.refresh(device, &self.layout);
        let mut sprayers = [&mut self.sprayer, &mut self.control];
        let cut_off = self.tables.rebuild(device, &self.reach, &self.layout, &mut sprayers, &mut self.stream);
        for adapter in cut_off {
            self.discard_for(device as u16, adapter);
        }
    }

    /// An adapter no longer reaches another.
    fn discard_for(&mut self, src: u16, dst: u16) {
        let mut packets = Vec::new();
        for number in 0..self.ingress.voqs.len() as u32 {
            let voq = &self.ingress.voqs[number as usize];
            let (from, to, port, class) = (voq.src, voq.dst, voq.port, voq.class);
            if (from, to) == (src, dst) {
                self.ingress.purge(number, &mut self.store, &mut packets);
            } else if (from, to) == (dst, src) {
                self.scheduler.forget(number, port, class);
            }
        }
        packets.into_iter().for_each(|packet| self.lose_packet(packet));
    }

    // ----- invariants

    #[cfg(debug_assertions)]
    fn check_conservation(&self) {
        let Totals { offered, delivered, dropped, lost, .. } = self.totals;
        assert_eq!(offered, delivered + dropped + lost + self.store.len() as u64, "packets are conserved");
    }
}

/// When an element pauses its inputs: so early that what is under way to it still finds room.
fn memory(device: u32, config: &Config, layout: &Layout, classes: &[LinkClass]) -> Memory {
    if device < layout.adapters {
        return Memory { pause_at: u32::MAX, ..Memory::default() };
    }
    let flight = |link: u32| {
        let class = &classes[usize::from(layout.wires[link as usize].class)];
        (class.delay.as_ps() / class.full.1.as_ps()) as u32 + 2
    };
    let links = layout.out(device).count() as u32;
    // A pause takes a link's delay to get there, and another until the last cell that was sent before it has come.
    let headroom: u32 = layout.out(device).map(|link| 2 * flight(layout.back(link))).sum();
    let pause_at = (config.element.memory * links).saturating_sub(headroom).max(links);
    Memory { cells: 0, pause_at, paused: false }
}

impl<I: Interior> Network for Stardust<I> {
    fn offers(&self) -> Offers {
        Offers {
            ecn: self.config.adapter.ecn_threshold.is_some(),
            lossless: self.config.adapter.pause_threshold.is_some(),
            in_order: true,
            priorities: self.config.classes.len() as u8,
        }
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
        self.totals.offered += 1;
        self.totals.hops += 1;
        let up = self.attachment(frame.src).up;
        let class = self.edge_classes[usize::from(self.wire(up).class)];
        let end = self.interfaces[frame.src as usize].send(now, frame.len, &class);
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
                Clock::Dark(link) => self.see_dark(link),
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

impl<I: Interior> Stardust<I> {
    /// A packet comes to its host.
    fn leave(&mut self, now: Time, link: u32, packet: u32) -> Option<Frame> {
        let frame = *self.store.frame(packet);
        if self.broken.any && self.is_packet_spoiled(now, link, frame.len) {
            self.lose_packet(packet);
            return None;
        }
        self.totals.delivered += 1;
        Some(self.store.take(packet))
    }

    fn hold(&mut self, now: Time, link: u32, queue: &mut EventQueue) {
        let class = self.link_classes[usize::from(self.wire(link).class)];
        self.interior.hold(now, link, &class, queue);
    }

    fn release(&mut self, now: Time, link: u32, queue: &mut EventQueue) {
        let class = self.link_classes[usize::from(self.wire(link).class)];
        self.interior.release(now, link, &class, queue);
    }
}
