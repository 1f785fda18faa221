use super::*;
use proptest::prelude::*;

fn ok(text: &str) -> Reading {
    read(text, "demand.csv", None).expect("read")
}

fn why(text: &str) -> String {
    read(text, "demand.csv", None).expect_err("refused").to_string()
}

fn why_of(text: &str, known: &[&str]) -> String {
    read(text, "demand.csv", Some(&owned(known))).expect_err("refused").to_string()
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

#[test]
fn every_form_says_the_same() {
    let list = "source,destination,bytes\n# who, to whom\na,b,7\nb,c,2\na,uplink,5\nuplink,c,1.4\na,b,3\n";
    let wanted = Reading {
        names: owned(&["a", "b", "c"]),
        demand: Demand::new(3, vec![0, 10, 0, 0, 0, 2, 0, 0, 0]).expect("a matrix"),
        external: External { sent: vec![5, 0, 0], received: vec![0, 0, 1] },
    };
    assert_eq!(ok(list), wanted);
    let corner = ",a,b,c,uplink\na,0,10,0,5\nb,0,0,2,0\nc,0,0,0,0\nuplink,0,0,1,0\n";
    assert_eq!(ok(corner), wanted);
    // A named corner, none, and rows without names.
    assert_eq!(ok(&corner.replacen(',', "rack,", 1)), wanted);
    assert_eq!(ok(&corner.replacen(',', "", 1)), wanted);
    let rows_unnamed: Vec<&str> = corner.lines().map(|line| line.split_once(',').expect("a comma").1).collect();
    assert_eq!(ok(&rows_unnamed.join("\r\n")), wanted);
    // With a byte order mark, quotes and blanks.
    assert_eq!(
        ok("\u{feff}Source, Destination , Bytes\n\"a\" , b, 1_0\nb,c,2e0\n  \na,uplink,5\nuplink,c,1\n"),
        wanted
    );
}

#[test]
fn without_names_socs_are_numbers() {
    let matrix = ok("0,4\n6,0\n");
    assert_eq!((matrix.names, matrix.demand.between(1, 0)), (owned(&["0", "1"]), 6));
    let list = ok("source,destination,bytes\n3,0,8\n");
    assert_eq!((list.names.len(), list.demand.between(3, 0), list.demand.total()), (4, 8, 8));
    // `03` is a name beside `3`, so none is a number.
    assert_eq!(ok("source,destination,bytes\n3,03,8\n").names, owned(&["3", "03"]));
}

#[test]
fn names_of_a_known_rack_decide_the_order_and_the_idle_are_there() {
    let known = owned(&["x", "y", "z"]);
    let list = read("source,destination,bytes\nz,x,4\n", "demand.csv", Some(&known)).expect("read");
    assert_eq!((list.demand.between(2, 0), list.names), (4, known.clone()));
    let matrix = read(",z,x,y\nz,0,4,0\nx,0,0,9\ny,0,0,0\n", "demand.csv", Some(&known)).expect("read");
    assert_eq!((matrix.demand.between(2, 0), matrix.demand.between(0, 1), matrix.names), (4, 9, known.clone()));
    let unnamed = read("0,1,2\n0,0,0\n0,0,0", "demand.csv", Some(&known)).expect("read");
    assert_eq!((unnamed.demand.between(0, 2), unnamed.names), (2, known));
}

#[test]
fn for_a_rack_of_hosts_names_are_theirs_or_numbers_or_stand_for_them() {
    let hosts: Vec<String> = (0..4).map(|host| format!("host-{host}")).collect();
    let of = |lines: &str| read_for(&format!("source,destination,bytes\n{lines}"), "demand.csv", &hosts);
    let between = |lines: &str| {
        let found = of(lines).expect("read").demand;
        assert_eq!(found.socs(), 4);
        found.entries().collect::<Vec<_>>()
    };
    assert_eq!(between("host-3,host-1,5\n"), [(3, 1, 5)]);
    assert_eq!(between("3,1,5\nuplink,1,2\n"), [(3, 1, 5)]);
    assert_eq!(between("web,cache,5\ncache,db,6\n"), [(0, 1, 5), (1, 2, 6)]);
    let why = |lines: &str| of(lines).expect_err("refused").to_string();
    // One name of the rack, and all are taken for its.
    assert_eq!(
        why("host-3,hots-1,5\n"),
        "demand.csv: line 2, column 2: the rack has no SoC `hots-1`; did you mean host-1?"
    );
    assert_eq!(why("3,4,5\n"), "demand.csv: line 2, column 2: the rack has no SoC `4`; it has 0, 1, 2, 3");
    assert_eq!(why("a,b,1\nc,d,1\ne,a,1\n"), "demand.csv: there are 5 SoCs in the file, 4 in the rack");
    assert_eq!(why("a,b\n"), "demand.csv: line 2: expected 3 fields: source, destination, bytes; here are 2");
    // A matrix without names is of all hosts in their order; with names of another rack, too.
    let matrix = |text: &str| read_for(text, "demand.csv", &hosts[..2]).map(|reading| reading.demand.between(1, 0));
    assert_eq!(matrix("0,4\n6,0\n").expect("read"), 6);
    assert_eq!(matrix("b,a\n0,4\n6,0\n").expect("read"), 6);
    assert_eq!(matrix("host-1,host-0\n0,4\n6,0\n").expect("read"), 4);
    assert_eq!(
        read_for("0,4\n6,0\n", "demand.csv", &hosts).expect_err("refused").to_string(),
        "demand.csv: there are 2 SoCs in the file, 4 in the rack"
    );
    // Hosts that are called by numbers are meant by these.
    let numbers = owned(&["2", "1", "0"]);
    let found = read_for("source,destination,bytes\n2,1,7\n", "demand.csv", &numbers).expect("read");
    assert_eq!(found.demand.between(0, 1), 7);
}

#[test]
fn a_wrong_list_is_named_by_line_and_column() {
    let list = |lines: &str| format!("source,destination,bytes\n{lines}\n");
    assert_eq!(
        why(&list("a,b,1\na,b,much")),
        "demand.csv: line 3, column 3: `much` is no number of bytes; write 0 or more, such as 1500 or 1.5e6"
    );
    assert_eq!(
        why(&list("a,b,-1")),
        "demand.csv: line 2, column 3: `-1` is no number of bytes; write 0 or more, such as 1500 or 1.5e6"
    );
    assert_eq!(why(&list("a,b")), "demand.csv: line 2: expected 3 fields: source, destination, bytes; here are 2");
    assert_eq!(
        why(&list("a,,4")),
        "demand.csv: line 2, column 2: a SoC without a name; write one, or leave all names out"
    );
    assert_eq!(why(&list("a,a,4")), "demand.csv: line 2, column 3: `a` sends 4 B to itself; write 0");
    assert_eq!(
        why(&list("a,b,1\nuplink,uplink,4")),
        "demand.csv: line 3, column 3: from `uplink` to `uplink` is no traffic of the rack; leave it out, or write 0"
    );
    assert_eq!(
        why_of(&list("web-1,cache,4"), &["web-1", "web-2", "db-1"]),
        "demand.csv: line 2, column 2: the rack has no SoC `cache`; it has web-1, web-2, db-1"
    );
    assert_eq!(
        why_of(&list("web1,db-1,4"), &["web-1", "web-2", "db-1"]),
        "demand.csv: line 2, column 1: the rack has no SoC `web1`; did you mean web-1?"
    );
    let many: Vec<String> = (0..40).map(|soc| format!("node{soc}")).collect();
    assert_eq!(
        read(&list("x,node1,4"), "demand.csv", Some(&many)).expect_err("refused").to_string(),
        "demand.csv: line 2, column 1: the rack has no SoC `x`; it has node0 to node39"
    );
    assert_eq!(why(&list("")), "demand.csv: a demand matrix has 2 to 16384 SoCs, not 0");
    assert_eq!(why(&list("0,4000000,1")), "demand.csv: a demand matrix has 2 to 16384 SoCs, not 4000001");
    let much = "the demands add up to more than 2^60 B; divide them all by the same number, only their ratios count";
    assert_eq!(why(&list("a,b,1\na,uplink,1e30")), format!("demand.csv: {much}"));
    assert_eq!(why(&list("a,b,1e30")), format!("demand.csv: {much}"));
    let little = "a demand of 0.3 B rounds to 0 B; multiply all by the same number, only their ratios count";
    assert_eq!(why(&list("a,b,0.3\nb,a,0.7")), format!("demand.csv: {little}"));
    assert_eq!(
        why(&list("a,b,1\na,uplink,0.1\na,uplink,0.2")),
        format!("demand.csv: {}", little.replace("0.3", "0.30000000000000004"))
    );
}

#[test]
fn a_wrong_matrix_is_named_by_line_and_column() {
    let empty = "there is nothing in it; write a square matrix of bytes, or a list that begins with \
                 `source,destination,bytes`";
    assert_eq!(why("# nothing\n\n"), format!("demand.csv: line 1: {empty}"));
    assert_eq!(
        why("src,dst,bytes\na,b,4\n"),
        "demand.csv: line 1: a list of demands begins with `source,destination,bytes`, this file with `src,dst,bytes`"
    );
    let square = "a demand matrix is square: a row and a column for each SoC, in the same order";
    assert_eq!(why("0,1\n1,0\n1,1\n"), format!("demand.csv: 3 rows for 2 columns; {square}"));
    assert_eq!(why(",a,b,c\na,0,1,1\nb,1,0,1\n"), format!("demand.csv: 2 rows for 3 columns; {square}"));
    assert_eq!(why("0,1\n1\n"), "demand.csv: line 2: expected 2 fields: one for each SoC; here are 1");
    assert_eq!(
        why(",a,b\na,0,1\nb,1\n"),
        "demand.csv: line 3: expected 3 fields: a name and one for each column; here are 2"
    );
    assert_eq!(
        why("0,1\n1,x\n"),
        "demand.csv: line 2, column 2: `x` is no number of bytes; write 0 or more, such as 1500 or 1.5e6"
    );
    assert_eq!(
        why("0,-1\n1,0\n"),
        "demand.csv: line 1, column 2: `-1` is no number of bytes; write 0 or more, such as 1500 or 1.5e6"
    );
    assert_eq!(why("0,1\n1,5\n"), "demand.csv: line 2, column 2: `1` sends 5 B to itself; write 0");
    assert_eq!(
        why(",a,b\nb,0,1\na,1,0\n"),
        "demand.csv: line 2, column 1: this row is `b`, the column of this place is `a`; give rows in the order of columns"
    );
    assert_eq!(
        why(",a,a\na,0,1\na,1,0\n"),
        "demand.csv: line 1, column 3: `a` is there twice; give each SoC a name of its own"
    );
    assert_eq!(
        why(",a,uplink\na,0,1\nuplink,1,3\n"),
        "demand.csv: line 3, column 3: from `uplink` to `uplink` is no traffic of the rack; leave it out, or write 0"
    );
    assert_eq!(why("0"), "demand.csv: a demand matrix has 2 to 16384 SoCs, not 1");
    assert_eq!(why_of("0,1\n1,0\n", &["a", "b", "c"]), "demand.csv: there are 2 SoCs in the file, 3 in the rack");
    assert_eq!(
        why_of(",a,b\na,0,1\nb,1,0\n", &["a", "b", "c"]),
        "demand.csv: there are 2 SoCs in the file, 3 in the rack"
    );
}

proptest! {
    /// Whatever is in the file, it is read or refused; and what a matrix says comes back.
    #[test]
    fn any_text_is_answered(text in "[0-9a-c,.\\-\n\"#]{0,60}", other in any::<String>()) {
        let _ = read(&text, "f", None);
        let _ = read(&other, "f", Some(&owned(&["a", "b"])));
    }

    #[test]
    fn a_matrix_that_is_written_is_read(socs in 2_usize..7, bytes in prop::collection::vec(0_u32.., 36)) {
        let at = |from: usize, to: usize| if from == to { 0 } else { u64::from(bytes[from * 6 + to]) };
        let row = |from| (0..socs).map(|to| at(from, to).to_string()).collect::<Vec<_>>().join(",");
        let text = (0..socs).map(row).collect::<Vec<_>>().join("\n");
        let found = ok(&text).demand;
        for (from, to) in (0..socs).flat_map(|from| (0..socs).map(move |to| (from, to))) {
            prop_assert_eq!(found.between(from as u32, to as u32), at(from, to));
        }
    }
}
