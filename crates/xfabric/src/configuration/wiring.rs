//! Which port of which SoC hangs on which port of which crosspoint, as somebody has it: `soc,port,crosspoint,crosspoint_port`.
//!
//! SoCs and crosspoints have names of any kind and are numbered as they come. A SoC's ports are numbers from 0. A port that no line
//! names is not there: no circuit uses it. The last column may be left out; a crosspoint's port is then called after the SoC.

use crate::MOST_PORTS;
use crate::demand::file::RackNames;
use crate::demand::index;
use crate::demand::records::{ReadError, Records};
use crate::generate::crosspoints::{Fabric, FabricError};
use crate::graph::Port;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where a SoC's port hangs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "XFabricPlug")]
pub struct Plug {
    /// The crosspoint's name.
    pub crosspoint: String,
    /// What that crosspoint calls the port.
    pub port: String,
}

/// A rack's SoCs and where their ports hang.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wiring {
    /// Names of SoCs, by number.
    pub socs: Vec<String>,
    /// Names of crosspoints, by number.
    pub crosspoints: Vec<String>,
    /// By SoC and port; `None` for a port that is not there.
    pub plugs: Vec<Vec<Option<Plug>>>,
}

/// What is wrong with a wiring.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WiringProblem {
    /// Other columns.
    #[error(
        "a wiring begins with `soc,port,crosspoint` or `soc,port,crosspoint,crosspoint_port`, this file with `{given}`"
    )]
    Header {
        /// The first line.
        given: String,
    },
    /// More or fewer fields than the first line has.
    #[error("expected {expected} fields, as the first line has; here are {given}")]
    Fields {
        /// How many the first line has.
        expected: usize,
        /// How many there are.
        given: usize,
    },
    /// An empty field.
    #[error("nothing stands here; write the name of the {what}")]
    Empty {
        /// Of what.
        what: &'static str,
    },
    /// A SoC called like the world outside.
    #[error("`uplink` stands for the world outside; call the SoC something else")]
    Outside,
    /// No number of a port.
    #[error("`{text}` is no port of a SoC; write 0 to 15")]
    Port {
        /// What stands there.
        text: String,
    },
    /// A SoC's port is there twice.
    #[error("port {port} of `{soc}` hangs on a crosspoint already; give each port one line")]
    PortTwice {
        /// The SoC.
        soc: String,
        /// Its port.
        port: u32,
    },
    /// A crosspoint's port is there twice.
    #[error("port {port} of crosspoint `{crosspoint}` has a SoC's port already; give each one line")]
    CrosspointPortTwice {
        /// The crosspoint.
        crosspoint: String,
        /// Its port.
        port: String,
    },
    /// No rack.
    #[error(transparent)]
    Fabric(#[from] FabricError),
}

const COLUMNS: [&str; 4] = ["soc", "port", "crosspoint", "crosspoint_port"];

impl Wiring {
    /// Port `i` of every SoC on crosspoint `i`; where there are fewer crosspoints, they take turns. A crosspoint's ports are numbered
    /// as SoCs are, turn after turn: in a rack of 343, SoC 7 has port 7 and, if a second port of it hangs there, port 350.
    pub fn regular(socs: Vec<String>, ports: u32, crosspoints: u32) -> Wiring {
        let many = socs.len();
        let plug = |soc: usize, port: u32| {
            let place = soc + many * index(port / crosspoints);
            Some(Plug { crosspoint: (port % crosspoints).to_string(), port: place.to_string() })
        };
        let plugs = (0..many).map(|soc| (0..ports).map(|port| plug(soc, port)).collect()).collect();
        Wiring { socs, crosspoints: (0..crosspoints).map(|number| number.to_string()).collect(), plugs }
    }

    /// Reads a file, whose name is for messages.
    ///
    /// # Errors
    /// For the first line that is wrong.
    pub fn read(text: &str, file: &str) -> Result<Wiring, ReadError<WiringProblem>> {
        let mut records = Records::new(text, file);
        let first = records.next();
        let given = first.map(|record| record.fields).unwrap_or_default();
        let expected = given.len();
        if !(3..=4).contains(&expected)
            || given.iter().map(|name| name.to_lowercase()).ne(COLUMNS[..expected].iter().copied())
        {
            return Err(records.at(1, 0, WiringProblem::Header { given: given.join(",") }));
        }
        let (mut names, mut crosspoints) = (RackNames::new(None), Vec::new());
        let mut plugs: Vec<Vec<Option<Plug>>> = Vec::new();
        let mut used = std::collections::BTreeSet::new();
        while let Some(record) = records.next() {
            let wrong = |column, problem| records.at(record.line, column, problem);
            let fields = &record.fields;
            if fields.len() != expected {
                return Err(wrong(0, WiringProblem::Fields { expected, given: fields.len() }));
            }
            if let Some(empty) = fields.iter().position(String::is_empty) {
                return Err(wrong(
                    empty + 1,
                    WiringProblem::Empty { what: ["SoC", "port", "crosspoint", "crosspoint's port"][empty] },
                ));
            }
            let Ok(Some(soc)) = names.number(&fields[0]) else {
                return Err(wrong(1, WiringProblem::Outside));
            };
            let port = fields[1].parse().ok().filter(|&port| port < MOST_PORTS);
            let port = port.ok_or_else(|| wrong(2, WiringProblem::Port { text: fields[1].clone() }))?;
            let crosspoint = fields[2].clone();
            if !crosspoints.contains(&crosspoint) {
                crosspoints.push(crosspoint.clone());
            }
            let label = fields.get(3).map_or_else(|| format!("{}:{port}", fields[0]), Clone::clone);
            let plug = Plug { crosspoint, port: label };
            if !used.insert(plug.clone()) {
                let problem = WiringProblem::CrosspointPortTwice { crosspoint: plug.crosspoint, port: plug.port };
                return Err(wrong(4, problem));
            }
            if plugs.len() <= soc {
                plugs.push(Vec::new());
            }
            let of_soc = &mut plugs[soc];
            of_soc.resize(of_soc.len().max(index(port) + 1), None);
            if of_soc[index(port)].replace(plug).is_some() {
                return Err(wrong(2, WiringProblem::PortTwice { soc: fields[0].clone(), port }));
            }
        }
        let ports = plugs.iter().map(Vec::len).max().unwrap_or(0);
        plugs.iter_mut().for_each(|of_soc| of_soc.resize(ports, None));
        let wiring = Wiring { socs: names.finish(), crosspoints, plugs };
        wiring.fabric().map_err(|why| records.at(0, 0, WiringProblem::Fabric(why)))?;
        Ok(wiring)
    }

    /// Ports of a SoC, in use or not.
    pub fn ports(&self) -> u32 {
        self.plugs.first().map_or(0, |of_soc| of_soc.len() as u32)
    }

    /// The fabric that it is; ports that are not there are out of order.
    ///
    /// # Errors
    /// For racks that [`Fabric`] refuses.
    pub fn fabric(&self) -> Result<Fabric, FabricError> {
        let number = |name: &String| self.crosspoints.iter().position(|each| each == name).unwrap_or(0) as u32;
        let of_port = |plug: &Option<Plug>| plug.as_ref().map_or(0, |plug| number(&plug.crosspoint));
        let hangs: Vec<u32> = self.plugs.iter().flatten().map(of_port).collect();
        let mut fabric = Fabric::wired(self.socs.len() as u32, self.ports(), hangs)?;
        for (soc, of_soc) in (0..).zip(&self.plugs) {
            for (port, _) in (0..).zip(of_soc).filter(|(_, plug)| plug.is_none()) {
                fabric.fail_port(Port { soc, number: port })?;
            }
        }
        Ok(fabric)
    }

    /// Where a port hangs; `None` if it is not there.
    pub fn plug(&self, port: Port) -> Option<&Plug> {
        self.plugs[index(port.soc)][index(port.number)].as_ref()
    }
}
