//! Which transport carries which workload.

use transport::Config;

/// The transports of a run, each once, and which one each workload has.
#[derive(Debug, Clone, PartialEq)]
pub struct Transports {
    /// The transports.
    pub protocols: Vec<Config>,
    /// For each workload, which of them.
    pub of_workload: Vec<u16>,
}

impl Transports {
    /// One for all of so many workloads.
    pub fn same(protocol: Config, workloads: usize) -> Transports {
        Transports { protocols: vec![protocol], of_workload: vec![0; workloads] }
    }

    /// That of a workload.
    pub fn of(&self, workload: usize) -> &Config {
        &self.protocols[usize::from(self.of_workload[workload])]
    }

    /// Their names, as results have them.
    pub fn name(&self) -> String {
        let mut names: Vec<&str> = Vec::new();
        for protocol in &self.protocols {
            if !names.contains(&protocol.name()) {
                names.push(protocol.name());
            }
        }
        names.join(" + ")
    }
}
