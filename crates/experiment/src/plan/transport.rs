//! `[transport]`: from what was written to the transport's own configuration, and whether the fabric suits it.

use super::blame::Blame;
use super::{FabricPlan, Refusal};
use crate::spec::{TcpSpec, TransportSpec};
use ::transport::Config;
use units::Bytes;

pub(super) fn check(spec: &TransportSpec, fabric: &FabricPlan, blame: &mut Blame<'_>) -> Config {
    let config = match spec {
        TransportSpec::NewReno(spec) => Config::NewReno(tcp(spec)),
        TransportSpec::Dctcp(spec) => {
            Config::Dctcp(::transport::config::Dctcp { tcp: tcp(&spec.tcp), gain: spec.gain })
        }
        TransportSpec::Direct(spec) => Config::Direct(::transport::config::Direct { header: spec.header }),
    };
    if config.needs().ecn && !fabric.marks() {
        let transport = config.name();
        let refusal = match fabric {
            FabricPlan::Shoal(_) | FabricPlan::XFabric(_) | FabricPlan::Fluid(_) => {
                Refusal::NeverMarked { transport, fabric: fabric.name() }
            }
            FabricPlan::Ethernet(_) | FabricPlan::Stardust(_) => Refusal::NeedsEcn { transport },
            FabricPlan::Gateways(plan) => Refusal::NeedsEcnOutside { transport, table: plan.rack.joined_by() },
        };
        blame.value("transport.kind", refusal);
    }
    let (header, mtu) = (header(&config), fabric.mtu());
    if mtu <= header {
        let least = Bytes::new(header.get().saturating_add(1));
        blame.value("fabric.mtu", Refusal::MtuTooSmall { header, least });
    }
    let window = window(&config);
    let segment = mtu.saturating_sub(header);
    if window.is_some_and(|window| window < segment) {
        blame.value("transport.max_window", Refusal::WindowTooSmall { segment });
    }
    config
}

/// The most that a flow may have under way.
pub fn window(config: &Config) -> Option<Bytes> {
    match config {
        Config::NewReno(tcp) => Some(tcp.max_window),
        Config::Dctcp(dctcp) => Some(dctcp.tcp.max_window),
        Config::Direct(_) => None,
    }
}

/// Bytes of each packet that are not message.
pub fn header(config: &Config) -> Bytes {
    match config {
        Config::NewReno(tcp) => tcp.header,
        Config::Dctcp(dctcp) => dctcp.tcp.header,
        Config::Direct(direct) => direct.header,
    }
}

fn tcp(spec: &TcpSpec) -> ::transport::config::Tcp {
    ::transport::config::Tcp {
        initial_window: spec.initial_window,
        max_window: spec.max_window,
        min_rto: spec.min_rto,
        initial_rto: spec.initial_rto,
        ack_every: spec.ack_every,
        ack_delay: spec.ack_delay,
        header: spec.header,
    }
}
