//! Settings, which a wiring and a previous configuration may say already.

use super::document::Input;
use super::{ConfigureError, Wiring};
use crate::demand::file::Reading;
use crate::generate::TieBreak;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::Flat;

/// What a person can say of a configuration. With a previous one, what is not set is as it was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Settings {
    /// Ports of a SoC that connect to crosspoints, unless a wiring says it.
    #[schemars(range(min = 1, max = 16))]
    pub soc_ports: u32,
    /// Crosspoints, unless a wiring says it; 1 is a single switch for all ports.
    #[schemars(range(min = 1, max = 16), extend("x-default" = "as many as a SoC has ports"))]
    pub crosspoints: Option<u32>,
    /// Uplinks of the rack.
    #[schemars(extend("x-default" = "8 with traffic into or out of the rack, else 0"))]
    pub uplinks: Option<u32>,
    /// Weight of this demand when it is averaged with the previous one (§4.1); the paper does not state it.
    #[schemars(range(min = 0.000_001, max = 1.0))]
    pub weight: f64,
    /// Which of pairs with equal demand comes first.
    pub ties: TieBreak,
    /// What shuffled ties and fixed circuits are drawn from.
    pub seed: u64,
    /// Whether ports that an odd number leaves over are joined permanently by cables (§6.1).
    pub fixed_circuits: bool,
}

/// Uplinks of a rack that has traffic into it or out of it.
const UPLINKS: u32 = 8;

impl Default for Settings {
    /// The rack of §6; the weight is ours.
    fn default() -> Settings {
        Settings {
            soc_ports: 6,
            crosspoints: None,
            uplinks: None,
            weight: 0.5,
            ties: TieBreak::Shuffled,
            seed: 1,
            fixed_circuits: true,
        }
    }
}

pub(super) fn read(
    given: &Flat,
    before: Option<&Input>,
    wired: Option<(&Wiring, &str)>,
    reading: &Reading,
    failed: &[String],
) -> Result<Input, ConfigureError> {
    let settings: Settings = given.read()?;
    let socs = reading.names.len() as u32;
    let (soc_ports, crosspoints) = match wired {
        Some((wiring, file)) => {
            let (ports, crosspoints) = (wiring.ports(), wiring.crosspoints.len() as u32);
            let differs = [
                ("soc_ports", settings.soc_ports != ports),
                ("crosspoints", settings.crosspoints != Some(crosspoints)),
            ];
            if let Some((key, _)) = differs.into_iter().find(|(key, differs)| *differs && given.has(key)) {
                return Err(ConfigureError::WiringSays { key, file: file.to_owned() });
            }
            (ports, crosspoints)
        }
        None => {
            let crosspoints = settings.crosspoints.unwrap_or(settings.soc_ports);
            if crosspoints > settings.soc_ports {
                let most = settings.soc_ports;
                let expected = format!("expected a whole number from 1 to {most}, the ports of a SoC");
                return Err(given.refusal("crosspoints", expected).into());
            }
            (settings.soc_ports, crosspoints)
        }
    };
    if settings.uplinks.is_some_and(|uplinks| uplinks > socs) {
        return Err(given.refusal("uplinks", format!("expected a whole number from 0 to {socs}")).into());
    }
    let outside = reading.external.sent.iter().chain(&reading.external.received).any(|&bytes| bytes > 0);
    let uplinks = if outside { UPLINKS.min(socs) } else { 0 };
    let mut input = Input {
        soc_ports,
        crosspoints,
        uplinks: settings.uplinks.unwrap_or(uplinks),
        weight: settings.weight,
        ties: settings.ties,
        seed: settings.seed,
        fixed_circuits: settings.fixed_circuits,
        failed: failed.to_vec(),
    };
    if let Some(before) = before {
        let kept = |key| !given.has(key);
        input.uplinks = if kept("uplinks") { before.uplinks } else { input.uplinks };
        input.weight = if kept("weight") { before.weight } else { input.weight };
        input.ties = if kept("ties") { before.ties } else { input.ties };
        input.seed = if kept("seed") { before.seed } else { input.seed };
        input.fixed_circuits = if kept("fixed_circuits") { before.fixed_circuits } else { input.fixed_circuits };
    }
    Ok(input)
}
