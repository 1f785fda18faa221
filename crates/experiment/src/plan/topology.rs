//! `[topology]`: builds the graph, once for all runs that share it.

use super::Refusal;
use super::files::Folder;
use crate::spec::{FileFormat, LinkSpec, OutsideKind, OutsideSpec, TierSpec, TopologyKind, TopologySpec, WiringSpec};
use ::topology::{
    An3, BuildError, Clos, Joined, LinkId, NodeId, Part, Routes, Shape, Tier, Topology, Torus, UnknownLink, Wiring,
};
use ::workload::readers::read_text;
use engine::{look, looking};
use fabric::{PortChange, ReadText, Site};
use settings::Diagnostics;
use settings::{KeyPath, Threshold};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use units::{Pace, bounds};

/// A topology and what the estimates need of it.
#[derive(Debug, Clone)]
pub(super) struct Built {
    pub topology: Arc<Topology>,
    /// Links on a shortest path between two hosts, on average.
    pub mean_hops: f64,
    /// What its routes take of memory.
    pub routes_bytes: u64,
    /// All shortest paths over switches, if it is in one part and hosts pass nothing on.
    pub routes: Option<Arc<Routes>>,
    /// Which links each entry of `topology.links` and `topology.link` changes, in the order in which they apply.
    pub changes: Vec<PortChange>,
    /// If it is a rack that gateways join to an outside.
    pub parts: Option<Arc<BuiltParts>>,
}

impl Built {
    /// Where a fabric is to be built.
    pub(super) fn site<'a>(&'a self, text: ReadText<'a>) -> Site<'a> {
        let Built { topology, routes, changes, .. } = self;
        Site { topology, routes: routes.as_ref(), ports: changes, uplinks: 0, parts: None, text }
    }
}

/// A rack and what is outside, each as a topology by itself.
#[derive(Debug)]
pub(super) struct BuiltParts {
    pub joined: Arc<Joined>,
    pub rack: Built,
    pub outside: Built,
}

/// Topologies built so far, by their text: a sweep over seeds builds one.
#[derive(Default)]
pub(super) struct Topologies {
    built: BTreeMap<String, Built>,
}

impl Topologies {
    /// The topology of this specification; `folder` is where its file is looked for.
    pub(super) fn build(
        &mut self,
        spec: &TopologySpec,
        folder: &Folder,
        diagnostics: &mut Diagnostics<'_>,
    ) -> Option<Built> {
        let key = serde_json::to_string(spec).expect("a topology is plain data");
        if let Some(built) = self.built.get(&key) {
            return Some(built.clone());
        }
        let mut topology = graph(spec, folder, diagnostics)?;
        let built = if let Some(outside) = &spec.outside {
            let mut joined = join(&topology, outside, spec, diagnostics)?;
            let changes = apply_changes(spec, &mut joined.whole, diagnostics)?;
            in_parts(joined, changes, diagnostics)?
        } else {
            let changes = apply_changes(spec, &mut topology, diagnostics)?;
            in_one(topology, changes, diagnostics)?
        };
        self.built.insert(key, built.clone());
        Some(built)
    }
}

fn in_one(topology: Topology, changes: Vec<PortChange>, diagnostics: &mut Diagnostics<'_>) -> Option<Built> {
    if topology.hosts_forward() {
        let mean_hops = mean_hops_over_hosts(&topology);
        return Some(Built {
            topology: Arc::new(topology),
            mean_hops,
            routes_bytes: 0,
            routes: None,
            changes,
            parts: None,
        });
    }
    match Routes::shortest(&topology) {
        Ok(routes) => {
            let (mean_hops, routes_bytes) = (mean_hops(&topology, &routes), routes.memory_bytes() as u64);
            let routes = Some(Arc::new(routes));
            Some(Built { mean_hops, routes_bytes, routes, topology: Arc::new(topology), changes, parts: None })
        }
        Err(error) => {
            diagnostics.refuse("topology", Refusal::Routes(error));
            None
        }
    }
}

/// The rack of `[topology]` with its outside, by gateways, an operations centre or uplinks.
fn join(
    rack: &Topology,
    spec: &OutsideSpec,
    whole: &TopologySpec,
    diagnostics: &mut Diagnostics<'_>,
) -> Option<Joined> {
    let shape = match &spec.kind {
        OutsideKind::Star(star) => Shape::Star { hosts: star.hosts },
        OutsideKind::LeafSpine(size) => {
            Shape::LeafSpine { leaves: size.leaves, spines: size.spines, hosts_per_leaf: size.hosts_per_leaf }
        }
    };
    if rack.hosts_forward() && spec.uplinks.is_some() {
        diagnostics.refuse("topology.outside.uplinks", Refusal::UplinksOfNics);
        return None;
    }
    let (rate, delay, queue) = (whole.rate(), whole.delay(), None);
    let outside = shape.build(rate, delay);
    let uplink = ::topology::LinkSpec { rate, delay, queue };
    let joined = outside.and_then(|outside| match (spec.gateways, spec.uplinks) {
        (Some(gateways), None) if rack.hosts_forward() => {
            Joined::by_operations_centre(rack, &outside, gateways, [uplink; 2]).map(Some)
        }
        (Some(gateways), None) => Joined::new(rack, &outside, gateways, uplink).map(Some),
        (None, Some(uplinks)) => Joined::by_uplinks(rack, &outside, uplinks, [uplink; 2]).map(Some),
        (Some(_), Some(_)) | (None, None) => Ok(None),
    });
    match joined {
        Ok(Some(joined)) => Some(joined),
        Ok(None) if spec.gateways.is_some() => {
            diagnostics.refuse("topology.outside.uplinks", Refusal::GatewaysAndUplinks);
            None
        }
        Ok(None) => {
            diagnostics.refuse("topology.outside", Refusal::NeitherGatewaysNorUplinks);
            None
        }
        Err(error) => {
            let key = if matches!(error, BuildError::TooManyGateways { .. } | BuildError::TooManyBridges { .. }) {
                "topology.outside.gateways"
            } else if matches!(error, BuildError::TooManyUplinks { .. }) {
                "topology.outside.uplinks"
            } else {
                "topology.outside"
            };
            diagnostics.refuse(key, Refusal::Build(error));
            None
        }
    }
}

/// Both parts, with what is changed about the links of each.
fn in_parts(joined: Joined, changes: Vec<PortChange>, diagnostics: &mut Diagnostics<'_>) -> Option<Built> {
    let of = |part: &Part| {
        let number: BTreeMap<u32, u32> = part.links.iter().copied().zip(0..).collect();
        let own = |link: &u32| number.get(link).copied();
        let change = |whole: &PortChange| {
            let links: Vec<u32> = whole.links.iter().filter_map(own).collect();
            (!links.is_empty()).then(|| PortChange { links, ..whole.clone() })
        };
        changes.iter().filter_map(change).collect()
    };
    let (rack, outside) = (joined.rack(), joined.outside());
    let (in_rack, in_outside) = (of(&rack), of(&outside));
    let rack = in_one(rack.topology, in_rack, diagnostics)?;
    let outside = in_one(outside.topology, in_outside, diagnostics)?;
    // Hosts within one part, and pairs that cross.
    let whole = Arc::new(joined.whole.clone());
    let share = f64::from(joined.rack_hosts) / f64::from(whole.hosts());
    let (inside, beyond) = (share * rack.mean_hops, (1.0 - share) * outside.mean_hops);
    let mean_hops = inside * (2.0 - share) + beyond * (1.0 + share);
    let routes_bytes = rack.routes_bytes + outside.routes_bytes;
    let parts = Some(Arc::new(BuiltParts { joined: Arc::new(joined), rack, outside }));
    Some(Built { topology: whole, mean_hops, routes_bytes, routes: None, changes, parts })
}

fn graph(spec: &TopologySpec, folder: &Folder, diagnostics: &mut Diagnostics<'_>) -> Option<Topology> {
    let shape = match &spec.kind {
        TopologyKind::FatTree(tree) => Shape::FatTree { k: tree.k, oversubscription: tree.oversubscription },
        TopologyKind::LeafSpine(size) => {
            Shape::LeafSpine { leaves: size.leaves, spines: size.spines, hosts_per_leaf: size.hosts_per_leaf }
        }
        TopologyKind::FoldedClos(clos) => Shape::FoldedClos { radix: clos.radix, leaves: clos.leaves },
        TopologyKind::Clos(clos) => {
            let tier = |tier: &TierSpec| Tier { switches: tier.switches, uplinks: tier.uplinks };
            Shape::Clos(Clos {
                leaves: clos.leaves,
                hosts_per_leaf: clos.hosts_per_leaf,
                uplinks: clos.uplinks,
                tiers: clos.tiers.iter().map(tier).collect(),
            })
        }
        TopologyKind::Star(star) => Shape::Star { hosts: star.hosts },
        TopologyKind::Planes(size) => Shape::Planes { hosts: size.hosts, planes: size.planes },
        TopologyKind::Torus(torus) => Shape::Torus(Torus { sizes: torus.sizes.clone(), host_rate: torus.host_rate }),
        TopologyKind::An3(size) => Shape::An3(An3 {
            containers: size.containers,
            networks: size.networks,
            hosts: size.hosts,
            wiring: match size.wiring {
                WiringSpec::FatTree => Wiring::FatTree,
                WiringSpec::Torus => Wiring::Torus,
                WiringSpec::Mesh => Wiring::Mesh,
            },
            egress: size.egress,
            container_links: size.container_links,
        }),
        TopologyKind::File(file) => return from_file(&file.path, file.format, spec, folder, diagnostics),
    };
    match shape.build(spec.rate(), spec.delay()) {
        Ok(topology) => Some(topology),
        Err(error) => {
            diagnostics.refuse(&key_of(&error), Refusal::Build(error));
            None
        }
    }
}

/// The key that a builder's refusal is about.
fn key_of(error: &BuildError) -> String {
    if let BuildError::Zero { key, .. } | BuildError::Odd { key, .. } | BuildError::An3Count { key, .. } = error {
        format!("topology.{key}")
    } else if let BuildError::Undersubscribed { .. } | BuildError::PartOfAHost { .. } = error {
        "topology.oversubscription".to_owned()
    } else if let BuildError::Uneven { key, .. }
    | BuildError::Parts { key, .. }
    | BuildError::NoUplinks { key, .. }
    | BuildError::UplinksOfTop { key, .. } = error
    {
        format!("topology.{key}")
    } else if let BuildError::TooManyLeaves { .. } | BuildError::Pods { .. } = error {
        "topology.leaves".to_owned()
    } else if let BuildError::Dimensions { .. } | BuildError::NoNodes | BuildError::OneNode = error {
        "topology.sizes".to_owned()
    } else if let BuildError::An3FatTree { .. } = error {
        "topology.hosts".to_owned()
    } else {
        "topology".to_owned()
    }
}

/// Applies `topology.links` and then `topology.link`. Queues and thresholds are for the fabric: see [`PortChange`].
fn apply_changes(
    spec: &TopologySpec,
    topology: &mut Topology,
    diagnostics: &mut Diagnostics<'_>,
) -> Option<Vec<PortChange>> {
    let mut changes = Vec::new();
    let mut add = |path: KeyPath, links: Vec<u32>, change: &LinkSpec, topology: &mut Topology| {
        for link in &links {
            let set = topology.set_link(LinkId(*link), change.rate, change.delay);
            set.expect("rates were checked when they were read");
        }
        let LinkSpec { queue, ecn_threshold, red, loss, .. } = *change;
        let ecn_threshold = ecn_threshold.map(|Threshold(threshold)| threshold);
        changes.push(PortChange { path, links, queue, ecn_threshold, red, loss });
    };
    let mut complete = true;
    let mut of_class = vec![Vec::new(); if spec.links.is_empty() { 0 } else { topology.classes().len() }];
    for (number, link) in looking((0..).zip(topology.links())).take_while(|_| !spec.links.is_empty()) {
        of_class[usize::from(link.class)].push(number);
    }
    for (name, change) in &spec.links {
        let path = KeyPath::from("topology.links").child(name);
        let Some(class) = topology.class(name) else {
            let classes = topology.classes().to_vec();
            diagnostics.refuse_at(&path, Refusal::UnknownClass { class: name.clone(), classes });
            complete = false;
            continue;
        };
        let links = std::mem::take(&mut of_class[usize::from(class)]);
        add(path, links, change, topology);
    }
    for (index, one) in spec.link.iter().enumerate() {
        look();
        let path = KeyPath::from("topology.link").child(&index.to_string());
        match topology.find_link(&format!("{} -> {}", one.from, one.to)) {
            Ok(link) => {
                let back = one.both.then(|| topology.reverse(link));
                let links = std::iter::once(link).chain(back).map(|link| link.0).collect();
                add(path, links, &one.change, topology);
            }
            Err(error) => {
                let unknown = |name: &str| matches!(&error, UnknownLink::Node(node) if node.name == name);
                let end = if unknown(&one.from) { "from" } else { "to" };
                diagnostics.refuse_at(&path.child(end), Refusal::UnknownLink(error));
                complete = false;
            }
        }
    }
    complete.then_some(changes)
}

/// Exact where all pairs of hosts are few, else from pairs spread evenly over the hosts.
fn mean_hops(topology: &Topology, routes: &Routes) -> f64 {
    const ENOUGH: u32 = 256;
    let hosts = topology.hosts();
    let step = hosts.div_ceil(ENOUGH).max(1);
    let some = || (0..hosts).step_by(step as usize);
    // Sources and destinations are offset, so that not all pairs are of the same position in their racks.
    let pairs =
        some().flat_map(|src| some().map(move |dst| (src, (dst + src / step) % hosts))).filter(|(src, dst)| src != dst);
    let (sum, count) =
        pairs.fold((0, 0), |(sum, count), (src, dst)| (sum + u64::from(routes.hop_count(src, dst)), count + 1));
    sum as f64 / f64::from(count.max(1))
}

/// The same where hosts pass on what others send: from some hosts spread evenly, to all.
fn mean_hops_over_hosts(topology: &Topology) -> f64 {
    const ENOUGH: u32 = 16;
    let hosts = topology.hosts();
    // From an odd place on: those at the same place in their networks would be no sample.
    let step = (hosts / ENOUGH).max(1) | 1;
    let sources: Vec<u32> = (0..hosts).step_by(step as usize).collect();
    let hops = |from: &u32| {
        topology.hops_from(NodeId(*from))[..hosts as usize].iter().map(|&hops| u64::from(hops)).sum::<u64>()
    };
    let sum: u64 = sources.iter().map(hops).sum();
    sum as f64 / (sources.len() as f64 * f64::from(hosts.saturating_sub(1).max(1)))
}

/// The key that says how many hosts there are.
pub(super) fn size_key(spec: &TopologySpec) -> &'static str {
    match spec.kind {
        TopologyKind::LeafSpine(_) | TopologyKind::Clos(_) => "topology.hosts_per_leaf",
        TopologyKind::FatTree(_) => "topology.k",
        TopologyKind::FoldedClos(_) => "topology.leaves",
        TopologyKind::Star(_) | TopologyKind::Planes(_) => "topology.hosts",
        TopologyKind::Torus(_) => "topology.sizes",
        TopologyKind::An3(_) => "topology.networks",
        TopologyKind::File(_) => "topology.path",
    }
}

/// A link of a file with a number that no run can have: the bounds are those of experiment files.
fn beyond(topology: &Topology) -> Option<Refusal> {
    for (number, link) in looking((0..).zip(topology.links())) {
        let (rates, delay) = (Pace::SLOWEST..=bounds::RATE, bounds::DELAY);
        let (what, value, bounds) = if !rates.contains(&link.rate) {
            ("rate", link.rate.to_string(), format!("from {} to {}", rates.start(), rates.end()))
        } else if link.delay > delay {
            ("delay", link.delay.to_string(), format!("at most {delay}"))
        } else if let Some(queue) = link.queue.filter(|queue| *queue > bounds::BUFFER) {
            ("queue", queue.to_string(), format!("at most {}", bounds::BUFFER))
        } else {
            continue;
        };
        return Some(Refusal::LinkBeyond { link: topology.link_name(LinkId(number)), what, value, bounds });
    }
    None
}

fn from_file(
    path: &str,
    format: Option<FileFormat>,
    spec: &TopologySpec,
    folder: &Folder,
    diagnostics: &mut Diagnostics<'_>,
) -> Option<Topology> {
    let by_name = match Path::new(path).extension().and_then(|end| end.to_str()) {
        Some("json") => Some(FileFormat::NodeLink),
        Some("topo") => Some(FileFormat::Htsim),
        _other => None,
    };
    let Some(format) = format.or(by_name) else {
        diagnostics.refuse("topology.path", Refusal::UnknownFormat);
        return None;
    };
    let full = folder.join(path);
    let text = match read_text(&full) {
        Ok(text) => text,
        Err(error) => {
            let refusal = Refusal::Unreadable { path: full.display().to_string(), reason: error.to_string() };
            diagnostics.refuse("topology.path", refusal);
            return None;
        }
    };
    let read = match format {
        FileFormat::NodeLink => ::topology::node_link::parse(&text, spec.rate(), spec.delay()),
        FileFormat::Htsim => ::topology::htsim_topo::parse(&text),
    };
    match read {
        Ok(mut topology) => {
            if let Some(refusal) = beyond(&topology) {
                diagnostics.refuse("topology.path", refusal);
                return None;
            }
            topology.set_label(Path::new(path).file_name().unwrap_or_default().to_string_lossy());
            Some(topology)
        }
        Err(error) => {
            diagnostics.refuse("topology.path", Refusal::TopologyFile(error));
            None
        }
    }
}
