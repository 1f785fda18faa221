//! What is asked of one experiment.

use crate::allocation;
use experiment::run::{Job, RunStatus};
use experiment::{KeyPath, Plan, Problems, RunPlan};
use results::Digest;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;
use units::Bytes;

/// No plan takes longer to check, in a debug build on a busy machine.
const CHECKED_WITHIN: Duration = Duration::from_secs(20);
/// Runs are told to stop after this.
const RUNS_FOR: Duration = Duration::from_secs(4);
/// A run that was told to stop does so within this.
const STOPS_WITHIN: Duration = Duration::from_secs(10);
/// Larger experiments are only checked.
const MOST_HOPS: f64 = 150_000.0;
/// See [`MOST_HOPS`].
const MOST_RUNS: usize = 8;
/// See [`MOST_HOPS`]: a run looks at every link at every sample.
const MOST_LINKS: usize = 20_000;
/// See [`MOST_HOPS`]: of each of two runs at once.
const MOST_MEMORY: Bytes = Bytes::new(400_000_000);
/// Times that what cannot be run is changed before it counts as refused.
const CURES: usize = 12;

/// What came of an experiment.
pub(crate) enum Verdict {
    /// It ran to its end, once it was as this says.
    Ran(Json),
    Refused,
    /// It was only checked, or stopped when it took too long.
    TooLarge,
    Failed {
        why: String,
        document: Json,
    },
}

/// A folder with the files that generated experiments name.
pub(crate) fn folder() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("campaign");
    let files = [
        ("flows.csv", "src,dst,bytes,start_ps\n0,1,1000,0\n1,0,20000,1000000\n0,1,300,10000000\n"),
        ("sizes.txt", "100 0\n1000 0.5\n30000 1\n"),
        ("weights.csv", "0,1\n1,0\n"),
        ("demand.csv", "source,destination,bytes\n0,1,1\n1,0,2\n1,uplink,3\n"),
        (
            "my-network.json",
            r#"{"nodes": [{"id": "a", "kind": "host"}, {"id": "b", "kind": "host"}, {"id": "s"}],
                "links": [{"source": "a", "target": "s"}, {"source": "b", "target": "s"}]}"#,
        ),
    ];
    std::fs::create_dir_all(&folder).expect("the build folder can be written");
    for (name, content) in files {
        std::fs::write(folder.join(name), content).expect("the build folder can be written");
    }
    folder
}

/// The experiment as a file.
pub(crate) fn text(document: &Json) -> String {
    toml::to_string(document).expect("a document that was drawn is TOML")
}

/// Tries a document. One that is refused loses the keys that the messages name, until it can be run or none is left to lose.
pub(crate) fn of(mut document: Json, folder: &Path) -> Verdict {
    for _ in 0..CURES {
        let text = text(&document);
        match plan(&text, folder) {
            Err(why) => return Verdict::Failed { why, document },
            Ok(Ok(plan)) => return verdict(run(plan, &text, folder), document),
            Ok(Err(problems)) => {
                if problems.to_string().trim().is_empty() {
                    return Verdict::Failed { why: "it is refused without a message".to_owned(), document };
                }
                let mut cured = false;
                for problem in problems.list() {
                    cured |= remove(&mut document, &problem.key);
                }
                if !cured {
                    return Verdict::Refused;
                }
            }
        }
    }
    Verdict::Refused
}

/// Tries a file as it is.
pub(crate) fn of_text(text: &str, folder: &Path) -> Verdict {
    match plan(text, folder) {
        Err(why) => Verdict::Failed { why, document: Json::Null },
        Ok(Err(_)) => Verdict::Refused,
        Ok(Ok(plan)) => verdict(run(plan, text, folder), Json::Null),
    }
}

fn verdict(outcome: Result<bool, String>, document: Json) -> Verdict {
    match outcome {
        Ok(true) => Verdict::Ran(document),
        Ok(false) => Verdict::TooLarge,
        Err(why) => Verdict::Failed { why, document },
    }
}

/// Takes out keys for as long as the document fails for the same reason.
pub(crate) fn smallest(mut why: String, mut document: Json, folder: &Path) -> (String, Json) {
    // What takes too long would take as long for every key.
    if why.contains("longer than") || why.contains("does not stop") {
        return (why, document);
    }
    let mut keys = Vec::new();
    list(&document, &mut Vec::new(), &mut keys);
    for key in keys {
        let mut less = document.clone();
        if !take_out(&mut less, &key) {
            continue;
        }
        if let Verdict::Failed { why: still, document: kept } = of(less, folder)
            && still.split(':').next() == why.split(':').next()
        {
            (why, document) = (still, kept);
        }
    }
    (why, document)
}

/// The plan of a file, or why it is wrong that there is none.
fn plan(text: &str, folder: &Path) -> Result<Result<Plan, Problems>, String> {
    let file = folder.join("experiment.toml").to_string_lossy().into_owned();
    // Where a process dies, this is what it died of.
    std::fs::write(&file, text).expect("the build folder can be written");
    let text = text.to_owned();
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        let outcome = catch_unwind(AssertUnwindSafe(|| Plan::read(&text, &file, &[])));
        let _ = tell.send(outcome);
    });
    match told.recv_timeout(CHECKED_WITHIN) {
        Ok(Ok(plan)) => Ok(plan),
        Ok(Err(panic)) => Err(format!("panic in the check: {}", said(&*panic))),
        Err(_) => Err(format!("the check takes longer than {CHECKED_WITHIN:?}")),
    }
}

fn said(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason given")
}

/// Runs a plan twice, if it is small enough: on one thread into a folder, and on two threads in memory. Whether both came to their end.
fn run(plan: Plan, text: &str, folder: &Path) -> Result<bool, String> {
    let runs = plan.check().runs;
    let hops: f64 = runs.iter().map(|run| run.estimated_hops).sum();
    let links: usize = runs.iter().map(|run| run.links).sum();
    if !hops.is_finite() || hops < 0.0 {
        return Err(format!("the estimate is {hops} hops"));
    }
    let is_large = hops > MOST_HOPS || links > MOST_LINKS || plan.runs.len() > MOST_RUNS;
    if is_large || plan.check_memory(Some(MOST_MEMORY), 1).is_err() {
        return Ok(false);
    }
    let said = plan.runs.iter().map(RunPlan::estimated_memory).max().unwrap_or(0);
    let results = folder.join("results");
    let _ = std::fs::remove_dir_all(&results);
    let again = plan.clone();
    let (first, took) = allocation::peak(|| tables(plan, text, Some(&results), 1));
    let first = first?;
    if took as f64 > allocation::TOO_LOW * said as f64 {
        return Err(format!("more memory than was announced: {took} B at once, and the estimate was {said} B"));
    }
    let second = tables(again, text, None, 2)?;
    // Where a run was stopped depends on the machine.
    let (Some(first), Some(second)) = (first, second) else { return Ok(false) };
    for (run, (first, second)) in first.iter().zip(&second).enumerate() {
        if let Some((table, _)) = first.iter().find(|(table, digest)| second.get(*table) != Some(digest)) {
            return Err(format!("a table differs between two runs: {table} of run {run}"));
        }
    }
    Ok(true)
}

type Tables = Vec<BTreeMap<String, Digest>>;

/// What is in the tables of a plan's runs, if all of them came to their end.
fn tables(plan: Plan, text: &str, root: Option<&Path>, threads: usize) -> Result<Option<Tables>, String> {
    let job =
        Job::start(plan, text, &[], root, false, threads, None).map_err(|error| format!("cannot start: {error}"))?;
    if !job.wait(RUNS_FOR) {
        job.stop();
        if !job.wait(STOPS_WITHIN) {
            return Err(format!("the run does not stop within {STOPS_WITHIN:?}"));
        }
    }
    let runs = job.manifest().runs;
    for run in &runs {
        match run.status {
            RunStatus::Failed => {
                return Err(format!("panic in the run: {}", run.message.as_deref().unwrap_or_default()));
            }
            RunStatus::Stopped | RunStatus::NotStarted | RunStatus::Running | RunStatus::OutOfTime => return Ok(None),
            RunStatus::Done | RunStatus::Stalled => {}
        }
    }
    Ok(Some(runs.into_iter().map(|run| run.tables).collect()))
}

/// Takes the nearest part of `key` out of the document that may be missing. False if there is none.
fn remove(document: &mut Json, key: &KeyPath) -> bool {
    let path: Vec<String> = key.to_string().split('.').map(str::to_owned).collect();
    (1..=path.len()).rev().any(|length| take_out(document, &path[..length]))
}

fn take_out(document: &mut Json, path: &[String]) -> bool {
    let Some((last, tables)) = path.split_last() else { return false };
    let mut node = document;
    for part in tables {
        let next = match node {
            Json::Object(table) => table.get_mut(part),
            Json::Array(items) => part.parse().ok().and_then(|index: usize| items.get_mut(index)),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => None,
        };
        match next {
            Some(next) => node = next,
            None => return false,
        }
    }
    match node {
        Json::Object(table) => table.remove(last).is_some(),
        Json::Array(items) => match last.parse::<usize>() {
            Ok(index) if index < items.len() && items.len() > 1 => {
                items.remove(index);
                true
            }
            _ => false,
        },
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => false,
    }
}

/// All keys of a document, tables before what is in them.
fn list(node: &Json, path: &mut Vec<String>, keys: &mut Vec<Vec<String>>) {
    let children: Vec<(String, &Json)> = match node {
        Json::Object(table) => table.iter().map(|(key, value)| (key.clone(), value)).collect(),
        Json::Array(items) => items.iter().enumerate().map(|(index, item)| (index.to_string(), item)).collect(),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => return,
    };
    for (key, child) in children {
        path.push(key);
        keys.push(path.clone());
        list(child, path, keys);
        path.pop();
    }
}
