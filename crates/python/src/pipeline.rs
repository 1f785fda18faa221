//! Packet-processing data paths, clock by clock: JSON in, JSON out.

use crate::{input_error, json};
use engine::Seed;
use pipeline::{Design, MIXES, Measured, Mix, NamedMix, Spec};
use pyo3::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What one data path has given, with the numbers that are quotients.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PipelineMeasured")]
pub(crate) struct Row<'a> {
    #[serde(flatten)]
    measured: &'a Measured,
    /// Share of what full lines could bring that was delivered as bytes of packets: gaps and cells' headers are the lines' own, what pads a
    /// cell is lost.
    throughput: f64,
    /// Share of the line rate that the data path keeps up with, padding or not.
    line_share: f64,
    /// Nothing was dropped, and no line waited.
    keeps_up: bool,
    /// Bits a second of the packets that were delivered.
    goodput_bps: f64,
    /// Packets a second that were delivered.
    packets_per_second: f64,
    /// How many such data paths side by side the lines need.
    pipelines_needed: f64,
}

impl<'a> Row<'a> {
    fn of(measured: &'a Measured) -> Row<'a> {
        Row {
            throughput: measured.throughput(),
            line_share: measured.line_share(),
            keeps_up: measured.keeps_up(),
            goodput_bps: measured.goodput_bps(),
            packets_per_second: measured.packets_per_second(),
            pipelines_needed: measured.pipelines_needed(),
            measured,
        }
    }
}

#[derive(Deserialize)]
struct Search {
    spec: Map<String, Value>,
    sizes: Vec<u32>,
    step_hz: u64,
    most_hz: u64,
}

/// Reads a data path. Each key is tried by itself first, so that a mistake is told with its key.
fn read(given: Map<String, Value>) -> PyResult<Spec> {
    let plain = serde_json::to_value(Spec::new(Design::ReferenceSwitch, Mix::fixed(64))).map_err(input_error)?;
    for (key, value) in &given {
        let mut alone = plain.clone();
        alone[key] = value.clone();
        serde_json::from_value::<Spec>(alone).map_err(|error| input_error(format!("{key}: {error}")))?;
    }
    serde_json::from_value(Value::Object(given)).map_err(input_error)
}

/// Runs data paths, given as a JSON list, and gives what each measured, as JSON.
#[pyfunction]
pub(crate) fn pipeline_run(py: Python<'_>, specs: &str, seed: u64) -> PyResult<String> {
    py.detach(|| {
        let given: Vec<Map<String, Value>> = serde_json::from_str(specs).map_err(input_error)?;
        let mut plans = Vec::new();
        for spec in given {
            plans.push(read(spec)?.check().map_err(input_error)?);
        }
        let found: Vec<Measured> = plans.iter().map(|plan| pipeline::run(plan, Seed(seed))).collect();
        json(&found.iter().map(Row::of).collect::<Vec<_>>())
    })
}

/// The lowest clock in Hz at which a data path keeps up at all these sizes; none where the highest one is too slow.
#[pyfunction]
pub(crate) fn pipeline_lowest_clock(py: Python<'_>, search: &str, seed: u64) -> PyResult<Option<u64>> {
    py.detach(|| {
        let search: Search = serde_json::from_str(search).map_err(input_error)?;
        let spec = read(search.spec)?;
        pipeline::lowest_clock_hz(&spec, &search.sizes, search.step_hz, search.most_hz, Seed(seed)).map_err(input_error)
    })
}

/// The mixes of packet sizes that come with the program, as JSON.
#[pyfunction]
pub(crate) fn pipeline_mixes() -> PyResult<String> {
    json(&MIXES.iter().collect::<Vec<&NamedMix>>())
}
