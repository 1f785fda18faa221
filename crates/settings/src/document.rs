//! TOML text as a tree in which every value knows where it was written.

use crate::origin::Origin;
use crate::problem::{Mistake, Problem, Problems};
use crate::syntax::cure;
use indexmap::IndexMap;
use toml::de::{DeTable, DeValue};

/// A value and where it was written.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The value.
    pub value: Value,
    /// Where it was written.
    pub origin: Origin,
}

/// A TOML value; whole numbers are wide, so that what does not fit is refused by its range and not by the reader.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Text in quotes.
    Text(String),
    /// A whole number.
    Whole(i128),
    /// A number with a point or an exponent.
    Real(f64),
    /// `true` or `false`.
    Truth(bool),
    /// A date or a time, as written.
    Date(String),
    /// A list.
    List(Vec<Node>),
    /// A table.
    Table(Table),
}

/// Keys and values in the order in which they were written. Equal tables have the same entries, in whatever order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table(pub IndexMap<String, Node>);

impl Table {
    /// A table of one key.
    pub fn of(key: &str, node: Node) -> Table {
        Table(IndexMap::from([(key.to_owned(), node)]))
    }
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.0.get(key)
    }
    /// The same, to change.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        self.0.get_mut(key)
    }
    /// Sets a key, which keeps its place if it is there.
    pub fn insert(&mut self, key: &str, node: Node) {
        match self.get_mut(key) {
            Some(old) => *old = node,
            None => {
                self.0.insert(key.to_owned(), node);
            }
        }
    }
    /// Takes a key out.
    pub fn remove(&mut self, key: &str) -> Option<Node> {
        self.0.shift_remove(key)
    }
}

impl Node {
    /// The text, if it is text.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            Value::Whole(_) | Value::Real(_) | Value::Truth(_) | Value::Date(_) | Value::List(_) | Value::Table(_) => {
                None
            }
        }
    }
    /// The table, if it is one.
    pub fn table(&self) -> Option<&Table> {
        match &self.value {
            Value::Table(table) => Some(table),
            Value::Text(_) | Value::Whole(_) | Value::Real(_) | Value::Truth(_) | Value::Date(_) | Value::List(_) => {
                None
            }
        }
    }
    /// The entries, if it is a list.
    pub fn list(&self) -> Option<&[Node]> {
        match &self.value {
            Value::List(list) => Some(list),
            Value::Text(_) | Value::Whole(_) | Value::Real(_) | Value::Truth(_) | Value::Date(_) | Value::Table(_) => {
                None
            }
        }
    }

    /// Whether it is a table or a list of tables.
    pub fn holds_tables(&self) -> bool {
        self.table().is_some() || self.list().is_some_and(|list| list.iter().any(|entry| entry.table().is_some()))
    }

    /// The node at `path`; an entry of a list by its index, its `name`, or its `kind` if only one has it.
    pub fn at(&self, path: &[String]) -> Option<&Node> {
        let Some((key, rest)) = path.split_first() else { return Some(self) };
        match &self.value {
            Value::Table(table) => table.get(key)?.at(rest),
            Value::List(list) => list[entry_index(list, key)?].at(rest),
            Value::Text(_) | Value::Whole(_) | Value::Real(_) | Value::Truth(_) | Value::Date(_) => None,
        }
    }

    /// Gives every value in the tree another origin, made from its own.
    pub fn relocate(&mut self, to: &impl Fn(&Origin) -> Origin) {
        self.origin = to(&self.origin);
        match &mut self.value {
            Value::List(list) => list.iter_mut().for_each(|node| node.relocate(to)),
            Value::Table(table) => table.0.iter_mut().for_each(|(_, node)| node.relocate(to)),
            Value::Text(_) | Value::Whole(_) | Value::Real(_) | Value::Truth(_) | Value::Date(_) => {}
        }
    }

    /// The same value for serde. Numbers that JSON can't hold become null: they have been refused before.
    pub fn to_json(&self) -> serde_json::Value {
        use serde_json::Value as Json;
        match &self.value {
            Value::Text(text) | Value::Date(text) => Json::from(text.as_str()),
            Value::Whole(whole) => {
                let number = u64::try_from(*whole).map(Json::from).or_else(|_| i64::try_from(*whole).map(Json::from));
                number.unwrap_or(Json::Null)
            }
            Value::Real(real) => Json::from(*real),
            Value::Truth(truth) => Json::from(*truth),
            Value::List(list) => list.iter().map(Node::to_json).collect(),
            Value::Table(table) => table.0.iter().map(|(key, node)| (key.clone(), node.to_json())).collect(),
        }
    }

    /// The value as a person would write it, cut short if it is long.
    pub fn shown(&self) -> String {
        const LONGEST: usize = 60;
        let whole = match &self.value {
            Value::Text(text) => {
                format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
            }
            Value::Whole(whole) => whole.to_string(),
            Value::Real(real) => format!("{real:?}"),
            Value::Truth(truth) => truth.to_string(),
            Value::Date(date) => date.clone(),
            Value::List(list) => {
                format!("[{}]", list.iter().take(LONGEST).map(Node::shown).collect::<Vec<_>>().join(", "))
            }
            Value::Table(table) => {
                let entry = |(key, node): (&String, &Node)| format!("{key} = {}", node.shown());
                format!("{{ {} }}", table.0.iter().take(LONGEST).map(entry).collect::<Vec<_>>().join(", "))
            }
        };
        match whole.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{}...", &whole[..end]),
            None => whole,
        }
    }
}

/// Which entry of a list a key means: an index, a `name`, or the `kind` of an entry without name if only one has it.
pub fn entry_index(list: &[Node], key: &str) -> Option<usize> {
    if let Ok(index) = key.parse::<usize>() {
        return (index < list.len()).then_some(index);
    }
    let has = |node: &Node, field: &str| node.table().and_then(|t| t.get(field)).and_then(Node::text) == Some(key);
    if let Some(index) = list.iter().position(|node| has(node, "name")) {
        return Some(index);
    }
    let mut of_kind = (0..list.len()).filter(|&i| has(&list[i], "kind"));
    of_kind.next().filter(|_| of_kind.next().is_none())
}

/// Reads TOML. Every syntax error is reported, but one a line: what follows on a broken line is noise.
pub fn parse(text: &str, file: &str) -> Result<Node, Problems> {
    let lines = Lines::new(text);
    if let Some(at) = text.find('\0') {
        let (line, column) = lines.position(at);
        let message = "a NUL byte, which no text has; save the file as plain UTF-8 (not UTF-16)".to_owned();
        let mut problems = Problems::new(file);
        problems.push(Problem::of_text(Origin::File { line }, column, Mistake::Syntax { message }));
        return Err(problems);
    }
    let (document, errors) = DeTable::parse_recoverable(text);
    if errors.is_empty() {
        return Ok(Node { value: lines.table(document.get_ref()), origin: Origin::File { line: 1 } });
    }
    let mut errors: Vec<_> = errors.iter().map(|e| (e.span().map_or(0, |span| span.start), e.message())).collect();
    errors.sort_unstable();
    let mut problems = Problems::new(file);
    let mut last = 0;
    for (offset, message) in errors {
        let (line, column) = lines.position(offset);
        // A list that is not closed spoils all lines after it: the first error is the one to fix.
        if line > last && (last == 0 || !message.contains("array")) {
            let source = text.lines().nth(line - 1).unwrap_or_default();
            let message = cure(source, message).unwrap_or_else(|| message.replace('`', "\""));
            problems.push(Problem::of_text(Origin::File { line }, column, Mistake::Syntax { message }));
            last = line;
        }
    }
    Err(problems)
}

/// Turns offsets into lines.
struct Lines {
    starts: Vec<usize>,
    text_len: usize,
}

impl Lines {
    fn new(text: &str) -> Lines {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Lines { starts, text_len: text.len() }
    }
    /// Line and column, from 1; columns count bytes.
    fn position(&self, offset: usize) -> (usize, usize) {
        let offset = offset.min(self.text_len);
        let line = self.starts.partition_point(|&start| start <= offset);
        (line, offset - self.starts[line - 1] + 1)
    }
    fn node(&self, start: usize, value: &DeValue<'_>) -> Node {
        Node { value: self.value(value), origin: Origin::File { line: self.position(start).0 } }
    }
    fn table(&self, table: &DeTable<'_>) -> Value {
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        let entry = |(key, value): (&toml::Spanned<_>, &toml::Spanned<DeValue<'_>>)| {
            let name: &std::borrow::Cow<'_, str> = key.get_ref();
            (name.to_string(), self.node(key.span().start, value.get_ref()))
        };
        Value::Table(Table(entries.into_iter().map(entry).collect()))
    }
    fn value(&self, value: &DeValue<'_>) -> Value {
        match value {
            DeValue::String(text) => Value::Text(text.to_string()),
            DeValue::Integer(number) => {
                let negative = number.as_str().starts_with('-');
                let widest = if negative { i128::MIN } else { i128::MAX };
                Value::Whole(i128::from_str_radix(number.as_str(), number.radix()).unwrap_or(widest))
            }
            DeValue::Float(number) => Value::Real(number.as_str().parse().unwrap_or(f64::NAN)),
            DeValue::Boolean(truth) => Value::Truth(*truth),
            DeValue::Datetime(date) => Value::Date(date.to_string()),
            DeValue::Array(list) => {
                Value::List(list.iter().map(|item| self.node(item.span().start, item.get_ref())).collect())
            }
            DeValue::Table(table) => self.table(table),
        }
    }
}
