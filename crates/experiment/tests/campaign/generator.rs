//! Random experiment files, drawn from the JSON Schema alone: a fabric, transport, workload or fault that is added there is
//! tried from then on.

use crate::agreement::{self, Names};
use engine::{Seed, Stream};
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeSet;

/// Chance of a key that need not be written.
const OPTIONAL: f64 = 0.22;
/// Chance of a value at the end of what its type can hold.
const EXTREME: f64 = 0.015;
/// Chance that the parts of an experiment are made to agree with each other.
const AGREE: f64 = 0.9;
/// The largest size of a topology that is drawn. What its types can hold makes networks that take seconds to check; tests of bounds have those.
const LARGEST: u64 = 24;
/// Tables within tables before no more optional keys are drawn.
const DEEPEST: usize = 6;

/// Fabrics with the topologies that they can have; any other pairing is refused, which is tried by chance as well.
const NETWORKS: [(&str, &[&str]); 10] = [
    ("ethernet", &["star", "leaf-spine", "fat-tree", "folded-clos", "clos", "torus", "file"]),
    ("stardust", &["leaf-spine", "fat-tree", "folded-clos", "clos"]),
    ("shoal", &["star"]),
    ("xfabric", &["planes"]),
    ("r2c2", &["torus", "star", "leaf-spine", "file"]),
    ("fastpod", &["leaf-spine", "file"]),
    ("an3", &["an3", "file"]),
    ("fastpass", &["leaf-spine", "file"]),
    ("fluid", &["star", "leaf-spine", "fat-tree", "torus"]),
    ("ideal-switch", &["star", "leaf-spine", "fat-tree"]),
];
const NODES: [&str; 9] =
    ["host-0", "host-1", "leaf-0", "spine-0", "spine-1", "edge-0", "aggregation-0", "core-0", "switch-0"];
/// Draws experiments.
pub(crate) struct Generator {
    schema: Json,
}

impl Generator {
    pub(crate) fn new() -> Generator {
        let mut schema: Json = serde_json::from_str(&experiment::schema()).expect("the schema is JSON");
        for name in reached(&schema, &schema["properties"]["topology"]) {
            limit(&mut schema["definitions"][name]);
        }
        Generator { schema }
    }

    /// What may be written.
    pub(crate) fn schema(&self) -> &Json {
        &self.schema
    }

    /// The experiment of this number: a document that has the right form. Whether it can be run is the plan's to say.
    pub(crate) fn experiment(&self, number: u64) -> Json {
        let mut stream = Seed(number).stream("campaign", 0);
        let mut below = |end: usize| stream.below(end as u64) as usize;
        let properties = &self.schema["properties"];
        let (fabric, topologies) = NETWORKS[below(NETWORKS.len())];
        let topology = topologies[below(topologies.len())];
        let names = agreement::names(topology);
        let mut draw = Draw { schema: &self.schema, stream, names };
        let mut root = Map::new();
        root.insert("seed".to_owned(), json!(number));
        root.insert("duration".to_owned(), json!(format!("{} us", 10 + draw.below(200))));
        if draw.chance(0.3) {
            root.insert("warmup".to_owned(), json!(format!("{} ns", draw.below(20_000))));
        }
        if draw.chance(0.2) {
            root.insert("stop_when_done".to_owned(), json!(draw.chance(0.5)));
        }
        for (key, kind) in [("topology", Some(topology)), ("fabric", Some(fabric)), ("transport", None)] {
            let schema = &resolved(&self.schema, &properties[key]);
            let any = (kind.is_none() || draw.chance(0.02)).then(|| draw.kind(schema));
            let kind = any.as_ref().or_else(|| kind.and_then(|kind| of_kind(schema, kind)));
            let value = draw.value(kind.expect("the schema has this kind"), key, 1);
            root.insert(key.to_owned(), value);
        }
        let workloads = 1 + draw.below(3) / 2;
        let workload: Vec<Json> =
            (0..workloads).map(|_| draw.value(&properties["workload"]["items"], "workload", 1)).collect();
        root.insert("workload".to_owned(), json!(workload));
        if draw.chance(0.05) {
            root.insert("title".to_owned(), json!("A \"title\""));
        }
        let faults = if draw.chance(0.4) { 1 + draw.below(2) } else { 0 };
        if faults > 0 {
            let fault: Vec<Json> = (0..faults).map(|_| draw.value(&properties["fault"]["items"], "fault", 1)).collect();
            root.insert("fault".to_owned(), json!(fault));
        }
        if draw.chance(0.3) {
            root.insert("measure".to_owned(), draw.value(&properties["measure"], "measure", 1));
        }
        if draw.chance(0.05) {
            root.insert(
                "variant".to_owned(),
                json!([{ "name": "a" }, { "name": "b", "transport": { "kind": "newreno" } }]),
            );
        }
        if draw.chance(0.05) {
            root.insert("sweep".to_owned(), json!({ "seed": [1, 2] }));
        }
        // By the number, so that what is drawn for the rest is what it was before there was this table.
        if number % 10 == 7 {
            let equal = ["bisection", "cost", "power"][(number / 10 % 3) as usize];
            root.insert("compare".to_owned(), json!({ "equal": equal, "within": 1 }));
        }
        if draw.chance(AGREE) {
            agreement::agree(&mut root, names, &mut draw.stream);
        }
        Json::Object(root)
    }
}

/// Lowers what integers of this schema may be to [`LARGEST`].
fn limit(schema: &mut Json) {
    match schema {
        Json::Object(table) => {
            if table.get("type").is_some_and(|kind| kind == "integer") {
                let most = table.get("maximum").and_then(Json::as_u64).unwrap_or(LARGEST);
                table.insert("maximum".to_owned(), json!(most.min(LARGEST)));
            }
            table.values_mut().for_each(limit);
        }
        Json::Array(items) => items.iter_mut().for_each(limit),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
}

/// What a place refers to, or what it says itself.
pub(crate) fn resolved(root: &Json, place: &Json) -> Json {
    reference(place).map_or_else(|| place.clone(), |name| root["definitions"][name].clone())
}

/// The definition that a place refers to.
fn reference(place: &Json) -> Option<&str> {
    place["allOf"][0]["$ref"].as_str()?.rsplit('/').next()
}

/// All definitions that a place refers to, and those that they do.
fn reached(root: &Json, place: &Json) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut places = vec![place];
    while let Some(place) = places.pop() {
        if let Some(name) = reference(place)
            && found.insert(name.to_owned())
        {
            places.push(&root["definitions"][name]);
        }
        match place {
            Json::Object(table) => places.extend(table.values()),
            Json::Array(items) => places.extend(items),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
        }
    }
    found
}

fn of_kind<'a>(schema: &'a Json, kind: &str) -> Option<&'a Json> {
    schema["oneOf"].as_array()?.iter().find(|choice| choice["properties"]["kind"]["const"] == kind)
}

/// One experiment that is being drawn.
struct Draw<'a> {
    schema: &'a Json,
    stream: Stream,
    names: &'static Names,
}

impl Draw<'_> {
    fn below(&mut self, end: usize) -> usize {
        self.stream.below(end as u64) as usize
    }
    fn chance(&mut self, chance: f64) -> bool {
        self.stream.unit() < chance
    }
    fn pick<T: Clone>(&mut self, among: &[T]) -> T {
        among[self.below(among.len())].clone()
    }
    /// A number from `low` on, up to `low` doubled so many times, with all orders of magnitude alike.
    fn scaled(&mut self, low: u64, doublings: u64) -> u64 {
        let least = low << self.stream.below(doublings);
        least + self.stream.below(least)
    }

    /// Some kind of a table that has kinds.
    fn kind(&mut self, schema: &Json) -> Json {
        let kinds = schema["oneOf"].as_array().expect("a table with kinds");
        self.pick(kinds)
    }

    fn value(&mut self, schema: &Json, key: &str, depth: usize) -> Json {
        if reference(schema).is_some() {
            return self.value(&resolved(self.schema, schema), key, depth);
        }
        if let Some(choices) = schema["anyOf"].as_array() {
            let choice = self.pick(choices);
            return self.value(&choice, key, depth);
        }
        if let Some(constant) = schema.get("const") {
            return constant.clone();
        }
        match (schema["type"].as_str(), schema["oneOf"].as_array()) {
            (Some("string"), Some(words)) => self.pick(words)["const"].clone(),
            (None, Some(kinds)) => {
                let kind = self.pick(kinds);
                self.value(&kind, key, depth)
            }
            (Some("string"), None) => json!(self.text(schema, key)),
            (Some("integer"), None) => self.integer(schema),
            (Some("number"), None) => self.real(schema),
            (Some("boolean"), None) => json!(self.chance(0.5)),
            (Some("array"), None) => {
                let least = schema["minItems"].as_u64().unwrap_or(0) as usize;
                let most = schema["maxItems"].as_u64().map_or(least + 2, |most| (most as usize).min(least + 2));
                let items = least + self.below(most - least + 1);
                json!((0..items).map(|_| self.value(&schema["items"], key, depth + 1)).collect::<Vec<_>>())
            }
            (Some("object"), None) => self.table(schema, depth),
            other => unreachable!("the campaign does not know this kind of schema: {other:?} of {key}"),
        }
    }

    fn table(&mut self, schema: &Json, depth: usize) -> Json {
        let mut table = Map::new();
        if let Some(properties) = schema["properties"].as_object() {
            let required: Vec<&str> =
                schema["required"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
            for (key, property) in properties {
                let constant = property.get("const").is_some();
                if constant || required.contains(&key.as_str()) || (depth < DEEPEST && self.chance(OPTIONAL)) {
                    table.insert(key.clone(), self.value(property, key, depth + 1));
                }
            }
        } else if schema["additionalProperties"].is_object() && self.chance(0.3) {
            let class = self.pick(self.names.classes);
            table.insert(class.to_owned(), self.value(&schema["additionalProperties"], class, depth + 1));
        }
        Json::Object(table)
    }

    /// Small numbers mostly, as small networks are quick to run.
    fn integer(&mut self, schema: &Json) -> Json {
        let least = schema["minimum"].as_u64().unwrap_or(0);
        let most = schema["maximum"].as_u64().unwrap_or(u64::from(u32::MAX));
        if self.chance(EXTREME) {
            return json!(self.pick(&[least, most, most - 1, most / 2]));
        }
        json!((least + self.stream.below(7) * self.stream.below(3)).min(most))
    }

    fn real(&mut self, schema: &Json) -> Json {
        let bound = |open: &str, closed: &str| schema[open].as_f64().or_else(|| schema[closed].as_f64());
        let least = bound("exclusiveMinimum", "minimum").unwrap_or(0.0);
        let most = bound("exclusiveMaximum", "maximum").unwrap_or(f64::MAX);
        if self.chance(EXTREME) {
            return json!(self.pick(&[least + f64::MIN_POSITIVE, most * (1.0 - f64::EPSILON), (least + most) / 2.0]));
        }
        let scale = if most <= 1.0 { most - least } else { (most - least).min(3.0) };
        json!(least + scale * self.stream.unit())
    }

    /// A quantity is known by the units that its pattern takes.
    fn text(&mut self, schema: &Json, key: &str) -> String {
        let Some(pattern) = schema["pattern"].as_str() else { return self.name(schema, key) };
        let extreme = self.chance(EXTREME);
        if pattern.contains("|none)") && self.chance(0.1) {
            return "none".to_owned();
        }
        if pattern.contains("|0)") && self.chance(0.1) {
            return "0".to_owned();
        }
        if pattern.contains("b/s") {
            if extreme {
                self.pick(&["1 b/s", "1000000 Tb/s", "18446744073709551615 b/s"]).to_owned()
            } else {
                format!("{} Gb/s", self.pick(&[1, 10, 25, 40, 100, 400]))
            }
        } else if pattern.contains("ps|ns") {
            if extreme {
                self.pick(&["1 ps", "1 s", "1000000 s", "18446744073709551615 ps"]).to_owned()
            } else {
                format!("{} ns", self.scaled(2, 14))
            }
        } else if pattern.contains("packets") && self.chance(0.5) {
            if extreme { "4294967296 packets".to_owned() } else { format!("{} packets", 1 + self.below(200)) }
        } else if pattern.contains("|KB|") {
            if extreme {
                self.pick(&["1 B", "1000 TB", "18446744073709551615 B"]).to_owned()
            } else {
                format!("{} B", self.scaled(64, 12))
            }
        } else {
            format!("first {}", 1 + self.below(6))
        }
    }

    /// The name of something in the network, of a file that lies beside the experiment, or of nothing.
    fn name(&mut self, schema: &Json, key: &str) -> String {
        let example = schema["examples"][0].as_str().unwrap_or_default();
        match key {
            "path" | "demand" => example.to_owned(),
            "name" => format!("flows-{}", self.below(1000)),
            "links" | "nodes" => self.pick(self.names.classes).to_owned(),
            "link" | "watch" => {
                let [from, to] = self.pick(self.names.links);
                if self.chance(0.5) { format!("{from} -> {to}") } else { format!("{} -> {to}", self.pick(&NODES)) }
            }
            _ if self.chance(0.5) => self.pick(&NODES).to_owned(),
            _ => example.to_owned(),
        }
    }
}
