//! What the JSON looks like that Python is handed, as JSON Schema: `python/gossamer/types.py` is made of it.

use crate::graph::Graphs;
use crate::pipeline::Row;
use crate::shoal::HeaderWidths;
use crate::xfabric::Seconds;
use ::shoal::examine::Examination;
use arbiter_service::{ArbiterMetrics, LoadReport, VoterMetrics};
use experiment::run::{Manifest, Progress};
use experiment::{Catalogue, Check};
use pipeline::NamedMix;
use planner::{System, an3, fastpod, shoal, stardust, xfabric as planned};
use pyo3::prelude::*;
use schemars::generate::SchemaSettings;
use serde_json::json;
use settings::reference::Entry;
use xfabric::configuration::Configuration;
use xfabric::study;

/// The types of all JSON that is handed out, as one JSON Schema: under `properties`, what each function returns; under `$defs`, the types by
/// the names that they have in Python.
#[pyfunction]
pub(crate) fn types() -> String {
    // What is written, not what may be read: a key that is always there is required.
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let plans = [
        generator.subschema_for::<stardust::Plan>(),
        generator.subschema_for::<shoal::Plan>(),
        generator.subschema_for::<planned::Plan>(),
        generator.subschema_for::<fastpod::Plan>(),
        generator.subschema_for::<an3::Plan>(),
    ];
    let arbiter = [
        generator.subschema_for::<ArbiterMetrics>(),
        generator.subschema_for::<VoterMetrics>(),
        generator.subschema_for::<LoadReport>(),
    ];
    let settings = generator.subschema_for::<Vec<Entry>>();
    let returned = json!({
        "Planned.check": generator.subschema_for::<Check>(),
        "Job.progress": generator.subschema_for::<Progress>(),
        "Job.manifest": generator.subschema_for::<Manifest>(),
        "ArbiterTask.report": { "anyOf": arbiter },
        "arbiter_settings": settings,
        "catalogue": generator.subschema_for::<Catalogue>(),
        "topology": generator.subschema_for::<Graphs<'_>>(),
        "pipeline_run": generator.subschema_for::<Vec<Row<'_>>>(),
        "pipeline_mixes": generator.subschema_for::<Vec<NamedMix>>(),
        "plans": generator.subschema_for::<Vec<System>>(),
        "plan": { "anyOf": plans },
        "plan_settings": settings,
        "shoal_examine": generator.subschema_for::<Examination>(),
        "shoal_header_widths": generator.subschema_for::<HeaderWidths>(),
        "xfabric_configure": generator.subschema_for::<Configuration>(),
        "xfabric_configure_settings": settings,
        "xfabric_study_settings": settings,
        "xfabric_study": generator.subschema_for::<Vec<study::Row>>(),
        "xfabric_seconds": generator.subschema_for::<Seconds>(),
    });
    let definitions = generator.take_definitions(true);
    json!({ "properties": returned, "$defs": definitions }).to_string()
}
