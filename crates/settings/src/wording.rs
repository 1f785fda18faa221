//! Shapes, ranges and values in words, for messages and the reference.

use crate::origin::KeyPath;
use crate::shape::{Field, Interval, Shape, TableShape};
use crate::suggestion::listed;
use serde_json::Value as Json;
use units::Bytes;

/// How a required key is written, for example.
pub fn example_of(field: &Field) -> String {
    match (&field.shape, &field.example) {
        (_, Some(example)) => format!("{} = {}", field.name, toml_of(example)),
        (shape, None) => how_to_write(&field.name, shape),
    }
}

/// How a key of this shape is written, for example.
pub fn how_to_write(name: &str, shape: &Shape) -> String {
    let with_kind = |shape: &TableShape, header: String| match shape.kinds.first() {
        Some(kind) => format!("{header} with kind = \"{}\"", kind.name),
        None => header,
    };
    let items = shape.as_items();
    if let Some(table) = shape.as_table() {
        with_kind(table, format!("a table [{name}]"))
    } else if let Some(table) = items.and_then(Shape::as_table) {
        with_kind(table, format!("a table [[{name}]]"))
    } else {
        format!("{name} = {}", sample(shape))
    }
}

/// How many entries a list must have, and how to write them.
pub(crate) fn entries(at_least: usize, at_most: Option<usize>, path: &KeyPath, shape: &Shape) -> String {
    match at_most {
        Some(most) if most == at_least => format!("exactly {most} entries"),
        Some(most) => format!("from {at_least} to {most} entries"),
        None => format!(
            "at least {at_least} {}; write {}",
            if at_least == 1 { "entry" } else { "entries" },
            how_to_write(path.last(), shape)
        ),
    }
}

/// Some right value.
pub fn sample(shape: &Shape) -> String {
    match shape {
        Shape::Table(_) | Shape::Map(_) => "{ ... }".to_owned(),
        Shape::List { items, at_least, .. } => format!("[{}]", vec![sample(items); (*at_least).max(1)].join(", ")),
        Shape::Choice(choices) => choices.first().map(|choice| format!("\"{}\"", choice.name)).unwrap_or_default(),
        Shape::Quantity(quantity) => format!("\"{}\"", quantity.example()),
        Shape::Whole { low, .. } => (*low).max(1).to_string(),
        Shape::Real(_) => "0.5".to_owned(),
        Shape::Text => "\"...\"".to_owned(),
        Shape::Truth => "true".to_owned(),
        Shape::Either(shapes) => shapes.first().map(sample).unwrap_or_default(),
    }
}

/// More words than a message can list.
const MANY: usize = 8;

/// What a place takes, in words.
pub fn described(shape: &Shape) -> String {
    match shape {
        Shape::Table(_) | Shape::Map(_) => "a table".to_owned(),
        Shape::List { items, .. } if matches!(**items, Shape::Table(_)) => "a list of tables".to_owned(),
        Shape::List { .. } => "a list".to_owned(),
        Shape::Choice(choices) if choices.len() > MANY => format!("a name in quotes, such as \"{}\"", choices[0].name),
        Shape::Choice(choices) => format!("one of {}, in quotes", listed(choices.iter().map(|c| c.name.as_str()))),
        Shape::Quantity(quantity) => {
            let unit = if quantity.likely_unit().is_some() { " with its unit" } else { "" };
            format!("a {}{unit} in quotes, such as \"{}\"", quantity.what(), quantity.example())
        }
        Shape::Whole { .. } => "a whole number".to_owned(),
        Shape::Real(_) => "a number".to_owned(),
        Shape::Text => "text in quotes".to_owned(),
        Shape::Truth => "true or false".to_owned(),
        Shape::Either(shapes) => shapes.iter().map(described).collect::<Vec<_>>().join(", or "),
    }
}

/// A range in words: "at least 0 and below 1".
pub fn real_range(range: Interval) -> String {
    let bounds =
        [("at least", range.at_least), ("above", range.above), ("at most", range.at_most), ("below", range.below)];
    let bounds: Vec<_> =
        bounds.iter().filter_map(|(word, bound)| bound.map(|bound| format!("{word} {bound}"))).collect();
    if bounds.is_empty() { "a finite number".to_owned() } else { bounds.join(" and ") }
}

/// A range in words: "from 1 to 8".
pub fn whole_range(low: i128, high: i128) -> String {
    if high >= i128::from(u32::MAX) && low > i128::MIN && high >= i128::from(i64::MAX) {
        format!("at least {low}")
    } else {
        format!("from {low} to {high}")
    }
}

/// A JSON value as TOML would have it.
pub fn toml_of(value: &Json) -> String {
    match value {
        Json::Null => "none".to_owned(),
        Json::Bool(_) | Json::Number(_) | Json::String(_) => value.to_string(),
        Json::Array(list) => format!("[{}]", list.iter().map(toml_of).collect::<Vec<_>>().join(", ")),
        Json::Object(table) => {
            let entries: Vec<_> = table.iter().map(|(key, value)| format!("{key} = {}", toml_of(value))).collect();
            if entries.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", entries.join(", ")) }
        }
    }
}

/// Sizes of packets, as people give them: 1500 B rather than 1.5 KB.
pub fn plain(bytes: Bytes) -> String {
    format!("{} B", bytes.get())
}

/// A message with names in the quotes that TOML has, and lines of a file (`allow_overload = true`) without.
pub fn quoted(message: &str) -> String {
    let mut parts = message.split('`');
    let mut text = parts.next().unwrap_or_default().to_owned();
    while let Some(inside) = parts.next() {
        let quote = if inside.contains(" = ") { "" } else { "\"" };
        text += &format!("{quote}{inside}{quote}{}", parts.next().unwrap_or_default());
    }
    text
}
