//! Checks the form of a document: keys, types, words, units, ranges. All that is wrong is found, not the first only.

use crate::document::{Node, Table, Value};
use crate::origin::KeyPath;
use crate::printable::is_control;
use crate::problem::{Mistake, Problem};
use crate::shape::{Interval, Shape, TableShape};
use crate::suggestion::{cure, listed, nearest};
use crate::wording::{described, entries, example_of, real_range, whole_range};

/// Everything that is wrong with the form of `root`, which `shape` describes. `beside` are keys at the top that have been taken out of it
/// before.
pub fn inspect(root: &Node, shape: &TableShape, beside: &[&str]) -> Vec<Problem> {
    let mut inspector = Inspector { problems: Vec::new(), root: shape, beside };
    inspector.table(root, shape, &KeyPath::default());
    inspector.problems
}

/// Writes down the kind of tables that have a default kind and don't say theirs.
pub fn complete(root: &mut Node, shape: &TableShape) {
    let Value::Table(table) = &mut root.value else { return };
    for field in &shape.fields {
        let Shape::Table(shape) = &field.shape else { continue };
        let Some(kind) = &shape.default_kind else { continue };
        let origin = table.get(&field.name).map_or(&root.origin, |node| &node.origin).clone();
        let empty = || Node { value: Value::Table(Table::default()), origin: origin.clone() };
        if table.get(&field.name).is_none() {
            table.insert(&field.name, empty());
        }
        if let Some(Node { value: Value::Table(inner), .. }) = table.get_mut(&field.name)
            && inner.get("kind").is_none()
        {
            inner.insert("kind", Node { value: Value::Text(kind.clone()), origin });
        }
    }
}

struct Inspector<'a> {
    problems: Vec<Problem>,
    root: &'a TableShape,
    beside: &'a [&'a str],
}

impl Inspector<'_> {
    fn value(&mut self, node: &Node, shape: &Shape, path: &KeyPath) {
        let wrong = |mistake: Mistake| vec![Problem::of_value(path, node, mistake)];
        let found = match (shape, &node.value) {
            (Shape::Table(shape), Value::Table(_)) => return self.table(node, shape, path),
            (Shape::Map(values), Value::Table(table)) => {
                return table.0.iter().for_each(|(key, node)| self.value(node, values, &path.child(key)));
            }
            (Shape::List { items, at_least, at_most }, Value::List(list)) => {
                for (index, node) in list.iter().enumerate() {
                    self.value(node, items, &path.child(&index.to_string()));
                }
                let fits = list.len() >= *at_least && at_most.is_none_or(|most| list.len() <= most);
                if fits { Vec::new() } else { wrong(Mistake::Entries(entries(*at_least, *at_most, path, shape))) }
            }
            (Shape::Choice(choices), Value::Text(word)) => {
                let mut names = choices.iter().map(|choice| choice.name.as_str());
                if names.clone().any(|name| name == word) {
                    Vec::new()
                } else {
                    let what = path.0.iter().rev().find(|part| part.parse::<usize>().is_err());
                    let renamed = choices.iter().find(|choice| choice.formerly.as_ref() == Some(word));
                    let cure = match (renamed, nearest(word, names.clone())) {
                        (Some(choice), _) => format!("it is called \"{}\" now", choice.name),
                        (None, Some(near)) => format!("did you mean \"{near}\"?"),
                        (None, None) => format!("write one of {}", listed(names.by_ref())),
                    };
                    wrong(Mistake::NoSuchChoice { what: what.cloned().unwrap_or_default(), cure })
                }
            }
            (Shape::Quantity(quantity), Value::Text(text)) => {
                quantity.check(text).err().map(|message| wrong(Mistake::Quantity(message))).unwrap_or_default()
            }
            (Shape::Whole { low, high }, Value::Whole(number)) => match (number < low, number > high) {
                (false, false) => Vec::new(),
                (true, _) => wrong(Mistake::Range(whole_range(*low, *high))),
                (false, true) if *high > u32::MAX.into() => wrong(Mistake::Range(format!("at most {high}"))),
                (false, true) => wrong(Mistake::Range(whole_range(*low, *high))),
            },
            (Shape::Real(interval), Value::Whole(number)) => {
                real(*number as f64, *interval).map(wrong).unwrap_or_default()
            }
            (Shape::Real(interval), Value::Real(number)) => real(*number, *interval).map(wrong).unwrap_or_default(),
            (Shape::Text, Value::Text(text)) => match text.chars().find(|c| is_control(*c)) {
                Some(character) => wrong(Mistake::Control { code: character.into() }),
                None => Vec::new(),
            },
            (Shape::Truth, Value::Truth(_)) => Vec::new(),
            (Shape::Either(shapes), value) => match (unknown_word(shapes, value, path), shapes) {
                (Some(mistake), _) => wrong(mistake),
                (None, shapes) => match shapes.iter().find(|shape| may_be(shape, value)) {
                    Some(shape) => return self.value(node, shape, path),
                    None => wrong(wrong_type(node, shape, path)),
                },
            },
            _mismatch => wrong(wrong_type(node, shape, path)),
        };
        self.problems.extend(found);
    }

    fn table(&mut self, node: &Node, shape: &TableShape, path: &KeyPath) {
        let table = node.table().expect("called for tables only");
        let kind_node = table.get("kind").filter(|_| !shape.kinds.is_empty());
        let kind = kind_node.and_then(Node::text).filter(|name| shape.kind(name).is_some());
        if !shape.kinds.is_empty() && kind.is_none() {
            // Without its kind, nothing can be said of the table's other keys.
            return self.problems.push(kind_problem(node, kind_node, shape, path));
        }
        for (key, value) in &table.0 {
            match shape.field(kind, key) {
                Some(field) => self.value(value, &field.shape, &path.child(key)),
                None if key == "kind" && kind.is_some() => {}
                None => {
                    let problem = self.unknown_key(shape, kind, key, value, path);
                    self.problems.push(problem);
                }
            }
        }
        for field in shape.fields_of(kind).filter(|field| field.required && table.get(&field.name).is_none()) {
            let example = example_of(field);
            let key = path.child(&field.name);
            self.problems.push(Problem::of_key(&key, &node.origin, Mistake::Missing { example }));
        }
    }

    fn unknown_key(&self, shape: &TableShape, kind: Option<&str>, key: &str, node: &Node, path: &KeyPath) -> Problem {
        let own: Vec<&str> = shape.fields_of(kind).map(|field| field.name.as_str()).collect();
        let others: Vec<&str> = shape.kinds_with(key).map(|kind| kind.name.as_str()).collect();
        let at_root = path.0.is_empty();
        let mistake = if let Some(field) = shape.renamed(kind, key) {
            Mistake::NoSuchKey { cure: format!("it is called {} now", field.name) }
        } else if let (Some(kind), false) = (kind, others.is_empty()) {
            let tag = path.0.iter().rev().find(|part| part.parse::<usize>().is_err()).cloned().unwrap_or_default();
            let quoted: Vec<String> = others.iter().map(|kind| format!("\"{kind}\"")).collect();
            let (kind, others) =
                (kind.to_owned(), quoted.join(", ") + if others.len() == 1 { " has" } else { " have" });
            Mistake::OtherKind { tag, kind, others, keys: listed(own) }
        } else {
            let known = own.iter().copied().chain(at_root.then_some(self.beside).into_iter().flatten().copied());
            let known = known.chain((!shape.kinds.is_empty()).then_some("kind"));
            let near = nearest(key, known.clone());
            let cure = match (near, home_of(self.root, key)) {
                // A key that exists elsewhere under exactly this name is in the wrong place rather than misspelt.
                (_, Some(home)) => format!("it belongs in {home}"),
                (Some(near), None) => format!("did you mean {near}?"),
                (None, None) => format!("the keys here are {}", listed(known)),
            };
            Mistake::NoSuchKey { cure }
        };
        Problem::of_key(&path.child(key), &node.origin, mistake)
    }
}

fn kind_problem(node: &Node, kind: Option<&Node>, shape: &TableShape, path: &KeyPath) -> Problem {
    let names = || shape.kinds.iter().map(|kind| kind.name.as_str());
    let path = path.child("kind");
    let Some(kind) = kind else {
        let first = names().next().unwrap_or_default();
        let example = format!("kind = \"{first}\" (the kinds are {})", listed(names()));
        return Problem::of_key(&path, &node.origin, Mistake::Missing { example });
    };
    match kind.text() {
        Some(word) => {
            let what = "kind".to_owned();
            let cure = cure("the kinds are", word, names());
            Problem::of_value(&path, kind, Mistake::NoSuchChoice { what, cure })
        }
        None => {
            let expected = format!("one of {}, in quotes", listed(names()));
            Problem::of_value(&path, kind, Mistake::Type { expected, cure: None })
        }
    }
}

/// The table where `key` would be right, such as `[fabric]`.
fn home_of(root: &TableShape, key: &str) -> Option<String> {
    let holds = |shape: &TableShape| {
        let fields = shape.fields.iter().chain(shape.kinds.iter().flat_map(|kind| &kind.fields));
        fields.into_iter().any(|field| field.name == key)
    };
    root.fields.iter().find_map(|field| {
        let (table, items) = (field.shape.as_table(), field.shape.as_items().and_then(Shape::as_table));
        if table.is_some_and(holds) {
            Some(format!("[{}]", field.name))
        } else if items.is_some_and(holds) {
            Some(format!("[[{}]]", field.name))
        } else {
            (field.name == key).then(|| "the first lines of the file, above all tables".to_owned())
        }
    })
}

/// Whether a value has the type that this shape takes.
fn may_be(shape: &Shape, value: &Value) -> bool {
    match (shape, value) {
        (Shape::Either(shapes), _) => shapes.iter().any(|shape| may_be(shape, value)),
        // "10 KB" is meant as a quantity, "web-search" as a word, where both can stand.
        (Shape::Quantity(quantity), Value::Text(text)) => quantity.may_be(text),
        (Shape::Table(_) | Shape::Map(_), Value::Table(_))
        | (Shape::List { .. }, Value::List(_))
        | (Shape::Choice(_) | Shape::Text, Value::Text(_))
        | (Shape::Whole { .. }, Value::Whole(_))
        | (Shape::Real(_), Value::Whole(_) | Value::Real(_))
        | (Shape::Truth, Value::Truth(_)) => true,
        _mismatch => false,
    }
}

/// A word that is neither one of those that can stand alone nor the kind of a table that can stand in their place.
fn unknown_word(shapes: &[Shape], value: &Value, path: &KeyPath) -> Option<Mistake> {
    let Value::Text(word) = value else { return None };
    let kinds = &shapes.iter().find_map(Shape::as_table).filter(|table| !table.kinds.is_empty())?.kinds;
    let choices = shapes.iter().find_map(Shape::as_choices)?;
    let quantity = shapes.iter().any(|shape| matches!(shape, Shape::Quantity(_)) && may_be(shape, value));
    if quantity || choices.iter().any(|choice| choice.name == *word) {
        return None;
    }
    let (words, kinds) =
        (choices.iter().map(|choice| choice.name.as_str()), kinds.iter().map(|kind| kind.name.as_str()));
    let what = path.last().to_owned();
    let cure = match nearest(word, words.clone().chain(kinds.clone())) {
        Some(near) if kinds.clone().any(|kind| kind == near) => {
            format!("did you mean a table, {what} = {{ kind = \"{near}\", ... }}?")
        }
        Some(near) => format!("did you mean \"{near}\"?"),
        None => format!("write one of {}, or a table of kind {}", listed(words), listed(kinds)),
    };
    Some(Mistake::NoSuchChoice { what, cure })
}

fn wrong_type(node: &Node, shape: &Shape, path: &KeyPath) -> Mistake {
    match type_cure(node, shape, path) {
        // The cure shows how it is written, so that no example is needed.
        Some(cure) => {
            let whole = described(shape);
            let expected = whole.split(", such as").next().unwrap_or_default().to_owned();
            Mistake::Type { expected, cure: Some(cure) }
        }
        None => Mistake::Type { expected: described(shape), cure: None },
    }
}

fn type_cure(node: &Node, shape: &Shape, path: &KeyPath) -> Option<String> {
    let key = path.last();
    match (shape, &node.value) {
        (Shape::Table(shape), Value::Text(word)) if !shape.kinds.is_empty() => {
            let kind = nearest(word, shape.kinds.iter().map(|kind| kind.name.as_str()))?;
            Some(format!("write {path}.kind = \"{kind}\""))
        }
        (Shape::Table(_) | Shape::Map(_), Value::List(_)) => Some(format!("write [{path}], with single brackets")),
        (Shape::List { items, .. }, Value::Table(_)) if matches!(**items, Shape::Table(_)) => {
            Some(format!("write [[{path}]], with double brackets"))
        }
        (Shape::List { items, .. }, value) if may_be(items, value) => Some(format!("write {key} = [{}]", node.shown())),
        (Shape::Quantity(quantity), Value::Whole(_) | Value::Real(_)) => {
            Some(format!("write for example {key} = \"{} {}\"", node.shown(), quantity.likely_unit()?))
        }
        (Shape::Whole { .. } | Shape::Real(_), Value::Text(text)) => {
            let number = text.trim().parse::<f64>().ok()?;
            number.is_finite().then(|| format!("write it without quotes: {key} = {}", text.trim()))
        }
        (Shape::Whole { .. }, Value::Real(number)) if number.fract() == 0.0 && number.abs() < 1e15 => {
            Some(format!("write {key} = {number:.0}"))
        }
        (Shape::Either(shapes), _) => shapes.iter().find_map(|shape| type_cure(node, shape, path)),
        (Shape::Truth, Value::Text(text)) if matches!(text.as_str(), "true" | "false") => {
            Some(format!("write it without quotes: {key} = {text}"))
        }
        (Shape::Text, Value::Whole(_) | Value::Real(_) | Value::Truth(_) | Value::Date(_)) => {
            Some(format!("write {key} = \"{}\"", node.shown()))
        }
        _other => None,
    }
}

fn real(number: f64, range: Interval) -> Option<Mistake> {
    let fits = number.is_finite()
        && range.at_least.is_none_or(|low| number >= low)
        && range.above.is_none_or(|low| number > low)
        && range.at_most.is_none_or(|high| number <= high)
        && range.below.is_none_or(|high| number < high);
    (!fits).then(|| Mistake::Range(real_range(range)))
}
