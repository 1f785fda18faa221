//! What settings may hold, as a tree read from the JSON Schema of their structure.
//!
//! The schema is made from the very types that the file is read into, so the checks, the reference and an editor's
//! completion can't say different things.

use crate::quantity::Quantity;
use serde_json::{Map, Value as Json};

/// What may stand in one place.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A table of known keys.
    Table(TableShape),
    /// Entries of one shape, so many at least and at most.
    List {
        /// What each is.
        items: Box<Shape>,
        /// How many there must be.
        at_least: usize,
        /// How many there may be.
        at_most: Option<usize>,
    },
    /// A table whose keys the user chooses.
    Map(Box<Shape>),
    /// One of these words.
    Choice(Vec<Choice>),
    /// A number with a unit, in quotes.
    Quantity(Quantity),
    /// A whole number within bounds.
    Whole {
        /// The least.
        low: i128,
        /// The largest.
        high: i128,
    },
    /// A number within a range.
    Real(Interval),
    /// Any text.
    Text,
    /// `true` or `false`.
    Truth,
    /// Any of these; of tables, there is one at most.
    Either(Vec<Shape>),
}

/// A word that can stand in a place.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The word.
    pub name: String,
    /// What it means.
    pub meaning: String,
    /// What it was called in earlier versions (`x-formerly` of the schema), for whoever still writes that.
    pub formerly: Option<String>,
}

/// A range of real numbers.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Interval {
    /// It is no less than this.
    pub at_least: Option<f64>,
    /// It is more than this.
    pub above: Option<f64>,
    /// It is no more than this.
    pub at_most: Option<f64>,
    /// It is less than this.
    pub below: Option<f64>,
}

/// A table: keys that it always has, and those of its kinds if it has kinds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TableShape {
    /// What it is.
    pub meaning: String,
    /// Keys that it always has.
    pub fields: Vec<Field>,
    /// Its kinds, if it has a `kind`.
    pub kinds: Vec<Kind>,
    /// The kind of a table that doesn't say.
    pub default_kind: Option<String>,
}

/// One kind of a table with a `kind` key.
#[derive(Debug, Clone, PartialEq)]
pub struct Kind {
    /// Its name.
    pub name: String,
    /// What it is.
    pub meaning: String,
    /// Keys of this kind alone.
    pub fields: Vec<Field>,
}

/// A key of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// The key.
    pub name: String,
    /// What it is.
    pub meaning: String,
    /// What may stand there.
    pub shape: Shape,
    /// Whether it must be written.
    pub required: bool,
    /// What it is if it is not written.
    pub default: Option<Json>,
    /// A right value.
    pub example: Option<Json>,
    /// The least and the most of a quantity (`x-least` and `x-most` of the schema), where it is not its kind that says so.
    pub least: Option<String>,
    /// See `least`.
    pub most: Option<String>,
    /// The default in words (`x-default` of the schema), where it follows from something else.
    pub follows: Option<String>,
    /// What the key was called in earlier versions (`x-formerly` of the schema).
    pub formerly: Option<String>,
}

impl Shape {
    /// The table, if it is one.
    pub fn as_table(&self) -> Option<&TableShape> {
        if let Shape::Table(table) = self { Some(table) } else { None }
    }
    /// What the entries are, if it is a list.
    pub fn as_items(&self) -> Option<&Shape> {
        if let Shape::List { items, .. } = self { Some(items) } else { None }
    }
    /// The words, if it is one of some.
    pub fn as_choices(&self) -> Option<&[Choice]> {
        if let Shape::Choice(choices) = self { Some(choices) } else { None }
    }
    /// The shapes that can stand here.
    pub fn alternatives(&self) -> &[Shape] {
        if let Shape::Either(shapes) = self { shapes } else { std::slice::from_ref(self) }
    }
}

impl TableShape {
    /// The kind of this name.
    pub fn kind(&self, name: &str) -> Option<&Kind> {
        self.kinds.iter().find(|kind| kind.name == name)
    }
    /// The field `key` of a table of this `kind`.
    pub fn field(&self, kind: Option<&str>, key: &str) -> Option<&Field> {
        self.fields_of(kind).find(|field| field.name == key)
    }
    /// The field of a table of this `kind` that was called `key` in earlier versions.
    pub fn renamed(&self, kind: Option<&str>, key: &str) -> Option<&Field> {
        self.fields_of(kind).find(|field| field.formerly.as_deref() == Some(key))
    }
    /// All fields of a table of this `kind`, those of the kind first.
    pub fn fields_of(&self, kind: Option<&str>) -> impl Iterator<Item = &Field> {
        let own = kind.and_then(|kind| self.kind(kind)).map(|kind| kind.fields.as_slice()).unwrap_or_default();
        own.iter().chain(&self.fields)
    }
    /// The kinds that have the field `key` of their own.
    pub fn kinds_with(&self, key: &str) -> impl Iterator<Item = &Kind> {
        self.kinds.iter().filter(move |kind| kind.fields.iter().any(|field| field.name == key))
    }
}

/// The shape of a structure of settings.
///
/// # Panics
/// If it is not a table.
pub fn of<T: schemars::JsonSchema>() -> TableShape {
    let schema = schemars::schema_for!(T).to_value();
    read(&schema, &schema).as_table().cloned().expect("settings are a table")
}

/// Reads a schema as schemars writes it; `root` holds the definitions.
fn read(root: &Json, schema: &Json) -> Shape {
    let schema = &resolved(root, schema);
    let alternatives = |key: &str| schema.get(key).and_then(Json::as_array).cloned().unwrap_or_default();
    if let Some(quantity) = schema.get("x-quantity").and_then(Json::as_str) {
        return Shape::Quantity(Quantity::named(quantity));
    }
    if schema.get("properties").is_some() || alternatives("oneOf").iter().any(|kind| kind.get("properties").is_some()) {
        return Shape::Table(read_table(root, schema));
    }
    if let Some(values) = schema.get("additionalProperties").filter(|values| values.is_object()) {
        return Shape::Map(Box::new(read(root, values)));
    }
    if let Some(words) = schema.get("enum").and_then(Json::as_array) {
        let word = |word: &Json| Choice { name: string(Some(word)), meaning: String::new(), formerly: None };
        return Shape::Choice(words.iter().map(word).collect());
    }
    let one_of = alternatives("oneOf");
    if !one_of.is_empty() {
        let word = |word: &Json| Choice {
            name: string(word.get("const")),
            meaning: string(word.get("description")),
            formerly: word.get("x-formerly").and_then(Json::as_str).map(str::to_owned),
        };
        return Shape::Choice(one_of.iter().map(word).collect());
    }
    let mut either: Vec<Shape> = alternatives("anyOf").iter().filter(|s| !is_null(s)).map(|s| read(root, s)).collect();
    if !either.is_empty() {
        return if either.len() == 1 { either.remove(0) } else { Shape::Either(either) };
    }
    match type_name(schema).as_str() {
        "integer" => Shape::Whole { low: bound(schema, "minimum", i128::MIN), high: highest(schema) },
        "number" => Shape::Real(Interval {
            at_least: schema.get("minimum").and_then(Json::as_f64),
            above: schema.get("exclusiveMinimum").and_then(Json::as_f64),
            at_most: schema.get("maximum").and_then(Json::as_f64),
            below: schema.get("exclusiveMaximum").and_then(Json::as_f64),
        }),
        "boolean" => Shape::Truth,
        "array" => Shape::List {
            items: Box::new(read(root, &schema["items"])),
            at_least: schema.get("minItems").and_then(Json::as_u64).unwrap_or(0) as usize,
            at_most: schema.get("maxItems").and_then(Json::as_u64).map(|most| most as usize),
        },
        "string" => Shape::Text,
        other => unreachable!("no type of settings is a {other}: {schema}"),
    }
}

fn read_table(root: &Json, schema: &Json) -> TableShape {
    let kinds = schema.get("oneOf").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    let kind = |kind: &Json| {
        let meaning = string(kind.get("description"));
        let kind = resolved(root, kind);
        Kind { name: string(kind["properties"]["kind"].get("const")), meaning, fields: read_fields(root, &kind) }
    };
    TableShape {
        meaning: string(schema.get("description")),
        fields: read_fields(root, schema),
        kinds: kinds.iter().map(kind).collect(),
        default_kind: schema.get("x-default-kind").and_then(Json::as_str).map(str::to_owned),
    }
}

fn read_fields(root: &Json, schema: &Json) -> Vec<Field> {
    let none = Map::new();
    let required = schema.get("required").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    let field = |(name, field): (&String, &Json)| Field {
        name: name.clone(),
        meaning: string(resolved(root, field).get("description")),
        shape: read(root, field),
        required: required.iter().any(|required| required == name),
        default: field.get("default").filter(|default| !default.is_null()).cloned(),
        example: field.get("examples").and_then(|examples| examples.get(0)).cloned(),
        least: field.get("x-least").and_then(Json::as_str).map(str::to_owned),
        most: field.get("x-most").and_then(Json::as_str).map(str::to_owned),
        follows: field.get("x-default").and_then(Json::as_str).map(str::to_owned),
        formerly: field.get("x-formerly").and_then(Json::as_str).map(str::to_owned),
    };
    let fields = schema.get("properties").and_then(Json::as_object).unwrap_or(&none).iter();
    fields.filter(|(name, field)| !(name.as_str() == "kind" && field.get("const").is_some())).map(field).collect()
}

/// Follows a reference; what is written beside it wins, and properties of both count.
fn resolved(root: &Json, schema: &Json) -> Json {
    let Some(reference) = schema.get("$ref").and_then(Json::as_str) else { return schema.clone() };
    let target = reference.strip_prefix('#').and_then(|pointer| root.pointer(pointer));
    let mut merged = resolved(root, target.expect("a schema refers to its own definitions"));
    let own = schema.as_object().expect("a schema with a reference is an object");
    for (key, value) in own.iter().filter(|(key, _)| key.as_str() != "$ref") {
        match (merged.get_mut(key), value) {
            (Some(Json::Object(old)), Json::Object(new)) => old.extend(new.clone()),
            (Some(Json::Array(old)), Json::Array(new)) => old.extend(new.iter().cloned()),
            _ => merged[key] = value.clone(),
        }
    }
    merged
}

fn is_null(schema: &Json) -> bool {
    schema.get("type").and_then(Json::as_str) == Some("null")
}

/// The type, where "or nothing" doesn't count: in TOML a key is there or it isn't.
fn type_name(schema: &Json) -> String {
    match schema.get("type") {
        Some(Json::Array(types)) => string(types.iter().find(|name| name.as_str() != Some("null"))),
        name => string(name),
    }
}

fn string(value: Option<&Json>) -> String {
    value.and_then(Json::as_str).unwrap_or_default().to_owned()
}

fn bound(schema: &Json, key: &str, otherwise: i128) -> i128 {
    // Bounds are small whole numbers, exact as floating point.
    schema.get(key).and_then(Json::as_f64).map_or(otherwise, |bound| bound as i128)
}

/// The largest number that the program's type can hold, or a smaller one that the schema states.
fn highest(schema: &Json) -> i128 {
    let format = match string(schema.get("format")).as_str() {
        "uint8" => u8::MAX.into(),
        "uint16" => u16::MAX.into(),
        "uint32" => u32::MAX.into(),
        _ => i64::MAX.into(), // TOML has no larger ones
    };
    bound(schema, "maximum", i128::MAX).min(format)
}
