//! What a plan is made from: the pod, its packets and cables, its clocks, its arbiter, and prices.

use super::arbiter::{Pace, Work};
use super::silicon::MEMORY;
use super::{Impossible, float};
use crate::book::{Book, Edition, Laid};
use crate::by_rate::{ByRate, UpTo};
use ::fastpod::timing::Cables;
use ::fastpod::{Config, Layout, LayoutError, largest_error};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::{DelayText, Flat, PacketText, RateText, SettingError, SizeText};
use units::{Bytes, Rate, Span};

/// Pods of switches without buffers, beside the same network of buffered ones.
// A link has at most 100 Tb/s, and a switch at most as many links as there are hosts, so that bandwidths stay below 2^64 b/s.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "FastpodInput")]
pub struct Input {
    /// k, the ports of a switch of the fat-tree whose pod is planned; even. Racks, hosts of each, uplinks and core switches of a plane are k/2 unless set.
    #[schemars(range(min = 4, max = 128))]
    pub ports: u64,
    /// ToR switches of a pod.
    #[schemars(range(min = 1, max = 32_767), extend("x-default" = "k/2"))]
    pub racks: u64,
    /// Hosts below a ToR switch, N.
    #[schemars(range(min = 2, max = 4_096), extend("x-default" = "k/2"))]
    pub hosts_per_rack: u64,
    /// Aggregation switches of a pod, to each of which every ToR switch has a link.
    #[schemars(range(min = 1, max = 64), extend("x-default" = "k/2"))]
    pub uplinks: u64,
    /// Pods. With more than one, buffered core switches join them (§3.4).
    #[schemars(range(min = 1, max = 4_096))]
    pub pods: u64,
    /// Core switches above each aggregation switch, if there are several pods.
    #[schemars(range(min = 1, max = 64), extend("x-default" = "k/2"))]
    pub cores_per_plane: u64,
    /// Rate of every link.
    #[schemars(with = "RateText", extend("x-most" = "100 Tb/s"))]
    pub rate: Rate,
    /// A data packet on the wire: all are equally long (§3.2).
    #[schemars(with = "PacketText", extend("x-least" = "1 B", "x-most" = "65536 B"))]
    pub packet: Bytes,
    /// What of it is no payload.
    #[schemars(with = "SizeText", extend("x-most" = "65536 B"))]
    pub header: Bytes,
    /// A request (RTS) or an answer (SCHD) on the wire.
    #[schemars(with = "PacketText", extend("x-least" = "1 B", "x-most" = "65536 B"))]
    pub control: Bytes,
    /// Cable from a host to its ToR switch, one way: 5 ns a metre.
    #[schemars(with = "DelayText", extend("x-most" = "1 s"))]
    pub host_delay: Span,
    /// Cable from a ToR switch to an aggregation switch.
    #[schemars(with = "DelayText", extend("x-most" = "1 s"))]
    pub rack_delay: Span,
    /// Cable from a ToR switch to an arbiter.
    #[schemars(with = "DelayText", extend("x-most" = "1 s"))]
    pub arbiter_delay: Span,
    /// Cable from an aggregation switch to a core switch.
    #[schemars(with = "DelayText", extend("x-most" = "1 s"))]
    pub core_delay: Span,
    /// Time that a packet takes through a switch, which cuts through.
    #[schemars(with = "DelayText", extend("x-most" = "1 s"))]
    pub switch_latency: Span,
    /// By how much paths differ that hosts cannot compensate for: those over one aggregation switch and over another.
    #[schemars(with = "DelayText", extend("x-most" = "1 s"))]
    pub path_variation: Span,
    /// How far each host's clock is off at most, whatever is done.
    #[schemars(with = "DelayText", extend("x-most" = "1 s"))]
    pub clock_error: Span,
    /// How fast it runs away at most, in parts per million, until the next answer of the arbiter sets it right.
    #[schemars(range(min = 0.0, max = 1_000.0))]
    pub clock_drift: f64,
    /// The resolution of the clocks' stamps.
    #[schemars(with = "DelayText", extend("x-most" = "1 s"))]
    pub clock_resolution: Span,
    /// Each of a slot's three guard bands (§4).
    #[schemars(with = "DelayText", extend("x-most" = "1 s", "x-default" = "what clocks and paths need"))]
    pub guard: Span,
    /// Slots that an arbiter allocates at once.
    #[schemars(range(min = 1, max = 64))]
    pub batch: u64,
    /// Slots in a row of which a host's request is missing until the arbiter takes its link for broken.
    #[schemars(range(min = 1, max = 1_000))]
    pub suspicion: u64,
    /// Arbiters of a pod: with 2, one takes over from the other.
    #[schemars(range(min = 1, max = 2))]
    pub arbiters: u64,
    /// Processor cores of an arbiter.
    #[schemars(range(min = 1, max = 1_024))]
    pub arbiter_cores: u64,
    /// Share of slots in which a host sends, for the arbiter's load.
    #[schemars(range(min = 0.01, max = 0.99))]
    pub load: f64,
    /// Time that a core takes to find a slot for a pair of hosts, in nanoseconds.
    #[schemars(range(min = 0.001, max = 1_000_000.0), extend("x-default" = "by measurement"))]
    pub allocation_ns: f64,
    /// Time that a core takes to find the path of a pair of hosts in a slot, in nanoseconds.
    #[schemars(range(min = 0.001, max = 1_000_000.0), extend("x-default" = "by measurement"))]
    pub path_ns: f64,
    /// Time from when an arbiter has all requests of a slot until it answers.
    #[schemars(with = "DelayText", extend("x-most" = "1 s", "x-default" = "that of finding slots and paths"))]
    pub arbiter_latency: Span,
    /// Servers on a round-robin schedule without an arbiter, to compare with (§2.2).
    #[schemars(range(min = 2, max = 1_000_000_000))]
    pub epoch_hosts: u64,
    /// Channels of each of them, which share `rate`; a slot of their schedule has a packet of `control`.
    #[schemars(range(min = 1, max = 1_024))]
    pub epoch_channels: u64,
    /// Area of a switch without buffers over a buffered one's, for the same bandwidth (§2.1).
    #[schemars(range(min = 0.001, max = 1_000.0))]
    pub zero_buffer_area: f64,
    /// Power of a switch without buffers over a buffered one's, for the same bandwidth (§2.1).
    #[schemars(range(min = 0.001, max = 1_000.0))]
    pub zero_buffer_power: f64,
    /// Price of a switch without buffers over a buffered one's, for the same bandwidth: the relation of their areas, as the paper has no price.
    #[schemars(range(min = 0.0, max = 1_000.0))]
    pub price_zero_buffer_ratio: f64,
    /// Prices and power: an edition of the book, or a TOML file of your own.
    pub prices: Edition,
    /// Power of a buffered switch, in W, whatever its bandwidth.
    #[schemars(range(min = 0.0, max = 1_000_000.0), extend("x-default" = "the book's"))]
    pub switch_power_w: Option<f64>,
    /// Power of transceivers, in W: of every rate (`2.5`), or by rate (`400 Gb/s: 9, 800 Gb/s: 17`).
    #[schemars(with = "UpTo<1_000_000>", extend("x-default" = "the book's"))]
    pub transceiver_power_w: ByRate,
    /// Power of an arbiter, in W.
    #[schemars(range(min = 0.0, max = 1_000_000.0), extend("x-default" = "left out"))]
    pub arbiter_power_w: Option<f64>,
    /// Price of a buffered switch, in USD, whatever its bandwidth.
    #[schemars(range(min = 0.0, max = 1_000_000_000.0), extend("x-default" = "the book's"))]
    pub price_switch: Option<f64>,
    /// Price of the cable to a host.
    #[schemars(range(min = 0.0, max = 1_000_000_000.0), extend("x-default" = "the book's"))]
    pub price_server_cable: Option<f64>,
    /// Prices of transceivers by rate: `400 Gb/s: 700, 800 Gb/s: 1250`; others stay the book's.
    #[schemars(with = "UpTo<1_000_000_000>", extend("x-default" = "the book's"))]
    pub price_transceivers: ByRate,
    /// Price of a fibre of 10 m, within a pod.
    #[schemars(range(min = 0.0, max = 1_000_000_000.0), extend("x-default" = "the book's"))]
    pub price_fibre_near: Option<f64>,
    /// Price of a fibre of 100 m, to a core switch.
    #[schemars(range(min = 0.0, max = 1_000_000_000.0), extend("x-default" = "the book's"))]
    pub price_fibre_far: Option<f64>,
    /// Price of an arbiter, in USD.
    #[schemars(range(min = 0.0, max = 1_000_000_000.0), extend("x-default" = "left out"))]
    pub price_arbiter: Option<f64>,
    /// Whether the guard band was not given, so that other pods have others.
    #[serde(skip)]
    pub guard_follows: bool,
    /// Whether neither of the arbiter's two times was given.
    #[serde(skip)]
    pub is_measured: bool,
    /// The book, with all that is set laid over it.
    #[serde(skip)]
    pub book: Book,
}

impl Default for Input {
    /// The pod of §5: that of an 8-port fat-tree, with the packets and clocks that the fabric has by default.
    fn default() -> Input {
        let fabric = Config::default();
        let cable = Span::from_us(1);
        Input {
            ports: 8,
            racks: 4,
            hosts_per_rack: 4,
            uplinks: 4,
            pods: 1,
            cores_per_plane: 4,
            rate: Rate::from_gbps(100),
            packet: fabric.packet,
            header: fabric.header,
            control: fabric.control,
            host_delay: cable,
            rack_delay: cable,
            arbiter_delay: fabric.arbiter_delay,
            core_delay: cable,
            switch_latency: fabric.switch_latency,
            path_variation: Span::ZERO,
            clock_error: fabric.clock_error,
            clock_drift: fabric.clock_drift,
            clock_resolution: fabric.clock_resolution,
            guard: Span::ZERO,
            batch: fabric.batch.into(),
            suspicion: fabric.suspicion.into(),
            arbiters: fabric.arbiters.into(),
            arbiter_cores: 2,
            load: 0.9,
            allocation_ns: 0.0,
            path_ns: 0.0,
            arbiter_latency: Span::ZERO,
            epoch_hosts: 100_000,
            epoch_channels: 4,
            zero_buffer_area: 1.0 - MEMORY,
            zero_buffer_power: 1.0 - MEMORY,
            price_zero_buffer_ratio: 1.0 - MEMORY,
            prices: Edition::Paper,
            switch_power_w: None,
            transceiver_power_w: ByRate::default(),
            arbiter_power_w: None,
            price_switch: None,
            price_server_cable: None,
            price_transceivers: ByRate::default(),
            price_fibre_near: None,
            price_fibre_far: None,
            price_arbiter: None,
            guard_follows: true,
            is_measured: true,
            book: Book::default(),
        }
    }
}

impl Input {
    /// Reads settings; those not given are of the pod of §5, or follow from others.
    ///
    /// # Errors
    /// A key is unknown, or a value out of its range.
    pub fn read(mut given: Flat) -> Result<Input, SettingError> {
        let entries = given.take("book");
        let mut input: Input = given.read()?;
        if !input.ports.is_multiple_of(2) {
            return Err(given.refusal("ports", "expected an even number: half of a switch's ports go up"));
        }
        let half = input.ports / 2;
        for (key, number) in [
            ("racks", &mut input.racks),
            ("hosts_per_rack", &mut input.hosts_per_rack),
            ("uplinks", &mut input.uplinks),
            ("cores_per_plane", &mut input.cores_per_plane),
        ] {
            if !given.has(key) {
                *number = half;
            }
        }
        if input.header >= input.packet {
            let expected = format!("expected less than a packet of {}, which has to carry payload", input.packet);
            return Err(given.refusal("header", expected));
        }
        input.guard_follows = !given.has("guard");
        if input.guard_follows {
            input.guard = input.guard_for(input.hosts_per_rack);
        }
        let measured = Pace::measured(input.hosts(), input.load);
        input.is_measured = !given.has("allocation_ns") && !given.has("path_ns");
        if !given.has("allocation_ns") {
            input.allocation_ns = measured.allocation_ns;
        }
        if !given.has("path_ns") {
            input.path_ns = measured.path_ns;
        }
        if !given.has("arbiter_latency") {
            let work = Work::new(input.transfers(), input.pace(), input.slot_with(input.hosts_per_rack, input.guard));
            input.arbiter_latency = Span::from_ps(work.slots_ps.saturating_add(work.paths_ps));
        }
        input.book = Book::new(input.prices, entries)?;
        input.book.lay_over(&Laid {
            switch: input.price_switch,
            server_cable: input.price_server_cable,
            fibre_near: input.price_fibre_near,
            fibre_far: input.price_fibre_far,
            transceivers: &input.price_transceivers,
            switch_w: input.switch_power_w,
            transceiver_w: &input.transceiver_power_w,
        });
        Ok(input)
    }

    /// Hosts of a pod.
    pub fn hosts(&self) -> u64 {
        self.racks.saturating_mul(self.hosts_per_rack)
    }

    /// Share of a rack's slots for which it has links upwards: all packets cross an aggregation switch (§5).
    pub fn upward_share(&self) -> f64 {
        (float(self.uplinks) / float(self.hosts_per_rack)).min(1.0)
    }

    /// Hosts that send in a slot, on average.
    pub fn transfers(&self) -> f64 {
        float(self.hosts()) * self.load.min(self.upward_share())
    }

    /// What a core takes for each of them.
    pub fn pace(&self) -> Pace {
        Pace { allocation_ns: self.allocation_ns, path_ns: self.path_ns }
    }

    /// Cables, and what a switch takes.
    pub fn cables(&self) -> Cables {
        Cables {
            host: self.host_delay,
            rack: self.rack_delay,
            arbiter: self.arbiter_delay,
            switch: self.switch_latency,
        }
    }

    /// How far a clock can be off that is set right once a slot.
    pub fn clocks_off(&self, slot: Span) -> Span {
        largest_error(self.clock_error, self.clock_drift, self.clock_resolution, slot)
    }

    /// The guard band for a pod with so many hosts below a ToR switch: a longer slot needs a longer one, if clocks drift, and a
    /// longer one makes a longer slot.
    fn guard_for(&self, hosts_per_rack: u64) -> Span {
        let mut guard = Span::ZERO;
        // Drift is at most a thousandth, so that each step adds at most a hundredth of what the one before did.
        for _ in 0..32 {
            let slot = self.slot_with(hosts_per_rack, guard);
            guard = Layout::guard_for(self.clocks_off(slot), self.path_variation);
        }
        guard
    }

    /// The length of a slot whether there is room for its guard bands or not.
    fn slot_with(&self, hosts_per_rack: u64, guard: Span) -> Span {
        let hosts = u32::try_from(hosts_per_rack).unwrap_or(u32::MAX);
        let (data, control) = (self.rate.time_for(self.packet), self.rate.time_for(self.control));
        Layout { hosts, data, control, guard }.slot()
    }

    /// Slots of a pod with so many hosts below a ToR switch.
    fn laid_out(&self, hosts_per_rack: u64, guard: Span) -> Result<Layout, LayoutError> {
        let hosts = u32::try_from(hosts_per_rack).unwrap_or(u32::MAX);
        Layout::new(hosts, self.rate, self.packet, self.control, guard)
    }

    /// Slots of this pod.
    ///
    /// # Errors
    /// They have no room for their guard bands.
    pub fn layout(&self) -> Result<Layout, Impossible> {
        let Some(most) = self.largest_guard() else {
            return Err(Impossible::Control { control: self.control, packet: self.packet });
        };
        let guard = self.guard;
        self.laid_out(self.hosts_per_rack, guard).map_err(|error| {
            if self.guard_follows { self.needs_too_much(most) } else { Impossible::Guard { guard, error, most } }
        })
    }

    /// Why the guard band that clocks and paths need is too long: it names what needs most of it.
    fn needs_too_much(&self, most: Span) -> Impossible {
        let (guard, paths) = (self.guard, self.path_variation);
        let off = self.clocks_off(self.slot_with(self.hosts_per_rack, guard));
        let drifted = off.saturating_sub(self.clock_error + self.clock_resolution);
        let parts = [
            ("clock_error", self.clock_error * 2, self.clock_error.to_string()),
            ("clock_drift", drifted * 2, self.clock_drift.to_string()),
            ("clock_resolution", self.clock_resolution * 2, self.clock_resolution.to_string()),
            ("path_variation", paths, paths.to_string()),
        ];
        let (key, value) = parts
            .into_iter()
            .max_by_key(|(_, needs, _)| *needs)
            .map_or(("clock_error", String::new()), |(key, _, value)| (key, value));
        Impossible::Clocks { key, value, off, paths, guard, most }
    }

    /// The largest guard band for which slots have room; none if control packets are too long even without.
    pub fn largest_guard(&self) -> Option<Span> {
        Layout::largest_guard(self.rate, self.packet, self.control)
    }

    /// The pod of a fat-tree of switches with so many ports, with all else as it is: hosts, and what its arbiter has to do. None if its slots have no room
    /// for their guard bands.
    pub fn fat_tree(&self, ports: u64) -> Option<(u64, Work)> {
        let (half, hosts) = (ports / 2, ports / 2 * (ports / 2));
        let guard = if self.guard_follows { self.guard_for(half) } else { self.guard };
        let layout = self.laid_out(half, guard).ok()?;
        let pace = if self.is_measured { Pace::measured(hosts, self.load) } else { self.pace() };
        Some((hosts, Work::new(float(hosts) * self.load, pace, layout.slot())))
    }
}
