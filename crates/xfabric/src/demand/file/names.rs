//! What SoCs are called, and which of them is meant.

use super::{OUTSIDE, Problem};
use settings::cure;
use std::collections::BTreeMap;

/// SoCs by name.
#[derive(Debug, Clone, Default)]
pub struct RackNames {
    names: Vec<String>,
    place: BTreeMap<String, usize>,
    /// May names be added?
    open: bool,
}

impl RackNames {
    /// Those of a rack that is known, or none yet.
    pub fn new(known: Option<&[String]>) -> RackNames {
        let names = known.unwrap_or_default().to_vec();
        let place = names.iter().cloned().zip(0..).collect();
        RackNames { names, place, open: known.is_none() }
    }

    /// The number of a SoC, which is added if names are not known beforehand; `None` for the world outside.
    ///
    /// # Errors
    /// If there is no such SoC, or no name.
    pub fn number(&mut self, name: &str) -> Result<Option<usize>, Problem> {
        if name == OUTSIDE {
            return Ok(None);
        }
        if name.is_empty() {
            return Err(Problem::NoName);
        }
        if let Some(&place) = self.place.get(name) {
            return Ok(Some(place));
        }
        if !self.open {
            let names = self.names.iter().map(String::as_str);
            // A rack of hundreds is not listed whole.
            let cure = match (self.names.first(), self.names.last()) {
                (Some(first), Some(last)) if self.names.len() > 8 => {
                    let near = cure("", name, names);
                    if near.starts_with("did") { near } else { format!("it has {first} to {last}") }
                }
                _ => cure("it has", name, names),
            };
            return Err(Problem::Unknown { name: name.to_owned(), cure });
        }
        let place = self.names.len();
        self.names.push(name.to_owned());
        self.place.insert(name.to_owned(), place);
        Ok(Some(place))
    }

    /// The names by number.
    pub fn finish(self) -> Vec<String> {
        self.names
    }
}
