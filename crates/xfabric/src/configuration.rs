//! A configuration for a rack that somebody has: one period of the controller (§4), with files in the place of reports and updates.
//!
//! Demand comes from a file and is averaged with what the previous configuration was for (§4.1). Uplinks are placed (§4.2), circuits
//! chosen (§4.3), forwarding tables made, and the circuits that change listed. Crosspoints are whatever a wiring says, so an
//! optical switch will do as well as the paper's electrical ones.

pub mod document;
mod input;
mod named;
mod previous;
#[cfg(test)]
mod tests;
pub mod wiring;

pub use document::Configuration;
pub use input::Settings;
pub use previous::{Previous, PreviousError};
pub use wiring::{Wiring, WiringProblem};

use crate::demand::file::{Reading, read};
use crate::demand::records::ReadError;
use crate::demand::{Demand, DemandError, DemandVector, Estimate, EstimateError, External, file, index};
use crate::generate::crosspoints::{Fabric, FabricError};
use crate::generate::{Uplinks, UplinksError, generate};
use crate::graph::Port;
use engine::Seed;
use named::Computed;
use settings::{Flat, SettingError, cure};

/// A file's text, and its name for messages.
#[derive(Debug, Clone, Copy)]
pub struct File<'a> {
    /// What is in it.
    pub text: &'a str,
    /// What it is called.
    pub name: &'a str,
}

/// What a configuration is made from.
#[derive(Debug)]
pub struct Request<'a> {
    /// The demand of the latest period ([`crate::demand::file`]).
    pub demand: File<'a>,
    /// The configuration that is in force, as it was written.
    pub previous: Option<File<'a>>,
    /// The rack's wiring ([`wiring`]). Without, that of the previous configuration; without that, port by port.
    pub wiring: Option<File<'a>>,
    /// SoCs (`name`) and ports (`name:port`) that are out of order.
    pub failed: &'a [String],
    /// [`Settings`]. What is not set is as in the previous configuration.
    pub settings: Flat,
}

/// Why there is no configuration.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ConfigureError {
    /// A setting that cannot be.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// A demand that cannot be read.
    #[error(transparent)]
    File(#[from] ReadError<file::Problem>),
    /// A wiring that cannot be read.
    #[error(transparent)]
    Wiring(#[from] ReadError<WiringProblem>),
    /// What is no previous configuration.
    #[error(transparent)]
    Previous(#[from] PreviousError),
    /// A rack that cannot be.
    #[error(transparent)]
    Fabric(#[from] FabricError),
    /// A rack without such uplinks.
    #[error(transparent)]
    Uplinks(#[from] UplinksError),
    /// Demand that no matrix holds.
    #[error(transparent)]
    Demand(#[from] DemandError),
    /// An average that cannot be.
    #[error(transparent)]
    Estimate(#[from] EstimateError),
    /// Two racks.
    #[error("{wiring}: its SoCs are not those of {previous}; leave the previous configuration out to begin anew")]
    OtherRack {
        /// The wiring's name.
        wiring: String,
        /// The previous configuration's.
        previous: String,
    },
    /// What the wiring says already.
    #[error("{key}: the wiring says that already; leave it out, or change {file}")]
    WiringSays {
        /// The setting.
        key: &'static str,
        /// Where the wiring is.
        file: String,
    },
    /// Nothing that could fail.
    #[error("failed {name}: {cure}")]
    Failed {
        /// What was named.
        name: String,
        /// What was probably meant.
        cure: String,
    },
}

/// Makes a configuration.
///
/// # Errors
/// For the first thing that is wrong with the request.
pub fn configure(request: Request<'_>) -> Result<Configuration, ConfigureError> {
    let previous = request.previous.map(|file| Previous::read(file.text, file.name)).transpose()?;
    let mut wiring = request.wiring.map(|file| Wiring::read(file.text, file.name)).transpose()?;
    if let (Some(wiring), Some(previous)) = (&wiring, &previous)
        && wiring.socs != previous.wiring.socs
    {
        let name = |file: Option<File<'_>>| file.map_or_else(String::new, |file| file.name.to_owned());
        return Err(ConfigureError::OtherRack { wiring: name(request.wiring), previous: name(request.previous) });
    }
    let wired_by = request.wiring.or(request.previous).map(|file| file.name);
    wiring = wiring.or_else(|| previous.as_ref().map(|previous| previous.wiring.clone()));
    let known = wiring.as_ref().map(|wiring| wiring.socs.as_slice());
    let reading = read(request.demand.text, request.demand.name, known)?;
    let before = previous.as_ref().map(|previous| &previous.written.input);
    let input = input::read(&request.settings, before, wiring.as_ref().zip(wired_by), &reading, request.failed)?;
    let wiring = wiring.unwrap_or_else(|| Wiring::regular(reading.names.clone(), input.soc_ports, input.crosspoints));

    let mut fabric = wiring.fabric()?;
    // Ports fail after those that an odd number leaves over have been joined: cables stay where they are.
    if input.fixed_circuits {
        fabric = fabric.with_fixed_circuits(Seed(input.seed));
    }
    for name in &input.failed {
        fail(&mut fabric, &wiring, name)?;
    }
    let (inside, external) = averaged(&reading, previous.as_ref(), input.weight)?;
    let uplinks = (input.uplinks > 0).then(|| Uplinks::place(&external, input.uplinks)).transpose()?;
    let demand = match &uplinks {
        Some(uplinks) => uplinks.demand(&inside, &external)?,
        None => inside.clone(),
    };
    let cabling = generate(&fabric, &demand, input.ties.with(input.seed)).expect("the matrix is of the rack's SoCs");
    let found = Computed { wiring, fabric, inside, external, uplinks, demand, cabling };
    Ok(found.written(input, previous.as_ref()))
}

/// Leaves out a SoC, or a port of one.
fn fail(fabric: &mut Fabric, wiring: &Wiring, name: &str) -> Result<(), ConfigureError> {
    let soc = |name: &str| wiring.socs.iter().position(|each| each == name).map(|at| at as u32);
    if let Some(soc) = soc(name) {
        return Ok(fabric.fail_soc(soc)?);
    }
    let refused = |cure: String| ConfigureError::Failed { name: name.to_owned(), cure };
    let Some((of, port)) = name.rsplit_once(':') else {
        let near = cure("", name, wiring.socs.iter().map(String::as_str));
        let near = if near.starts_with("did") { near } else { "write a name of the demand's SoCs".to_owned() };
        return Err(refused(format!("there is no such SoC; {near}")));
    };
    let Some(soc) = soc(of) else {
        return Err(refused(format!("there is no SoC `{of}`")));
    };
    let ports = wiring.ports();
    let number = port.parse().ok().filter(|&number| number < ports);
    let number = number.ok_or_else(|| refused(format!("`{port}` is no port of a SoC; write 0 to {}", ports - 1)))?;
    Ok(fabric.fail_port(Port { soc, number })?)
}

/// The latest period's demand, averaged with what was before (§4.1).
fn averaged(reading: &Reading, previous: Option<&Previous>, weight: f64) -> Result<(Demand, External), ConfigureError> {
    let Some(previous) = previous else { return Ok((reading.demand.clone(), reading.external.clone())) };
    let mut estimate = Estimate::new(reading.demand.socs(), weight)?;
    for soc in 0..reading.demand.socs() {
        estimate.report(soc, &previous.vector(soc))?;
        let External { sent, received } = &reading.external;
        let latest = DemandVector {
            internal: reading.demand.row(soc).to_vec(),
            sent: sent[index(soc)],
            received: received[index(soc)],
        };
        estimate.report(soc, &latest)?;
    }
    Ok((estimate.demand(), estimate.external().clone()))
}
