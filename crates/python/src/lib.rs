//! `gossamer._native`: converts, releases the GIL, maps errors, nothing else. What it returns is text, JSON or bytes; the
//! Python package makes objects of it.

mod arbiter;
mod graph;
mod pipeline;
mod plan;
mod shoal;
mod types;
mod xfabric;

use engine::{Control, Stopped};
use experiment::Plan;
use experiment::run::{Job as RustJob, StartError};
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyKeyError, PyKeyboardInterrupt, PyOSError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;
use std::time::Duration;
use units::Bytes;

create_exception!(_native, InputError, PyException, "Bad input. Its text is the whole message for a person.");

fn input_error(error: impl std::fmt::Display) -> PyErr {
    // Problems of an experiment are printable already; all other readers quote what they find as well.
    let lines: Vec<String> = error.to_string().lines().map(experiment::printable).collect();
    InputError::new_err(lines.join("\n"))
}

/// Does `work` on a thread of its own, so that Ctrl-C is answered meanwhile: it ends within a second, at its next `engine::look`.
#[allow(clippy::disallowed_methods, reason = "waits for a thread and for a person, not for simulated time")]
fn interruptibly<T: Send + 'static>(py: Python<'_>, work: impl FnOnce() -> T + Send + 'static) -> PyResult<T> {
    let control = Control::default();
    let watched = control.clone();
    let worker = std::thread::spawn(move || watched.stoppable(work));
    let mut wait = Duration::from_millis(1);
    while !worker.is_finished() {
        py.detach(|| std::thread::sleep(wait));
        py.check_signals().inspect_err(|_| control.stop())?;
        wait = (wait * 2).min(Duration::from_millis(50));
    }
    match worker.join() {
        Ok(done) => done.map_err(|Stopped| PyKeyboardInterrupt::new_err(())),
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// The plan of an experiment, `threads` of whose runs fit into memory at once.
fn read(text: &str, file: &str, overrides: &[String], threads: usize, memory: Option<&str>) -> PyResult<Plan> {
    let limit = memory.map(str::parse::<Bytes>).transpose();
    let limit = limit.map_err(|error| input_error(format!("--memory-limit: {error}")))?;
    let plan = Plan::read(text, file, overrides).map_err(input_error)?;
    plan.check_memory(limit, threads).map_err(|error| input_error(format!("{file}: {error}")))?;
    Ok(plan)
}

/// What Python gets as JSON: something that has a schema, for [`types`].
fn json(value: &(impl Serialize + JsonSchema)) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| PyOSError::new_err(error.to_string()))
}

/// An experiment that was read and checked, and can be run.
#[pyclass(frozen, module = "gossamer._native")]
struct Planned {
    plan: Plan,
    text: String,
    overrides: Vec<String>,
}

#[pymethods]
impl Planned {
    /// Reads an experiment file. Its runs, `threads` at once, must fit into `memory`, or else into the machine's.
    #[staticmethod]
    fn read(
        py: Python<'_>,
        text: String,
        file: String,
        overrides: Vec<String>,
        threads: usize,
        memory: Option<String>,
    ) -> PyResult<Planned> {
        interruptibly(py, move || {
            let plan = read(&text, &file, &overrides, threads, memory.as_deref())?;
            Ok(Planned { plan, text, overrides })
        })?
    }
    /// What would run, as JSON.
    fn check(&self) -> PyResult<String> {
        json(&self.plan.check())
    }
    /// Starts its runs; without `out` their tables are kept in memory. With `resume` it goes on with what is in `out`.
    fn start(
        &self,
        py: Python<'_>,
        out: Option<String>,
        resume: bool,
        threads: usize,
        wall_limit_s: Option<f64>,
    ) -> PyResult<Job> {
        let limit = wall_limit_s.map(|seconds| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
        let Planned { plan, text, overrides } = self;
        py.detach(|| {
            let out = out.as_deref().map(Path::new);
            let job = RustJob::start(plan.clone(), text, overrides, out, resume, threads, limit);
            job.map(|inner| Job { inner }).map_err(|error: StartError| input_error(error))
        })
    }
}

/// An experiment that is being run.
#[pyclass(frozen, module = "gossamer._native")]
struct Job {
    inner: RustJob,
}

#[pymethods]
impl Job {
    /// How far it is, as JSON.
    fn progress(&self) -> PyResult<String> {
        json(&self.inner.progress())
    }
    /// What happened beside the runs since the last call, in sentences.
    fn news(&self) -> Vec<String> {
        self.inner.news()
    }
    /// Has every run stop and write what it has.
    fn stop(&self) {
        self.inner.stop();
    }
    /// Waits until everything has ended, at most `timeout_s`; true if it has. Other Python threads go on.
    fn wait(&self, py: Python<'_>, timeout_s: f64) -> bool {
        let timeout = Duration::try_from_secs_f64(timeout_s).unwrap_or(Duration::ZERO);
        py.detach(|| self.inner.wait(timeout))
    }
    /// What is known of it by now, as JSON: `manifest.json`.
    fn manifest(&self) -> PyResult<String> {
        json(&self.inner.manifest())
    }
    /// A table of a run that was kept in memory, as an Arrow IPC stream.
    fn table<'py>(&self, py: Python<'py>, run: usize, name: &str) -> PyResult<Bound<'py, PyBytes>> {
        let table = self.inner.table(run, name);
        let table = table.ok_or_else(|| PyKeyError::new_err(format!("run {run} has no table {name} in memory")))?;
        Ok(PyBytes::new(py, &table))
    }
}

/// JSON Schema of experiment files.
#[pyfunction]
fn schema() -> String {
    experiment::schema()
}

/// Every key of experiment files, in Markdown.
#[pyfunction]
fn reference() -> String {
    experiment::reference()
}

/// A commented experiment file of this kind.
#[pyfunction]
fn template(kind: &str) -> PyResult<String> {
    experiment::template(kind).map(str::to_owned).map_err(input_error)
}

/// The name and the text of a file that such an experiment file reads from its own folder, if it reads one.
#[pyfunction]
fn template_companion(kind: &str) -> PyResult<Option<(&'static str, &'static str)>> {
    experiment::template_companion(kind).map_err(input_error)
}

/// Fabrics, transports, workloads, topologies and flow sizes, as JSON.
#[pyfunction]
fn catalogue() -> PyResult<String> {
    json(&experiment::catalogue())
}

/// Which of these a person most likely meant by `word`, if one is near enough.
#[pyfunction]
fn nearest(word: &str, known: Vec<String>) -> Option<String> {
    settings::nearest(word, known.iter().map(String::as_str)).map(str::to_owned)
}

/// The version.
#[pyfunction]
fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("InputError", module.py().get_type::<InputError>())?;
    module.add_class::<arbiter::ArbiterTask>()?;
    module.add_class::<Job>()?;
    module.add_class::<Planned>()?;
    module.add_function(wrap_pyfunction!(schema, module)?)?;
    module.add_function(wrap_pyfunction!(reference, module)?)?;
    module.add_function(wrap_pyfunction!(template, module)?)?;
    module.add_function(wrap_pyfunction!(template_companion, module)?)?;
    module.add_function(wrap_pyfunction!(catalogue, module)?)?;
    module.add_function(wrap_pyfunction!(nearest, module)?)?;
    module.add_function(wrap_pyfunction!(version, module)?)?;
    module.add_function(wrap_pyfunction!(types::types, module)?)?;
    module.add_function(wrap_pyfunction!(arbiter::arbiter_settings, module)?)?;
    module.add_function(wrap_pyfunction!(graph::topology, module)?)?;
    module.add_function(wrap_pyfunction!(pipeline::pipeline_run, module)?)?;
    module.add_function(wrap_pyfunction!(pipeline::pipeline_lowest_clock, module)?)?;
    module.add_function(wrap_pyfunction!(pipeline::pipeline_mixes, module)?)?;
    module.add_function(wrap_pyfunction!(shoal::shoal_examine, module)?)?;
    module.add_function(wrap_pyfunction!(shoal::shoal_header_widths, module)?)?;
    module.add_function(wrap_pyfunction!(shoal::shoal_header_encode, module)?)?;
    module.add_function(wrap_pyfunction!(shoal::shoal_header_decode, module)?)?;
    module.add_function(wrap_pyfunction!(plan::plan, module)?)?;
    module.add_function(wrap_pyfunction!(plan::plan_settings, module)?)?;
    module.add_function(wrap_pyfunction!(plan::plans, module)?)?;
    module.add_function(wrap_pyfunction!(xfabric::xfabric_configure, module)?)?;
    module.add_function(wrap_pyfunction!(xfabric::xfabric_configure_settings, module)?)?;
    module.add_function(wrap_pyfunction!(xfabric::xfabric_study, module)?)?;
    module.add_function(wrap_pyfunction!(xfabric::xfabric_study_settings, module)?)?;
    module.add_function(wrap_pyfunction!(xfabric::xfabric_seconds, module)?)?;
    Ok(())
}
