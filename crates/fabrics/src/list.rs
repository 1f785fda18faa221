//! The list of fabrics: the one place where they are named together. A new fabric is one more line.

use fabric::{BuildFailure, Configuration, Fabric, Run, Runner, Site};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::Section;

macro_rules! fabrics {
    ($($(#[$doc:meta])* $name:ident = $kind:literal: $configuration:ty),* $(,)?) => {
        /// The kinds of fabrics, each with its own configuration.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "kind")]
        #[schemars(extend("x-default-kind" = "ethernet"))]
        pub enum FabricSpec {
            $($(#[$doc])* #[serde(rename = $kind)] $name(Box<$configuration>)),*
        }

        /// A fabric that fits its topology.
        #[derive(Debug)]
        pub enum FabricPlan {
            $($(#[$doc])* $name(Box<<$configuration as Configuration>::Fabric>)),*
        }

        impl FabricSpec {
            /// The fabric on this site; what is wrong is reported to `section`.
            pub fn check(&self, site: &Site<'_>, section: &mut Section<'_, '_>) -> Option<FabricPlan> {
                match self {
                    $(FabricSpec::$name(own) => own.check(site, section).map(Box::new).map(FabricPlan::$name)),*
                }
            }
        }

        impl FabricSpec {
            /// Its kind, as experiment files have it.
            pub fn name(&self) -> &'static str {
                match self { $(FabricSpec::$name(_) => $kind),* }
            }
            /// Whether it runs where hosts pass on what others send, and nowhere else.
            pub fn hosts_forward(&self) -> bool {
                match self { $(FabricSpec::$name(_) => <$configuration as Configuration>::HOSTS_FORWARD),* }
            }
        }

        impl FabricPlan {
            /// Its kind, as experiment files and results have it.
            pub fn name(&self) -> &'static str {
                match self { $(FabricPlan::$name(_) => $kind),* }
            }

            /// Builds what runs, and hands it to `runner`.
            pub(crate) fn run<R: Runner>(&self, run: &Run<'_>, runner: R) -> Result<R::Outcome, BuildFailure> {
                match self { $(FabricPlan::$name(own) => own.run(run, runner)),* }
            }
        }

        impl std::ops::Deref for FabricPlan {
            type Target = dyn Fabric;
            fn deref(&self) -> &(dyn Fabric + 'static) {
                match self { $(FabricPlan::$name(own) => &**own),* }
            }
        }
    };
}

fabrics! {
    /// Output-queued Ethernet switches with drop-tail queues: the conventional data centre.
    Ethernet = "ethernet": ethernet::Config,
    /// A scheduled cell fabric: virtual output queues and credits at the edge, cells sprayed over all links inside.
    Stardust = "stardust": stardust::Config,
    /// A rack of circuit switches on a static schedule: every node passes on the cells of others.
    Shoal = "shoal": gateway::ByGateways<shoal::Config>,
    /// A rack that re-cables itself: crosspoint switches join SoCs as the demand asks for.
    XFabric = "xfabric": gateway::ByUplinks<xfabric::network::Config>,
    /// A rack whose nodes forward each other's packets, announce their flows to each other, and compute all rates.
    R2c2 = "r2c2": r2c2::Config,
    /// A pod of switches without buffers: an arbiter gives every packet its time slot and its path.
    Fastpod = "fastpod": fastpod::Config,
    /// A pod of switches with queues, in which an arbiter gives every packet its time slot and its path.
    Fastpass = "fastpass": fastpod::Fastpass,
    /// A network of circuits: every flow has a time slot on each link of its path, which is set up hop by hop when it begins.
    An3 = "an3": gateway::ByOperationsCentre<an3::Config>,
    /// The ideal: no packets and no queues, and at every instant each flow has its max-min fair rate. A baseline for all others.
    Fluid = "fluid": fluid::Config,
    /// One output-queued switch that joins all hosts at their own rates: what a non-blocking fabric would do.
    IdealSwitch = "ideal-switch": ideal_switch::Config,
}

impl Default for FabricSpec {
    fn default() -> FabricSpec {
        FabricSpec::Ethernet(Box::default())
    }
}
