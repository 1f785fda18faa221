//! A topology in one line.

use crate::{Link, Topology};
use std::fmt::Display;

impl Topology {
    /// What it was built as: `"fat-tree, k = 12"`.
    pub fn label(&self) -> &str {
        &self.label
    }
    /// One line: shape, counts, and rates and delays, by class where they differ.
    pub fn describe(&self) -> String {
        let classes: Vec<(&str, String)> = (0..)
            .zip(&self.classes)
            .filter_map(|(class, name)| Some((name.as_str(), self.describe_class(class)?)))
            .collect();
        let links = match classes.as_slice() {
            [] => String::new(),
            [(_, first), rest @ ..] if rest.iter().all(|(_, other)| other == first) => format!(" of {first}"),
            classes => {
                let each: Vec<_> = classes.iter().map(|(name, text)| format!("{name} {text}")).collect();
                format!(" ({})", each.join(", "))
            }
        };
        let count = |count: u32, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
        format!(
            "{}: {}, {}, {}{links}",
            self.label,
            count(self.hosts(), "host", "hosts"),
            count(self.switches(), "switch", "switches"),
            count(self.cables(), "cable", "cables"),
        )
    }
    /// `"10 Gb/s and 1 us"`; nothing for a class without links.
    fn describe_class(&self, class: u16) -> Option<String> {
        let links = || self.links.iter().filter(|link| link.class == class);
        let rate = range(links().map(|link: &Link| link.rate))?;
        let delay = range(links().map(|link: &Link| link.delay))?;
        Some(format!("{rate} and {delay}"))
    }
}

/// `"1 us"`, or `"1 us to 5 us"` where there are several.
fn range<T: Ord + Copy + Display>(values: impl Iterator<Item = T> + Clone) -> Option<String> {
    let (least, most) = (values.clone().min()?, values.max()?);
    Some(if least == most { least.to_string() } else { format!("{least} to {most}") })
}
