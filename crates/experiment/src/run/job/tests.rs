use super::*;
use std::fs;

const TINY: &str = r#"
seed = 1
duration = "20 us"
[topology]
kind = "star"
hosts = 2
rate = "10 Gb/s"
delay = "1 us"
[fabric]
kind = "ethernet"
[transport]
kind = "newreno"
[[workload]]
kind = "permutation"
"#;

/// A folder for one test, removed when it ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("gossamer-job-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }
    fn start(&self, text: &str, resume: bool) -> Result<Job, StartError> {
        let plan = Plan::read(text, "tiny.toml", &[]).unwrap();
        Job::start(plan, text, &[], Some(&self.0.join("results")), resume, 2, None)
    }
    fn manifest(&self) -> serde_json::Value {
        serde_json::from_slice(&fs::read(self.0.join("results/manifest.json")).unwrap()).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

fn long() -> String {
    TINY.replace("20 us", "1000 s")
}

fn wait(job: &Job) {
    while !job.wait(Duration::from_secs(1)) {}
}

#[test]
fn one_job_writes_a_folder() {
    let folder = Folder::new("held");
    let first = folder.start(&long(), false).unwrap();
    let second = folder.start(&long(), true).err().unwrap().to_string();
    assert!(
        second.ends_with("results: another job is writing its results there; wait until it has ended, or stop it"),
        "{second}"
    );
    first.stop();
    wait(&first);
    assert_eq!(folder.manifest()["status"], "stopped");
    let third = folder.start(&long(), true).unwrap();
    third.stop();
    wait(&third);
}

#[test]
fn many_runs_write_few_manifests() {
    let folder = Folder::new("many");
    let seeds: Vec<String> = (1..=300).map(|seed| seed.to_string()).collect();
    let text = TINY.replace("seed = 1", "") + &format!("[sweep]\nseed = [{}]\n", seeds.join(", "));
    let job = folder.start(&text, false).unwrap();
    wait(&job);
    let state = job.shared.lock();
    let most = job.shared.begun.elapsed().as_secs_f64() / WRITE_EVERY.as_secs_f64();
    assert!(f64::from(state.writes) <= most, "{} > {most}", state.writes);
    assert!(state.manifest.runs.iter().all(|run| run.status == RunStatus::Done));
    let written: Vec<RunEntry> = serde_json::from_value(folder.manifest()["runs"].clone()).unwrap();
    assert!(written.iter().zip(&state.manifest.runs).all(|(written, run)| written.tables == run.tables));
    assert!(written.len() == 300 && written.iter().all(|run| run.status == RunStatus::Done && run.tables.len() >= 6));
}

#[test]
fn every_table_has_its_digest_and_a_run_with_another_begins_again() {
    let folder = Folder::new("digests");
    wait(&folder.start(TINY, false).unwrap());
    let whole = folder.manifest();
    let table = folder.0.join("results/runs/run/flows.arrow");
    let digest = Digest::of_file(&table).unwrap();
    assert_eq!(whole["runs"][0]["tables"]["flows"], serde_json::to_value(&digest).unwrap());
    let kept: Vec<String> = fs::read_dir(folder.0.join("results"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with("manifest"))
        .collect();
    assert_eq!(kept, ["manifest.json"]);

    let earlier = folder.start(TINY, true).unwrap();
    assert!(earlier.progress().runs[0].earlier);
    wait(&earlier);
    let mut bytes = fs::read(&table).unwrap();
    bytes[100] ^= 1;
    fs::write(&table, bytes).unwrap();
    let again = folder.start(TINY, true).unwrap();
    assert!(!again.progress().runs[0].earlier);
    wait(&again);
    assert_eq!(Digest::of_file(&table).unwrap(), digest);
}

#[test]
fn what_the_experiment_reads_belongs_to_it() {
    let folder = Folder::new("inputs");
    let trace = folder.0.join("flows.csv");
    let text = TINY.replace("kind = \"permutation\"", &format!("kind = \"trace\"\npath = {:?}", trace.display()));
    fs::write(&trace, "id,src,dst,bytes,start\n0,0,1,15000,0\n").unwrap();
    wait(&folder.start(&text, false).unwrap());
    let same = folder.start(&text, true).unwrap();
    assert!(same.progress().runs[0].earlier && same.news().is_empty());
    wait(&same);
    fs::write(&trace, "id,src,dst,bytes,start\n0,0,1,16000,0\n").unwrap();
    let other = folder.start(&text, true).unwrap();
    assert!(!other.progress().runs[0].earlier);
    assert_eq!(other.news(), ["run: done again, since the plan or a file that it reads has changed"]);
    assert_eq!(other.news(), [""; 0], "it is said once");
    wait(&other);
}

/// Which runs were done by an earlier job, and what is said of others.
fn resumed(folder: &Folder, text: &str) -> (Vec<String>, Vec<String>) {
    let job = folder.start(text, true).unwrap();
    let runs = job.progress().runs.into_iter();
    let earlier = runs.filter(|run| run.earlier).map(|run| run.name).collect();
    let news = job.news();
    wait(&job);
    assert_eq!(folder.manifest()["status"], "done");
    (earlier, news)
}

#[test]
fn a_run_is_known_again_by_its_checked_plan() {
    let folder = Folder::new("identity");
    let text = TINY.replace("seed = 1", "title = \"one\"") + "[sweep]\nseed = [1, 2]\n";
    wait(&folder.start(&text, false).unwrap());
    let first = folder.manifest();
    let both = ["seed=1".to_owned(), "seed=2".to_owned()];
    let otherwise = text.replace("20 us", "20000 ns").replace("\"one\"", "\"another\" # a title") + "# more\n";
    assert_eq!(resumed(&folder, &otherwise), (both.to_vec(), vec![]), "the same, written otherwise");
    let more = text.replace("[1, 2]", "[1, 2, 3]");
    assert_eq!(resumed(&folder, &more), (both.to_vec(), vec![]), "a point more runs alone");
    assert_eq!(fs::read_to_string(folder.0.join("results/experiment.toml")).unwrap(), more);
    assert_eq!(folder.manifest()["runs"].as_array().unwrap().len(), 3);
    let variants = "[[variant]]\nname = \"a\"\n[[variant]]\nname = \"b\"\nfabric.queue = \"50 packets\"\n";
    let with = |queue| TINY.to_owned() + &variants.replace("50 packets", queue);
    let (earlier, news) = resumed(&folder, &with("50 packets"));
    assert_eq!(earlier, [""; 0]);
    assert_eq!(news, ["seed=1, seed=2, seed=3: left where it is, since the experiment has no such run any more"]);
    let (earlier, news) = resumed(&folder, &with("60 packets"));
    assert_eq!(earlier, ["a"], "a key of the one variant is none of the other's");
    assert_eq!(news, ["b: done again, since the plan or a file that it reads has changed"]);
    let digest = |run: &serde_json::Value| run["plan"].as_str().unwrap().to_owned();
    assert_eq!(digest(&first["runs"][0]).len(), 64);
    assert_ne!(digest(&first["runs"][0]), digest(&first["runs"][1]));
}

#[test]
fn another_version_does_its_runs_again() {
    let folder = Folder::new("version");
    wait(&folder.start(TINY, false).unwrap());
    let mut manifest = folder.manifest();
    manifest["runs"][0]["gossamer"] = "0.0.1".into();
    fs::write(folder.0.join("results/manifest.json"), manifest.to_string()).unwrap();
    let news = "run: done again, since another version of Gossamer did it".to_owned();
    assert_eq!(resumed(&folder, TINY), (vec![], vec![news]));
    assert_eq!(resumed(&folder, TINY), (vec!["run".to_owned()], vec![]));
}

#[test]
fn another_file_does_not_go_on_with_a_folder() {
    let folder = Folder::new("other");
    wait(&folder.start(TINY, false).unwrap());
    let plan = Plan::read(TINY, "another.toml", &[]).unwrap();
    let error = Job::start(plan, TINY, &[], Some(&folder.0.join("results")), true, 2, None).err().unwrap().to_string();
    assert!(error.ends_with("cannot go on with it: it is of another experiment file; leave --resume away"), "{error}");
}

/// Small networks of each kind, over which a workload has somebody to send to.
const OF_EACH_KIND: [&str; 6] = [
    "topology = { kind = \"fat-tree\", k = 4 }\nfabric.kind = \"ethernet\"",
    "topology = { kind = \"leaf-spine\", leaves = 4, spines = 2, hosts_per_leaf = 4 }\nfabric.kind = \"stardust\"",
    "topology = { kind = \"star\", hosts = 16 }\nfabric.kind = \"shoal\"",
    "topology = { kind = \"planes\", hosts = 27, planes = 6 }\nfabric.kind = \"xfabric\"",
    "topology = { kind = \"clos\", leaves = 4, hosts_per_leaf = 4, uplinks = 2, tiers = [{ switches = 2 }] }\nfabric.kind = \"fluid\"",
    "topology = { kind = \"star\", hosts = 16, outside = { kind = \"star\", hosts = 16, gateways = 2 } }\nfabric.kind = \"shoal\"",
];

#[test]
fn checking_and_building_end_at_any_look() {
    for kind in OF_EACH_KIND {
        let text = format!(
            "seed = 1\nduration = \"20 us\"\n{kind}\ntransport.kind = \"newreno\"\n[[workload]]\nkind = \"background\"\nsize = \"10 KB\"\n"
        );
        let stopped_after = |looks: u64, work: &dyn Fn(&Control)| {
            let control = Control::default();
            control.stop_after(looks);
            control.stoppable(|| work(&control)) == Err(Stopped)
        };
        let looks = |work: &dyn Fn(&Control)| {
            let control = Control::default();
            control.stoppable(|| work(&control)).unwrap();
            control.looks()
        };
        let check = |_: &Control| drop(Plan::read(&text, "tiny.toml", &[]).unwrap());
        let all = looks(&check);
        assert!(all > 3, "{kind}: a check looks {all} times");
        assert!((0..all).all(|look| stopped_after(look, &check)), "{kind}");
        assert!(!stopped_after(all, &check), "{kind}");

        let plan = Plan::read(&text, "tiny.toml", &[]).unwrap();
        // Told to stop beforehand, it ends where its network or its workload is built, before it has a table.
        let control = Control::default();
        control.stop();
        let ended = control.stoppable(|| assemble::run(&plan.runs[0], &Destination::Memory, &control).map(drop));
        assert!(matches!(ended, Err(Stopped)), "{kind}");
    }
}

/// The experiment with a planted deadlock: the run that has one does not end as done, and its message names the circle.
#[test]
fn a_deadlock_is_a_stall_that_names_its_circle() {
    let folder = Folder::new("deadlock");
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../experiments/pfc-deadlock.toml");
    let text = fs::read_to_string(&path).unwrap();
    let plan = Plan::read(&text, &path.display().to_string(), &[]).unwrap();
    let job = Job::start(plan, &text, &[], Some(&folder.0.join("results")), false, 2, None).unwrap();
    wait(&job);
    let manifest = folder.manifest();
    let runs = manifest["runs"].as_array().unwrap();
    let status: Vec<&str> = runs.iter().map(|run| run["status"].as_str().unwrap()).collect();
    assert_eq!(status, ["done", "stalled", "done"]);
    let circle = "deadlock: switch-0 -> switch-1 waits for switch-1 -> switch-2, switch-1 -> switch-2 for switch-2 -> switch-3, \
                  switch-2 -> switch-3 for switch-3 -> switch-4, switch-3 -> switch-4 for switch-4 -> switch-0, \
                  switch-4 -> switch-0 for switch-0 -> switch-1, all paused by PFC";
    assert!(runs[1].to_string().contains(circle), "{}", runs[1]);
}

#[test]
fn progress_counts_the_flows_that_a_run_waits_for() {
    let folder = Folder::new("flows");
    let finite = TINY.replace("kind = \"permutation\"", "kind = \"permutation\"\nsize = \"1500 B\"");
    let flows = |text: &str| {
        let _ = fs::remove_dir_all(folder.0.join("results"));
        let job = folder.start(text, false).unwrap();
        wait(&job);
        let run = job.progress().runs.remove(0);
        (run.flows, run.expected_flows)
    };
    assert_eq!(flows(&finite), (2, Some(2)));
    assert_eq!(flows(TINY), (0, None), "endless ones are not waited for, and none has ended");
    assert_eq!(flows(&format!("stop_when_done = false\n{finite}")), (2, None));
}
