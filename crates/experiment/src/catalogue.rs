//! What there is to choose from, one line each.

use crate::spec::shape as experiment;
use serde_json::{Value as Json, json};
use workload::sizes::PUBLISHED;

/// Fabrics, transports, workloads, topologies and published flow sizes as JSON, each with a summary of one line.
pub fn catalogue() -> String {
    let size = |known: &workload::sizes::Published| {
        let mean = known.cdf(None).mean();
        json!({ "name": known.name, "summary": known.summary, "mean_bytes": mean, "source": known.source })
    };
    let catalogue = json!({
        "fabrics": kinds("fabric"),
        "transports": kinds("transport"),
        "workloads": kinds("workload"),
        "topologies": kinds("topology"),
        "sizes": PUBLISHED.iter().map(size).collect::<Vec<_>>(),
    });
    catalogue.to_string()
}

/// The kinds of the table under this key, with the first sentence of what each is.
fn kinds(key: &str) -> Vec<Json> {
    let field = experiment().field(None, key).expect("an experiment has this table");
    let table = field.shape.as_items().unwrap_or(&field.shape).as_table();
    let kinds = table.map(|table| table.kinds.as_slice()).unwrap_or_default();
    let kind = |kind: &settings::shape::Kind| {
        let meaning = kind.meaning.replace('\n', " ");
        let sentence = meaning.split_once(". ").map_or(meaning.as_str(), |(first, _)| first);
        json!({ "name": kind.name, "summary": sentence.trim_end_matches('.') })
    };
    kinds.iter().map(kind).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_everything_with_a_summary() {
        let catalogue: Json = serde_json::from_str(&catalogue()).unwrap();
        let names = |key: &str| -> Vec<String> {
            let list = catalogue[key].as_array().unwrap();
            assert!(list.iter().all(|entry| entry["summary"].as_str().is_some_and(|text| text.len() > 5)), "{list:?}");
            list.iter().map(|entry| entry["name"].as_str().unwrap().to_owned()).collect()
        };
        assert_eq!(names("fabrics"), ["ethernet", "stardust", "shoal", "xfabric", "fluid", "ideal-switch"]);
        assert_eq!(names("transports"), ["newreno", "dctcp", "ndp", "direct"]);
        assert_eq!(names("topologies"), ["fat-tree", "leaf-spine", "folded-clos", "clos", "star", "planes", "file"]);
        assert_eq!(names("workloads"), workload::Kind::NAMES.map(|(name, _)| name));
        assert_eq!(names("sizes").len(), PUBLISHED.len());
        assert_eq!(catalogue["sizes"][0]["mean_bytes"], 1_711_250.0);
    }
}
