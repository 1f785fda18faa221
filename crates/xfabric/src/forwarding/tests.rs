use super::*;
use crate::demand::{Demand, External};
use crate::generate::crosspoints::Fabric;
use crate::generate::{Ties, Uplinks, generate};
use crate::graph::Port;
use crate::graph::random_rack::random_graph;
use proptest::prelude::*;

/// Updates with a gateway for each SoC or for none.
fn updates(graph: &Graph, with_gateway: bool) -> Vec<Update> {
    let external = External { sent: (0..graph.socs().into()).collect(), received: vec![0; graph.socs() as usize] };
    let uplinks = Uplinks::place(&external, 2).expect("placed");
    let address = |port: Port| Mac([2, 0, (port.soc >> 8) as u8, port.soc as u8, 0, port.number as u8]);
    let version = 0x0123_4567_89ab_cdef;
    Update::of_rack(graph, &Distances::of(graph), with_gateway.then_some(&uplinks), version, address)
}

proptest! {
    /// Each port leads one hop nearer, and each that does is there; so nothing goes in circles and everything arrives.
    #[test]
    fn tables_are_all_shortest_paths(graph in random_graph(20)) {
        let distances = Distances::of(&graph);
        let tables = tables(&graph, &distances);
        prop_assert_eq!(check(&graph, &tables), Ok(()));
        for soc in 0..graph.socs() {
            for to in 0..graph.socs() {
                let nearer = |&(_, peer): &(u32, u32)| {
                    soc != to && distances.hops(soc, to).is_some_and(|hops| distances.hops(peer, to) == Some(hops - 1))
                };
                let ports: Vec<u32> = graph.neighbours(soc).filter(nearer).map(|(port, _)| port).collect();
                prop_assert_eq!(tables[soc as usize].toward(to).collect::<Vec<_>>(), ports);
            }
        }
    }

    #[test]
    fn what_is_decoded_is_what_was_encoded(graph in random_graph(40), with_gateway in any::<bool>()) {
        let updates = updates(&graph, with_gateway);
        prop_assert_eq!(updates.len(), graph.socs() as usize);
        for update in updates {
            let bytes = update.encode();
            prop_assert_eq!(bytes.len(), Update::encoded_len(graph.socs(), graph.ports()));
            prop_assert_eq!(update.gateway.is_some(), with_gateway);
            prop_assert_eq!(Update::decode(&bytes), Ok(update));
        }
    }

    /// Whatever arrives is refused or is what `encode` would have sent.
    #[test]
    fn bytes_from_anywhere(bytes in prop::collection::vec(any::<u8>(), 0..80), socs in 2_u16..20, ports in 1_u8..5) {
        let mut bytes = bytes;
        if let Some(head) = bytes.get_mut(8..13) {
            head.copy_from_slice(&[(socs >> 8) as u8, socs as u8, 255, 255, ports]);
            bytes.resize(Update::encoded_len(socs.into(), ports.into()), 0);
        }
        if let Ok(update) = Update::decode(&bytes) {
            prop_assert_eq!(update.encode(), bytes);
        }
    }
}

#[test]
fn a_rack_of_512_fits_in_a_kilobyte() {
    // §4.4: "less than 1 KB".
    let fabric = Fabric::port_by_port(512, 6).expect("a fabric");
    let demand = Demand::none(512).expect("a matrix");
    let graph = generate(&fabric, &demand, Ties::Shuffled(1)).expect("sizes agree").graph(&fabric);
    let updates = updates(&graph, true);
    let bytes = updates[511].encode();
    assert_eq!(bytes.len(), 433);
    assert_eq!(Update::decode(&bytes).as_ref(), Ok(&updates[511]));
    let peer = graph.peer(Port { soc: 511, number: 3 }).expect("all ports are used");
    assert_eq!(updates[511].neighbours[3], Some(Mac([2, 0, (peer.soc >> 8) as u8, peer.soc as u8, 0, 3])));
    assert_eq!((updates[511].gateway, updates[510].gateway), (Some(511), Some(510)));
}

#[test]
fn what_is_no_update() {
    let mut graph = Graph::new(3, 2);
    graph.join_socs(0, 1);
    graph.join_socs(1, 2);
    let bytes = updates(&graph, true)[1].encode();
    let why = |bytes: &[u8]| Update::decode(bytes).expect_err("refused").to_string();
    assert_eq!(why(&bytes[..5]), "an update of 13 B is expected, here are 5 B");
    assert_eq!(why(&bytes[..20]), "an update of 26 B is expected, here are 20 B");
    let with = |at: usize, byte: u8| {
        let mut bytes = bytes.clone();
        bytes[at] = byte;
        bytes
    };
    assert_eq!(why(&with(12, 40)), "an update for 3 SoCs of 40 ports; a rack has 2 to 16384 SoCs of 1 to 16 ports");
    assert_eq!(why(&with(9, 0)), "an update for 0 SoCs of 2 ports; a rack has 2 to 16384 SoCs of 1 to 16 ports");
    assert_eq!(why(&with(11, 3)), "the gateway is SoC 3, SoCs are 0 to 2");
    assert_eq!(why(&with(25, 0xff)), "bits after the last destination are set");
}

/// A ring of three, both ways round.
fn ring() -> Graph {
    let mut graph = Graph::new(3, 2);
    for soc in 0..3 {
        graph.join(Port { soc, number: 0 }, Port { soc: (soc + 1) % 3, number: 1 });
    }
    graph
}

#[test]
fn faults_are_found_and_named() {
    let graph = ring();
    let good = tables(&graph, &Distances::of(&graph));
    let why = |soc: usize, toward: [u16; 3]| {
        let mut tables = good.clone();
        tables[soc] = Table::new(2, toward.to_vec());
        check(&graph, &tables).map_err(|fault| fault.to_string())
    };
    assert_eq!(check(&graph, &good), Ok(()));
    // The long way round is a detour, no loop.
    assert_eq!(why(0, [0, 0b10, 0b10]), Ok(()));
    // SoC 2 sends packets for SoC 1 to SoC 0, and SoC 0 by the long way: through SoC 2.
    let mut both = good.clone();
    both[0] = Table::new(2, vec![0, 0b10, 0b10]);
    both[2] = Table::new(2, vec![0b01, 0b01, 0]);
    let fault = check(&graph, &both).expect_err("a loop");
    assert_eq!(fault.to_string(), "packets for SoC 1 can go in a circle through SoCs 0, 2");
    assert_eq!(why(0, [0, 0, 0b10]), Err("SoC 0 has no port for packets to SoC 1, though there is a path".into()));
    let mut broken = graph.clone();
    broken.part(Port { soc: 0, number: 0 });
    let fault = check(&broken, &good).expect_err("no link");
    assert_eq!(fault.to_string(), "SoC 1 sends packets for SoC 0 by port 1, which has no link");
}
