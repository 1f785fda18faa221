//! `--set key=value`.

use super::LayerError;
use settings::document::{Node, Value, parse as parse_document};
use settings::{KeyPath, Origin};
use settings::{Problem, Problems};

/// A key and what it is set to.
pub(super) struct Override {
    pub path: KeyPath,
    pub value: Node,
}

/// Reads the overrides; those that are none become problems.
pub(super) fn parse(texts: &[String], problems: &mut Problems) -> Vec<Override> {
    let mut overrides = Vec::new();
    for text in texts {
        let parts = text.split_once('=');
        let parts = parts.and_then(|(key, value)| Some((KeyPath::parse(key)?, value)));
        match parts {
            Some((path, value)) => overrides.push(Override { path, value: value_of(value.trim()) }),
            None => {
                let path = KeyPath(vec![text.clone()]);
                problems.push(Problem::of_key(&path, &Origin::Override, LayerError::NotAnAssignment));
            }
        }
    }
    overrides
}

/// A TOML value, or else the text itself: `40 Gb/s` needs no quotes that a shell would take away.
fn value_of(text: &str) -> Node {
    let mut node = Node { value: Value::Text(text.to_owned()), origin: Origin::Override };
    if let Ok(Node { value: Value::Table(mut table), .. }) = parse_document(&format!("value = {text}\n"), "")
        && table.0.len() == 1
        && let Some(value) = table.remove("value")
    {
        node = value;
    }
    node.relocate(&|_| Origin::Override);
    node
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_toml_and_falls_back_to_text() {
        let value = |text: &str| value_of(text).value;
        assert_eq!(value("0.5"), Value::Real(0.5));
        assert_eq!(value("12"), Value::Whole(12));
        assert_eq!(value("true"), Value::Truth(true));
        assert_eq!(value("\"40 Gb/s\""), Value::Text("40 Gb/s".into()));
        assert_eq!(value("40 Gb/s"), Value::Text("40 Gb/s".into()));
        assert_eq!(value("40Gb/s"), Value::Text("40Gb/s".into()));
        assert_eq!(value("dctcp"), Value::Text("dctcp".into()));
        assert_eq!(value("1\nother = 2"), Value::Text("1\nother = 2".into()));
        assert_eq!(value(""), Value::Text(String::new()));
        assert!(matches!(value("[1, 2]"), Value::List(list) if list.len() == 2));
    }
}
