use super::*;

fn wrong(json: &str) -> String {
    serving(&Flat::parse(json).expect("JSON")).expect_err("refused").to_string()
}

#[test]
fn settings_have_defaults_that_fit_each_other() {
    let serving = serving(&Flat::default()).expect("an arbiter");
    let control::Settings { ahead, repair, lease, patience, voters, .. } = serving.control;
    assert_eq!((ahead, repair, lease, patience, voters), (16, 8, 64, 250, 1));
    assert!(serving.voter.is_some(), "its own voter");
    assert!(voting(&Flat::default()).is_ok());
    assert_eq!(loading(&Flat::default()).expect("a load").pod, serving.control.pod);
}

#[test]
fn what_cannot_be_is_named() {
    assert_eq!(
        wrong(r#"{"slot": "1 us", "hosts_per_rack": 16}"#),
        "slot = 1 us: too short: 15 packets of 1500 B and 2 of 64 B at 100 Gb/s take 1.81024 us, before any guard bands"
    );
    assert_eq!(wrong(r#"{"slot": "10 ns", "rate": "1 Tb/s"}"#), "slot = 10 ns: expected at least 100 ns");
    assert_eq!(
        wrong(r#"{"racks": 4096, "hosts_per_rack": 2}"#),
        "4096 racks of 2 hosts are too many: one arbiter serves 4096 hosts at most"
    );
    assert_eq!(
        wrong(r#"{"listen": "localhost"}"#),
        "listen = localhost: \"localhost\" is no address and port, such as 127.0.0.1:7200"
    );
    assert_eq!(
        wrong(r#"{"peers": "127.0.0.1:7201"}"#),
        "peers = 127.0.0.1:7201: arbiters that stand in for each other need the same voters: write voters = ADDRESS,..."
    );
    assert_eq!(
        wrong(r#"{"peers": "127.0.0.1:7200", "voters": "127.0.0.1:7300"}"#),
        "peers = 127.0.0.1:7200: it lists this arbiter's own address among the others"
    );
    assert_eq!(
        wrong(r#"{"voters": "127.0.0.1:7300, 127.0.0.1:7300"}"#),
        "voters = 127.0.0.1:7300, 127.0.0.1:7300: 127.0.0.1:7300 is there twice"
    );
    assert_eq!(
        wrong(r#"{"voters": "127.0.0.1:7300", "voter": "127.0.0.1:7301"}"#),
        "voter = 127.0.0.1:7301: 127.0.0.1:7301 is none of the voters; list it in voters too"
    );
    assert_eq!(
        wrong(r#"{"voters": "127.0.0.1:7300", "voter_state": "voter"}"#),
        "voter_state = voter: no voter is in this process; write voter = ADDRESS"
    );
    assert_eq!(
        wrong(r#"{"lease": 20}"#),
        "a lease of 20 slots is too short to hand out slots 16 ahead; it needs 34 at least"
    );
    assert_eq!(wrong(r#"{"gather": 16}"#), "gather = 16: expected less than ahead, which is 16");
    assert_eq!(wrong(r#"{"key": "/"}"#), "key = /: Is a directory (os error 21)");
    assert_eq!(wrong(r#"{"port": 3}"#).split("; ").next(), Some("port: no such setting"));
    let alone = Flat::parse(r#"{"racks": 1, "hosts_per_rack": 1}"#).expect("JSON");
    let alone = loading(&alone).expect_err("refused").to_string();
    assert_eq!(alone, "hosts_per_rack = 1: a host alone has nobody to send to");
}
