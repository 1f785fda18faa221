//! Names of runs: short, telling, unique, and fit for a folder on any system.

use settings::KeyPath;
use settings::document::{Node, Value};
use std::collections::BTreeSet;

/// Gives out names.
pub(super) struct Names {
    /// What each axis is called: the last part of its key, or more of it where that is not unique.
    axes: Vec<String>,
    /// In small letters: some file systems don't tell them from capitals.
    taken: BTreeSet<String>,
}

/// Folders may be nested; most systems stop at 255 bytes a name.
const LONGEST: usize = 100;

impl Names {
    pub(super) fn new<'a>(axes: impl Iterator<Item = &'a KeyPath>) -> Names {
        let paths: Vec<&KeyPath> = axes.collect();
        let end = |path: &KeyPath, parts: usize| path.0[path.0.len().saturating_sub(parts)..].join(".");
        let shortest = |path: &&KeyPath| {
            let unique =
                |parts: &usize| paths.iter().filter(|other| end(other, *parts) == end(path, *parts)).count() == 1;
            end(path, (1..=path.0.len()).find(unique).unwrap_or(path.0.len()))
        };
        Names { axes: paths.iter().map(shortest).collect(), taken: BTreeSet::new() }
    }

    /// The name of the run with these values, which have these indices on their axes: `dctcp,load=0.5,seed=2`.
    pub(super) fn of_run(&mut self, variant: Option<&str>, values: &[&Node], indices: &[usize]) -> String {
        let mut parts: Vec<String> = variant.map(slug).into_iter().collect();
        for ((axis, value), index) in self.axes.iter().zip(values).zip(indices) {
            parts.push(format!("{}={}", slug(axis), slug(&label(value, *index))));
        }
        let name = if parts.is_empty() { "run".to_owned() } else { parts.join(",") };
        let name: String = name.chars().take(LONGEST).collect();
        let mut unique = name.clone();
        for number in 2.. {
            if self.taken.insert(unique.to_lowercase()) {
                break;
            }
            unique = format!("{name}-{number}");
        }
        unique
    }
}

/// A value in a few letters.
fn label(value: &Node, index: usize) -> String {
    match &value.value {
        Value::Text(text) | Value::Date(text) => text.clone(),
        Value::Whole(_) | Value::Real(_) | Value::Truth(_) => value.shown(),
        Value::List(list) => {
            let labels: Vec<_> = list.iter().map(|node| label(node, index)).collect();
            if labels.is_empty() { "none".to_owned() } else { labels.join("+") }
        }
        Value::Table(table) => {
            let named = table.get("name").or(table.get("kind")).and_then(Node::text);
            named.map_or(index.to_string(), str::to_owned)
        }
    }
}

/// Letters, digits and a few signs. A number keeps its unit ("40 Gb/s" is `40Gb-s`); between words, and for everything else,
/// there is one dash.
fn slug(text: &str) -> String {
    let mut slug = String::new();
    for c in text.trim().chars() {
        let after_digit = slug.ends_with(|before: char| before.is_ascii_digit());
        match c {
            c if c.is_ascii_alphanumeric() || "._+-".contains(c) => slug.push(c),
            c if c.is_whitespace() && after_digit => {}
            _other if slug.ends_with('-') => {}
            _other => slug.push('-'),
        }
    }
    let slug = slug.trim_matches(['-', '.']);
    if slug.is_empty() { "x".to_owned() } else { slug.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use settings::Origin;

    fn text(text: &str) -> Node {
        Node { value: Value::Text(text.into()), origin: Origin::Override }
    }

    #[test]
    fn are_unique_and_safe() {
        let paths =
            [KeyPath::from("workload.0.load"), KeyPath::from("workload.1.load"), KeyPath::from("topology.rate")];
        let mut names = Names::new(paths.iter());
        let (a, b, rate) = (text("0.5"), text("../x"), text("40 Gb/s"));
        assert_eq!(
            names.of_run(Some("DCTCP, tuned"), &[&a, &b, &rate], &[0, 0, 0]),
            "DCTCP-tuned,0.load=0.5,1.load=x,rate=40Gb-s"
        );
        let mut names = Names::new([].iter());
        assert_eq!(names.of_run(Some("a"), &[], &[]), "a");
        assert_eq!(names.of_run(Some("A"), &[], &[]), "A-2");
        assert_eq!(names.of_run(Some("??"), &[], &[]), "x");
        assert_eq!(names.of_run(Some("most in the rack, 1 ms"), &[], &[]), "most-in-the-rack-1ms");
        assert_eq!(names.of_run(None, &[], &[]), "run");
        assert_eq!(names.of_run(Some(&"long".repeat(100)), &[], &[]).len(), LONGEST);
    }
}
