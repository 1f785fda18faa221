//! XFabric (Legtchenko et al.; NSDI 2016): closed forms of §2, §3, §6.4 (Table 1) and §6.6.
//!
//! Words: a *crosspoint* is a circuit switch that is a single ASIC. *XFabric* has as many of them as a SoC has internal ports, each
//! with a port of every SoC, and one more for uplinks. A *fully reconfigurable* fabric joins any port with any other; where no
//! ASIC has as many ports, it is a folded Clos of crosspoints with five ports for each that it offers (§2).

mod input;
#[cfg(test)]
mod tests;

pub use input::Input;

use crate::book::Used;
use schemars::JsonSchema;
use serde::Serialize;

/// What `gossamer plan` calls it.
pub const NAME: &str = "xfabric";

/// The shortest Ethernet frame (§6.6), in bytes.
const SHORTEST_FRAME: u64 = 64;

/// Why a rack cannot be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Impossible {
    /// A crosspoint is a single ASIC.
    #[error(
        "socs = {socs}: an internal crosspoint has a port for every SoC and is one ASIC of at most asic_ports = {ports}: plan \
         fewer SoCs, or raise `asic_ports`"
    )]
    Crosspoint {
        /// SoCs of the rack.
        socs: u64,
        /// Ports of the largest ASIC.
        ports: u64,
    },
}

#[expect(clippy::cast_precision_loss, reason = "ports of a rack are far below 2^53")]
fn float(number: u64) -> f64 {
    number as f64
}

/// Circuit switches, and what they cost and draw.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "XFabricSwitches")]
pub struct Switches {
    /// Ports of all of them.
    pub ports: u64,
    /// ASICs that they take.
    pub asics: u64,
    /// Ports at their price.
    pub usd: f64,
    /// Ports at what they draw.
    pub w: f64,
    /// Share of what the rack may draw.
    pub of_rack: f64,
}

impl Switches {
    fn new(ports: u64, asics: u64, input: &Input) -> Switches {
        let (usd, w) = (float(ports) * input.port_usd, float(ports) * input.port_w);
        Switches { ports, asics, usd, w, of_rack: w / input.rack_w }
    }
}

/// What a reconfiguration costs a full-duplex link (§6.6).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "XFabricLoss")]
pub struct Loss {
    /// Bytes that pass in one direction while the crosspoint switches, rounded up.
    pub bytes: u64,
    /// Frames of the shortest length that these can belong to, in both directions; the gap between frames is not counted, as the
    /// paper does not.
    pub worst_frames: u64,
}

/// XFabric beside one large circuit switch.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "XFabricPlan")]
pub struct Plan {
    /// What was planned.
    #[schemars(extend("const" = NAME))]
    pub system: &'static str,
    /// Every setting, also those that were left out.
    pub input: Input,
    /// Internal ports of all SoCs: what a fully reconfigurable fabric offers.
    pub soc_ports: u64,
    /// Circuits inside the rack: two ports each.
    pub circuits: u64,
    /// Circuits of these that are fixed, because crosspoints have an odd number of ports (§6.1).
    pub fixed_circuits: u64,
    /// Ports that no circuit can use.
    pub unused_ports: u64,
    /// XFabric's internal crosspoints; uplinks are apart, as in Table 1.
    pub xfabric: Switches,
    /// XFabric's uplink crosspoint: a port of each SoC and of each uplink (§6.1).
    pub uplinks: Switches,
    /// The fully reconfigurable fabric, as a folded Clos.
    pub clos: Switches,
    /// How much less XFabric's internal crosspoints draw and cost: the folded Clos over them.
    pub ratio: f64,
    /// At a reconfiguration.
    pub loss: Loss,
    /// Price and power of a port, with their dates and sources.
    pub prices: Vec<Used>,
    /// What a person should know before believing it.
    pub warnings: Vec<String>,
}

/// Plans the rack of `input`.
///
/// # Errors
/// There is no ASIC with a port for every SoC.
pub fn plan(input: &Input) -> Result<Plan, Impossible> {
    let (socs, ports) = (input.socs, input.soc_ports);
    if socs > input.asic_ports {
        return Err(Impossible::Crosspoint { socs, ports: input.asic_ports });
    }
    let all = socs * ports;
    let fixed = if socs.is_multiple_of(2) { 0 } else { ports / 2 };
    let asics = |ports: u64| ports.div_ceil(input.asic_ports);
    let clos_ports = if all <= input.asic_ports { all } else { all * input.clos_factor };
    let xfabric = Switches::new(all, ports * asics(socs), input);
    let clos = Switches::new(clos_ports, asics(clos_ports), input);
    let uplink_ports = socs + input.uplinks;
    // Bits in the switching time, in whole bytes.
    let bits = u128::from(input.port_rate.as_bps()) * u128::from(input.switching.as_ps());
    let bytes = u64::try_from(bits.div_ceil(8 * 1_000_000_000_000)).unwrap_or(u64::MAX);
    let mut warnings = Vec::new();
    if uplink_ports > input.asic_ports {
        warnings.push(format!(
            "the uplink crosspoint has {uplink_ports} ports and an ASIC has {}: it takes several, and what joins them is not \
             counted",
            input.asic_ports
        ));
    }
    Ok(Plan {
        system: NAME,
        input: input.clone(),
        soc_ports: all,
        circuits: all / 2,
        fixed_circuits: fixed,
        unused_ports: all % 2,
        xfabric,
        uplinks: Switches::new(uplink_ports, asics(uplink_ports), input),
        ratio: float(clos_ports) / float(all),
        clos,
        loss: Loss { bytes, worst_frames: 2 * (1 + bytes.div_ceil(SHORTEST_FRAME)) * u64::from(bytes > 0) },
        prices: input.used.clone(),
        warnings,
    })
}
