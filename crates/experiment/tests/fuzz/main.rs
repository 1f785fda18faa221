//! Fuzzing of all readers of files: valid files, damaged at random. Whatever a file says, it is read, or refused with a message of a
//! line or more; nothing panics, and what was read can be written and read again where there is a writer.
//!
//! `cargo test` tries some thousand files. `make fuzz SECONDS=3600 FIRST=100000` goes on from there; a file that fails is printed with
//! its number, and belongs into the tests of its reader.

mod mutation;
mod readers;

use readers::READERS;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// Files for each reader that every test run tries.
const TRIED: u64 = 10_000;

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable} must be a whole number, not {text:?}")))
}

#[test]
fn undamaged_files_are_read() {
    let mut wrong = String::new();
    for reader in READERS {
        for example in reader.examples {
            if let Err(why) = (reader.read)(example.as_bytes()) {
                wrong += &format!("{}: {why}\n{example}\n", reader.name);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
#[allow(clippy::disallowed_methods, reason = "how many files are tried may depend on the time there is")]
fn a_damaged_file_is_read_or_refused() {
    let begun = Instant::now();
    let budget = number("FUZZ_SECONDS").map(Duration::from_secs);
    let first = number("FUZZ_FIRST").unwrap_or(0);
    let mut outcomes = vec![(0_u32, 0_u32); READERS.len()];
    let mut failures = Vec::new();
    for number in first.. {
        if budget.map_or(number - first >= TRIED, |budget| begun.elapsed() >= budget) {
            break;
        }
        for (reader, (read, refused)) in READERS.iter().zip(&mut outcomes) {
            let damaged = mutation::of(reader.examples, reader.name, number);
            match catch_unwind(AssertUnwindSafe(|| (reader.read)(&damaged))) {
                Ok(Ok(())) => *read += 1,
                Ok(Err(why)) if !why.trim().is_empty() => *refused += 1,
                Ok(Err(_)) | Err(_) => {
                    eprintln!("{} {number}: {:?}", reader.name, String::from_utf8_lossy(&damaged));
                    failures.push((reader.name, number));
                }
            }
        }
    }
    for (reader, (read, refused)) in READERS.iter().zip(&outcomes) {
        println!("{}: {read} were read, {refused} were refused", reader.name);
        // Damage that is always refused, or never, tries only one side of a reader.
        assert!(*read > 20 && *refused > 20, "{}: {read} were read, {refused} were refused", reader.name);
    }
    assert!(failures.is_empty(), "{failures:?}, each printed above");
}
