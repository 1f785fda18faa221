//! The JSON Schema of experiment files, for completion and checks in editors.
//!
//! Written from the same tree as the checks, with no more than draft 7 has: the TOML extensions of today's editors know
//! nothing newer.

use crate::spec::shape as experiment;
use serde_json::{Map, Value as Json, json};
use settings::shape::{Choice, Field, Interval, Kind, Shape, TableShape};

/// The JSON Schema (draft 7) of experiment files, as text.
pub fn schema() -> String {
    let shape = experiment();
    let mut writer = Writer { definitions: Vec::new() };
    let mut root = writer.table(shape);
    root["properties"]["variant"] = json!({
        "type": "array",
        "description": "Runs that differ from the file in these keys; any key can stand here, dotted or nested.",
        "items": writer.variant(shape),
    });
    root["properties"]["sweep"] = json!({
        "type": "object",
        "description": "Axes: lists of values for keys such as \"workload.0.load\". There is a run for each combination, in \
                        each variant.",
        "additionalProperties": { "anyOf": [{ "type": "array", "minItems": 1 }, { "type": "object" }] },
    });
    let mut schema = Map::new();
    schema.insert("$schema".to_owned(), json!("http://json-schema.org/draft-07/schema#"));
    schema.insert("title".to_owned(), json!("Gossamer experiment"));
    if let Json::Object(root) = root {
        schema.extend(root);
    }
    let definitions: Map<String, Json> =
        writer.definitions.into_iter().map(|definition| (definition.name, definition.schema)).collect();
    schema.insert("definitions".to_owned(), Json::Object(definitions));
    let text = serde_json::to_string_pretty(&schema).expect("a schema is plain data");
    text + "\n"
}

/// What several keys have in common is defined once.
struct Definition {
    shape: Shape,
    name: String,
    schema: Json,
}

struct Writer {
    definitions: Vec<Definition>,
}

impl Writer {
    /// The schema of what stands under `name`.
    fn write(&mut self, name: &str, shape: &Shape) -> Json {
        match shape {
            Shape::Table(table) => {
                // What it is, is said where it stands.
                let table = TableShape { meaning: String::new(), ..table.clone() };
                let mut schema = self.table(&table);
                schema.as_object_mut().map(|schema| schema.remove("description"));
                self.refer(name, Shape::Table(table), schema)
            }
            Shape::List { items, at_least, at_most } => {
                let mut list = json!({ "type": "array", "items": self.write(name, items), "minItems": at_least });
                if let Some(most) = at_most {
                    list["maxItems"] = json!(most);
                }
                list
            }
            Shape::Map(values) => json!({ "type": "object", "additionalProperties": self.write(name, values) }),
            Shape::Choice(choices) => {
                json!({ "type": "string", "oneOf": choices.iter().map(choice).collect::<Vec<_>>() })
            }
            Shape::Quantity(quantity) => {
                json!({ "type": "string", "pattern": quantity.pattern(), "examples": [quantity.example()] })
            }
            Shape::Whole { low, high } => whole(*low, *high),
            Shape::Real(interval) => real(*interval),
            Shape::Text => json!({ "type": "string" }),
            Shape::Truth => json!({ "type": "boolean" }),
            Shape::Either(shapes) => {
                let schemas: Vec<Json> = shapes.iter().map(|shape| self.write(name, shape)).collect();
                self.refer(name, shape.clone(), json!({ "anyOf": schemas }))
            }
        }
    }

    /// A reference to the definition of this shape, which is made if there is none.
    fn refer(&mut self, name: &str, shape: Shape, schema: Json) -> Json {
        let known = self.definitions.iter().find(|definition| definition.shape == shape);
        let name = known.map(|definition| definition.name.clone()).unwrap_or_else(|| {
            let taken = |name: &str| self.definitions.iter().any(|definition| definition.name == name);
            let numbered = (2..).map(|number| format!("{name}-{number}"));
            let free = std::iter::once(name.to_owned()).chain(numbered).find(|name| !taken(name));
            let name = free.expect("some number is free");
            self.definitions.push(Definition { shape, name: name.clone(), schema });
            name
        });
        // In draft 7 nothing can stand beside a reference, and a description will.
        json!({ "allOf": [{ "$ref": format!("#/definitions/{name}") }] })
    }

    fn table(&mut self, shape: &TableShape) -> Json {
        if shape.kinds.is_empty() {
            return self.object(&shape.meaning, shape.fields.iter(), Map::new(), Vec::new());
        }
        let mut kinds = Vec::new();
        for kind in &shape.kinds {
            let tag = json!({ "const": kind.name, "description": kind.meaning });
            let default = shape.default_kind.as_ref() == Some(&kind.name);
            let required = if default { Vec::new() } else { vec![json!("kind")] };
            let tag = Map::from_iter([("kind".to_owned(), tag)]);
            kinds.push(self.object(&kind.meaning, kind.fields.iter().chain(&shape.fields), tag, required));
        }
        json!({ "description": shape.meaning, "oneOf": kinds })
    }

    fn object<'a>(
        &mut self,
        meaning: &str,
        fields: impl Iterator<Item = &'a Field>,
        mut properties: Map<String, Json>,
        mut required: Vec<Json>,
    ) -> Json {
        for field in fields {
            let schema = self.write(&field.name, &field.shape);
            properties.insert(field.name.clone(), property(field, schema));
            if field.required {
                required.push(json!(field.name));
            }
        }
        json!({
            "type": "object",
            "description": meaning,
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })
    }

    /// A variant has a name, and any part of an experiment.
    fn variant(&mut self, shape: &TableShape) -> Json {
        let mut variant = self.part_of_table(shape);
        variant["properties"]["name"] =
            json!({ "type": "string", "description": "What its runs are called.", "examples": ["dctcp"] });
        variant["required"] = json!(["name"]);
        variant["additionalProperties"] = json!(true); // dotted keys in quotes
        variant
    }

    /// Any part of a table: nothing is required, and the keys of all kinds can stand.
    fn part_of_table(&mut self, shape: &TableShape) -> Json {
        let mut properties = Map::new();
        if !shape.kinds.is_empty() {
            let kind = |Kind { name, meaning, .. }: &Kind| json!({ "const": name, "description": meaning });
            properties.insert("kind".to_owned(), json!({ "oneOf": shape.kinds.iter().map(kind).collect::<Vec<_>>() }));
        }
        for field in shape.kinds.iter().flat_map(|kind| &kind.fields).chain(&shape.fields) {
            let part = if let Some(inner) = field.shape.as_table() {
                self.part_of_table(inner)
            } else if field.shape.as_items().is_some() {
                // A list can be replaced, or some of its entries changed by index or name.
                json!({ "anyOf": [self.write(&field.name, &field.shape), { "type": "object" }] })
            } else {
                self.write(&field.name, &field.shape)
            };
            properties.entry(field.name.clone()).or_insert_with(|| property(field, part));
        }
        json!({ "type": "object", "properties": properties, "additionalProperties": false })
    }
}

fn choice(Choice { name, meaning, formerly: _ }: &Choice) -> Json {
    json!({ "const": name, "description": meaning })
}

fn whole(low: i128, high: i128) -> Json {
    let mut number = json!({ "type": "integer" });
    for (key, bound) in [("minimum", low), ("maximum", high)] {
        // The ends of the widest integers are no bounds that a person needs to see.
        if let Some(bound) = i64::try_from(bound).ok().filter(|bound| *bound != i64::MAX) {
            number[key] = json!(bound);
        }
    }
    number
}

fn real(interval: Interval) -> Json {
    let mut number = json!({ "type": "number" });
    let bounds = [
        ("minimum", interval.at_least),
        ("exclusiveMinimum", interval.above),
        ("maximum", interval.at_most),
        ("exclusiveMaximum", interval.below),
    ];
    for (key, bound) in bounds {
        if let Some(bound) = bound {
            number[key] = json!(bound);
        }
    }
    number
}

fn property(field: &Field, mut schema: Json) -> Json {
    schema["description"] = json!(field.meaning);
    if let Some(example) = &field.example {
        schema["examples"] = json!([example]);
    }
    if let Some(default) = field.default.as_ref().filter(|default| !default.is_object()) {
        schema["default"] = default.clone();
    }
    schema
}
