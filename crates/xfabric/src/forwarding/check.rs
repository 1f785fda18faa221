//! Do packets arrive? Of whatever tables the SoCs have.

use super::Table;
use crate::demand::index;
use crate::graph::{Graph, Port};

/// Why a packet does not arrive.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It may go round.
    #[error("packets for SoC {destination} can go in a circle through SoCs {}", list(through))]
    Loop {
        /// Where they should go.
        destination: u32,
        /// The circle, from its least SoC on.
        through: Vec<u32>,
    },
    /// It leaves by a port without a link.
    #[error("SoC {soc} sends packets for SoC {destination} by port {port}, which has no link")]
    NoLink {
        /// Who sends.
        soc: u32,
        /// By which port.
        port: u32,
        /// To whom.
        destination: u32,
    },
    /// It has nowhere to go, though there are links that lead there.
    #[error("SoC {soc} has no port for packets to SoC {destination}, though there is a path")]
    NoWay {
        /// Where it gets stuck.
        soc: u32,
        /// Where it should go.
        destination: u32,
    },
}

fn list(socs: &[u32]) -> String {
    let socs: Vec<String> = socs.iter().map(u32::to_string).collect();
    socs.join(", ")
}

/// Whatever ports packets take of those that the tables allow, do they reach their destination over this graph? Names the first
/// fault, by destination and then by SoC. O(n² d).
///
/// # Errors
/// The fault.
///
/// # Panics
/// If there are fewer tables than SoCs.
pub fn check(graph: &Graph, tables: &[Table]) -> Result<(), Fault> {
    let components = graph.components();
    (0..graph.socs()).try_for_each(|destination| check_destination(graph, tables, &components, destination))
}

fn check_destination(graph: &Graph, tables: &[Table], components: &[u32], destination: u32) -> Result<(), Fault> {
    // Depth first; a SoC is on the path that is being followed, done, or new.
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        OnPath,
        Done,
    }
    let mut state = vec![State::New; index(graph.socs())];
    state[index(destination)] = State::Done;
    for start in 0..graph.socs() {
        if state[index(start)] != State::New {
            continue;
        }
        state[index(start)] = State::OnPath;
        // SoCs of the path, and the ports of each that are still to be followed.
        let mut path = vec![(start, tables[index(start)].set(destination))];
        while let Some((soc, left)) = path.last_mut() {
            let soc = *soc;
            if *left == 0 {
                let stuck = tables[index(soc)].set(destination) == 0;
                if stuck && components[index(soc)] == components[index(destination)] {
                    return Err(Fault::NoWay { soc, destination });
                }
                state[index(soc)] = State::Done;
                path.pop();
                continue;
            }
            let port = left.trailing_zeros();
            *left &= *left - 1;
            let Some(peer) = graph.peer(Port { soc, number: port }) else {
                return Err(Fault::NoLink { soc, port, destination });
            };
            match state[index(peer.soc)] {
                State::New => {
                    state[index(peer.soc)] = State::OnPath;
                    path.push((peer.soc, tables[index(peer.soc)].set(destination)));
                }
                State::OnPath => {
                    let path = path.iter().map(|&(soc, _)| soc);
                    let mut through: Vec<u32> = path.skip_while(|&soc| soc != peer.soc).collect();
                    let least = (0..through.len()).min_by_key(|&at| through[at]).unwrap_or(0);
                    through.rotate_left(least);
                    return Err(Fault::Loop { destination, through });
                }
                State::Done => {}
            }
        }
    }
    Ok(())
}
