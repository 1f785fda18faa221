//! `[topology]`: builds the graph, once for all runs that share it.

use super::Refusal;
use super::blame::Blame;
use crate::origin::KeyPath;
use crate::spec::{FileFormat, LinkSpec, TierSpec, TopologyKind, TopologySpec};
use ::topology::{BuildError, Clos, LinkId, Routes, Shape, Tier, Topology, UnknownLink};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// A topology and what the estimates need of it.
#[derive(Debug, Clone)]
pub(super) struct Built {
    pub topology: Arc<Topology>,
    /// Links on a shortest path between two hosts, on average.
    pub mean_hops: f64,
    /// Which links each entry of `topology.links` and `topology.link` changes, in the order in which they apply.
    pub changes: Vec<Change>,
}

/// Links that are different, and how.
#[derive(Debug, Clone)]
pub(super) struct Change {
    /// The key of the change, for messages.
    pub path: KeyPath,
    pub links: Vec<u32>,
    pub change: LinkSpec,
}

/// Topologies built so far, by their text: a sweep over seeds builds one.
#[derive(Default)]
pub(super) struct Topologies {
    built: BTreeMap<String, Built>,
}

impl Topologies {
    /// The topology of this specification; `folder` is where its file is looked for.
    pub fn build(&mut self, spec: &TopologySpec, folder: &Path, blame: &mut Blame<'_>) -> Option<Built> {
        let key = serde_json::to_string(spec).expect("a topology is plain data");
        if let Some(built) = self.built.get(&key) {
            return Some(built.clone());
        }
        let mut topology = graph(spec, folder, blame)?;
        let changes = apply_changes(spec, &mut topology, blame)?;
        let routes = match Routes::shortest(&topology) {
            Ok(routes) => routes,
            Err(error) => {
                blame.value("topology", Refusal::Routes(error));
                return None;
            }
        };
        let built = Built { mean_hops: mean_hops(&topology, &routes), topology: Arc::new(topology), changes };
        self.built.insert(key, built.clone());
        Some(built)
    }
}

fn graph(spec: &TopologySpec, folder: &Path, blame: &mut Blame<'_>) -> Option<Topology> {
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
        TopologyKind::File(file) => return from_file(&file.path, file.format, spec, folder, blame),
    };
    match shape.build(spec.rate, spec.delay) {
        Ok(topology) => Some(topology),
        Err(error) => {
            blame.value(&key_of(&error), Refusal::Build(error));
            None
        }
    }
}

/// The key that a builder's refusal is about.
fn key_of(error: &BuildError) -> String {
    if let BuildError::Zero { key, .. } | BuildError::Odd { key, .. } = error {
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
    } else {
        "topology".to_owned()
    }
}

/// Applies `topology.links` and then `topology.link`. Queues and thresholds are for the fabric: see [`Change`].
fn apply_changes(spec: &TopologySpec, topology: &mut Topology, blame: &mut Blame<'_>) -> Option<Vec<Change>> {
    let mut changes = Vec::new();
    let mut complete = true;
    for (name, change) in &spec.links {
        let path = KeyPath::from("topology.links").child(name);
        let Some(class) = topology.class(name) else {
            let classes = topology.classes().to_vec();
            blame.at(&path, Refusal::UnknownClass { class: name.clone(), classes });
            complete = false;
            continue;
        };
        let of_class = |(_, link): &(u32, &::topology::Link)| link.class == class;
        let links = (0..).zip(topology.links()).filter(of_class).map(|(number, _)| number).collect();
        changes.push(Change { path, links, change: change.clone() });
    }
    for (index, one) in spec.link.iter().enumerate() {
        let path = KeyPath::from("topology.link").child(&index.to_string());
        match topology.find_link(&format!("{} -> {}", one.from, one.to)) {
            Ok(link) => {
                let back = one.both.then(|| topology.reverse(link));
                let links = std::iter::once(link).chain(back).map(|link| link.0).collect();
                changes.push(Change { path, links, change: one.change.clone() });
            }
            Err(error) => {
                let unknown = |name: &str| matches!(&error, UnknownLink::Node(node) if node.name == name);
                let end = if unknown(&one.from) { "from" } else { "to" };
                blame.at(&path.child(end), Refusal::UnknownLink(error));
                complete = false;
            }
        }
    }
    for Change { links, change, .. } in &changes {
        for link in links {
            let set = topology.set_link(LinkId(*link), change.rate, change.delay);
            set.expect("rates were checked when they were read");
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

fn from_file(
    path: &str,
    format: Option<FileFormat>,
    spec: &TopologySpec,
    folder: &Path,
    blame: &mut Blame<'_>,
) -> Option<Topology> {
    let by_name = match Path::new(path).extension().and_then(|end| end.to_str()) {
        Some("json") => Some(FileFormat::NodeLink),
        Some("topo") => Some(FileFormat::Htsim),
        _other => None,
    };
    let Some(format) = format.or(by_name) else {
        blame.value("topology.path", Refusal::UnknownFormat);
        return None;
    };
    let full = folder.join(path);
    let text = match std::fs::read_to_string(&full) {
        Ok(text) => text,
        Err(error) => {
            let refusal = Refusal::Unreadable { path: full.display().to_string(), reason: error.to_string() };
            blame.value("topology.path", refusal);
            return None;
        }
    };
    let read = match format {
        FileFormat::NodeLink => ::topology::node_link::parse(&text, spec.rate, spec.delay),
        FileFormat::Htsim => ::topology::htsim_topo::parse(&text),
    };
    match read {
        Ok(mut topology) => {
            topology.set_label(Path::new(path).file_name().unwrap_or_default().to_string_lossy());
            Some(topology)
        }
        Err(error) => {
            blame.value("topology.path", Refusal::TopologyFile(error));
            None
        }
    }
}
