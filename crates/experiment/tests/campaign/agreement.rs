//! What the parts of an experiment must agree on. A schema cannot say it, and parts that are drawn alone seldom agree.

use engine::Stream;
use serde_json::{Map, Value as Json, json};

/// Names in a kind of topology.
pub(crate) struct Names {
    /// Links, by their ends.
    pub links: &'static [[&'static str; 2]],
    pub classes: &'static [&'static str],
}

/// Of each kind of topology.
const NAMES: [(&str, Names); 9] = [
    ("star", Names { links: &[["host-0", "switch-0"], ["switch-0", "host-1"]], classes: &["host-switch"] }),
    ("planes", Names { links: &[["host-0", "switch-0"], ["switch-0", "host-1"]], classes: &["host-switch"] }),
    (
        "leaf-spine",
        Names { links: &[["host-0", "leaf-0"], ["leaf-0", "spine-0"]], classes: &["host-leaf", "leaf-spine"] },
    ),
    (
        "folded-clos",
        Names { links: &[["host-0", "leaf-0"], ["leaf-0", "spine-1"]], classes: &["host-leaf", "leaf-spine"] },
    ),
    ("clos", Names { links: &[["host-0", "leaf-0"], ["leaf-0", "tier1-0"]], classes: &["host-leaf", "leaf-tier1"] }),
    (
        "fat-tree",
        Names {
            links: &[["host-0", "edge-0"], ["edge-0", "aggregation-0"], ["aggregation-0", "core-0"]],
            classes: &["host-edge", "edge-aggregation", "aggregation-core"],
        },
    ),
    (
        "torus",
        Names {
            links: &[["host-0", "switch-0"], ["switch-0", "switch-1"]],
            classes: &["host-switch", "dimension-0", "dimension-1"],
        },
    ),
    (
        "an3",
        Names { links: &[["c0-n0-h0", "c0-n0-h2"], ["c0-n0-h1", "c0-secondary"]], classes: &["l0", "l0-l1", "l1-l1"] },
    ),
    ("file", Names { links: &[["a", "s"], ["s", "b"]], classes: &["link"] }),
];

pub(crate) fn names(topology: &str) -> &'static Names {
    NAMES.iter().find(|(kind, _)| *kind == topology).map_or(&NAMES[0].1, |(_, names)| names)
}

/// Changes an experiment so that its parts agree: an outside is joined to a rack that can have one, what ends in marks is marked, and
/// what breaks is one thing.
pub(crate) fn agree(root: &mut Map<String, Json>, names: &Names, stream: &mut Stream) {
    let of_kind = |root: &Map<String, Json>, table: &str| root[table]["kind"].as_str().unwrap_or_default().to_owned();
    let (fabric, transport) = (of_kind(root, "fabric"), of_kind(root, "transport"));
    let joined_by = match fabric.as_str() {
        "shoal" | "an3" => Some("gateways"),
        "xfabric" => Some("uplinks"),
        _ => None,
    };
    if let (Some(outside), Some(key)) = (root["topology"].get_mut("outside").and_then(Json::as_object_mut), joined_by) {
        outside.retain(|key, _| key != "gateways" && key != "uplinks");
        outside.insert(key.to_owned(), json!(1 + stream.below(2)));
    } else {
        remove(&mut root["topology"], "outside");
        ["outside", "gateways", "uplinks"].iter().for_each(|key| remove(&mut root["fabric"], key));
    }
    if transport == "eqds" && fabric != "ethernet" {
        root["transport"]["backend"] = json!("rts");
    }
    if transport == "dctcp" || transport == "dcqcn" {
        let threshold = json!(format!("{} B", 2000 + stream.below(20_000)));
        match fabric.as_str() {
            "ethernet" | "stardust" => root["fabric"]["ecn_threshold"] = threshold,
            _ if root["topology"].get("outside").is_some() => {
                let key = joined_by.expect("only racks keep an outside");
                if !root["fabric"][key].is_object() {
                    root["fabric"][key] = json!({});
                }
                root["fabric"][key]["ecn_threshold"] = threshold;
            }
            _ => {}
        }
    }
    // Windows as they grow, and ports that order by rank and do nothing else.
    if transport == "pfabric"
        && let Some(least) = root["transport"].get("initial_window").cloned()
    {
        root["transport"]["max_window"] = least;
    }
    if fabric == "ethernet" && (transport == "pfabric" || root["fabric"].get("pfabric") == Some(&json!(true))) {
        root["fabric"]["pfabric"] = json!(true);
        ["priorities", "trimming", "pfc"].iter().for_each(|key| remove(&mut root["fabric"], key));
    }
    // Either of two ways to mark, and RED between two thresholds.
    if root["fabric"].get("ecn_threshold").is_some() {
        remove(&mut root["fabric"], "red");
    } else if let Some(red) = root["fabric"].get_mut("red").and_then(Json::as_object_mut) {
        let least = 100 + stream.below(20_000);
        red.insert("min_threshold".to_owned(), json!(format!("{least} B")));
        red.insert("max_threshold".to_owned(), json!(format!("{} B", least + 1 + stream.below(100_000))));
    }
    if fabric == "xfabric" {
        begin(&mut root["fabric"], stream);
    }
    let entries = |root: &mut Json, key: &str| root.get_mut(key).and_then(Json::as_array_mut).map(std::mem::take);
    if let Some(mut links) = entries(&mut root["topology"], "link") {
        for link in &mut links {
            let [from, to] = names.links[stream.below(names.links.len() as u64) as usize];
            (link["from"], link["to"]) = (json!(from), json!(to));
        }
        root["topology"]["link"] = json!(links);
    }
    for fault in root.get_mut("fault").and_then(Json::as_array_mut).into_iter().flatten() {
        break_one(fault, names, stream);
    }
}

/// A torus needs six ports, which few racks have. A demand is read only by who begins with it.
fn begin(fabric: &mut Json, stream: &mut Stream) {
    let begins_with_demand = stream.below(4) == 0;
    if begins_with_demand {
        (fabric["start"], fabric["demand"]) = (json!("demand"), json!("demand.csv"));
    } else {
        remove(fabric, "demand");
        if stream.below(4) > 0 {
            fabric["start"] = json!(["random", "uniform"][stream.below(2) as usize]);
        }
    }
}

fn break_one(fault: &mut Json, names: &Names, stream: &mut Stream) {
    ["link", "node", "links", "nodes"].iter().for_each(|key| remove(fault, key));
    let [from, to] = names.links[stream.below(names.links.len() as u64) as usize];
    let class = names.classes[stream.below(names.classes.len() as u64) as usize];
    let target = stream.below(4);
    if target > 0 {
        remove(fault, "one_way");
    }
    if target < 2 {
        remove(fault, "count");
    }
    match target {
        0 => fault["link"] = json!(format!("{from} -> {to}")),
        1 => fault["node"] = json!(from),
        2 => fault["links"] = json!(class),
        _ => fault["nodes"] = json!(["host", "switch"][stream.below(2) as usize]),
    }
}

fn remove(table: &mut Json, key: &str) {
    if let Some(table) = table.as_object_mut() {
        table.remove(key);
    }
}
