use super::*;
use crate::trace::{Gate, TraceFlow, TraceStart};
use proptest::prelude::*;
use units::{Span, Time};

fn read_text(text: &str, format: Format) -> Result<Trace, String> {
    parse(text.as_bytes(), "flows", format, 16).map_err(|error| error.to_string())
}

pub(super) fn good(text: &str, format: Format) -> Trace {
    read_text(text, format).unwrap_or_else(|error| panic!("{error}"))
}

pub(super) fn wrong(text: &str, format: Format) -> String {
    read_text(text, format).expect_err(text)
}

/// id, src, dst, bytes, start in picoseconds: of flows that start at a time.
pub(super) fn rows(trace: &Trace) -> Vec<(u64, u32, u32, u64, u64)> {
    let ps = |flow: &TraceFlow| match flow.start {
        TraceStart::At(time) => time.as_ps(),
        TraceStart::After { .. } => panic!("flow {} waits", flow.id),
    };
    trace.flows.iter().map(|flow| (flow.id, flow.src, flow.dst, flow.bytes.get(), ps(flow))).collect()
}

#[test]
fn formats_are_known_by_name_and_by_ending() {
    for (name, format, endings) in Format::NAMES {
        assert_eq!(name.parse(), Ok(format));
        assert_eq!(format.to_string(), name);
        for ending in endings {
            assert_eq!(Format::of(Path::new(&format!("some/flows.{ending}"))), Some(format));
        }
    }
    assert_eq!(Format::of(Path::new("FLOWS.CSV")), Some(Format::Csv));
    assert_eq!(
        "htsmi".parse::<Format>().unwrap_err(),
        "there is no flow file format `htsmi` (did you mean `htsim`?); there are csv, parquet, htsim, hpcc, shoal, opera"
    );
    let error = read(Path::new("flows.xyz"), None, 16).unwrap_err().to_string();
    assert_eq!(
        error,
        "flows.xyz: its ending does not say what format it has; give `format`, one of csv, parquet, htsim, hpcc, shoal, \
         opera"
    );
    let missing = read(Path::new("no/such/flows.csv"), None, 16).unwrap_err().to_string();
    assert!(missing.starts_with("no/such/flows.csv: ") && missing.contains("No such file"), "{missing}");
}

#[test]
fn csv_reads_columns_in_any_order_and_times_exactly() {
    let trace = good(
        "# made by hand\nbytes,id,src,dst,start\n1500,7,0,1,0.000000000001\n4 KB,8,1,2,10 us\n\nendless,9,2,0,16.800000000001\n",
        Format::Csv,
    );
    assert_eq!(
        rows(&trace),
        [(7, 0, 1, 1500, 1), (8, 1, 2, 4000, 10_000_000), (9, 2, 0, u64::MAX, 16_800_000_000_001)]
    );
    assert_eq!(trace.flows.iter().map(|flow| flow.line).collect::<Vec<_>>(), [3, 4, 6]);
    let quoted = good("\"src\",\"dst\",\"bytes\",\"start\"\r\n0,\"1\",\"4 KB\",0\r\n", Format::Csv);
    assert_eq!(rows(&quoted), [(0, 0, 1, 4000, 0)]);
    let trace = good("src,dst,bytes,start_ps\n0,1,10,16800001\n1,0,20,0\n", Format::Csv);
    assert_eq!(rows(&trace), [(0, 0, 1, 10, 16_800_001), (1, 1, 0, 20, 0)]);
}

#[test]
fn what_spreadsheets_write_is_read_or_named() {
    let trace = good("\u{feff}src,dst,bytes,start\r\n0,1,1500,0.5\r\n", Format::Csv);
    assert_eq!(rows(&trace), [(0, 0, 1, 1500, 500_000_000_000)]);
    assert_eq!(
        wrong("src;dst;bytes;start\n0;1;1500;0.5\n", Format::Csv),
        "flows, line 1: the columns are apart by semicolons; write commas between them"
    );
    assert_eq!(
        wrong("src\tdst\tbytes\tstart\n", Format::Csv),
        "flows, line 1: the columns are apart by tabs; write commas between them"
    );
    let nul = wrong("src,dst,bytes,start\n0,1,15\x0000,0.5\n", Format::Csv);
    assert_eq!(nul, "flows, line 2: this is not text; is it in another format, or not saved as UTF-8?");
}

#[test]
fn numbers_that_no_run_can_have_are_refused() {
    let row = |bytes: &str, start: &str| wrong(&format!("src,dst,bytes,start\n0,1,{bytes},{start}\n"), Format::Csv);
    assert_eq!(row("1", "100000.1"), "flows, line 2: flow 0: `start` is more than 100000 s, the most there may be");
    assert_eq!(row("1001 TB", "0"), "flows, line 2: flow 0: `bytes` is more than 1000 TB, the most there may be");
    let long = wrong(&"1".repeat(5 << 20), Format::Csv);
    assert_eq!(long, "flows, line 1: the line is longer than 4 MiB; is this a list of flows, one a line?");
}

#[test]
fn csv_reads_dependencies() {
    let trace = good("id,src,dst,bytes,start,after\n1,0,1,10,0,\n2,1,2,10,5 us,1\n3,2,3,10,0,1 2\n", Format::Csv);
    assert_eq!(trace.gates, [Gate { passed_by: vec![0] }, Gate { passed_by: vec![0, 1] }]);
    let starts: Vec<_> = trace.flows.iter().map(|flow| flow.start).collect();
    assert_eq!(
        starts,
        [
            TraceStart::At(Time::ZERO),
            TraceStart::After { gate: 0, passings: 1, delay: Span::from_us(5) },
            TraceStart::After { gate: 1, passings: 2, delay: Span::ZERO },
        ]
    );
}

#[test]
fn wrong_csv_is_named_by_line() {
    let csv = |text: &str| wrong(text, Format::Csv);
    let all = |row: &str| wrong(&format!("id,src,dst,bytes,start\n{row}\n"), Format::Csv);
    assert_eq!(
        csv("id,src,dst,byte,start\n"),
        "flows, line 1: there is no column `byte` (did you mean `bytes`?); there are id, src, dst, bytes, start, start_ps, \
         after"
    );
    assert_eq!(
        csv("src,dst,bytes\n"),
        "flows, line 1: there is no column `start` or `start_ps`; a flow needs `src`, `dst`, `bytes`, and `start` (seconds) \
         or `start_ps`"
    );
    assert_eq!(
        csv("src,bytes,start\n"),
        "flows, line 1: there is no column `dst`; a flow needs `src`, `dst`, `bytes`, and `start` (seconds) or `start_ps`"
    );
    assert_eq!(csv("src,src,dst,bytes,start\n"), "flows, line 1: there are two columns `src`");
    assert_eq!(
        csv("src,dst,bytes,start,start_ps\n"),
        "flows, line 1: both `start` and `start_ps` say when flows start; leave one out"
    );
    assert_eq!(
        csv("src,dst,bytes,start,after\n"),
        "flows, line 1: the column `after` names ids, so there must be a column `id`"
    );
    assert_eq!(csv(""), "flows: there are no flows in it");
    assert_eq!(csv("src,dst,bytes,start\n"), "flows: there are no flows in it");
    assert_eq!(all("1,0,1"), "flows, line 2: expected as many fields as the header has, found 3 fields: `1,0,1`");
    assert_eq!(all("1,0,x,1,0"), "flows, line 2: `dst`: `x` is not a host, a whole number from 0");
    assert_eq!(all("1,0,-1,1,0"), "flows, line 2: `dst`: `-1` is not a host, a whole number from 0");
    assert_eq!(all("1,0,9999999999,1,0"), "flows, line 2: `dst`: `9999999999` is too large");
    assert_eq!(
        all("1,0,1,1.5,0"),
        "flows, line 2: `bytes`: `1.5` is not a number of bytes, such as 1500, 4 KB or endless"
    );
    assert_eq!(
        all("1,0,1,4 XB,0"),
        "flows, line 2: `bytes`: `4 XB` is not a number of bytes, such as 1500, 4 KB or endless"
    );
    assert_eq!(all("1,0,1,1,now"), "flows, line 2: `start`: `now` is not a time in seconds, such as 0.000125");
    assert_eq!(
        all("1,0,1,1,1 hours"),
        "flows, line 2: `start`: `1 hours` is not a time, such as 0.000125 (seconds) or 125 us"
    );
    assert_eq!(
        all("1,0,1,1,0.0000000000001"),
        "flows, line 2: `start`: `0.0000000000001` is finer than 1 ps, the smallest step there is"
    );
    assert_eq!(all("1,0,1,1,99999999"), "flows, line 2: `start`: `99999999` is too large");
    assert_eq!(all("1,0,16,1,0"), "flows, line 2: flow 1: 16 is not a host (hosts are 0 to 15)");
    assert_eq!(all("1,3,3,1,0"), "flows, line 2: flow 1: host 3 would send to itself");
    assert_eq!(all("1,0,1,0,0"), "flows, line 2: flow 1 has 0 bytes; a flow has at least 1");
    assert_eq!(all("1,0,1,1,0\n1,1,0,1,0"), "flows, line 3: the id 1 is that of line 2 too");
    let after = |rows: &str| wrong(&format!("id,src,dst,bytes,start,after\n{rows}\n"), Format::Csv);
    assert_eq!(after("1,0,1,1,0,4"), "flows, line 2: flow 1 starts after flow 4, which is not in the file");
    assert_eq!(after("1,0,1,1,0,x"), "flows, line 2: `after`: `x` is not the id of a flow");
    assert_eq!(
        after("0,0,1,1,0,\n1,0,1,1,0,2\n2,0,1,1,0,1"),
        "flows, line 3: flow 1 never starts: what it waits for waits for it in turn, or never ends"
    );
    assert_eq!(
        after("0,0,1,endless,0,\n1,0,1,1,0,0"),
        "flows, line 3: flow 1 never starts: what it waits for waits for it in turn, or never ends"
    );
    let binary = parse(&b"src,dst,bytes,start\n0,1,\xff,0\n"[..], "flows", Format::Csv, 16).unwrap_err();
    assert_eq!(binary.to_string(), "flows, line 2: this is not text; is it in another format, or not saved as UTF-8?");
    let parquet = parse(&b""[..], "flows", Format::Parquet, 16).unwrap_err();
    assert_eq!(parquet.to_string(), "flows: this is not text; is it in another format, or not saved as UTF-8?");
}

#[test]
fn shoal_is_read_by_name_and_by_header() {
    let text = "flow-id,src,dst,bytes,start_s\n5,0,1,1000,0.00000123\n6,2,3,64,1.5e-06\n7,2,3,64,0.1234567890123456\n";
    for format in [Format::Shoal, Format::Csv] {
        assert_eq!(
            rows(&good(text, format)),
            [(5, 0, 1, 1000, 1_230_000), (6, 2, 3, 64, 1_500_000), (7, 2, 3, 64, 123_456_789_012)]
        );
    }
    assert_eq!(
        wrong("a,b,c,d,e\n", Format::Shoal),
        "flows, line 1: expected the header `flow-id,src,dst,bytes,start_s`, found `a,b,c,d,e`"
    );
    let row = |row: &str| wrong(&format!("flow-id,src,dst,bytes,start_s\n{row}\n"), Format::Shoal);
    assert_eq!(row("5,0,1"), "flows, line 2: expected `flow-id,src,dst,bytes,start_s`, found 3 fields: `5,0,1`");
    assert_eq!(row("5,0,1,10,x"), "flows, line 2: `start_s`: `x` is not a time in seconds, such as 0.000125");
    assert_eq!(row("5,0,99,10,0"), "flows, line 2: flow 5: 99 is not a host (hosts are 0 to 15)");
    assert_eq!(row("5,0,1,0,0"), "flows, line 2: flow 5 has 0 bytes; a flow has at least 1");
}

#[test]
fn hpcc_is_read_with_and_without_ports() {
    let trace = good("2\n2 1 3 100 200000000 2\n3 1 3 100 5000 2.000000001\n", Format::Hpcc);
    assert_eq!(rows(&trace), [(0, 2, 1, 200_000_000, 2_000_000_000_000), (1, 3, 1, 5000, 2_000_000_001_000)]);
    assert!(trace.warnings.is_empty());
    assert_eq!(rows(&good("1\n2 1 5000 2\n", Format::Hpcc)), [(0, 2, 1, 5000, 2_000_000_000_000)]);
    // HPCC's own example announces fewer flows than follow, and ends with notes.
    let example = good("1\n2 1 3 100 200000000 2\n3 1 3 100 5 2\n\nFirst line: # of flows\n", Format::Hpcc);
    assert_eq!(example.flows.len(), 1);
    assert_eq!(example.warnings, ["flows: line 1 announces 1 flow, so the 2 lines behind them are not read"]);
}

#[test]
fn wrong_hpcc_is_named_by_line() {
    let hpcc = |text: &str| wrong(text, Format::Hpcc);
    assert_eq!(
        hpcc("2 1 3 100 5000 2\n"),
        "flows, line 1: `number of flows`: `2 1 3 100 5000 2` is not the number of flows, alone in the first line"
    );
    assert_eq!(
        hpcc("3\n2 1 3 100 5000 2\n"),
        "flows: line 1 says 3 flows, and there are 1: the file is cut short, or the number is wrong"
    );
    assert_eq!(
        hpcc("1\n2 1 3 100 50"),
        "flows, line 2: expected `src dst 3 dport bytes start` or `src dst bytes start`, found 5 fields: `2 1 3 100 50`"
    );
    assert_eq!(hpcc("1\n2 1 3 100 50 x"), "flows, line 2: `start`: `x` is not a time in seconds, such as 0.000125");
    assert_eq!(hpcc("1\n2 1 3 p 50 0"), "flows, line 2: `dport`: `p` is not a port, a whole number");
    assert_eq!(hpcc("1\n1 1 3 100 50 0"), "flows, line 2: flow 0: host 1 would send to itself");
    assert_eq!(hpcc(""), "flows: there are no flows in it");
}

#[test]
fn opera_is_read() {
    assert_eq!(
        rows(&good("0 10 100000 1\n\n3 4 7 2500.5", Format::Opera)),
        [(0, 0, 10, 100_000, 1000), (1, 3, 4, 7, 2_500_500)]
    );
    assert_eq!(
        wrong("0 10 100000\n", Format::Opera),
        "flows, line 1: expected `src dst bytes start_ns`, found 3 fields: `0 10 100000`"
    );
    assert_eq!(
        wrong("0 1 1 1\n0 1 1 soon\n", Format::Opera),
        "flows, line 2: `start_ns`: `soon` is not a time in nanoseconds, such as 125"
    );
    let binary = parse(&b"0 1 1 1\n\xff\xfe\n"[..], "flows", Format::Opera, 16).unwrap_err();
    assert_eq!(binary.to_string(), "flows, line 2: this is not text; is it in another format, or not saved as UTF-8?");
}

const EXAMPLES: [(Format, &str); 5] = [
    (Format::Csv, "id,src,dst,bytes,start,after\n1,0,1,10,0.5,\n2,1,2,4 KB,5 us,1\n"),
    (Format::Shoal, "flow-id,src,dst,bytes,start_s\n5,0,1,1000,0.00000123\n"),
    (Format::Hpcc, "2\n2 1 3 100 200000000 2\n3 1 3 100 5000 2.000000001\n"),
    (Format::Opera, "0 10 100000 1\n3 4 7 2500\n"),
    (
        Format::Htsim,
        "Nodes 16\nConnections 2\nTriggers 1\n0->1 id 1 start 0 size 10 send_done_trigger 1\n\
         1->2 id 2 trigger 1 size 10\ntrigger id 1 barrier count 1\n",
    ),
];

#[test]
fn every_example_reads_and_no_cut_panics() {
    for (format, text) in EXAMPLES {
        assert!(read_text(text, format).is_ok(), "{format}");
        let refused = (0..text.len()).filter(|length| read_text(&text[..*length], format).is_err()).count();
        assert!(refused * 2 > text.len(), "{format}: {refused} of {} cuts are refused", text.len());
    }
}

proptest! {
    #[test]
    fn no_text_panics(text in "[0-9a-z>#., \n_-]{0,80}", format in 0..5_usize) {
        let _ = read_text(&text, EXAMPLES[format].0);
    }

    #[test]
    fn no_change_panics(format in 0..5_usize, at in any::<prop::sample::Index>(), with in "[0-9a-z>#., \n_-]{0,3}") {
        let (format, text) = EXAMPLES[format];
        let at = at.index(text.len());
        let _ = read_text(&format!("{}{with}{}", &text[..at], &text[at + 1..]), format);
    }
}

#[test]
fn weights_are_read() {
    let read = |text: &str| weights::parse(text.as_bytes(), "weights", 16).map_err(|error| error.to_string());
    let matrix = read("src,dst,weight\n0,1,2.5\n1,0,0\n").unwrap();
    assert_eq!(matrix.weights, [(0, 1, 2.5), (1, 0, 0.0)]);
    assert_eq!(matrix.name, "weights");
    assert_eq!(read("source,destination,bytes\n3,0,1500\n").unwrap().weights, [(3, 0, 1500.0)]);
    assert_eq!(read("").unwrap_err(), "weights, line 1: expected the header `src,dst,weight`, found ``");
    assert_eq!(read("0,1,2\n").unwrap_err(), "weights, line 1: expected the header `src,dst,weight`, found `0,1,2`");
    let row = |row: &str| read(&format!("src,dst,weight\n{row}\n")).unwrap_err();
    assert_eq!(row("0,1"), "weights, line 2: expected `src,dst,weight`, found 2 fields: `0,1`");
    assert_eq!(row("0,1,-2"), "weights, line 2: `weight`: `-2` is not a weight, a number of at least 0");
    assert_eq!(row("0,16,2"), "weights, line 2: 16 is not a host (hosts are 0 to 15)");
    assert_eq!(row("3,3,2"), "weights, line 2: host 3 would send to itself");
    let missing = read_weights(Path::new("no/such/weights.csv"), 16).unwrap_err().to_string();
    assert!(missing.starts_with("no/such/weights.csv: "), "{missing}");
}
