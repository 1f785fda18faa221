//! Core switches between pods (§3.4): how they are joined to pods, and when they say stop.

use super::delays::Delays;
use super::shape::Shape;
use super::{BuildError, Timing};
use crate::config::Config;
use crate::layout::Layout;
use arbiter::Pod;
use arbiter::control::LARGEST_NETWORK;
use arbiter::interpod::{Attached, slots_after_stop};
use topology::{LinkId, NodeId, Topology};
use units::{Bytes, Span};

/// Core switches between pods (§3.4).
#[derive(Debug, Clone)]
pub(crate) struct Outside {
    /// A pod and what is above it: all are alike.
    pub attached: Attached,
    /// The core switches, plane by plane.
    pub cores: Vec<u32>,
    /// For each pod and core switch, the links up, and down.
    pub to_core: Vec<u32>,
    pub from_core: Vec<u32>,
    /// For each pod and core switch, the way between the core switch and the pod's arbiters, one way: as long as that over the pod's switches.
    pub control: Vec<Span>,
    /// Packets that a core switch holds at most; when it says stop to all; and how many for one pod when it says stop to what is for that pod.
    pub capacity: u64,
    pub stop: u64,
    pub stop_port: u64,
}

impl Outside {
    /// The core switches of a topology, if there are some, plane by plane.
    pub(super) fn new(topology: &Topology, shape: &Shape, pod: &Pod) -> Result<Option<Outside>, BuildError> {
        if shape.cores.is_empty() {
            return Ok(None);
        }
        let name = |node: u32| topology.name(NodeId(node)).to_owned();
        let planes = shape.aggregations.len() / shape.pods;
        let mut places = vec![0; topology.nodes() as usize];
        shape.aggregations.iter().enumerate().for_each(|(place, switch)| places[*switch as usize] = place);
        let mut cores: Vec<Vec<u32>> = vec![Vec::new(); planes];
        for &core in &shape.cores {
            let joined = || {
                let links = topology.ports(NodeId(core)).map(|port| topology.link(LinkId(port)).to.0);
                links.map(|switch| places[switch as usize])
            };
            let plane = joined().min().unwrap_or(0) % planes;
            let is_right = |pod: &usize| {
                let mut of_pod = joined().filter(|place| place / planes == *pod);
                of_pod.next() == Some(pod * planes + plane) && of_pod.next().is_none()
            };
            let found = (0..shape.pods).filter(is_right).count();
            if found < shape.pods {
                return Err(BuildError::Core { core: name(core), found, pods: shape.pods, plane });
            }
            cores[plane].push(core);
        }
        let above = cores[0].len();
        if let Some(plane) = cores.iter().position(|cores| cores.len() != above) {
            return Err(BuildError::UnevenPlanes {
                aggregation: name(shape.aggregations[0]),
                cores: above,
                other: name(shape.aggregations[plane]),
                other_cores: cores[plane].len(),
            });
        }
        let fits = |number: usize| u16::try_from(number).unwrap_or(u16::MAX);
        let attached = Attached::new(pod.clone(), u32::from(fits(above)), fits(shape.pods))?;
        if attached.pods() > LARGEST_NETWORK {
            return Err(BuildError::Pods { pods: attached.pods() });
        }
        let mut to_core = Vec::new();
        for pod in 0..shape.pods {
            for (plane, cores) in cores.iter().enumerate() {
                let aggregation = NodeId(shape.aggregations[pod * planes + plane]);
                to_core
                    .extend(cores.iter().filter_map(|core| topology.link_between(aggregation, NodeId(*core)).next()));
            }
        }
        let to_core: Vec<u32> = to_core.into_iter().map(|link| link.0).collect();
        let from_core = to_core.iter().map(|link| topology.reverse(LinkId(*link)).0).collect();
        let cores = cores.concat();
        Ok(Some(Outside {
            attached,
            cores,
            to_core,
            from_core,
            control: Vec::new(),
            capacity: 0,
            stop: 0,
            stop_port: 0,
        }))
    }

    /// With what core switches hold, and how long what they say takes.
    pub(super) fn with_room(
        self,
        config: &Config,
        layout: &Layout,
        timing: &Timing,
        delays: &Delays,
    ) -> Result<Outside, BuildError> {
        let (pods, packets) = (self.attached.pods(), u64::from(layout.packets()));
        let slots = |time: Span| time.as_ps().div_ceil(layout.slot().as_ps());
        // A slot until the next request; what comes in a time takes part in a slot more at its begin and at its end.
        let heard = slots(timing.at_core) + 3;
        let room = slots_after_stop(heard, timing.ahead, config.batch) * packets * u64::from(pods);
        let packet = config.packet.get();
        let capacity = config.core_buffer.get() / packet;
        if capacity <= room {
            return Err(BuildError::CoreBuffer { pods, least: Bytes::new((room + 1) * packet) });
        }
        let stop_port = (config.core_queue.get() / packet).max(1);
        let control = delays.controls(&self, config);
        Ok(Outside { control, capacity, stop: capacity - room, stop_port, ..self })
    }
}
