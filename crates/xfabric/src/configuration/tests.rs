use super::*;
use proptest::prelude::*;

const LIST: &str = "source,destination,bytes\na,b,900\nb,a,100\nc,d,5\nd,uplink,50\nuplink,c,7\n";

fn request<'a>(demand: &'a str, settings: &str) -> Request<'a> {
    Request {
        demand: File { text: demand, name: "demand.csv" },
        previous: None,
        wiring: None,
        failed: &[],
        settings: Flat::parse(settings).expect("an object"),
    }
}

fn made(demand: &str, settings: &str) -> Configuration {
    configure(request(demand, settings)).expect("made")
}

fn refused(request: Request<'_>) -> String {
    configure(request).expect_err("refused").to_string()
}

fn json(configuration: &Configuration) -> String {
    serde_json::to_string(configuration).expect("names and numbers")
}

fn after<'a>(demand: &'a str, previous: &'a str, settings: &str) -> Request<'a> {
    Request { previous: Some(File { text: previous, name: "topology.json" }), ..request(demand, settings) }
}

#[test]
fn a_configuration_has_circuits_tables_and_uplinks_with_names() {
    let found = made(LIST, r#"{"soc_ports": 3, "uplinks": 1}"#);
    assert_eq!((found.version, found.socs.join(" ")), (1, "a b c d".to_owned()));
    assert_eq!((found.input.soc_ports, found.input.crosspoints, found.input.uplinks), (3, 3, 1));
    // The most demand first; port and crosspoint have the same number, and a crosspoint's ports those of SoCs.
    let first = &found.crosspoints[0].circuits[0];
    assert_eq!(
        (first.socs.join(" "), first.ports.join(" "), first.soc_ports),
        ("a b".to_owned(), "0 1".to_owned(), [0, 0])
    );
    assert_eq!((first.bytes, first.turn, first.new), (1000, 0, true));
    // d has the most traffic to the world, and c's goes through it: 5 B to d, 7 B from the uplink.
    let [uplink] = found.uplinks.as_slice() else { panic!("one uplink") };
    assert_eq!((uplink.soc.as_str(), uplink.ports, uplink.bytes, uplink.used_by.len()), ("d", [3, 4], 57, 4));
    let all = found.crosspoints.iter().flat_map(|crosspoint| &crosspoint.circuits);
    assert!(all.clone().any(|circuit| circuit.socs.join(" ") == "c d" && circuit.bytes == 12));
    assert_eq!(all.count(), 6);
    let table = &found.forwarding[0];
    assert_eq!((table.gateway.as_deref(), table.neighbours[0].as_deref()), (Some("d"), Some("b")));
    assert!(table.toward[0].is_empty() && table.toward[1].contains(&0) && !table.toward[3].is_empty());
    assert_eq!(found.update_bytes, 13 + 18 + 2);
    assert_eq!(
        (found.summary.path_length, found.summary.direct, found.summary.connected),
        (Some(1.0), Some(1.0), true)
    );
    assert_eq!((found.changes, found.warnings.len()), (None, 0));
    assert_eq!(found.demand.inside, [(0, 1, 900), (1, 0, 100), (2, 3, 5)]);
}

#[test]
fn a_following_period_is_averaged_and_its_changes_are_listed() {
    let first = made(LIST, r#"{"soc_ports": 3, "uplinks": 1, "weight": 0.25, "seed": 9}"#);
    let text = json(&first);
    let same = configure(after(LIST, &text, "{}")).expect("made");
    assert_eq!((same.version, same.input), (2, first.input.clone()));
    assert_eq!(same.crosspoints.iter().flat_map(|each| &each.circuits).filter(|circuit| circuit.new).count(), 0);
    assert_eq!(
        same.changes.map(|changes| (changes.version, changes.added, changes.removed, changes.kept)),
        Some((1, 0, 0, 6))
    );
    assert_eq!(same.summary.previous_path_length, same.summary.path_length);

    // Now a talks to c only: 3000 of it with a quarter, what it had with b with three. SoCs that the list leaves out are idle.
    let next = configure(after("source,destination,bytes\na,c,3000\n", &text, "{}")).expect("made");
    assert_eq!(next.demand.inside, [(0, 1, 675), (0, 2, 750), (1, 0, 75), (2, 3, 4)]);
    assert_eq!((next.demand.sent.iter().sum::<u64>(), next.summary.uplink_bytes), (0, 0));
    let changes = next.changes.expect("there was one before");
    assert_eq!(changes.kept + changes.added, 6);
    assert_eq!(changes.added, changes.removed);
    let removed: usize = next.crosspoints.iter().map(|crosspoint| crosspoint.removed.len()).sum();
    assert_eq!((changes.added > 0, removed), (true, changes.removed));
    for crosspoint in &next.crosspoints {
        let now: Vec<_> = crosspoint.circuits.iter().map(|circuit| &circuit.ports).collect();
        assert!(crosspoint.removed.iter().all(|ports| !now.contains(&ports)));
    }
    assert!(next.summary.path_length < next.summary.previous_path_length);
}

const WIRING: &str = "soc,port,crosspoint,crosspoint_port\n\
    a,0,oxc-1,7\nb,0,oxc-1,9\nc,0,oxc-1,12\nd,0,oxc-1,31\n\
    a,1,oxc-1,40\nb,1,oxc-1,41\nc,1,oxc-1,42\n";

#[test]
fn a_wiring_names_crosspoints_and_their_ports() {
    let wired =
        |text| Request { wiring: Some(File { text, name: "wiring.csv" }), ..request(LIST, r#"{"uplinks": 0}"#) };
    let found = configure(wired(WIRING)).expect("made");
    assert_eq!((found.input.soc_ports, found.input.crosspoints), (2, 1));
    let [oxc] = found.crosspoints.as_slice() else { panic!("one crosspoint") };
    assert_eq!((oxc.name.as_str(), oxc.circuits[0].ports.join(" ")), ("oxc-1", "7 9".to_owned()));
    // d has one port: seven ports are three circuits.
    assert_eq!((oxc.circuits.len(), found.wiring[3][1].as_ref()), (3, None));
    assert_eq!(found.warnings, ["57 B from and to the world count for nothing: the rack has no uplink"]);
    // The next period knows the wiring.
    let text = json(&found);
    let next = configure(after(LIST, &text, "{}")).expect("made");
    assert_eq!((next.wiring, next.changes.map(|changes| changes.kept)), (found.wiring, Some(3)));

    let why = |text| refused(wired(text));
    let begins = "a wiring begins with `soc,port,crosspoint` or `soc,port,crosspoint,crosspoint_port`";
    assert_eq!(why("soc,port\n"), format!("wiring.csv: line 1: {begins}, this file with `soc,port`"));
    let with = |line: &str| {
        let text = format!("{WIRING}{line}\n");
        refused(Request { wiring: Some(File { text: &text, name: "wiring.csv" }), ..request(LIST, "{}") })
    };
    assert_eq!(with("d,1"), "wiring.csv: line 9: expected 4 fields, as the first line has; here are 2");
    assert_eq!(with("d,,oxc-1,50"), "wiring.csv: line 9, column 2: nothing stands here; write the name of the port");
    assert_eq!(
        with("uplink,1,oxc-1,50"),
        "wiring.csv: line 9, column 1: `uplink` stands for the world outside; call the SoC something else"
    );
    assert_eq!(with("d,16,oxc-1,50"), "wiring.csv: line 9, column 2: `16` is no port of a SoC; write 0 to 15");
    assert_eq!(
        with("d,0,oxc-1,50"),
        "wiring.csv: line 9, column 2: port 0 of `d` hangs on a crosspoint already; give each port one line"
    );
    assert_eq!(
        with("d,1,oxc-1,42"),
        "wiring.csv: line 9, column 4: port 42 of crosspoint `oxc-1` has a SoC's port already; give each one line"
    );
    assert_eq!(why("soc,port,crosspoint\na,0,x\n"), "wiring.csv: a fabric joins 2 to 16384 SoCs, not 1");
    assert_eq!(
        refused(Request {
            demand: File { text: "source,destination,bytes\na,e,4\n", name: "demand.csv" },
            ..wired(WIRING)
        }),
        "demand.csv: line 2, column 2: the rack has no SoC `e`; it has a, b, c, d"
    );
}

#[test]
fn what_has_failed_is_left_out() {
    let with = |failed: &[&str], demand: &str| {
        let failed: Vec<String> = failed.iter().map(|&name| name.to_owned()).collect();
        configure(Request { failed: &failed, ..request(demand, r#"{"soc_ports": 3}"#) })
    };
    let found = with(&["a", "b:1"], LIST).expect("made");
    for circuit in found.crosspoints.iter().flat_map(|crosspoint| &crosspoint.circuits) {
        assert!(!circuit.socs.contains(&"a".to_owned()));
        assert!(!circuit.socs.iter().zip(circuit.soc_ports).any(|(soc, port)| soc == "b" && port == 1));
    }
    assert_eq!(found.warnings, ["a cannot reach the other SoCs; what has failed cuts them off"]);
    assert_eq!((found.summary.connected, found.summary.path_length), (false, None));
    let why = |name| with(&[name], LIST).expect_err("refused").to_string();
    assert_eq!(why("e"), "failed e: there is no such SoC; write a name of the demand's SoCs");
    assert_eq!(why("A"), "failed A: there is no such SoC; did you mean a?");
    assert_eq!(why("rack-17"), "failed rack-17: there is no such SoC; write a name of the demand's SoCs");
    assert_eq!(why("e:1"), "failed e:1: there is no SoC `e`");
    assert_eq!(why("a:3"), "failed a:3: `3` is no port of a SoC; write 0 to 2");
}

#[test]
fn an_odd_rack_has_cables_that_stay() {
    let demand = "0,1,2,3,4\n1,0,1,1,1\n1,1,0,1,1\n1,1,1,0,1\n1,1,1,1,0\n";
    let found = made(demand, r#"{"soc_ports": 6}"#);
    assert_eq!((found.fixed_circuits.len(), found.summary.circuits), (3, 12));
    let fixed = &found.fixed_circuits[0];
    assert_ne!(fixed.plugs[0].crosspoint, fixed.plugs[1].crosspoint);
    let next = configure(after(demand, &json(&found), "{}")).expect("made");
    assert_eq!(next.fixed_circuits, found.fixed_circuits);
    assert_eq!(made(demand, r#"{"fixed_circuits": "no"}"#).fixed_circuits, []);
}

#[test]
fn what_is_refused_and_how() {
    let why = |settings| refused(request(LIST, settings));
    assert_eq!(
        why(r#"{"crosspoints": 7}"#),
        "crosspoints = 7: expected a whole number from 1 to 6, the ports of a SoC"
    );
    assert_eq!(why(r#"{"uplinks": 5}"#), "uplinks = 5: expected a whole number from 0 to 4");
    assert_eq!(why(r#"{"weight": 0}"#), "weight = 0: expected a number from 0.000001 to 1");
    assert_eq!(why(r#"{"tie": "x"}"#), "tie: no such setting; did you mean ties?");
    let text = json(&made(LIST, r#"{"soc_ports": 3}"#));
    let after = |previous: &str, settings: &str| refused(after(LIST, previous, settings));
    assert_eq!(
        after(&text, r#"{"soc_ports": 4}"#),
        "soc_ports: the wiring says that already; leave it out, or change topology.json"
    );
    let none = "topology.json: this is no configuration that `gossamer topology xfabric` has written: ";
    assert_eq!(after("{}", "{}"), format!("{none}missing field `format` at line 1 column 2"));
    assert_eq!(
        after(&text.replacen("topology-1", "topology-9", 1), "{}"),
        format!("{none}its format is `gossamer-xfabric-topology-9`, expected `gossamer-xfabric-topology-1`")
    );
    let whole = "is not of the rack in this file; take the file as it was written";
    let changed = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        after(&text.replacen(from, to, 1), "{}")
    };
    assert_eq!(
        changed(r#""socs":["a","b"],"soc_ports":[0,0]"#, r#""socs":["a","b"],"soc_ports":[0,3]"#),
        format!("topology.json: the circuit from `a` to `b` {whole}")
    );
    assert_eq!(
        changed(r#""inside":[[0,1,900]"#, r#""inside":[[0,4,900]"#),
        format!("topology.json: the demand {whole}")
    );
    assert_eq!(
        changed(r#""inside":[[0,1,900]"#, r#""inside":[[1,1,900]"#),
        "topology.json: SoC 1 has a demand of 900 B to itself; the diagonal of a demand matrix is 0"
    );
    assert_eq!(
        changed(r#""wiring":[[{"crosspoint":"0""#, r#""wiring":[[{"crosspoint":"x""#),
        format!("topology.json: the wiring {whole}")
    );
    let other = Request {
        wiring: Some(File { text: "soc,port,crosspoint\na,0,x\nc,0,x\n", name: "wiring.csv" }),
        previous: Some(File { text: &text, name: "topology.json" }),
        ..request(LIST, "{}")
    };
    assert_eq!(
        refused(other),
        "wiring.csv: its SoCs are not those of topology.json; leave the previous configuration out to begin anew"
    );
}

proptest! {
    /// Whatever the demand and the crosspoints: a port of a crosspoint has at most one circuit, circuits are within one crosspoint,
    /// what is written is read again, and the rack is in one piece if there are crosspoints enough.
    #[test]
    fn any_rack_can_be_cabled(socs in 2_usize..9, crosspoints in 1_u32..5, bytes in prop::collection::vec(0_u32..50, 81)) {
        let row = |from: usize| (0..socs).map(|to| if from == to { 0 } else { bytes[from * 9 + to] }.to_string()).collect::<Vec<_>>().join(",");
        let text = (0..socs).map(row).collect::<Vec<_>>().join("\n");
        let found = made(&text, &format!(r#"{{"soc_ports": 6, "crosspoints": {crosspoints}, "fixed_circuits": "no"}}"#));
        for crosspoint in &found.crosspoints {
            let mut ports: Vec<&String> = crosspoint.circuits.iter().flat_map(|circuit| &circuit.ports).collect();
            let all = ports.len();
            ports.sort();
            ports.dedup();
            prop_assert_eq!(ports.len(), all);
            for circuit in &crosspoint.circuits {
                for (soc, port) in circuit.socs.iter().zip(circuit.soc_ports) {
                    let soc = found.socs.iter().position(|each| each == soc).expect("a SoC");
                    let hangs = found.wiring[soc][port as usize].as_ref().map(|plug| &plug.crosspoint);
                    prop_assert_eq!(hangs, Some(&crosspoint.name));
                }
            }
        }
        prop_assert!(found.summary.connected || crosspoints < 3);
        let again = configure(after(&text, &json(&found), "{}")).expect("made");
        prop_assert_eq!(again.changes.map(|changes| (changes.added, changes.removed)), Some((0, 0)));
    }
}
