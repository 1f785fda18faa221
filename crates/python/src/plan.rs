//! Closed forms: settings as JSON in, the plan as JSON out.

use crate::{input_error, json};
use pyo3::prelude::*;

/// What a network of a system is made of and does, as JSON. Settings are a JSON object; those left out have defaults.
#[pyfunction]
pub(crate) fn plan(py: Python<'_>, system: &str, settings: &str) -> PyResult<String> {
    py.detach(|| planner::plan(system, settings)).map_err(input_error)
}

/// The settings of a system's plan, with defaults and what their comments say, as JSON.
#[pyfunction]
pub(crate) fn plan_settings(system: &str) -> PyResult<String> {
    json(&planner::reference(system).map_err(input_error)?)
}

/// The systems that can be planned, as JSON.
#[pyfunction]
pub(crate) fn plans() -> PyResult<String> {
    json(&planner::SYSTEMS)
}
