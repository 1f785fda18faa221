//! Shoal's schedule, switches and cell header: numbers in, JSON or bytes out.

use crate::{input_error, json};
use ::shoal::header::{Header, Layout};
use ::shoal::schedule::Order;
use ::shoal::{Config, examine};
use pyo3::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use settings::Origin;
use settings::document::{Node, Table, Value};

/// An order of slots by its name, as in `[fabric] schedule`.
fn order(schedule: &str) -> PyResult<Order> {
    let node = |value| Node { value, origin: Origin::Override };
    let written = Table::of("schedule", node(Value::Text(schedule.to_owned())));
    let wrong = settings::inspect(&node(Value::Table(written)), &settings::shape::of::<Config>(), &[]);
    if let Some(problem) = wrong.first() {
        return Err(input_error(format!("schedule = {schedule:?}: {}", problem.mistake)));
    }
    serde_json::from_value(json!(schedule)).map_err(input_error)
}

/// What an epoch of a fabric looks like, as JSON.
#[pyfunction]
pub(crate) fn shoal_examine(py: Python<'_>, nodes: u32, channels: u32, ports: u32, schedule: &str) -> PyResult<String> {
    py.detach(|| {
        let order = order(schedule)?;
        json(&examine::examine(nodes, channels, ports, order).map_err(input_error)?)
    })
}

/// Bits of each field of a cell's header (Fig. 5).
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ShoalHeaderWidths")]
pub(crate) struct HeaderWidths {
    /// The node that sends the cell.
    source: u32,
    /// The node that it is for.
    destination: u32,
    /// The cell's number among those of its flow.
    sequence: u32,
    /// The rate-limit feedback.
    feedback: u32,
    /// Whether a packet begins in it.
    start: u32,
    /// Whether a packet ends in it.
    end: u32,
    /// Whether the cell before it was dropped.
    last_dropped: u32,
    /// The checksum.
    crc: u32,
}

/// The widths of a header's fields, as JSON.
#[pyfunction]
pub(crate) fn shoal_header_widths(nodes: u32) -> PyResult<String> {
    let layout = Layout::for_nodes(nodes).map_err(input_error)?;
    json(&HeaderWidths {
        source: layout.node_bits(),
        destination: layout.node_bits(),
        sequence: layout.sequence_bits(),
        feedback: layout.feedback_bits(),
        start: 1,
        end: 1,
        last_dropped: 1,
        crc: 8,
    })
}

/// A cell's header on the wire: source, destination, sequence number and feedback, and whether it is the first of a packet, the last, and
/// whether the last cell was dropped.
#[pyfunction]
pub(crate) fn shoal_header_encode(
    nodes: u32,
    fields: [u32; 4],
    flags: [bool; 3],
    payload: Vec<u8>,
) -> PyResult<Vec<u8>> {
    let layout = Layout::for_nodes(nodes).map_err(input_error)?;
    let [source, destination, sequence, feedback] = fields;
    let [start, end, last_dropped] = flags;
    let narrow = |value: u32| u16::try_from(value).map_err(input_error);
    let header = Header {
        source: narrow(source)?,
        destination: narrow(destination)?,
        sequence: layout.numbering().of(sequence.into()),
        feedback: narrow(feedback)?,
        start,
        end,
        last_dropped,
    };
    Ok(layout.encode(&header, &payload).map_err(input_error)?.to_vec())
}

/// What a header on the wire says; none, if its CRC does not fit it and the payload.
#[pyfunction]
pub(crate) fn shoal_header_decode(
    nodes: u32,
    header: [u8; 8],
    payload: Vec<u8>,
) -> PyResult<Option<([u32; 4], [bool; 3])>> {
    let layout = Layout::for_nodes(nodes).map_err(input_error)?;
    Ok(layout.decode(header, &payload).ok().map(|header| {
        let Header { source, destination, sequence, feedback, start, end, last_dropped } = header;
        ([source.into(), destination.into(), sequence.get(), feedback.into()], [start, end, last_dropped])
    }))
}
