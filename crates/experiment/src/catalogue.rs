//! What there is to choose from, one line each.

use crate::spec::shape as experiment;
use schemars::JsonSchema;
use serde::Serialize;
use workload::sizes::{PUBLISHED, Published};

/// What an experiment file can use, by the names that it uses.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Catalogue {
    /// Kinds of `[fabric]`.
    pub fabrics: Vec<KnownKind>,
    /// Kinds of `[transport]`.
    pub transports: Vec<KnownKind>,
    /// Kinds of `[[workload]]`.
    pub workloads: Vec<KnownKind>,
    /// Kinds of `[topology]`.
    pub topologies: Vec<KnownKind>,
    /// Published distributions of flow sizes.
    pub sizes: Vec<KnownSizes>,
}

/// A kind of fabric, transport, workload or topology.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct KnownKind {
    /// Its name in experiment files.
    pub name: String,
    /// What it is, in a sentence.
    pub summary: String,
}

/// A published distribution of flow sizes.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct KnownSizes {
    /// Its name in experiment files.
    pub name: &'static str,
    /// What was measured, in a sentence.
    pub summary: &'static str,
    /// Mean size of a flow.
    pub mean_bytes: f64,
    /// Who measured it, and the repository and path of the points.
    pub source: &'static str,
}

/// Fabrics, transports, workloads, topologies and published flow sizes.
pub fn catalogue() -> Catalogue {
    let sizes = |known: &Published| KnownSizes {
        name: known.name,
        summary: known.summary,
        mean_bytes: known.cdf(None).mean(),
        source: known.source,
    };
    Catalogue {
        fabrics: kinds("fabric"),
        transports: kinds("transport"),
        workloads: kinds("workload"),
        topologies: kinds("topology"),
        sizes: PUBLISHED.iter().map(sizes).collect(),
    }
}

/// The kinds of the table under this key, with the first sentence of what each is.
fn kinds(key: &str) -> Vec<KnownKind> {
    let field = experiment().field(None, key).expect("an experiment has this table");
    let table = field.shape.as_items().unwrap_or(&field.shape).as_table();
    let kinds = table.map(|table| table.kinds.as_slice()).unwrap_or_default();
    let kind = |kind: &settings::shape::Kind| {
        let meaning = kind.meaning.replace('\n', " ");
        let sentence = meaning.split_once(". ").map_or(meaning.as_str(), |(first, _)| first);
        KnownKind { name: kind.name.clone(), summary: sentence.trim_end_matches('.').to_owned() }
    };
    kinds.iter().map(kind).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_everything_with_a_summary() {
        let catalogue = serde_json::to_value(catalogue()).unwrap();
        let names = |key: &str| -> Vec<String> {
            let list = catalogue[key].as_array().unwrap();
            assert!(list.iter().all(|entry| entry["summary"].as_str().is_some_and(|text| text.len() > 5)), "{list:?}");
            list.iter().map(|entry| entry["name"].as_str().unwrap().to_owned()).collect()
        };
        assert_eq!(
            names("fabrics"),
            ["ethernet", "stardust", "shoal", "xfabric", "r2c2", "fastpod", "fastpass", "an3", "fluid", "ideal-switch"]
        );
        assert_eq!(
            names("transports"),
            ["newreno", "dctcp", "cubic", "swift", "mptcp", "ndp", "eqds", "dcqcn", "pfabric", "direct"]
        );
        assert_eq!(
            names("topologies"),
            ["fat-tree", "leaf-spine", "folded-clos", "clos", "star", "planes", "torus", "an3", "file"]
        );
        assert_eq!(names("workloads"), workload::Kind::NAMES.map(|(name, _)| name));
        assert_eq!(names("sizes").len(), PUBLISHED.len());
        assert_eq!(catalogue["sizes"][0]["mean_bytes"], 1_711_250.0);
    }
}
