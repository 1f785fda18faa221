//! A small laboratory: a topology, a fabric, flows; run them and read the tables.

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt64Type};
use arrow_ipc::reader::StreamReader;
use engine::{Control, Seed};
use ethernet::{Config, Discipline, Ethernet, Fifo, Length, Port, Routing, Switching};
use fabric::{Fault, Network};
use results::Destination;
use simulation::{Ended, Labels, Outcome, Output, Settings, Transports};
use std::io::Cursor;
use std::sync::Arc;
use topology::{Shape, Topology};
use transport::{Config as Protocol, config};
use units::{Bytes, Rate, Span, Time};
use workload::{Group, Kind, Setting, Trace, TraceFlow, TraceStart, Workload};

pub(crate) struct Lab {
    pub topology: Topology,
    pub fabric: Config,
    pub groups: Vec<Group>,
    pub duration: Time,
    pub warmup: Time,
    pub seed: u64,
    pub faults: Vec<(Time, Fault)>,
    /// Time between samples.
    pub sample: Option<Span>,
}

pub(crate) fn us(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

pub(crate) fn ms(ms: u64) -> Time {
    Time::ZERO + Span::from_ms(ms)
}

/// Hosts on one switch, 10 Gb/s, 1 us a link.
pub(crate) fn star(hosts: u32) -> Topology {
    Shape::Star { hosts }.build(Rate::from_gbps(10), Span::from_us(1)).unwrap()
}

pub(crate) fn tree(k: u32) -> Topology {
    Shape::FatTree { k, oversubscription: 1.0 }.build(Rate::from_gbps(10), Span::from_us(1)).unwrap()
}

/// 1500 B packets, 100-packet queues, marks above 20.
pub(crate) fn fabric() -> Config {
    Config {
        switching: Switching::StoreAndForward,
        cut_through_header: Bytes::new(64),
        routing: Routing::Ecmp,
        mtu: Bytes::new(1500),
        framing: Bytes::new(38),
        jitter: Span::ZERO,
        convergence: Span::from_us(100),
        priorities: 1,
        port: Port { queue: Length::Packets(100), ecn_threshold: Some(Length::Packets(20)), red: None, loss: 0.0 },
        trimming: None,
        pfabric: false,
        in_network_latency: false,
        pfc: None,
        rules: Vec::new(),
    }
}

pub(crate) fn tcp() -> config::Tcp {
    config::Tcp {
        initial_window: 10,
        max_window: Bytes::new(10_000_000),
        min_rto: Span::from_ms(1),
        initial_rto: Span::from_ms(10),
        ack_every: 1,
        ack_delay: Span::from_us(500),
        header: Bytes::new(40),
        ..config::Tcp::default()
    }
}

pub(crate) fn newreno() -> Protocol {
    Protocol::NewReno(tcp())
}

pub(crate) fn dctcp() -> Protocol {
    Protocol::Dctcp(config::Dctcp { tcp: tcp(), gain: 0.0625 })
}

pub(crate) fn mptcp(subflows: u8) -> Protocol {
    Protocol::Mptcp(config::Mptcp { tcp: tcp(), subflows })
}

/// Every transport that sees to it that all arrives, in all its forms.
pub(crate) fn reliable() -> Vec<Protocol> {
    let recovers = |recovery| config::Tcp { recovery: Some(recovery), ..tcp() };
    let forms = [config::Recovery::NewReno, config::Recovery::Sack, config::Recovery::Rack];
    let newreno = forms.map(|form| Protocol::NewReno(recovers(form)));
    let dctcp = forms.map(|form| Protocol::Dctcp(config::Dctcp { tcp: recovers(form), gain: 0.0625 }));
    let cubic = forms.map(|form| Protocol::Cubic(config::Cubic { tcp: recovers(form), ..config::Cubic::default() }));
    // Without a pause what is lost is found by a timer, which is to be no longer than that of the others.
    let dcqcn = Protocol::Dcqcn(config::Dcqcn { timeout: Span::from_ms(1), ..config::Dcqcn::default() });
    // Over ports that drop, which one of the two is made for.
    let eqds = [config::Backend::Rts, config::Backend::Trimming]
        .map(|backend| Protocol::Eqds(config::Eqds { backend, ..config::Eqds::default() }));
    let swift = [config::Recovery::Sack, config::Recovery::Rack]
        .map(|form| Protocol::Swift(config::Swift { tcp: recovers(form), ..config::Swift::default() }));
    let others = [mptcp(1), mptcp(8), dcqcn];
    newreno.into_iter().chain(dctcp).chain(cubic).chain(swift).chain(others).chain(eqds).collect()
}

pub(crate) fn direct() -> Protocol {
    Protocol::Direct(config::Direct { header: Bytes::new(40) })
}

/// Flows from a list of (src, dst, bytes, start).
pub(crate) fn flows(list: impl IntoIterator<Item = (u32, u32, Bytes, Time)>) -> Vec<Group> {
    let flow =
        |(id, (src, dst, bytes, start))| TraceFlow { id, src, dst, bytes, start: TraceStart::At(start), line: 0 };
    let trace = Trace { file: "test".into(), flows: (0..).zip(list).map(flow).collect(), ..Trace::default() };
    vec![Group::new("flows", Kind::Trace { trace: trace.into(), rebase: false })]
}

impl Lab {
    pub(crate) fn new(topology: Topology, groups: Vec<Group>, duration: Time) -> Lab {
        let sample = Some(duration.since(Time::ZERO) / 200);
        Lab { topology, fabric: fabric(), groups, duration, warmup: Time::ZERO, seed: 1, faults: Vec::new(), sample }
    }

    pub(crate) fn run(&self, transport: &Protocol) -> Report {
        self.run_with::<Fifo>(transport, &Control::default())
    }

    pub(crate) fn run_with<D: Discipline>(&self, transport: &Protocol, control: &Control) -> Report {
        let network = Ethernet::<D>::new(&self.fabric, &self.topology, Seed(self.seed)).unwrap();
        self.run_over(network, transport, control)
    }

    pub(crate) fn run_over<N: Network>(&self, network: N, transport: &Protocol, control: &Control) -> Report {
        self.run_each(network, &Transports::same(transport.clone(), self.groups.len()), control)
    }

    /// Each group by a transport of its own.
    pub(crate) fn run_each<N: Network>(&self, network: N, transports: &Transports, control: &Control) -> Report {
        let seed = Seed(self.seed);
        let hosts = self.topology.hosts();
        let setting =
            Setting { hosts, host_rate: self.topology.host_rate(0), leaf: Vec::new(), seed, duration: self.duration };
        let workload = Workload::new(&self.groups, &setting).unwrap();
        let labels = Labels {
            run: "test".into(),
            variant: None,
            fabric: "ethernet".into(),
            transport: "any".into(),
            seed: self.seed,
        };
        let settings = Settings {
            duration: self.duration,
            warmup: self.warmup,
            stop_when_done: true,
            sample: self.sample,
            watch: Vec::new(),
            flows: true,
            links: true,
            goodput: true,
            queue: true,
            utilisation: true,
            faults: self.faults.clone(),
            labels,
        };
        let names = self.groups.iter().map(|group| Arc::from(group.name.as_str())).collect();
        let output = Output::create(&Destination::Memory, settings, &self.topology, names).unwrap();
        let outcome = simulation::run(network, transports, workload, &self.topology, seed, output, control).unwrap();
        Report { outcome }
    }
}

/// What a run left.
pub(crate) struct Report {
    pub outcome: Outcome,
}

impl Report {
    pub(crate) fn table(&self, name: &str) -> RecordBatch {
        let table = self.outcome.tables.iter().find(|table| table.name == name).unwrap();
        let bytes = table.kept.as_ref().unwrap();
        let reader = StreamReader::try_new(Cursor::new(bytes), None).unwrap();
        let schema = reader.schema();
        let batches: Vec<_> = reader.map(Result::unwrap).collect();
        if batches.len() == 1 { batches[0].clone() } else { RecordBatch::new_empty(schema) }
    }
    pub(crate) fn integers(&self, table: &str, column: &str) -> Vec<Option<u64>> {
        self.table(table)[column].as_primitive::<UInt64Type>().iter().collect()
    }
    pub(crate) fn numbers(&self, table: &str, column: &str) -> Vec<Option<f64>> {
        self.table(table)[column].as_primitive::<Float64Type>().iter().collect()
    }
    pub(crate) fn summary(&self, column: &str) -> u64 {
        self.integers("summary", column)[0].unwrap()
    }
    /// What only its kind of fabric counts.
    pub(crate) fn counter(&self, name: &str) -> f64 {
        let row = self.texts("counters", "counter").iter().position(|known| known == name).unwrap();
        self.numbers("counters", "value")[row].unwrap()
    }
    /// Samples of a series of one scope: times in ps, and values.
    pub(crate) fn series(&self, name: &str, scope: &str) -> Vec<(u64, f64)> {
        let (names, scopes) = (self.texts("series", "series"), self.texts("series", "scope"));
        let (times, values) = (self.integers("series", "time_ps"), self.numbers("series", "value"));
        let rows = (0..names.len()).filter(|row| names[*row] == name && scopes[*row] == scope);
        rows.map(|row| (times[row].unwrap(), values[row].unwrap())).collect()
    }
    /// A column of words.
    pub(crate) fn texts(&self, table: &str, column: &str) -> Vec<String> {
        let table = self.table(table);
        let names = table[column].as_dictionary::<arrow_array::types::UInt32Type>();
        let words = names.values().as_string::<i32>();
        (0..table.num_rows()).map(|row| words.value(names.key(row).unwrap()).to_owned()).collect()
    }
    pub(crate) fn flags(&self, table: &str, column: &str) -> Vec<bool> {
        self.table(table)[column].as_boolean().iter().map(Option::unwrap).collect()
    }
    /// Goodput of each flow in Gb/s, in order of their ids.
    pub(crate) fn goodputs(&self) -> Vec<f64> {
        let ids = self.integers("flows", "id");
        let mut by_id: Vec<_> = ids.into_iter().zip(self.numbers("flows", "goodput_bps")).collect();
        by_id.sort_by_key(|(id, _)| *id);
        by_id.into_iter().map(|(_, goodput)| goodput.unwrap() / 1e9).collect()
    }
    /// A column of the only link from a switch to `host`.
    pub(crate) fn downlink(&self, host: &str, column: &str) -> f64 {
        let links = self.table("links");
        let targets = links["target"].as_dictionary::<arrow_array::types::UInt32Type>();
        let names = targets.values().as_string::<i32>();
        let row = (0..links.num_rows()).find(|row| names.value(targets.key(*row).unwrap()) == host).unwrap();
        links[column]
            .as_primitive_opt::<Float64Type>()
            .map_or_else(|| links[column].as_primitive::<UInt64Type>().value(row) as f64, |column| column.value(row))
    }
    pub(crate) fn is_done(&self) -> bool {
        self.outcome.ended == Ended::Done
    }
}
