//! The files in `experiments/`, as users start from them.

use crate::{HOPS_PER_CORE_SECOND, Plan};
use std::path::PathBuf;
use transport::Config;

fn files() -> Vec<PathBuf> {
    files_in("experiments")
}

fn files_in(folder: &str) -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end == "toml")).collect();
    files.sort();
    files
}

/// What is warned of in a file that shows just that.
fn meant(name: &str) -> Vec<String> {
    let collide = |off: &str| {
        format!(
            "run off-by-up-to-{}: fabric.clock_error = \"{off}\" is more than half of fabric.guard = \"20 ns\": scheduled packets will collide",
            off.replace(' ', "")
        )
    };
    match name {
        "fastpod-clocks" => vec![collide("15 ns"), collide("40 ns")],
        "fastpod-failures" => vec![
            "run the-only-arbiter: fabric.arbiter_fails leaves the pod without an arbiter; with fabric.arbiters = 2 another takes over"
                .to_owned(),
        ],
        _ => Vec::new(),
    }
}

#[test]
fn every_file_can_be_run_in_a_minute_on_two_cores() {
    let mut summary = String::new();
    for file in files() {
        let text = std::fs::read_to_string(&file).unwrap();
        let plan = Plan::read(&text, &file.display().to_string(), &[]).unwrap_or_else(|problems| panic!("{problems}"));
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        assert_eq!(plan.warnings, meant(&name), "{}", file.display());
        assert!(plan.title.is_some(), "{} has a title", file.display());
        let core_seconds = plan.runs.iter().map(|run| run.estimated_hops()).sum::<f64>() / HOPS_PER_CORE_SECOND;
        assert!(core_seconds < 120.0, "{} would take {core_seconds} core-seconds", file.display());
        let memory = plan.runs.iter().map(|run| run.estimated_memory()).max().unwrap_or_default();
        assert!(memory < 2_000_000_000, "a run of {} would take {memory} bytes", file.display());
        let runs = plan.runs.iter().map(|run| format!("  {} ({} hosts)\n", run.name, run.topology.hosts()));
        summary += &format!("{name}: {}\n{}", plan.title.unwrap_or_default(), runs.collect::<String>());
    }
    insta::assert_snapshot!(summary);
}

#[test]
fn the_quickstart_is_one_traffic_over_several_fabrics() {
    let file = files().into_iter().find(|file| file.ends_with("quickstart.toml")).unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    let plan = Plan::read(&text, "quickstart.toml", &[]).unwrap();
    let fabrics: Vec<_> = plan.runs.iter().map(|run| (run.name.as_str(), run.fabric.name())).collect();
    let expected = [
        ("ethernet", "ethernet"),
        ("sprayed", "ethernet"),
        ("stardust", "stardust"),
        ("shoal", "shoal"),
        ("ideal", "fluid"),
    ];
    assert_eq!(fabrics, expected);
    let first = &plan.runs[0];
    for run in &plan.runs {
        let rates = |run: &crate::RunPlan| -> Vec<_> {
            (0..run.topology.hosts()).map(|host| run.topology.host_rate(host)).collect()
        };
        assert_eq!(rates(run), rates(first), "{}: other hosts", run.name);
        let flows = |run: &crate::RunPlan| -> Vec<_> {
            run.groups.iter().map(|group| (group.description.clone(), group.flows)).collect()
        };
        assert_eq!(flows(run), flows(first), "{}: other traffic", run.name);
    }
}

/// What docs/which-fabric.md says of these files: the same hosts, the same traffic, and what is equal is known of each run.
#[test]
fn which_fabric_is_one_traffic_over_networks_that_are_alike() {
    for name in ["which-fabric", "which-fabric-cost", "which-fabric-power"] {
        let file = files_in("experiments").into_iter().find(|file| file.ends_with(format!("{name}.toml"))).unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        let plan = Plan::read(&text, &file.display().to_string(), &[]).unwrap();
        assert_eq!(plan.warnings, [""; 0], "{name}");
        for run in &plan.runs {
            let names: Vec<&str> = run.groups.iter().map(|group| group.name.as_str()).collect();
            assert_eq!(names, ["web", "short", "incast", "all-to-all", "all-reduce"], "{name}, {}", run.name);
        }
        assert!(plan.runs.iter().all(|run| run.topology.hosts() == 64 && run.worth.is_some()), "{name}");
    }
}

/// What a paper's experiment gives must not depend on a default that may change: it writes the timeouts that decide so much, and how losses are
/// repaired where that is not as in the papers by default.
#[test]
fn experiments_of_papers_write_their_timeouts_and_their_recovery() {
    for paper in ["shoal", "stardust", "xfabric"] {
        for file in files_in(&format!("papers/{paper}")).iter().filter(|file| !file.ends_with("claims.toml")) {
            let text = std::fs::read_to_string(file).unwrap();
            for run in Plan::read(&text, &file.display().to_string(), &[]).unwrap().runs {
                let tcp = |transport: Config| match transport {
                    Config::NewReno(tcp) => Some(tcp),
                    Config::Dctcp(dctcp) => Some(dctcp.tcp),
                    Config::Cubic(cubic) => Some(cubic.tcp),
                    Config::Swift(swift) => Some(swift.tcp),
                    Config::Mptcp(mptcp) => Some(mptcp.tcp),
                    Config::Ndp(_) | Config::Eqds(_) | Config::Dcqcn(_) | Config::Pfabric(_) | Config::Direct(_) => {
                        None
                    }
                };
                for transport in &run.transports.protocols {
                    let written = match transport {
                        Config::Dctcp(dctcp) => dctcp.tcp.recovery.is_some(),
                        Config::Cubic(cubic) => cubic.tcp.recovery.is_some(),
                        Config::NewReno(_)
                        | Config::Swift(_)
                        | Config::Mptcp(_)
                        | Config::Ndp(_)
                        | Config::Eqds(_)
                        | Config::Dcqcn(_)
                        | Config::Pfabric(_)
                        | Config::Direct(_) => true,
                    };
                    assert!(written, "{}: {}: recovery is a default", file.display(), run.name);
                }
                let tcps = run.transports.protocols.into_iter().filter_map(tcp);
                for (key, value) in tcps.flat_map(|tcp| [("min_rto", tcp.min_rto), ("initial_rto", tcp.initial_rto)]) {
                    let written = text.contains(&format!("{key} = \"{value}\""));
                    assert!(written, "{}: {}: {key} = {value} is a default", file.display(), run.name);
                }
            }
        }
    }
}
