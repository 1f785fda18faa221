//! From one file to its runs: `--set` first, then `[[variant]]`, then `[sweep]`.

mod merge;
mod names;
mod overrides;

use merge::{canonical, merge, sets, undotted};
use names::Names;
use overrides::Override;
use settings::complete;
use settings::document::{Node, Table, Value};
use settings::{KeyPath, Origin};
use settings::{Mistake, Problem, Problems};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The keys of a whole file that stand beside those of a run.
pub(crate) const KEYS: &[&str] = &["variant", "sweep"];

/// One run of an experiment, before it has been checked: a whole file of its own, without variants or sweep.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Layered {
    /// Unique among the runs, letters' case aside, and fit for the name of a folder.
    pub name: String,
    pub variant: Option<String>,
    /// The swept keys, as written, and their values in this run.
    pub sweep: Vec<(String, serde_json::Value)>,
    pub root: Node,
}

/// Why an override, a variant or a sweep can't be applied.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LayerError {
    /// An override without `=`, or with nothing before it.
    #[error("expected key=value, such as transport.kind=dctcp")]
    NotAnAssignment,
    /// An override that every variant overrides.
    #[error(
        "has no effect, since every variant sets it; set it in one of them, such as --set variant.{variant}.{key}=..."
    )]
    NoEffect {
        /// One of the variants.
        variant: String,
        /// The key.
        key: KeyPath,
    },
    /// A list has no such entry.
    #[error("no such entry; {}", if entries.is_empty() { "the list is empty".to_owned() } else { format!("the entries are {entries}") })]
    NoSuchEntry {
        /// Those there are.
        entries: String,
    },
    /// A key that is written twice, once dotted and once not, or by index and by name.
    #[error("written twice: keep one of the two")]
    Twice,
    /// `variant` is not a list of tables.
    #[error("expected a list of tables; write [[variant]], with double brackets")]
    VariantsAreNoList,
    /// A variant that has no name.
    #[error("a variant needs a name; write for example name = \"dctcp\"")]
    VariantWithoutName,
    /// Two variants with the same name.
    #[error("two variants are called \"{name}\"; their results would have the same folder")]
    VariantTwice {
        /// The name.
        name: String,
    },
    /// `sweep` is not a table.
    #[error("expected a table; write [sweep] and below it for example \"workload.0.load\" = [0.2, 0.5, 0.8]")]
    SweepIsNoTable,
    /// An axis that is not a list.
    #[error("expected a list of the values to run with, such as {key} = [{value}]")]
    AxisIsNoList {
        /// The axis.
        key: String,
        /// What it has.
        value: String,
    },
    /// A value that an axis has twice.
    #[error("has {value} twice: two of its runs would be the same; keep one")]
    ValueTwice {
        /// The value, as written.
        value: String,
    },
    /// An axis without values.
    #[error("an axis needs at least one value")]
    AxisIsEmpty,
    /// An axis for a key that a variant sets.
    #[error("variant {variant} sets {key} as well, and the sweep would override it; keep one of the two")]
    AxisOverridesVariant {
        /// The variant.
        variant: String,
        /// The key.
        key: KeyPath,
    },
    /// More runs than anyone means.
    #[error("gives {runs} runs; the limit is {limit}")]
    TooManyRuns {
        /// Product of variants and axes.
        runs: usize,
        /// The most there may be.
        limit: usize,
    },
}

/// The most runs that a file may describe.
const MOST_RUNS: usize = 10_000;

struct Variant {
    name: String,
    node: Node,
}

struct Axis {
    path: KeyPath,
    values: Vec<Node>,
    origin: Origin,
}

/// The runs that `document` describes under these overrides (`key=value`).
pub(crate) fn expand(mut document: Node, overrides: &[String], file: &str) -> Result<Vec<Layered>, Problems> {
    let mut problems = Problems::new(file);
    if let Value::Table(table) = &mut document.value {
        for key in ["variant", "sweep"] {
            if let Some(node) = table.get_mut(key) {
                undotted(node, &KeyPath::from(key), &mut problems);
            }
        }
    }
    let overrides = overrides::parse(overrides, &mut problems);
    for Override { path, value } in &overrides {
        let over = path.0.iter().rev().fold(value.clone(), |node, key| {
            let table = Table::of(key, node);
            Node { value: Value::Table(table), origin: Origin::Override }
        });
        merge(&mut document, &over, &mut problems);
    }
    let variants = take_variants(&mut document, &mut problems);
    let mut axes = take_axes(&mut document, &mut problems);
    for Override { path, value } in &overrides {
        let path = canonical(&document, path);
        // Who sets a swept key wants this one value instead of the axis.
        axes.retain(|axis| canonical(&document, &axis.path) != path);
        if let Some(first) = variants.first().filter(|_| variants.iter().all(|variant| sets(&variant.node, &path))) {
            let error = LayerError::NoEffect { variant: first.name.clone(), key: path.clone() };
            problems.push(Problem::of_value(&path, value, error));
        }
    }
    let runs = axes.iter().fold(variants.len().max(1), |runs, axis| runs.saturating_mul(axis.values.len()));
    if runs > MOST_RUNS {
        let origin = axes.first().map_or(&document.origin, |axis| &axis.origin);
        let error = LayerError::TooManyRuns { runs, limit: MOST_RUNS };
        problems.push(Problem::of_key(&KeyPath::from("sweep"), origin, error));
    }
    if !problems.is_empty() {
        return problems.unless_any(Vec::new());
    }
    let layered = product(&document, &variants, &axes, &mut problems);
    problems.unless_any(layered)
}

/// Variants times axes, the last axis fastest.
fn product(base: &Node, variants: &[Variant], axes: &[Axis], problems: &mut Problems) -> Vec<Layered> {
    let mut names = Names::new(axes.iter().map(|axis| &axis.path));
    let mut runs = Vec::new();
    let choices: Vec<Option<&Variant>> =
        if variants.is_empty() { vec![None] } else { variants.iter().map(Some).collect() };
    for variant in choices {
        let mut root = base.clone();
        if let Some(variant) = variant {
            merge(&mut root, &variant.node, problems);
            check_axes(&root, variant, axes, problems);
        }
        let combinations: usize = axes.iter().map(|axis| axis.values.len()).product();
        for mut number in 0..combinations {
            let mut chosen = Vec::new();
            for axis in axes.iter().rev() {
                chosen.push(number % axis.values.len());
                number /= axis.values.len();
            }
            chosen.reverse();
            let values: Vec<&Node> = axes.iter().zip(&chosen).map(|(axis, &index)| &axis.values[index]).collect();
            let mut root = root.clone();
            for (axis, value) in axes.iter().zip(&values) {
                let over = axis.path.0.iter().rev().fold((*value).clone(), |node, key| {
                    let table = Table::of(key, node);
                    Node { value: Value::Table(table), origin: axis.origin.clone() }
                });
                merge(&mut root, &over, problems);
            }
            complete(&mut root, crate::spec::shape());
            let name = names.of_run(variant.map(|variant| variant.name.as_str()), &values, &chosen);
            let sweep =
                axes.iter().zip(&values).map(|(axis, value)| (axis.path.to_string(), value.to_json())).collect();
            runs.push(Layered { name, variant: variant.map(|variant| variant.name.clone()), sweep, root });
        }
    }
    runs
}

/// An axis may not undo what a variant does, nor another axis.
fn check_axes(root: &Node, variant: &Variant, axes: &[Axis], problems: &mut Problems) {
    for axis in axes {
        let path = canonical(root, &axis.path);
        let replaces_list = variant.node.at(&path.0[..1]).is_some_and(|node| node.list().is_some());
        if !replaces_list && (variant.node.at(&path.0).is_some() || variant.node.at(&axis.path.0).is_some()) {
            let error = LayerError::AxisOverridesVariant { variant: variant.name.clone(), key: axis.path.clone() };
            problems.push(Problem::of_key(&axis.path, &axis.origin, error));
        }
    }
}

fn take_variants(document: &mut Node, problems: &mut Problems) -> Vec<Variant> {
    let path = KeyPath::from("variant");
    let Value::Table(table) = &mut document.value else { return Vec::new() };
    let Some(node) = table.remove("variant") else { return Vec::new() };
    let Value::List(list) = node.value else {
        problems.push(Problem::of_key(&path, &node.origin, LayerError::VariantsAreNoList));
        return Vec::new();
    };
    let mut variants: Vec<Variant> = Vec::new();
    let mut names = BTreeSet::new();
    for (index, mut node) in list.into_iter().enumerate() {
        let path = path.child(&index.to_string());
        let Value::Table(inner) = &mut node.value else {
            problems.push(Problem::of_key(&path, &node.origin, LayerError::VariantsAreNoList));
            continue;
        };
        let name = inner.remove("name").and_then(|name| name.text().map(str::to_owned));
        let Some(name) = name.filter(|name| !name.trim().is_empty()) else {
            problems.push(Problem::of_key(&path.child("name"), &node.origin, LayerError::VariantWithoutName));
            continue;
        };
        if !names.insert(name.to_lowercase()) {
            let error = LayerError::VariantTwice { name: name.clone() };
            problems.push(Problem::of_key(&path.child("name"), &node.origin, error));
        }
        let shared: Arc<str> = name.as_str().into();
        node.relocate(&|origin| match origin {
            Origin::File { line } => Origin::Variant { name: shared.clone(), line: *line },
            Origin::Override | Origin::Variant { .. } | Origin::Sweep { .. } => origin.clone(),
        });
        variants.push(Variant { name, node });
    }
    variants
}

fn take_axes(document: &mut Node, problems: &mut Problems) -> Vec<Axis> {
    let Value::Table(table) = &mut document.value else { return Vec::new() };
    let Some(node) = table.remove("sweep") else { return Vec::new() };
    let mut axes = Vec::new();
    if node.table().is_some() {
        collect_axes(node, &KeyPath::default(), &mut axes, problems);
    } else {
        problems.push(Problem::of_key(&KeyPath::from("sweep"), &node.origin, LayerError::SweepIsNoTable));
    }
    let mut paths = BTreeSet::new();
    for axis in &axes {
        if !paths.insert(canonical(document, &axis.path)) {
            problems.push(Problem::of_key(&axis.path, &axis.origin, LayerError::Twice));
        }
    }
    axes
}

fn collect_axes(node: Node, path: &KeyPath, axes: &mut Vec<Axis>, problems: &mut Problems) {
    let shown = node.shown();
    match node.value {
        Value::Table(table) => {
            for (key, node) in table.0 {
                collect_axes(node, &path.child(&key), axes, problems);
            }
        }
        Value::List(mut values) => {
            let origin = match node.origin {
                Origin::File { line } | Origin::Variant { line, .. } | Origin::Sweep { line } => Origin::Sweep { line },
                Origin::Override => Origin::Override,
            };
            if values.is_empty() {
                problems.push(Problem::of_key(path, &origin, LayerError::AxisIsEmpty));
            }
            for value in &mut values {
                value.relocate(&|_| origin.clone());
            }
            let mut seen = BTreeSet::new();
            if let Some(again) = values.iter().find(|value| !seen.insert(value.to_json().to_string())) {
                let error = LayerError::ValueTwice { value: again.shown() };
                problems.push(Problem::of_key(&KeyPath::from("sweep").joined(path), &origin, error));
            }
            axes.push(Axis { path: path.clone(), values, origin });
        }
        Value::Text(_) | Value::Whole(_) | Value::Real(_) | Value::Truth(_) | Value::Date(_) => {
            let error = LayerError::AxisIsNoList { key: path.to_string(), value: shown };
            problems.push(Problem::of_key(&KeyPath::from("sweep").joined(path), &node.origin, error));
        }
    }
}

impl From<LayerError> for Mistake {
    fn from(error: LayerError) -> Mistake {
        Mistake::Refused(error.to_string())
    }
}
