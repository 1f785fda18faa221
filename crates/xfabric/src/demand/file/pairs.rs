//! The list: `source,destination,bytes`.

use super::{Problem, RackNames, Sums, bytes};
use crate::MOST_SOCS;
use crate::demand::DemandError;
use crate::demand::records::{ReadError, Records};

pub(super) fn read(records: &mut Records<'_>, known: Option<&[String]>) -> Result<Sums, ReadError<Problem>> {
    let mut names = RackNames::new(known);
    let mut entries = Vec::new();
    let mut numbered = known.is_none();
    while let Some(record) = records.next() {
        let line = record.line;
        let [source, destination, amount] = record.fields.as_slice() else {
            let expected = "3 fields: source, destination, bytes".to_owned();
            return Err(records.at(line, 0, Problem::Fields { given: record.fields.len(), expected }));
        };
        let from = names.number(source).map_err(|problem| records.at(line, 1, problem))?;
        let to = names.number(destination).map_err(|problem| records.at(line, 2, problem))?;
        let bytes = bytes(amount).map_err(|problem| records.at(line, 3, problem))?;
        if bytes > 0.0 && from == to {
            let problem = match from {
                Some(_) => Problem::ToItself { name: source.clone(), bytes },
                None => Problem::OutsideToOutside,
            };
            return Err(records.at(line, 3, problem));
        }
        for (name, end) in [(source, from), (destination, to)] {
            numbered &= end.is_none() || number(name).is_some();
        }
        entries.push((from, to, bytes));
    }
    let names = names.finish();
    if !numbered || names.is_empty() {
        let mut sums = Sums::new(names).map_err(|problem| records.at(0, 0, problem))?;
        entries.into_iter().for_each(|(from, to, bytes)| sums.add(from, to, bytes));
        return Ok(sums);
    }
    // All are numbers: SoC 7 is number 7, and those below that did not come up are idle.
    let numbers: Vec<u32> = names.iter().filter_map(|name| number(name)).collect();
    let socs = numbers.iter().max().map_or(0, |most| most.saturating_add(1));
    if socs > MOST_SOCS {
        return Err(records.at(0, 0, Problem::Demand(DemandError::Socs { socs })));
    }
    let names = (0..socs).map(|soc| soc.to_string()).collect();
    let mut sums = Sums::new(names).map_err(|problem| records.at(0, 0, problem))?;
    let place = |end: Option<usize>| end.map(|end| numbers[end] as usize);
    entries.into_iter().for_each(|(from, to, bytes)| sums.add(place(from), place(to), bytes));
    Ok(sums)
}

/// A SoC's number, if it is called so: `7`, and neither `07` nor `+7`, which would be other names for it.
fn number(name: &str) -> Option<u32> {
    name.parse().ok().filter(|number: &u32| number.to_string() == name)
}
