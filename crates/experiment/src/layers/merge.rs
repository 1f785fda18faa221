//! Laying one tree of values over another.

use super::LayerError;
use crate::spec::shape as experiment;
use settings::KeyPath;
use settings::document::{Node, Table, Value, entry_index};
use settings::shape::{Shape, TableShape};
use settings::{Problem, Problems};

/// Lays `over` on `base`: tables are merged key by key, everything else replaces what was there. A table over a list changes
/// the entries that its keys name, by index or by name. Where `over` changes the `kind` of a table, keys that only the old
/// kind has are left behind.
pub(super) fn merge(base: &mut Node, over: &Node, problems: &mut Problems) {
    let mut merger = Merger { problems };
    merger.tables(base, over, Some(experiment()), &KeyPath::default());
}

struct Merger<'a> {
    problems: &'a mut Problems,
}

impl Merger<'_> {
    fn nodes(&mut self, base: &mut Node, over: &Node, shape: Option<&Shape>, path: &KeyPath) {
        match (&mut base.value, &over.value) {
            (Value::Table(_), Value::Table(_)) => self.tables(base, over, shape.and_then(table_of), path),
            (Value::List(list), Value::Table(entries)) => {
                let items = shape.and_then(Shape::as_items);
                for (key, node) in &entries.0 {
                    let path = path.child(key);
                    match entry_index(list, key) {
                        Some(index) => self.nodes(&mut list[index], node, items, &path),
                        None => {
                            let error = LayerError::NoSuchEntry { entries: entries_of(list) };
                            self.problems.push(Problem::of_key(&path, &node.origin, error));
                        }
                    }
                }
            }
            _replaced => *base = over.clone(),
        }
    }

    fn tables(&mut self, base: &mut Node, over: &Node, shape: Option<&TableShape>, path: &KeyPath) {
        let (Value::Table(table), Value::Table(changes)) = (&mut base.value, &over.value) else { return };
        let old = table.get("kind").and_then(Node::text).map(str::to_owned);
        let old = old.or_else(|| shape.and_then(|shape| shape.default_kind.clone()));
        let new = changes.get("kind").and_then(Node::text);
        if let (Some(shape), Some(new)) = (shape, new)
            && old.as_deref() != Some(new)
            && shape.kind(new).is_some()
        {
            let belongs_to_old = |key: &str| shape.field(old.as_deref(), key).is_some();
            table.0.retain(|key, _| shape.field(Some(new), key).is_some() || !belongs_to_old(key));
        }
        let kind = new.or(old.as_deref());
        for (key, node) in &changes.0 {
            let inner = shape.and_then(|shape| shape.field(kind, key)).map(|field| &field.shape);
            match table.get_mut(key) {
                Some(base) => self.nodes(base, node, inner, &path.child(key)),
                None => table.insert(key, node.clone()),
            }
        }
    }
}

fn table_of(shape: &Shape) -> Option<&TableShape> {
    shape.alternatives().iter().find_map(Shape::as_table)
}

/// The entries of a list, as a person may call them.
fn entries_of(list: &[Node]) -> String {
    let called = |(index, node): (usize, &Node)| {
        let table = node.table();
        let name = table.and_then(|table| table.get("name").or(table.get("kind"))).and_then(Node::text);
        name.map_or(index.to_string(), |name| format!("{index} ({name})"))
    };
    list.iter().enumerate().map(called).collect::<Vec<_>>().join(", ")
}

/// Splits dotted keys, `"workload.0.load" = 1` into `workload = { 0 = { load = 1 } }`, in this table and in those of a list.
pub(super) fn undotted(node: &mut Node, path: &KeyPath, problems: &mut Problems) {
    match &mut node.value {
        Value::List(list) => list.iter_mut().for_each(|entry| undotted(entry, path, problems)),
        Value::Table(table) => {
            let mut split = Table::default();
            for (key, value) in std::mem::take(table).0 {
                let parts = KeyPath::parse(&key).unwrap_or(KeyPath(vec![key]));
                insert(&mut split, &parts.0, value, path, problems);
            }
            *table = split;
        }
        Value::Text(_) | Value::Whole(_) | Value::Real(_) | Value::Truth(_) | Value::Date(_) => {}
    }
}

fn insert(table: &mut Table, parts: &[String], value: Node, path: &KeyPath, problems: &mut Problems) {
    let Some((key, rest)) = parts.split_first() else { return };
    let origin = value.origin.clone();
    let value = rest.iter().rev().fold(value, |node, key| {
        let table = Table::of(key, node);
        Node { value: Value::Table(table), origin: origin.clone() }
    });
    let path = path.child(key);
    match (table.get_mut(key).map(|node| &mut node.value), value) {
        (None, value) => table.insert(key, value),
        (Some(Value::Table(old)), Node { value: Value::Table(new), .. }) => {
            new.0.into_iter().for_each(|(key, node)| insert(old, &[key], node, &path, problems));
        }
        (Some(_), _) => problems.push(Problem::of_key(&path, &origin, LayerError::Twice)),
    }
}

/// `path` with entries of lists by their index.
pub(super) fn canonical(root: &Node, path: &KeyPath) -> KeyPath {
    let mut node = Some(root);
    let part = |part: &String| {
        let list = node.and_then(Node::list);
        let key = match list.and_then(|list| entry_index(list, part)) {
            Some(index) => index.to_string(),
            None => part.clone(),
        };
        node = node.and_then(|node| node.at(std::slice::from_ref(part)));
        key
    };
    KeyPath(path.0.iter().map(part).collect())
}

/// Whether laying `over` on a tree decides the value at `path`: it says it, or replaces a list that holds it.
pub(super) fn sets(over: &Node, path: &KeyPath) -> bool {
    let mut node = over;
    for part in &path.0 {
        let Value::Table(table) = &node.value else { return true };
        let Some(inner) = table.get(part) else { return false };
        node = inner;
    }
    node.table().is_none()
}
