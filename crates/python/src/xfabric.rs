//! XFabric's topologies: settings and texts of files in, JSON out.

use crate::{input_error, interruptibly, json};
use cpu_time::ThreadTime;
use pyo3::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use xfabric::configuration::{self, File, Request, configure};
use xfabric::study::{self, Study};

/// What topologies make of a workload, a row each, as JSON. Given are a JSON object; those left out have defaults.
#[pyfunction]
pub(crate) fn xfabric_study(py: Python<'_>, settings: String) -> PyResult<String> {
    interruptibly(py, move || json(&read(&settings)?.rows().map_err(input_error)?))?
}

/// Seconds of one core to find each topology of a study, by topology and in the study's order.
#[derive(Default, Serialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub(crate) struct Seconds(#[schemars(with = "BTreeMap<String, f64>")] Map<String, Value>);

/// Seconds of one core to find each topology of a study, the least of `rounds`, as a JSON object by topology. For XFabric
/// forwarding tables are in it.
#[pyfunction]
pub(crate) fn xfabric_seconds(py: Python<'_>, settings: String, rounds: u32) -> PyResult<String> {
    interruptibly(py, move || {
        let study = read(&settings)?;
        let traffic = study.traffic().map_err(input_error)?;
        let mut found = Seconds::default();
        for &topology in &study.topologies {
            let mut least = f64::INFINITY;
            for _ in 0..rounds.max(1) {
                let began = ThreadTime::now();
                std::hint::black_box(study.compute(topology, &traffic).map_err(input_error)?);
                least = least.min(began.elapsed().as_secs_f64());
            }
            found.0.insert(topology.name().to_owned(), Value::from(least));
        }
        json(&found)
    })?
}

/// A configuration for a rack, as JSON. Files are given by name and text.
#[pyfunction]
#[pyo3(signature = (demand, wiring, previous, failed, settings))]
pub(crate) fn xfabric_configure(
    py: Python<'_>,
    demand: (String, String),
    wiring: Option<(String, String)>,
    previous: Option<(String, String)>,
    failed: Vec<String>,
    settings: String,
) -> PyResult<String> {
    fn file((name, text): &(String, String)) -> File<'_> {
        File { name, text }
    }
    interruptibly(py, move || {
        let settings = settings::Flat::parse(&settings).map_err(input_error)?;
        let (demand, wiring, previous) = (file(&demand), wiring.as_ref().map(file), previous.as_ref().map(file));
        let request = Request { demand, previous, wiring, failed: &failed, settings };
        json(&configure(request).map_err(input_error)?)
    })?
}

fn read(settings: &str) -> PyResult<Study> {
    let settings = settings::Flat::parse(settings).map_err(input_error)?;
    Study::read(&settings).map_err(input_error)
}

/// The settings of a configuration, with defaults and what their comments say, as JSON.
#[pyfunction]
pub(crate) fn xfabric_configure_settings() -> PyResult<String> {
    json(&settings::reference::of::<configuration::Settings>())
}

/// The settings of a study, with defaults and what their comments say, as JSON.
#[pyfunction]
pub(crate) fn xfabric_study_settings() -> PyResult<String> {
    json(&settings::reference::of::<study::Settings>())
}
