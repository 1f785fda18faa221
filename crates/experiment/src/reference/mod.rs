//! The reference of experiment files in Markdown, written from the same tree as the checks.

use crate::spec::shape as experiment;
use settings::Quantity;
use settings::shape::{Field, Interval, Shape, TableShape};
use settings::{real_range, toml_of, whole_range};
use std::fmt::Write;

/// Every key of experiment files: type, default, meaning.
pub fn reference() -> String {
    let mut text = String::from(include_str!("head.md"));
    let shape = experiment();
    let _ = writeln!(text, "## The file\n\nKeys above all tables, and the tables there are.\n");
    keys(&mut text, &shape.fields);
    let mut rest = Vec::new();
    for field in &shape.fields {
        tables(&field.shape, &field.name, "", &mut rest);
    }
    for Heading { title, shape } in rest {
        let _ = writeln!(text, "## {title}\n\n{}\n", shape.meaning);
        if shape.kinds.is_empty() {
            keys(&mut text, &shape.fields);
            continue;
        }
        let default =
            shape.default_kind.as_ref().map(|kind| format!(" Without `kind` it is `{kind}`.")).unwrap_or_default();
        let _ = writeln!(text, "Its `kind` says which other keys it has.{default}\n");
        for kind in &shape.kinds {
            let _ = writeln!(text, "### `kind = \"{}\"`\n\n{}\n", kind.name, kind.meaning);
            keys(&mut text, &kind.fields);
        }
        if !shape.fields.is_empty() {
            let _ = writeln!(text, "### Of every kind\n");
            keys(&mut text, &shape.fields);
        }
    }
    published(&mut text);
    text.push_str(include_str!("tail.md"));
    text
}

struct Heading {
    title: String,
    shape: TableShape,
}

/// Headings for the tables in `shape`, which stands under `name`, and for those within them; one that several keys have in
/// common is listed once.
fn tables(shape: &Shape, name: &str, brackets: &str, found: &mut Vec<Heading>) {
    match shape {
        Shape::Table(table) => {
            if found.iter().any(|heading| heading.shape == *table) {
                return;
            }
            let title = match brackets {
                "" => format!("`[{name}]`"),
                "list" => format!("`[[{name}]]`"),
                _inline => format!("`{} = {{ ... }}`", name.rsplit('.').next().unwrap_or(name)),
            };
            found.push(Heading { title, shape: table.clone() });
            let fields = table.kinds.iter().flat_map(|kind| &kind.fields).chain(&table.fields);
            for field in fields {
                tables(&field.shape, &format!("{name}.{}", field.name), "", found);
            }
        }
        Shape::List { items, .. } => tables(items, name, "list", found),
        Shape::Map(values) => tables(values, &format!("{name}.CLASS"), "", found),
        Shape::Either(shapes) => shapes.iter().for_each(|shape| tables(shape, name, "inline", found)),
        Shape::Choice(_) | Shape::Quantity(_) | Shape::Whole { .. } | Shape::Real(_) | Shape::Text | Shape::Truth => {}
    }
}

fn keys(text: &mut String, fields: &[Field]) {
    if fields.is_empty() {
        let _ = writeln!(text, "No keys of its own.\n");
        return;
    }
    let _ = writeln!(text, "| key | type | default | meaning |\n|---|---|---|---|");
    for field in fields {
        let cells = [format!("`{}`", field.name), type_of(&field.shape), default_of(field), meaning_of(field)];
        let _ = writeln!(text, "| {} |", cells.map(|cell| cell.replace('|', "\\|")).join(" | "));
    }
    text.push('\n');
}

fn type_of(shape: &Shape) -> String {
    if let Shape::Whole { low, high } = shape {
        return format!("whole number, {}", whole_range(*low, *high));
    }
    if let Shape::Real(interval) = shape
        && *interval != Interval::default()
    {
        return format!("number, {}", real_range(*interval));
    }
    short_type(shape)
}

fn default_of(field: &Field) -> String {
    match &field.default {
        Some(default) if default.is_object() || default.as_array().is_some_and(Vec::is_empty) => String::new(),
        Some(default) => format!("`{}`", toml_of(default)),
        None if field.required => "**must be written**".to_owned(),
        None => String::new(),
    }
}

/// Published distributions, with their means: the trap of this field.
fn published(text: &mut String) {
    let _ = writeln!(
        text,
        "## Published flow sizes\n\nNames for `size`. Means are with the interpolation shown, which is how the distribution's \
         users read it.\n\n| name | mean | between points | what | source |\n|---|---|---|---|---|"
    );
    for known in workload::sizes::PUBLISHED {
        let mean = kilobytes(known.cdf(None).mean());
        let (name, between, what, source) = (known.name, known.interpolation, known.summary, known.source);
        let _ = writeln!(text, "| `\"{name}\"` | {mean} | {between} | {what} | {source} |");
    }
    text.push('\n');
}

/// To three digits or so.
fn kilobytes(bytes: f64) -> String {
    match bytes {
        bytes if bytes < 1e3 => format!("{bytes:.0} B"),
        bytes if bytes < 1e5 => format!("{:.1} KB", bytes / 1e3),
        bytes if bytes < 1e6 => format!("{:.0} KB", bytes / 1e3),
        bytes => format!("{:.2} MB", bytes / 1e6),
    }
}

/// What is in the comments of the field, then the words that can stand there.
fn meaning_of(field: &Field) -> String {
    let mut meaning = field.meaning.replace('\n', " ");
    let named = field.shape.as_items().unwrap_or(&field.shape).alternatives();
    for shape in named {
        let Some(choices) = shape.as_choices() else { continue };
        if choices.iter().any(|choice| choice.name == workload::sizes::PUBLISHED[0].name) {
            meaning.push_str("<br>The words are [published distributions](#published-flow-sizes).");
            continue;
        }
        for choice in choices {
            let separator = if choice.meaning.is_empty() { "" } else { ": " };
            let _ = write!(meaning, "<br>`\"{}\"`{separator}{}", choice.name, choice.meaning.replace('\n', " "));
        }
    }
    if let Some(example) = &field.example {
        let _ = write!(meaning, "<br>Example: `{} = {}`", field.name, toml_of(example));
    }
    meaning
}

/// What a place takes, in a few words for a table of the reference.
fn short_type(shape: &Shape) -> String {
    match shape {
        Shape::Quantity(quantity) => quantity.what().to_owned(),
        Shape::Choice(_) => "word".to_owned(),
        Shape::Text => "text".to_owned(),
        Shape::Table(_) | Shape::Map(_) => "table".to_owned(),
        Shape::List { items, .. } => {
            format!("list of {}s", short_type(items).replace("list of", "lists of").trim_end_matches('s'))
        }
        Shape::Whole { .. } => "whole number".to_owned(),
        Shape::Real(_) => "number".to_owned(),
        Shape::Truth => "true or false".to_owned(),
        Shape::Either(shapes) if shapes.contains(&Shape::Quantity(Quantity::Hosts)) => "choice of hosts".to_owned(),
        Shape::Either(shapes) => {
            let mut types: Vec<String> = Vec::new();
            for shape in shapes {
                let short = short_type(shape);
                if !types.contains(&short) {
                    types.push(short);
                }
            }
            types.join(" or ")
        }
    }
}
