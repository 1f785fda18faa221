//! Text from files in messages: nothing that a terminal obeys, and no more than a person reads.

use std::fmt::Write;

/// The longest word, or text without a blank, that is shown whole.
const WORD: usize = 200;
/// The longest message: what is longer loses its middle, since its end says what to do.
const MESSAGE: usize = 1600;

/// `text` on one line, with control characters as TOML escapes them and very long words and texts cut short.
///
/// ```
/// assert_eq!(settings::printable("\u{1b}[31mred\n"), r"\u{1b}[31mred\n");
/// assert_eq!(settings::printable(&"0".repeat(1_000_000)).len(), 63);
/// ```
pub fn printable(text: &str) -> String {
    let mut shown = String::new();
    for (number, word) in text.split(' ').enumerate() {
        if number > 0 {
            shown.push(' ');
        }
        let cut = if word.chars().nth(WORD).is_some() { word.char_indices().nth(60) } else { None };
        let (start, rest) = word.split_at(cut.map_or(word.len(), |(at, _)| at));
        start.chars().for_each(|c| escape(c, &mut shown));
        if !rest.is_empty() {
            shown.push_str("...");
        }
    }
    if shown.chars().nth(MESSAGE).is_none() {
        return shown;
    }
    let half = |from: &str| from.char_indices().nth(MESSAGE / 2).map_or(from.len(), |(at, _)| at);
    let start = half(&shown);
    let end = shown.char_indices().rev().nth(MESSAGE / 2).map_or(0, |(at, _)| at);
    format!("{} ... {}", &shown[..start], &shown[end..])
}

/// Whether a terminal would do something else with it than show it: control characters, and those that turn the direction of text.
pub(crate) fn is_control(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

fn escape(c: char, shown: &mut String) {
    match c {
        '\n' => shown.push_str("\\n"),
        '\t' => shown.push_str("\\t"),
        c if is_control(c) => {
            let _ = write!(shown, "\\u{{{:x}}}", u32::from(c));
        }
        c => shown.push(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminals_obey_nothing_and_people_read_the_end() {
        assert_eq!(printable("a\0b\u{7f}\u{9b}c\u{202e}"), r"a\u{0}b\u{7f}\u{9b}c\u{202e}");
        assert_eq!(printable("µ and \"quotes\" stay"), "µ and \"quotes\" stay");
        let long = format!("x.toml:1: seed = \"{}\": expected a whole number", "many words ".repeat(100_000));
        let shown = printable(&long);
        assert!(shown.starts_with("x.toml:1: seed = ") && shown.ends_with("expected a whole number"), "{shown}");
        assert!(shown.len() < 2 * MESSAGE);
    }
}
