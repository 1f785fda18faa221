//! A campaign of random experiments: whatever a file says, it is refused with a message or it runs, and a run ends, keeps the
//! memory that was announced, and gives the same bytes twice.
//!
//! `cargo test` tries the first hundreds of files, and asserts that every kind was in one that ran. `make campaign SECONDS=3600 FIRST=100000` goes on from there; a file that
//! fails is printed at its smallest, and belongs into `found/`, where every test run tries it again.

mod agreement;
#[path = "../allocation/mod.rs"]
mod allocation;
mod coverage;
mod generator;
mod trial;

use coverage::Coverage;
use generator::Generator;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use trial::Verdict;

/// Files that every test run tries.
const TRIED: u64 = 900;

/// One test at a time: the memory of a run is counted by process.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable} must be a whole number, not {text:?}")))
}

#[test]
#[allow(clippy::disallowed_methods, reason = "how many files a campaign tries may depend on the time it is given")]
fn a_random_experiment_is_refused_or_runs() {
    let _alone = alone();
    let begun = Instant::now();
    let budget = number("CAMPAIGN_SECONDS").map(Duration::from_secs);
    let first = number("CAMPAIGN_FIRST").unwrap_or(0);
    let generator = Generator::new();
    let folder = trial::folder();
    let mut coverage = Coverage::new(generator.schema());
    let (mut run, mut refused, mut large) = (0, 0, 0);
    let mut slowest = (Duration::ZERO, first);
    let mut failures = Vec::new();
    for number in first.. {
        if budget.map_or(number - first >= TRIED, |budget| begun.elapsed() >= budget) {
            break;
        }
        let before = begun.elapsed();
        match trial::of(generator.experiment(number), &folder) {
            Verdict::Ran(document) => {
                coverage.count(&document);
                run += 1;
            }
            Verdict::Refused => refused += 1,
            Verdict::TooLarge => large += 1,
            Verdict::Failed { why, document } => {
                let (why, document) = trial::smallest(why, document, &folder);
                let text = trial::text(&document);
                eprintln!("experiment {number}: {why}\n{text}");
                failures.push(number);
            }
        }
        slowest = slowest.max((begun.elapsed() - before, number));
    }
    println!("{run} ran, {refused} were refused, {large} were too large to be tried");
    println!("in {:?}; number {} took the longest, {:?}\n{coverage}", begun.elapsed(), slowest.1, slowest.0);
    assert!(failures.is_empty(), "of the experiments {failures:?} each fails as printed above");
    // A generator of which little can be run tries little.
    assert!(run * 3 > run + refused + large, "only {run} of {} could be run", run + refused + large);
    let missing = coverage.missing();
    assert!(budget.is_some() || missing.is_empty(), "nothing that could be run has {}", missing.join(", "));
}

/// Files that a campaign once failed on.
#[test]
fn what_was_found_stays_fixed() {
    let _alone = alone();
    let folder = trial::folder();
    let found = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/campaign/found");
    for entry in std::fs::read_dir(found).expect("the folder is part of the tests") {
        let path = entry.expect("an entry of a folder").path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a file of the tests");
        if let Verdict::Failed { why, .. } = trial::of_text(&text, &folder) {
            panic!("{}: {why}", path.display());
        }
    }
}
