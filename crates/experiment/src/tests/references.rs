//! The reference and the schema say what the checks do.

use super::FILE;
use crate::spec::shape as experiment;
use crate::{Plan, reference, schema};
use serde_json::Value as Json;
use settings::shape::{Field, Shape, TableShape};

/// Calls `look` on every table of the shape, with a path that tells where it is.
fn each_table(table: &TableShape, path: &str, look: &mut impl FnMut(&TableShape, &str)) {
    look(table, path);
    for field in table.kinds.iter().flat_map(|kind| &kind.fields).chain(&table.fields) {
        each_within(&field.shape, &format!("{path}.{}", field.name), look);
    }
}

fn each_within(shape: &Shape, path: &str, look: &mut impl FnMut(&TableShape, &str)) {
    match shape {
        Shape::Table(table) => each_table(table, path, look),
        Shape::List { items: inner, .. } | Shape::Map(inner) => each_within(inner, path, look),
        Shape::Either(shapes) => shapes.iter().for_each(|shape| each_within(shape, path, look)),
        Shape::Choice(_) | Shape::Quantity(_) | Shape::Whole { .. } | Shape::Real(_) | Shape::Text | Shape::Truth => {}
    }
}

fn fields(table: &TableShape) -> impl Iterator<Item = &Field> {
    table.kinds.iter().flat_map(|kind| &kind.fields).chain(&table.fields)
}

#[test]
fn every_key_and_kind_has_a_meaning() {
    let mut keys = 0;
    each_table(experiment(), "", &mut |table, path| {
        assert!(!table.meaning.is_empty(), "{path}");
        for kind in &table.kinds {
            assert!(kind.meaning.ends_with('.'), "{path}, kind {}: {}", kind.name, kind.meaning);
        }
        for field in fields(table) {
            keys += 1;
            assert!(field.meaning.ends_with('.'), "{path}.{}: {}", field.name, field.meaning);
        }
    });
    assert!(keys > 100, "only {keys} keys");
}

/// A default that is shown but means something else would be worse than none.
#[test]
fn defaults_and_examples_pass_their_own_checks() {
    each_table(experiment(), "", &mut |table, path| {
        for field in fields(table) {
            for value in field.default.iter().chain(&field.example) {
                let right = match (&field.shape, value) {
                    (Shape::Quantity(quantity), Json::String(text)) => quantity.check(text).is_ok(),
                    (Shape::Quantity(_), _) => false,
                    (Shape::Choice(choices), Json::String(word)) => choices.iter().any(|choice| choice.name == *word),
                    (Shape::Truth, value) => value.is_boolean(),
                    (Shape::Whole { low, high }, value) => {
                        value.as_i64().is_some_and(|number| (*low..=*high).contains(&number.into()))
                    }
                    _other => true,
                };
                assert!(right, "{path}.{}: {value}", field.name);
            }
        }
    });
}

#[test]
fn what_the_reference_calls_a_default_is_one() {
    let plain = Plan::read(FILE, "x.toml", &[]).unwrap();
    let overrides: Vec<String> = experiment()
        .fields
        .iter()
        .filter_map(|field| Some((field.name.as_str(), field.shape.as_table()?)))
        // To write the table is to ask for it.
        .filter(|(name, _)| *name != "compare")
        .flat_map(|(name, table)| {
            let kind = ["fat-tree", "ethernet", "newreno"].into_iter().find(|kind| table.kind(kind).is_some());
            table.fields_of(kind).filter_map(move |field| Some((name, field, field.default.as_ref()?)))
        })
        .filter(|(name, field, _)| !FILE.contains(&format!("\n{} = ", field.name)) || *name == "measure")
        .map(|(name, field, default)| format!("{name}.{}={}", field.name, settings::toml_of(default)))
        .collect();
    assert!(overrides.len() > 15, "{overrides:?}");
    let spelt = Plan::read(FILE, "x.toml", &overrides).unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!(format!("{:?}", plain.runs), format!("{:?}", spelt.runs));
}

#[test]
fn examples_in_the_reference_run() {
    let reference = reference();
    let mut blocks = reference.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let mut count = 0;
    assert!(blocks.all(|block| {
        count += 1;
        Plan::read(block, "example.toml", &[]).map_err(|problems| panic!("{problems}\n{block}")).is_ok()
    }));
    assert_eq!(count, 6);
}

#[test]
fn the_schema_covers_variants_and_sweeps() {
    let schema: Json = serde_json::from_str(&schema()).unwrap();
    assert_eq!(schema["$schema"], "http://json-schema.org/draft-07/schema#");
    assert_eq!(schema["required"], serde_json::json!(["seed", "topology", "workload"]));
    let variant = &schema["properties"]["variant"]["items"];
    assert_eq!(variant["required"], serde_json::json!(["name"]));
    assert!(variant["properties"]["transport"]["properties"]["gain"].is_object(), "keys of all kinds");
    assert!(schema["properties"]["sweep"].is_object());
    for definition in ["size", "pattern", "pairs"] {
        assert!(schema["definitions"][definition].is_object(), "{definition}");
    }
}
