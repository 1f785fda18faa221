//! The arbiter as a service: settings as JSON in, what it has done as JSON out, while it goes on on threads of its own.

use crate::{input_error, json};
use ::arbiter_service::{ArbiterMetrics, Load, LoadReport, Serve, Task, Vote, VoterMetrics, load, serve, vote};
use pyo3::prelude::*;
use settings::{Flat, cure, reference};
use std::time::Duration;

/// An arbiter, a voter or a load that has been started.
#[pyclass(frozen, module = "gossamer._native")]
pub(crate) struct ArbiterTask {
    inner: Inner,
}

enum Inner {
    Serve(Task<ArbiterMetrics>),
    Vote(Task<VoterMetrics>),
    Load(Task<LoadReport>),
}

#[pymethods]
impl ArbiterTask {
    /// Starts what `role` says: "serve", "voter" or "load". Settings are a JSON object; those left out have defaults.
    #[staticmethod]
    fn start(py: Python<'_>, role: &str, settings: &str) -> PyResult<ArbiterTask> {
        py.detach(|| {
            let given = Flat::parse(settings).map_err(input_error)?;
            let inner = match role {
                "serve" => serve(&given).map(Inner::Serve),
                "voter" => vote(&given).map(Inner::Vote),
                "load" => load(&given).map(Inner::Load),
                other => return Err(unknown(other)),
            };
            inner.map(|inner| ArbiterTask { inner }).map_err(input_error)
        })
    }
    /// What it has done by now, as JSON.
    fn report(&self) -> PyResult<String> {
        match &self.inner {
            Inner::Serve(task) => json(&task.report()),
            Inner::Vote(task) => json(&task.report()),
            Inner::Load(task) => json(&task.report()),
        }
    }
    /// What has happened since this was last asked, in sentences.
    fn lines(&self) -> Vec<String> {
        let lines = match &self.inner {
            Inner::Serve(task) => task.lines(),
            Inner::Vote(task) => task.lines(),
            Inner::Load(task) => task.lines(),
        };
        lines.iter().map(|line| settings::printable(line)).collect()
    }
    /// Has it end: an arbiter in charge hands over before it does. The second time it ends at once.
    fn stop(&self) {
        match &self.inner {
            Inner::Serve(task) => task.stop(),
            Inner::Vote(task) => task.stop(),
            Inner::Load(task) => task.stop(),
        }
    }
    /// Waits until it has ended, at most `timeout_s`; true if it has. Other Python threads go on.
    fn wait(&self, py: Python<'_>, timeout_s: f64) -> PyResult<bool> {
        let timeout = Duration::try_from_secs_f64(timeout_s).unwrap_or(Duration::ZERO);
        let outcome = py.detach(|| match &self.inner {
            Inner::Serve(task) => task.wait(timeout),
            Inner::Vote(task) => task.wait(timeout),
            Inner::Load(task) => task.wait(timeout),
        });
        outcome.transpose().map(|ended| ended.is_some()).map_err(input_error)
    }
}

/// The settings of a role, with defaults and what their comments say, as JSON.
#[pyfunction]
pub(crate) fn arbiter_settings(role: &str) -> PyResult<String> {
    match role {
        "serve" => json(&reference::of::<Serve>()),
        "voter" => json(&reference::of::<Vote>()),
        "load" => json(&reference::of::<Load>()),
        other => Err(unknown(other)),
    }
}

fn unknown(role: &str) -> PyErr {
    input_error(format!("{role}: {}", cure("expected one of", role, ["serve", "voter", "load"])))
}
