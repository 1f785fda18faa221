//! Lines into keys and numbers.

use super::Problem;
use crate::ReadError;

/// What a line can say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Key {
    pub name: &'static str,
    least: u32,
    most: u32,
}

/// htsim reads numbers into 32 bits with a sign.
const MOST: u32 = i32::MAX as u32;

const fn key(name: &'static str, least: u32, most: u32) -> Key {
    Key { name, least, most }
}
pub(super) const NODES: Key = key("Nodes", 1, MOST);
pub(super) const TIERS: Key = key("Tiers", 2, 3);
pub(super) const PODSIZE: Key = key("Podsize", 1, MOST);
pub(super) const TIER: Key = key("Tier", 0, 2);
pub(super) const SPEED: Key = key("Downlink_speed_Gbps", 1, 1_000_000);
pub(super) const RADIX_DOWN: Key = key("Radix_Down", 1, MOST);
pub(super) const RADIX_UP: Key = key("Radix_Up", 1, MOST);
pub(super) const QUEUE_DOWN: Key = key("Queue_Down", 1, MOST);
pub(super) const QUEUE_UP: Key = key("Queue_Up", 1, MOST);
pub(super) const OVERSUBSCRIBED: Key = key("Oversubscribed", 1, MOST);
pub(super) const BUNDLE: Key = key("Bundle", 1, MOST);
pub(super) const SWITCH_LATENCY: Key = key("Switch_Latency_ns", 0, MOST);
pub(super) const LINK_LATENCY: Key = key("Downlink_Latency_ns", 0, MOST);

const HEADER: [Key; 3] = [NODES, TIERS, PODSIZE];
const OF_A_TIER: [Key; 9] =
    [SPEED, LINK_LATENCY, RADIX_DOWN, RADIX_UP, BUNDLE, QUEUE_DOWN, QUEUE_UP, OVERSUBSCRIBED, SWITCH_LATENCY];

/// A number and where it stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Value {
    pub number: u32,
    pub line: u32,
}

/// The header, or a tier: what it says, and the line with which it begins.
#[derive(Debug, Clone)]
pub(super) struct Section {
    pub line: u32,
    said: Vec<(Key, Value)>,
}

impl Section {
    pub(super) fn get(&self, key: Key) -> Option<Value> {
        self.said.iter().find(|(said, _)| *said == key).map(|&(_, value)| value)
    }
}

#[derive(Debug)]
pub(super) struct Lines {
    pub header: Section,
    pub tiers: [Option<Section>; 3],
    /// Where the header ends: the first `Tier`, or the last line.
    pub header_end: u32,
    /// The last line.
    pub end: u32,
}

pub(super) fn read(text: &str) -> Result<Lines, ReadError> {
    let mut lines =
        Lines { header: Section { line: 1, said: Vec::new() }, tiers: [None, None, None], header_end: 0, end: 1 };
    let mut tier: Option<usize> = None;
    for (line, text) in (1..).zip(text.lines()) {
        lines.end = line;
        let at = |problem| ReadError::HtsimTopo { line, problem };
        let Some((key, number)) = read_line(text).map_err(at)? else { continue };
        let value = Value { number, line };
        if key == TIER {
            if tier.is_none() {
                lines.header_end = line;
            }
            tier = Some(number as usize);
            // As in htsim, a tier may be taken up again.
            lines.tiers[number as usize].get_or_insert(Section { line, said: Vec::new() });
            continue;
        }
        let section = match (tier, HEADER.contains(&key)) {
            (None, true) => &mut lines.header,
            (None, false) => return Err(at(Problem::OutsideTier { key: key.name })),
            (Some(_), true) => return Err(at(Problem::InsideTier { key: key.name })),
            (Some(tier), false) => lines.tiers[tier].as_mut().expect("made when it began"),
        };
        if let Some(first) = section.get(key) {
            return Err(at(Problem::Twice { key: key.name, first: first.line }));
        }
        section.said.push((key, value));
    }
    if tier.is_none() {
        lines.header_end = lines.end;
    }
    Ok(lines)
}

/// A key and its number; nothing on a line that is blank or a comment.
fn read_line(text: &str) -> Result<Option<(Key, u32)>, Problem> {
    let text = text.split_once('#').map_or(text, |(before, _)| before);
    let mut words = text.split_whitespace();
    let Some(word) = words.next() else { return Ok(None) };
    let all = || HEADER.iter().chain(&[TIER]).chain(&OF_A_TIER);
    let Some(&key) = all().find(|key| key.name.eq_ignore_ascii_case(word)) else {
        let names = all().map(|key| key.name);
        let cure = match settings::nearest(word, names.clone()) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => format!("the keys are {}", settings::listed(names)),
        };
        return Err(Problem::UnknownKey { key: word.to_owned(), cure });
    };
    let Key { name, least, most } = key;
    let value = words.next().ok_or(Problem::NoValue { key: name, example: least.max(1).min(most) })?;
    let number = value.parse().ok().filter(|number| (least..=most).contains(number));
    let number = number.ok_or_else(|| Problem::NotANumber { key: name, value: value.to_owned(), least, most })?;
    match words.next() {
        Some(text) => Err(Problem::Trailing { key: name, text: text.to_owned() }),
        None => Ok(Some((key, number))),
    }
}
