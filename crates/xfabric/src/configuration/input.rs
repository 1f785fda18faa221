//! Settings, which a wiring and a previous configuration may say already.

use super::document::Input;
use super::{ConfigureError, Wiring};
use crate::demand::file::Reading;
use settings::{Given, SettingError};

pub(super) fn read(
    mut given: Given,
    before: Option<&Input>,
    wired: Option<(&Wiring, &str)>,
    reading: &Reading,
    failed: &[String],
) -> Result<Input, ConfigureError> {
    let s = &mut given;
    let socs = reading.names.len() as u64;
    // Counts that a wiring has are taken from it: 0 stands for "not given".
    let count = |s: &mut Given, key, most| s.count(key, 0, 1..=most);
    let (ports, crosspoints) = (count(s, "soc_ports", 16)?, count(s, "crosspoints", 16)?);
    let (soc_ports, crosspoints) = match wired {
        Some((wiring, file)) => {
            let says =
                [("soc_ports", ports, wiring.ports()), ("crosspoints", crosspoints, wiring.crosspoints.len() as u32)];
            if let Some(&(key, ..)) = says.iter().find(|(_, given, wired)| *given != 0 && *given != u64::from(*wired)) {
                return Err(ConfigureError::WiringSays { key, file: file.to_owned() });
            }
            (says[0].2, says[1].2)
        }
        None => {
            let ports = if ports == 0 { 6 } else { ports };
            if crosspoints > ports {
                let expected = format!("expected a whole number from 1 to {ports}, the ports of a SoC");
                return Err(SettingError::Value {
                    key: "crosspoints".to_owned(),
                    value: crosspoints.to_string(),
                    expected,
                }
                .into());
            }
            (ports as u32, if crosspoints == 0 { ports } else { crosspoints } as u32)
        }
    };
    let outside = reading.external.sent.iter().chain(&reading.external.received).any(|&bytes| bytes > 0);
    let uplinks = before.map_or(if outside { 8.min(socs) } else { 0 }, |before| u64::from(before.uplinks));
    let by_number = before.is_some_and(|before| before.ties == "by-number");
    let words = [("shuffled", "shuffled"), ("by-number", "by-number")];
    let input = Input {
        soc_ports,
        crosspoints,
        uplinks: s.count("uplinks", uplinks, 0..=socs)? as u32,
        weight: s.number("weight", before.map_or(0.5, |before| before.weight), 1e-6..=1.0)?,
        ties: s.word("ties", words[usize::from(by_number)].1, &words)?.to_owned(),
        seed: s.count("seed", before.map_or(1, |before| before.seed), 0..=u64::MAX)?,
        fixed_circuits: s.word(
            "fixed_circuits",
            before.is_none_or(|before| before.fixed_circuits),
            &[("yes", true), ("no", false)],
        )?,
        failed: failed.to_vec(),
    };
    given.finish()?;
    Ok(input)
}
