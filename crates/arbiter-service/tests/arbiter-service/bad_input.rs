//! What nobody should send, and what nobody can serve: each named, and the service goes on.

use crate::{PATIENCE, ended, flat, free_address, until};
use arbiter_service::wire::tag::Key;
use arbiter_service::wire::{Codec, Message, Reason, Want};
use arbiter_service::{ServiceError, load, serve, vote};
use std::net::UdpSocket;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use units::Span;

const SLOT: Span = Span::from_ms(2);

/// The slot that it is.
#[allow(clippy::disallowed_methods, reason = "hosts are real here, and so is time")]
fn now() -> arbiter::Slot {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
    arbiter::Slot((since.as_millis() / 2) as u64)
}

fn request(source: u16, destination: u16, codec: &Codec) -> Vec<u8> {
    let wants = vec![Want { destination, requested: 1, granted: 0 }];
    let mut datagram = Vec::new();
    codec.encode(&Message::Requests { source, slot: now(), held: 0, wants }, &mut datagram);
    datagram
}

#[test]
fn forged_and_truncated_datagrams_are_counted_and_hosts_are_served() {
    let arbiter = serve(&flat(r#"{"listen": "127.0.0.1:0", "slot": "2 ms"}"#)).expect("an arbiter");
    let address = arbiter.report().address;
    let hosts =
        load(&flat(&format!(r#"{{"arbiters": "{address}", "slot": "2 ms", "duration": "1 s"}}"#))).expect("hosts");
    let stranger = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    stranger.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    let (codec, send) = (Codec::new(Key::default(), SLOT), |bytes: &[u8]| {
        stranger.send_to(bytes, &address).expect("sent");
    });
    let good = request(0, 1, &codec);
    let mut answer = [0; 1500];
    // One after another: each is counted before the next is sent, so that none finds a full buffer.
    for round in 1..=20 {
        let mut bad: Vec<Vec<u8>> =
            vec![Vec::new(), good[..10].to_vec(), good[..good.len() - 1].to_vec(), vec![0; 1450]];
        bad.extend([0, 4, 7, 30].map(|place: usize| {
            let mut forged = good.clone();
            forged[place] ^= 0x40;
            forged
        }));
        bad.push(request(0, 1, &Codec::new(Key::new([1; 16]), SLOT)));
        bad.iter().for_each(|bytes| send(bytes));
        until("all are counted", || arbiter.report().malformed.sum() == 9 * round);
    }
    let malformed = arbiter.report().malformed;
    let counts = [malformed.short, malformed.length, malformed.long, malformed.magic, malformed.version, malformed.tag];
    assert_eq!(counts, [40, 40, 20, 20, 20, 40], "{malformed:?}");
    // Well made, and nevertheless not to be served: the sender is told why.
    let refusals = [
        (16, 1, Reason::UnknownHost { hosts: 16 }),
        (1, 999, Reason::UnknownHost { hosts: 16 }),
        (3, 3, Reason::ToItself),
    ];
    for (source, destination, reason) in refusals {
        send(&request(source, destination, &codec));
        let (length, _) = stranger.recv_from(&mut answer).expect("an answer");
        assert_eq!(codec.decode(&answer[..length]), Ok(Message::Refusal { source, destination, reason }));
    }
    let report = ended(&hosts);
    assert_eq!((report.unmet, report.collisions, report.surplus), (0, 0, 0), "{report:?}");
    arbiter.stop();
    let metrics = ended(&arbiter);
    assert_eq!((metrics.refused.unknown_host, metrics.refused.to_itself), (2, 1));
    let said = arbiter.lines();
    for what in
        ["forged or damaged", "too short for a datagram", "begins with the bytes", "hosts are 0..16", "to itself"]
    {
        assert!(said.iter().any(|line| line.contains(what)), "{what}: {said:?}");
    }
}

#[test]
fn hosts_that_no_arbiter_serves_are_told() {
    let arbiter = serve(&flat(r#"{"listen": "127.0.0.1:0", "slot": "2 ms"}"#)).expect("an arbiter");
    let address = arbiter.report().address;
    let refused = |more: &str| {
        let settings = format!(r#"{{"arbiters": "{address}", "slot": "2 ms", "load": 1.0{more}}}"#);
        let hosts = load(&flat(&settings)).expect("hosts");
        let outcome = hosts.wait(PATIENCE).expect("it ends");
        outcome.expect_err("no host is served").to_string()
    };
    let other = refused(r#", "slot": "1 ms""#);
    assert_eq!(other, format!("the arbiter at {address} refuses: a sender's slots last 2 ms, not 1 ms"));
    let more = refused(r#", "racks": 400"#);
    assert!(more.starts_with(&format!("the arbiter at {address} refuses: host ")), "{more}");
    assert!(more.ends_with(", but hosts are 0..16 there"), "{more}");
    // The service has served nobody, and would serve anybody.
    let hosts =
        load(&flat(&format!(r#"{{"arbiters": "{address}", "slot": "2 ms", "duration": "200 ms"}}"#))).expect("hosts");
    assert_eq!(ended(&hosts).unmet, 0);
}

#[test]
fn an_arbiter_that_is_not_there_is_missed() {
    let address = free_address();
    let hosts = load(&flat(&format!(r#"{{"arbiters": "{address}", "load": 1.0}}"#))).expect("hosts");
    let outcome = hosts.wait(PATIENCE).expect("it ends");
    let missed = ServiceError::NoAnswer { addresses: address.clone(), seconds: 5 };
    assert_eq!(missed.to_string(), format!("no arbiter answers at {address}: nothing was allocated in 5 s"));
    assert_eq!(outcome, Err(missed));
}

#[test]
fn an_address_is_had_once() {
    let voter = vote(&flat(r#"{"listen": "127.0.0.1:0"}"#)).expect("a voter");
    let address = voter.report().address;
    let in_use = serve(&flat(&format!(r#"{{"listen": "{address}"}}"#))).expect_err("in use").to_string();
    assert_eq!(in_use, format!("listen = {address}: something else listens there already"));
    let nowhere = vote(&flat(r#"{"listen": "192.0.2.1:7300"}"#)).expect_err("not here").to_string();
    assert_eq!(nowhere, "listen = 192.0.2.1:7300: this machine has no such address");
    assert_eq!(voter.wait(Duration::ZERO), None, "it goes on");
}
