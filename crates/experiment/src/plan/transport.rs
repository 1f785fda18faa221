//! `[transport]` and those of single workloads, each once, and whether the fabric suits them.

use super::{FabricPlan, Refusal};
use crate::spec::Spec;
use ::transport::config::Recovery;
use ::transport::{Config, Transport};
use fabric::Lack;
use settings::Diagnostics;
use simulation::Transports;
use units::Bytes;

pub(super) fn check(spec: &Spec, fabric: &FabricPlan, diagnostics: &mut Diagnostics<'_>) -> Transports {
    let mut transports = Transports { protocols: Vec::new(), of_workload: Vec::new() };
    for (index, workload) in spec.workload.iter().enumerate() {
        let config = workload.transport.as_ref().unwrap_or(&spec.transport);
        let known = transports.protocols.iter().position(|known| known == config);
        let place = known.unwrap_or_else(|| {
            suits(config, fabric, &key(spec, index), diagnostics);
            transports.protocols.push(config.clone());
            transports.protocols.len() - 1
        });
        // No more workloads than that can be written.
        transports.of_workload.push(u16::try_from(place).unwrap_or(u16::MAX));
    }
    transports
}

/// Where the transport of a workload is written.
pub(super) fn key(spec: &Spec, workload: usize) -> String {
    match spec.workload[workload].transport {
        Some(_) => format!("workload.{workload}.transport"),
        None => "transport".to_owned(),
    }
}

/// Whether the fabric suits a transport that is written at `path`.
fn suits(config: &Config, fabric: &FabricPlan, path: &str, diagnostics: &mut Diagnostics<'_>) {
    if let Some(Lack { what, cure }) = config.needs().unmet(fabric.offers()) {
        let (transport, fabric) = (config.name(), fabric.name());
        let refusal = match cure {
            Some(setting) => Refusal::Needs { transport, what, setting },
            None => Refusal::NeverOffered { transport, what, fabric },
        };
        diagnostics.refuse(&format!("{path}.kind"), refusal);
    }
    let (header, mtu) = (config.header(), fabric.mtu());
    if mtu <= header {
        let least = Bytes::new(header.get().saturating_add(1));
        diagnostics.refuse("fabric.mtu", Refusal::MtuTooSmall { header, least });
    }
    if let Some(control) = config.control()
        && control > mtu
    {
        diagnostics.refuse(&format!("{path}.control"), Refusal::ControlTooLarge { mtu });
    }
    if let Config::Mptcp(mptcp) = config
        && mptcp.tcp.recovery.is_some_and(|recovery| recovery != Recovery::NewReno)
    {
        diagnostics.refuse(&format!("{path}.recovery"), Refusal::RecoveryOfSubflows);
    }
    if let Config::Swift(swift) = config {
        if swift.tcp.recovery == Some(Recovery::NewReno) {
            diagnostics.refuse(&format!("{path}.recovery"), Refusal::RecoveryOfSwift);
        }
        if swift.flow_max_window <= swift.flow_min_window {
            let least = swift.flow_min_window;
            diagnostics.refuse(&format!("{path}.flow_max_window"), Refusal::NoFlowScaling { least });
        }
    }
    let classes = fabric.offers().priorities;
    if let Config::Dcqcn(dcqcn) = config
        && dcqcn.control_priority.is_some_and(|priority| priority >= classes)
    {
        diagnostics.refuse(&format!("{path}.control_priority"), Refusal::NoSuchPriority { classes });
    }
    if let Config::Pfabric(pfabric) = config
        && pfabric.max_window < pfabric.initial_window
    {
        let least = pfabric.initial_window;
        diagnostics.refuse(&format!("{path}.max_window"), Refusal::WindowShrinks { least });
    }
    let segment = mtu.saturating_sub(header);
    if config.max_window().is_some_and(|window| window < segment) {
        diagnostics.refuse(&format!("{path}.max_window"), Refusal::WindowTooSmall { segment });
    }
}
