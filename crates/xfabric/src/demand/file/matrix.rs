//! The matrix: a row for each SoC, with names or without.

use super::{OUTSIDE, Problem, RackNames, Sums, bytes};
use crate::demand::records::{ReadError, Record, Records};

/// Where the bytes of a row are, and whose.
struct Columns {
    /// What each is called; `uplink` may be among them.
    names: Vec<String>,
    /// Do rows begin with a name?
    rows_named: bool,
}

pub(super) fn read(
    records: &mut Records<'_>,
    first: Record,
    known: Option<&[String]>,
) -> Result<Sums, ReadError<Problem>> {
    let named = first.fields.iter().any(|field| is_name(field));
    let word =
        |field: &String| ["source", "destination", "src", "dst", "bytes"].contains(&field.to_lowercase().as_str());
    if first.fields.iter().any(word) {
        return Err(records.at(first.line, 0, Problem::Header { given: first.fields.join(",") }));
    }
    let mut rows = Vec::new();
    if !named {
        rows.push(first.clone());
    }
    while let Some(record) = records.next() {
        rows.push(record);
    }
    let columns = if named { header(records, &first, &rows)? } else { numbered(records, first.fields.len(), known)? };
    let offset = usize::from(columns.rows_named);
    if rows.len() != columns.names.len() {
        let problem = Problem::Square { rows: rows.len(), columns: columns.names.len() };
        return Err(records.at(0, 0, problem));
    }
    let mut names = RackNames::new(known);
    let mut places = Vec::new();
    for (column, name) in columns.names.iter().enumerate() {
        places.push(names.number(name).map_err(|problem| records.at(first.line, column + 1 + offset, problem))?);
    }
    let names = names.finish();
    let given = places.iter().flatten().count();
    if given != names.len() {
        return Err(records.at(0, 0, Problem::Size { given, expected: names.len() }));
    }
    let mut sums = Sums::new(names).map_err(|problem| records.at(0, 0, problem))?;
    for (row, record) in rows.iter().enumerate() {
        let wrong = |column, problem| records.at(record.line, column, problem);
        let expected = columns.names.len() + offset;
        if record.fields.len() != expected {
            let expected = format!(
                "{expected} fields: {}",
                if offset == 1 { "a name and one for each column" } else { "one for each SoC" }
            );
            return Err(wrong(0, Problem::Fields { given: record.fields.len(), expected }));
        }
        if offset == 1 && record.fields[0] != columns.names[row] {
            let (given, expected) = (record.fields[0].clone(), columns.names[row].clone());
            return Err(wrong(1, Problem::Order { given, expected }));
        }
        for (column, text) in record.fields[offset..].iter().enumerate() {
            let at = column + 1 + offset;
            let bytes = bytes(text).map_err(|problem| wrong(at, problem))?;
            if column == row && bytes > 0.0 {
                let name = columns.names[row].clone();
                let outside = name == OUTSIDE;
                return Err(wrong(
                    at,
                    if outside { Problem::OutsideToOutside } else { Problem::ToItself { name, bytes } },
                ));
            }
            sums.add(places[row], places[column], bytes);
        }
    }
    Ok(sums)
}

/// Names of the columns. Rows have names if a field stands before the first column's: the line of names is then as long as the others,
/// or a field shorter if that place is left out.
fn header(records: &Records<'_>, first: &Record, rows: &[Record]) -> Result<Columns, ReadError<Problem>> {
    let fields = &first.fields;
    let width = rows.first().map_or(fields.len(), |row| row.fields.len());
    let first_of_row = rows.first().and_then(|row| row.fields.first());
    let row_begins_with_name = first_of_row.is_some_and(|field| is_name(field));
    let corner =
        fields.len() == width && (fields[0].is_empty() || row_begins_with_name || fields.len() == rows.len() + 1);
    let names: Vec<String> = fields[usize::from(corner)..].to_vec();
    let rows_named = corner || width == fields.len() + 1;
    for (column, name) in names.iter().enumerate() {
        let at = column + 1 + usize::from(corner);
        if name.is_empty() {
            return Err(records.at(first.line, at, Problem::NoName));
        }
        if names[..column].contains(name) {
            return Err(records.at(first.line, at, Problem::Twice { name: name.clone() }));
        }
    }
    Ok(Columns { names, rows_named })
}

/// No number, not even one that is no number of bytes.
fn is_name(field: &str) -> bool {
    field.replace('_', "").parse::<f64>().is_err()
}

/// Without names: those of the rack, or numbers.
fn numbered(records: &Records<'_>, given: usize, known: Option<&[String]>) -> Result<Columns, ReadError<Problem>> {
    let names = match known {
        Some(known) if known.len() != given => {
            return Err(records.at(0, 0, Problem::Size { given, expected: known.len() }));
        }
        Some(known) => known.to_vec(),
        None => (0..given).map(|soc| soc.to_string()).collect(),
    };
    Ok(Columns { names, rows_named: false })
}
