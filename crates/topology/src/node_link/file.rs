//! The file as it is written: JSON into nodes and links, each attribute checked where it stands.

use crate::ReadError;
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, Unexpected, Visitor};
use std::fmt;
use units::{Bytes, Rate, Span};

#[derive(Debug, serde::Deserialize)]
#[serde(expecting = "a graph: an object with `nodes` and `links`")]
pub(super) struct File {
    #[serde(default)]
    pub directed: bool,
    pub multigraph: Option<bool>,
    #[serde(default)]
    pub graph: serde_json::Value,
    pub nodes: Vec<Node>,
    pub links: Option<Vec<Edge>>,
    pub edges: Option<Vec<Edge>>,
}

#[derive(Debug)]
pub(super) struct Node {
    pub id: String,
    pub kind: Option<Kind>,
    pub tier: Option<u16>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Host,
    Switch,
}

#[derive(Debug)]
pub(super) struct Edge {
    pub source: String,
    pub target: String,
    pub class: Option<String>,
    pub rate: Option<Rate>,
    pub delay: Option<Span>,
    pub queue: Option<Bytes>,
}

pub(super) fn read(text: &str) -> Result<File, ReadError> {
    serde_json::from_str(text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let message = error.to_string();
        let place = format!(" at line {line} column {column}");
        let what = message.strip_suffix(&place).unwrap_or(&message);
        let what = if error.is_eof() {
            format!("the file ends before the graph does ({what}); it seems to have been cut off")
        } else {
            what.to_owned()
        };
        ReadError::Json { line, column, what }
    })
}

/// Whether a key is one of `known`, or looks like one misspelt.
fn check_key<E: Error>(key: &str, what: &str, known: &[&'static str]) -> Result<Option<&'static str>, E> {
    if let Some(exact) = known.iter().find(|known| **known == key) {
        return Ok(Some(exact));
    }
    let Some(close) = settings::misspelt(key, known.iter().copied()) else { return Ok(None) };
    Err(E::custom(format!(
        "a {what} has the attribute `{key}`; did you mean `{close}`? (call it something else if it is your own)"
    )))
}

/// Takes a value that may be said once, under either of two keys; `null` is as good as nothing.
fn put<T, E: Error>(slot: &mut Option<T>, value: Option<T>, key: &str, what: &str) -> Result<(), E> {
    if slot.is_some() && value.is_some() {
        return Err(E::custom(format!("a {what} says `{key}` twice, maybe under another name; keep one")));
    }
    *slot = value.or(slot.take());
    Ok(())
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Node, D::Error> {
        struct Attributes;
        impl<'de> Visitor<'de> for Attributes {
            type Value = Node;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(r#"a node, such as {"id": "leaf-0", "kind": "switch"}"#)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
                let (mut id, mut kind, mut tier) = (None, None, None);
                while let Some(key) = map.next_key::<String>()? {
                    match check_key::<A::Error>(&key, "node", &["id", "kind", "type", "tier"])? {
                        Some("id") => put(&mut id, Some(map.next_value::<Id>()?.0), "id", "node")?,
                        Some("tier") => {
                            put(&mut tier, map.next_value::<Option<Tier>>()?.map(|tier| tier.0), "tier", "node")?
                        }
                        Some(_) => put(&mut kind, map.next_value()?, "kind", "node")?,
                        None => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                let id = id.ok_or_else(|| A::Error::custom("a node has no `id`"))?;
                Ok(Node { id, kind, tier })
            }
        }
        deserializer.deserialize_map(Attributes)
    }
}

impl<'de> Deserialize<'de> for Edge {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Edge, D::Error> {
        struct Attributes;
        impl<'de> Visitor<'de> for Attributes {
            type Value = Edge;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(r#"a link, such as {"source": "leaf-0", "target": "spine-0"}"#)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Edge, A::Error> {
                let (mut source, mut target, mut class) = (None, None, None);
                let (mut rate, mut delay, mut queue) = (None, None, None);
                let known = &["source", "target", "class", "rate", "bandwidth", "delay", "latency", "queue"];
                while let Some(key) = map.next_key::<String>()? {
                    match check_key::<A::Error>(&key, "link", known)? {
                        Some("source") => put(&mut source, Some(map.next_value::<Id>()?.0), &key, "link")?,
                        Some("target") => put(&mut target, Some(map.next_value::<Id>()?.0), &key, "link")?,
                        Some("class") => put(&mut class, map.next_value()?, "class", "link")?,
                        Some("rate" | "bandwidth") => put(&mut rate, map.next_value()?, "rate", "link")?,
                        Some("delay" | "latency") => put(&mut delay, map.next_value()?, "delay", "link")?,
                        Some(_) => put(&mut queue, map.next_value()?, "queue", "link")?,
                        None => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                let end = |end: Option<String>, key| {
                    end.ok_or_else(|| A::Error::custom(format!("a link has no `{key}`; it names the node at that end")))
                };
                let (source, target) = (end(source, "source")?, end(target, "target")?);
                Ok(Edge { source, target, class, rate, delay, queue })
            }
        }
        deserializer.deserialize_map(Attributes)
    }
}

/// A text or a whole number.
struct Id(String);

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Id, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = Id;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a node's name: a text or a whole number (NetworkX: convert_node_labels_to_integers)")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Id, E> {
                Ok(Id(text.to_owned()))
            }
            fn visit_u64<E: Error>(self, number: u64) -> Result<Id, E> {
                Ok(Id(number.to_string()))
            }
            fn visit_i64<E: Error>(self, number: i64) -> Result<Id, E> {
                Ok(Id(number.to_string()))
            }
        }
        deserializer.deserialize_any(Text)
    }
}

/// A whole number that fits.
struct Tier(u16);

impl<'de> Deserialize<'de> for Tier {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Tier, D::Error> {
        struct Number;
        impl Visitor<'_> for Number {
            type Value = Tier;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a node's tier: 0 for hosts, 1 for switches next to hosts, more above")
            }
            fn visit_u64<E: Error>(self, number: u64) -> Result<Tier, E> {
                u16::try_from(number).map(Tier).map_err(|_| E::invalid_value(Unexpected::Unsigned(number), &self))
            }
        }
        deserializer.deserialize_any(Number)
    }
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Kind, D::Error> {
        let text = String::deserialize(deserializer)?;
        match text.as_str() {
            "host" => Ok(Kind::Host),
            "switch" => Ok(Kind::Switch),
            _ => Err(D::Error::custom(format!("a node is of kind `{text}`; write \"host\" or \"switch\""))),
        }
    }
}
