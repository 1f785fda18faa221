//! Nodes and links into a graph.

use super::Problem;
use super::file::{Edge, File, Kind};
use crate::build_error::check_rate;
use crate::builder::{Builder, LinkSpec};
use crate::lookup::cure;
use crate::{BuildError, ReadError, Topology};
use std::collections::{BTreeMap, BTreeSet};
use units::{Rate, Span};

/// A cable between two nodes, by their place in the file.
struct Cable<'a> {
    ends: [usize; 2],
    class: Option<&'a str>,
    directions: [LinkSpec; 2],
}

pub(super) fn assemble(file: &File, rate: Rate, delay: Span) -> Result<Topology, ReadError> {
    let rate = check_rate(rate).map_err(BuildError::from)?;
    let edges = match (&file.links, &file.edges) {
        (Some(edges), None) | (None, Some(edges)) => edges,
        (Some(_), Some(_)) => return Err(Problem::LinksTwice.into()),
        (None, None) => return Err(Problem::NoLinks.into()),
    };
    let ends = find_ends(file, edges)?;
    if file.multigraph == Some(false) {
        refuse_repeated(file, &ends)?;
    }
    let spec = |edge: &Edge| LinkSpec {
        rate: edge.rate.unwrap_or(rate),
        delay: edge.delay.unwrap_or(delay),
        queue: edge.queue,
    };
    let cables: Vec<Cable<'_>> = if file.directed {
        pair_up(file, edges, &ends, spec)?
    } else {
        let alike = edges.iter().zip(ends);
        alike.map(|(edge, ends)| Cable { ends, class: edge.class(), directions: [spec(edge); 2] }).collect()
    };

    let name = file.graph.get("name").and_then(|name| name.as_str()).filter(|name| !name.is_empty());
    let mut builder = Builder::new(name.unwrap_or("graph"));
    if file.graph.get("hosts_forward").and_then(serde_json::Value::as_bool) == Some(true) {
        builder.hosts_forward();
    }
    let kinds = kinds(file, &cables)?;
    let add = |(node, kind): (&super::file::Node, &Kind)| match kind {
        Kind::Host => builder.host(node.id.as_str()),
        Kind::Switch => builder.switch(node.id.as_str(), node.tier),
    };
    let handles: Vec<_> = file.nodes.iter().zip(&kinds).map(add).collect();
    for Cable { ends: [a, b], class, directions } in cables {
        let to_host = kinds[a] == Kind::Host || kinds[b] == Kind::Host;
        let class = builder.class(class.unwrap_or(if to_host { "host-switch" } else { "switch-switch" }));
        builder.cable_with_directions(handles[a], handles[b], class, directions);
    }
    Ok(builder.finish()?)
}

/// The ends of every link, by their place in the list of nodes.
fn find_ends(file: &File, edges: &[Edge]) -> Result<Vec<[usize; 2]>, ReadError> {
    let mut places = BTreeMap::new();
    for (place, node) in file.nodes.iter().enumerate() {
        if places.insert(node.id.as_str(), place).is_some() {
            return Err(BuildError::DuplicateName { name: node.id.clone() }.into());
        }
    }
    let mut ends = Vec::with_capacity(edges.len());
    for (number, edge) in (1..).zip(edges) {
        let find = |end: &String| {
            places.get(end.as_str()).copied().ok_or_else(|| Problem::UnknownNode {
                number,
                from: edge.source.clone(),
                to: edge.target.clone(),
                missing: end.clone(),
                cure: if places.is_empty() {
                    "that list is empty".to_owned()
                } else {
                    cure(end, || file.nodes.iter().map(|node| node.id.as_str()))
                },
            })
        };
        ends.push([find(&edge.source)?, find(&edge.target)?]);
    }
    Ok(ends)
}

/// In a graph that says it has no parallel links.
fn refuse_repeated(file: &File, ends: &[[usize; 2]]) -> Result<(), Problem> {
    let mut seen = BTreeSet::new();
    for &[from, to] in ends {
        let link = if file.directed { [from, to] } else { [from.min(to), from.max(to)] };
        if !seen.insert(link) {
            let [from, to] = [from, to].map(|node| file.nodes[node].id.clone());
            return Err(Problem::Repeated { from, to });
        }
    }
    Ok(())
}

/// Makes cables of the two directions of a directed graph.
fn pair_up<'a>(
    file: &File,
    edges: &'a [Edge],
    ends: &[[usize; 2]],
    spec: impl Fn(&Edge) -> LinkSpec,
) -> Result<Vec<Cable<'a>>, ReadError> {
    // By the two nodes, the lower first: links up and links down, each in the order of the file.
    let mut pairs: BTreeMap<[usize; 2], [Vec<&Edge>; 2]> = BTreeMap::new();
    for (&[from, to], edge) in ends.iter().zip(edges) {
        let direction = usize::from(from > to);
        pairs.entry([from.min(to), from.max(to)]).or_default()[direction].push(edge);
    }
    let mut cables = Vec::new();
    for (ends, [there, back]) in pairs {
        let [from, to] = ends.map(|node| &file.nodes[node].id);
        if from == to {
            return Err(BuildError::SelfLoop { node: from.clone() }.into());
        }
        if there.len() != back.len() {
            let more = there.len() > back.len();
            let (from, to) = if more { (from.clone(), to.clone()) } else { (to.clone(), from.clone()) };
            let (there, back) = if more { (there.len(), back.len()) } else { (back.len(), there.len()) };
            return Err(Problem::NoWayBack { from, to, there, back }.into());
        }
        for (there, back) in there.into_iter().zip(back) {
            let class = match (there.class(), back.class()) {
                (Some(one), Some(other)) if one != other => {
                    let (from, to) = (from.clone(), to.clone());
                    let (there, back) = (one.to_owned(), other.to_owned());
                    return Err(Problem::TwoClasses { from, to, there, back }.into());
                }
                (one, other) => one.or(other),
            };
            cables.push(Cable { ends, class, directions: [spec(there), spec(back)] });
        }
    }
    Ok(cables)
}

/// What each node is: as it says, else by its tier, else by its number of cables.
fn kinds(file: &File, cables: &[Cable<'_>]) -> Result<Vec<Kind>, Problem> {
    let mut degree = vec![0_u32; file.nodes.len()];
    for end in cables.iter().flat_map(|cable| cable.ends) {
        degree[end] += 1;
    }
    let kind = |(node, degree): (&super::file::Node, u32)| {
        let likely = match node.tier {
            Some(0) => Kind::Host,
            Some(_) => Kind::Switch,
            None if degree == 1 => Kind::Host,
            None => Kind::Switch,
        };
        let kind = node.kind.unwrap_or(likely);
        match node.tier {
            Some(tier) if kind != likely => {
                let kind = if kind == Kind::Host { "host" } else { "switch" };
                Err(Problem::Tier { node: node.id.clone(), kind, tier })
            }
            Some(_) | None => Ok(kind),
        }
    };
    file.nodes.iter().zip(degree).map(kind).collect()
}

impl Edge {
    fn class(&self) -> Option<&str> {
        self.class.as_deref()
    }
}
