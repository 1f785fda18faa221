//! Damage: what people, editors and transfers do to files, and worse.

use engine::{Seed, Stream};

/// Numbers at the edges of what numbers can be, and what only looks like one.
const NUMBERS: [&str; 14] = [
    "0",
    "1",
    "-1",
    "2",
    "0.5",
    "1e-9",
    "1e999",
    "-0",
    "NaN",
    "inf",
    "4294967296",
    "18446744073709551616",
    "0x10",
    "1_0",
];

/// What has a meaning in some format, and what has none in any.
const BYTES: &[u8] = b"\"'[]{}=,.:;#/\\-+_ \t\r\n\0aZ09\x7f\xc3\xa9\xff";

/// A few kinds of damage to one of the files; the same for the same number.
pub(crate) fn of(examples: &[&str], reader: &str, number: u64) -> Vec<u8> {
    let mut chance = Seed(number).stream(reader, 0);
    let mut text = examples[below(&mut chance, examples.len())].as_bytes().to_vec();
    for _ in 0..=below(&mut chance, 3) {
        damage(&mut text, examples, &mut chance);
    }
    text
}

fn below(chance: &mut Stream, choices: usize) -> usize {
    chance.below(choices.max(1) as u64) as usize
}

/// A part of `text`, seldom a long one.
fn part(text: &[u8], chance: &mut Stream) -> std::ops::Range<usize> {
    let from = below(chance, text.len() + 1);
    let most = 1 << below(chance, 7);
    from..(from + below(chance, most + 1)).min(text.len())
}

/// The places of all words or numbers.
fn words(text: &[u8], of: impl Fn(&u8) -> bool) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let long = text[at..].iter().take_while(|byte| of(byte)).count();
        if long > 0 {
            found.push(at..at + long);
        }
        at += long.max(1);
    }
    found
}

fn lines(text: &[u8]) -> Vec<Vec<u8>> {
    text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
}

fn damage(text: &mut Vec<u8>, examples: &[&str], chance: &mut Stream) {
    match chance.below(9) {
        0 => {
            let at = below(chance, text.len());
            let byte = BYTES[below(chance, BYTES.len())];
            text.splice(at..(at + 1).min(text.len()), [byte]);
        }
        1 => {
            let at = below(chance, text.len() + 1);
            text.insert(at, BYTES[below(chance, BYTES.len())]);
        }
        2 => {
            text.drain(part(text, chance));
        }
        3 => text.truncate(below(chance, text.len() + 1)),
        4 => {
            // Something from a file of the same format, anywhere.
            let other = examples[below(chance, examples.len())].as_bytes();
            let (from, to) = (part(other, chance), part(text, chance));
            text.splice(to, other[from].iter().copied());
        }
        5 => {
            let mut lines = lines(text);
            let (a, b) = (below(chance, lines.len()), below(chance, lines.len()));
            if !lines.is_empty() {
                lines.swap(a, b);
            }
            *text = lines.concat();
        }
        6 => {
            let mut lines = lines(text);
            if !lines.is_empty() {
                let line = lines[below(chance, lines.len())].clone();
                lines.insert(below(chance, lines.len() + 1), line);
            }
            *text = lines.concat();
        }
        7 => {
            let numbers = words(text, |byte| byte.is_ascii_digit() || *byte == b'.');
            if !numbers.is_empty() {
                let place = numbers[below(chance, numbers.len())].clone();
                text.splice(place, NUMBERS[below(chance, NUMBERS.len())].bytes());
            }
        }
        _ => {
            let words = words(text, |byte| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte == b'-');
            if !words.is_empty() {
                let word = text[words[below(chance, words.len())].clone()].to_vec();
                text.splice(words[below(chance, words.len())].clone(), word);
            }
        }
    }
}
