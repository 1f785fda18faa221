//! What makes a run the one that it is: what is checked of its file, with every default and every quantity in its own unit, and the files that
//! it reads. How the file is written, what else is in it and what the run is called are no part of it.

use super::Input;
use crate::spec::Spec;
use results::Digest;
use serde_json::Value;
use std::collections::BTreeMap;

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// SHA-256 of what the file says.
    said: String,
    /// Files that it reads, by the names that it has for them.
    inputs: Vec<String>,
}

impl Identity {
    /// The SHA-256 of all that makes the run, where the files that experiments read have these digests.
    pub fn digest(&self, inputs: &BTreeMap<String, Digest>) -> String {
        let files = self.inputs.iter().filter_map(|name| inputs.get_key_value(name));
        let lines = files.map(|(name, digest)| format!("{} {name}", digest.sha256));
        let all: Vec<String> = std::iter::once(self.said.clone()).chain(lines).collect();
        Digest::of_bytes(all.join("\n").as_bytes()).sha256
    }
}

/// What is said of a run, to be made its identity when it is known which files are read.
pub(super) struct Said(Value);

impl Said {
    pub(super) fn of(spec: &Spec) -> Said {
        // A title changes no result.
        let spec = Spec { title: None, ..spec.clone() };
        Said(serde_json::to_value(spec).expect("what was read from JSON can be written as JSON"))
    }

    fn names(&self, file: &str) -> bool {
        names(&self.0, file)
    }
}

fn names(value: &Value, file: &str) -> bool {
    match value {
        Value::String(text) => text == file,
        Value::Array(values) => values.iter().any(|value| names(value, file)),
        Value::Object(table) => table.values().any(|value| names(value, file)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// The identities of runs of which this is said, and which read these files. One that no run names belongs to all.
pub(super) fn identities(said: &[Said], inputs: &[Input]) -> Vec<Identity> {
    let of_all = |input: &Input| !said.iter().any(|said| said.names(&input.name));
    let common: Vec<bool> = inputs.iter().map(of_all).collect();
    let identity = |said: &Said| {
        let reads = inputs.iter().zip(&common).filter(|(input, common)| **common || said.names(&input.name));
        let inputs = reads.map(|(input, _)| input.name.clone()).collect();
        Identity { said: Digest::of_bytes(said.0.to_string().as_bytes()).sha256, inputs }
    };
    said.iter().map(identity).collect()
}
