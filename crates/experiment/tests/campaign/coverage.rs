//! Which choices of experiment files have run, and how often.

use crate::generator::resolved;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fmt;

/// Tables of an experiment, and lists of tables.
const TABLES: [&str; 7] = ["topology", "fabric", "transport", "workload", "fault", "measure", "compare"];

/// How many experiments that ran wrote each kind and each key, in the outer tables of experiment files.
pub(crate) struct Coverage(BTreeMap<String, u64>);

impl Coverage {
    /// Nothing has run: all that the schema lets one write, none of it written.
    pub(crate) fn new(schema: &Json) -> Coverage {
        let mut all = BTreeMap::new();
        for key in schema["properties"].as_object().into_iter().flatten().map(|(key, _)| key) {
            all.insert(key.clone(), 0);
        }
        for table in TABLES {
            let property = &resolved(schema, &schema["properties"][table]);
            let item = if property["items"].is_object() { &property["items"] } else { property };
            let item = resolved(schema, item);
            let kinds = item["oneOf"].as_array().cloned().unwrap_or_else(|| vec![item.clone()]);
            for kind in &kinds {
                let name = named(table, kind["properties"]["kind"]["const"].as_str());
                all.insert(name.clone(), 0);
                for key in kind["properties"].as_object().into_iter().flatten().map(|(key, _)| key) {
                    all.insert(format!("{name}: {key}"), 0);
                }
            }
        }
        Coverage(all)
    }

    /// This has run.
    pub(crate) fn count(&mut self, document: &Json) {
        for (table, value) in document.as_object().into_iter().flatten() {
            self.one_more(table);
            if !TABLES.contains(&table.as_str()) {
                continue;
            }
            for item in value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice) {
                let name = named(table, item["kind"].as_str());
                if name != *table {
                    self.one_more(&name);
                }
                for key in item.as_object().into_iter().flatten().map(|(key, _)| key) {
                    self.one_more(&format!("{name}: {key}"));
                }
            }
        }
    }

    /// Keys beside a kind that is not written, as it was refused, are nobody's.
    fn one_more(&mut self, what: &str) {
        if let Some(count) = self.0.get_mut(what) {
            *count += 1;
        }
    }

    /// Kinds and tables that no experiment that ran had.
    pub(crate) fn missing(&self) -> Vec<&str> {
        self.0
            .iter()
            .filter(|(what, count)| **count == 0 && !what.contains(": "))
            .map(|(what, _)| what.as_str())
            .collect()
    }
}

fn named(table: &str, kind: Option<&str>) -> String {
    kind.map_or_else(|| table.to_owned(), |kind| format!("{table} {kind}"))
}

impl fmt::Display for Coverage {
    /// Kinds with how often they ran, and the rarest of all keys.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (what, count) in self.0.iter().filter(|(what, _)| !what.contains(": ")) {
            writeln!(f, "{count:6} {what}")?;
        }
        let rarest = self.0.iter().filter(|(what, _)| what.contains(": ")).min_by_key(|(_, count)| **count);
        rarest.map_or(Ok(()), |(what, count)| writeln!(f, "every key ran at least {count} times, as {what}"))
    }
}
