//! The files in `experiments/`, as users start from them.

use crate::{HOPS_PER_CORE_SECOND, Plan};
use std::path::PathBuf;

fn files() -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../experiments");
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end == "toml")).collect();
    files.sort();
    files
}

#[test]
fn every_file_can_be_run_in_a_minute_on_two_cores() {
    let mut summary = String::new();
    for file in files() {
        let text = std::fs::read_to_string(&file).unwrap();
        let plan = Plan::read(&text, &file.display().to_string(), &[]).unwrap_or_else(|problems| panic!("{problems}"));
        assert_eq!(plan.warnings, Vec::<String>::new(), "{}", file.display());
        assert!(plan.title.is_some(), "{} has a title", file.display());
        let core_seconds = plan.runs.iter().map(|run| run.estimated_hops()).sum::<f64>() / HOPS_PER_CORE_SECOND;
        assert!(core_seconds < 120.0, "{} would take {core_seconds} core-seconds", file.display());
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let runs = plan.runs.iter().map(|run| format!("  {} ({} hosts)\n", run.name, run.topology.hosts()));
        summary += &format!("{name}: {}\n{}", plan.title.unwrap_or_default(), runs.collect::<String>());
    }
    insta::assert_snapshot!(summary);
}

#[test]
fn the_quickstart_is_a_comparison_of_four() {
    let file = files().into_iter().find(|file| file.ends_with("quickstart.toml")).unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    let plan = Plan::read(&text, "quickstart.toml", &[]).unwrap();
    let names: Vec<&str> = plan.runs.iter().map(|run| run.name.as_str()).collect();
    assert_eq!(names, ["newreno", "dctcp", "dctcp-sprayed", "direct-sprayed"]);
    assert!(plan.runs.iter().all(|run| run.topology.hosts() == 432));
    // The workload that the comments offer instead.
    let permutation = ["workload.web.kind=permutation".to_owned(), "workload.web.stop=1 ms".to_owned()];
    assert_eq!(Plan::read(&text, "quickstart.toml", &permutation).unwrap().runs[0].groups[0].kind, "permutation");
}
