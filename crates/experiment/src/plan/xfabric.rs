//! `[fabric]` of kind xfabric: from what was written to the fabric's own configuration.

use super::Refusal;
use super::blame::Blame;
use super::fabric::{check_frame, refuse_ports};
use super::files::Folder;
use super::topology::Built;
use super::workload::unreadable;
use crate::spec::{ControlSpec, PlaneSpec, RoutingSpec, StartSpec, XFabricSpec};
use ::workload::Matrix;
use ::workload::readers::read_weights;
use ::xfabric::demand::Demand;
use ::xfabric::network::{BuildError, Config, Control, ControlPlane, Multipath, ProtocolSettings, Rig, Start};

/// The rack on its topology, of whose hosts the last, so many, are uplinks.
pub(super) fn check(
    spec: &XFabricSpec,
    (built, uplinks): (&Built, u32),
    folder: &Folder,
    blame: &mut Blame<'_>,
) -> Config {
    let before = blame.count();
    let frame = check_frame("fabric.mtu", spec.mtu, spec.framing, blame);
    if spec.queue < frame {
        blame.value("fabric.queue", Refusal::QueueTooShort { frame });
    }
    refuse_ports(built, "an XFabric rack", blame);
    let config = Config {
        uplinks,
        mtu: spec.mtu,
        framing: spec.framing,
        queue: spec.queue,
        multipath: match spec.routing {
            RoutingSpec::Ecmp => Multipath::Flow,
            RoutingSpec::Spray => Multipath::Packet,
        },
        start: start(spec, built.topology.hosts().saturating_sub(uplinks), folder, blame),
        period: spec.reconfigure.then_some(spec.period),
        from: spec.reconfigure_from,
        weight: spec.weight,
        switching: spec.switching,
        crosspoint_latency: spec.crosspoint_latency,
        control: match spec.control {
            ControlSpec::Ideal => Control::Ideal { tables: spec.ideal_tables },
            ControlSpec::Protocol => Control::Protocol(ProtocolSettings {
                hosts: spec.controllers.clone(),
                takeover: Some(spec.controller_takeover),
                dies: spec.controller_dies.clone(),
                hello: spec.hello,
                misses: spec.hello_misses,
                retry: spec.control_retry,
                tries: spec.control_tries,
            }),
        },
        plane: ControlPlane {
            message: spec.control_message,
            sequential: spec.control_plane == PlaneSpec::Sequential,
            program: spec.crosspoint_program,
        },
        detection: spec.detection,
        hop_limit: spec.hop_limit,
    };
    if blame.count() == before
        && let Err(error) = Rig::new(&config, &built.topology)
    {
        let key = match &error {
            BuildError::NoTorus { .. } | BuildError::Flat { .. } | BuildError::Random(_) | BuildError::NotEmbedded => {
                "fabric.start"
            }
            BuildError::NoHost { .. } => "fabric.controllers",
            BuildError::Demand { .. } => "fabric.demand",
            BuildError::Size(_) => "topology",
            BuildError::TooManyUplinks { .. } => "topology.outside.uplinks",
            BuildError::NotUplinks => "topology.outside",
            BuildError::NotToCrosspoint { .. } | BuildError::Ports { .. } | BuildError::Unlike { .. } => {
                "topology.kind"
            }
        };
        blame.value(key, Refusal::NoXFabric(error));
    }
    config
}

fn start(spec: &XFabricSpec, socs: u32, folder: &Folder, blame: &mut Blame<'_>) -> Start {
    match (spec.start, &spec.demand) {
        (StartSpec::Torus, None) => return Start::Torus,
        (StartSpec::Random, None) => return Start::Random,
        (StartSpec::Uniform, None) => return Start::Uniform,
        (StartSpec::Demand, None) => blame.value("fabric.demand", Refusal::NoDemand),
        (StartSpec::Torus | StartSpec::Random | StartSpec::Uniform, Some(_)) => {
            blame.value("fabric.demand", Refusal::UselessDemand);
        }
        (StartSpec::Demand, Some(path)) => match read_weights(&folder.join(path), socs) {
            Ok(matrix) => match demand(&matrix, socs) {
                Some(demand) => return Start::Demand(demand),
                None => blame.value("fabric.demand", Refusal::NoWeight),
            },
            Err(error) => blame.value("fabric.demand", unreadable(&error)),
        },
    }
    Start::Uniform
}

/// Only ratios count: the largest weight becomes 2^30, and none that is not 0 becomes 0. `None` if all are 0, or the rack is none.
fn demand(matrix: &Matrix, socs: u32) -> Option<Demand> {
    let largest = matrix.weights.iter().map(|(_, _, weight)| *weight).fold(0.0, f64::max);
    let scaled = |weight: f64| ((weight / largest * f64::from(1 << 30)).round() as u64).max(1);
    let entries = matrix.weights.iter().filter(|(_, _, weight)| *weight > 0.0);
    let demand = Demand::none(socs).ok()?.plus(entries.map(|&(src, dst, weight)| (src, dst, scaled(weight)))).ok()?;
    (demand.total() > 0).then_some(demand)
}
