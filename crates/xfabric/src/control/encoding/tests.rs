use super::*;
use crate::control::version::Version;
use crate::forwarding::{Mac, Table};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;

fn epoch() -> impl Strategy<Value = Epoch> {
    (0..=Epoch::MOST, 0..MOST_SOCS).prop_map(|(number, soc)| Epoch { number, soc })
}
fn version() -> impl Strategy<Value = Version> {
    any::<u64>().prop_map(Version)
}
fn peer() -> impl Strategy<Value = Option<u16>> {
    option::of(0..u16::MAX)
}
fn number() -> impl Strategy<Value = u32> {
    0_u32..1 << 16
}
fn setting() -> impl Strategy<Value = Setting> {
    (version(), vec(peer(), 0..40)).prop_map(|(version, map)| Setting { version, map })
}
fn command() -> impl Strategy<Value = Command> {
    let changes = btree_map(0_u16..512, peer(), 0..40).prop_map(|changes| changes.into_iter().collect());
    let map = (epoch(), version(), version(), changes).prop_map(|(epoch, version, base, changes)| Command::Map {
        epoch,
        version,
        base,
        changes,
    });
    prop_oneof![
        epoch().prop_map(|epoch| Command::Take { epoch }),
        map,
        (epoch(), version()).prop_map(|(epoch, version)| Command::Reconfigure { epoch, version }),
    ]
}
fn answer() -> impl Strategy<Value = Answer> {
    let status = (number(), epoch(), any::<bool>(), setting(), option::of(setting()));
    prop_oneof![
        status.prop_map(|(crosspoint, promised, granted, active, pending)| {
            Answer::Status { crosspoint, promised, granted, active, pending }
        }),
        (number(), version()).prop_map(|(crosspoint, version)| Answer::Stored { crosspoint, version }),
        (number(), version()).prop_map(|(crosspoint, version)| Answer::Reconfigured { crosspoint, version }),
    ]
}
fn signal() -> impl Strategy<Value = Signal> {
    prop_oneof![
        (number(), version()).prop_map(|(from, version)| Signal::Reconfigure { from, version }),
        (number(), version()).prop_map(|(from, version)| Signal::Confirm { from, version }),
    ]
}
fn update() -> impl Strategy<Value = Update> {
    (2_u32..40, 1_u32..8).prop_flat_map(|(socs, ports)| {
        // An address of zeros stands for none.
        let mac = any::<[u8; 5]>().prop_map(|[a, b, c, d, e]| Mac([2, a, b, c, d, e]));
        let table = vec(0_u16..1 << ports, socs as usize).prop_map(move |sets| Table::new(ports, sets));
        let neighbours = vec(option::of(mac), ports as usize);
        (any::<u64>(), neighbours, option::of(0..socs), table)
            .prop_map(|(version, neighbours, gateway, table)| Update { version, neighbours, gateway, table })
    })
}
fn body() -> impl Strategy<Value = Body> {
    let demand = (vec(any::<u64>(), 0..40), any::<u64>(), any::<u64>())
        .prop_map(|(internal, sent, received)| DemandVector { internal, sent, received });
    let report = (number(), epoch(), any::<u32>(), version(), any::<u16>(), demand);
    prop_oneof![
        (number(), epoch(), any::<u32>()).prop_map(|(soc, epoch, round)| Body::Query { soc, epoch, round }),
        (number(), version(), update()).prop_map(|(soc, base, update)| Body::Map { soc, base, update }),
        report.prop_map(|(soc, epoch, round, active, silent, demand)| {
            Body::Report(Report { soc, epoch, round, active, silent, demand })
        }),
        (number(), version()).prop_map(|(soc, version)| Body::Stored { soc, version }),
    ]
}
fn link_message() -> impl Strategy<Value = LinkMessage> {
    let route = || vec(any::<u8>(), 0..20);
    prop_oneof![
        (any::<[u8; 6]>(), version(), version()).prop_map(|(from, version, stored)| LinkMessage::Hello {
            from: Mac(from),
            version,
            stored
        }),
        version().prop_map(|version| LinkMessage::Reconfigure { version }),
        (route(), route(), body()).prop_map(|(route, back, body)| LinkMessage::Routed(Packet { route, back, body })),
    ]
}

/// Bytes that no message begins with or that begin like one.
fn garbage() -> impl Strategy<Value = Vec<u8>> {
    let first = prop_oneof![Just(1_u8), Just(2), Just(3), Just(17), 17..20_u8, 33..35_u8, 49..55_u8, any::<u8>()];
    // Small bytes, so that lengths are plausible.
    let rest = vec(prop_oneof![3 => 0..4_u8, 1 => any::<u8>()], 0..120);
    (first, rest).prop_map(|(first, rest)| [vec![first], rest].concat())
}

proptest! {
    #[test]
    fn what_was_sent_arrives_and_nothing_else_does(
        (command, answer, signal, message) in (command(), answer(), signal(), link_message()),
        (at, byte) in (any::<prop::sample::Index>(), any::<u8>()),
    ) {
        prop_assert_eq!(Command::decode(&command.encode()), Ok(command.clone()));
        prop_assert_eq!(Answer::decode(&answer.encode()), Ok(answer.clone()));
        prop_assert_eq!(Signal::decode(&signal.encode()), Ok(signal));
        prop_assert_eq!(LinkMessage::decode(&message.encode()), Ok(message.clone()));
        // Cut off anywhere, or with a byte more, it is refused.
        for bytes in [command.encode(), answer.encode(), signal.encode(), message.encode()] {
            let all = [Command::decode(&bytes[..at.index(bytes.len())]).is_err(),
                Answer::decode(&bytes[..at.index(bytes.len())]).is_err(),
                Signal::decode(&bytes[..at.index(bytes.len())]).is_err(),
                LinkMessage::decode(&bytes[..at.index(bytes.len())]).is_err()];
            prop_assert_eq!(all, [true; 4]);
            let longer = [bytes, vec![byte]].concat();
            prop_assert!(Command::decode(&longer).is_err() && Answer::decode(&longer).is_err());
            prop_assert!(Signal::decode(&longer).is_err() && LinkMessage::decode(&longer).is_err());
        }
    }

    #[test]
    fn garbage_is_refused_or_is_the_one_encoding_of_something(bytes in garbage()) {
        if let Ok(command) = Command::decode(&bytes) { prop_assert_eq!(command.encode(), &*bytes); }
        if let Ok(answer) = Answer::decode(&bytes) { prop_assert_eq!(answer.encode(), &*bytes); }
        if let Ok(signal) = Signal::decode(&bytes) { prop_assert_eq!(signal.encode(), &*bytes); }
        if let Ok(message) = LinkMessage::decode(&bytes) { prop_assert_eq!(message.encode(), &*bytes); }
    }
}

#[test]
fn bytes_are_as_the_table_says() {
    let epoch = Epoch { number: 5, soc: 3 };
    let version = Version(0x0102_0304_0506_0708);
    let map = Command::Map { epoch, version, base: Version(9), changes: vec![(1, Some(4)), (4, Some(1)), (9, None)] };
    let head = [2, 0, 0, 0, 5, 0, 3, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 9];
    assert_eq!(map.encode(), [&head[..], &[0, 10, 0b1_0010, 0b10, 0, 4, 0, 1, 255, 255]].concat());
    let hello = LinkMessage::Hello { from: Mac([2, 0, 0, 7, 0, 1]), version, stored: Version(6) };
    assert_eq!(hello.encode(), [49, 2, 0, 0, 7, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 6]);
}

#[test]
fn refusals_say_what_is_wrong() {
    let error = |bytes: &[u8]| LinkMessage::decode(bytes).expect_err("it is no message").to_string();
    assert_eq!(error(&[]), "the message ends after 0 B, in the middle");
    assert_eq!(error(&[50, 0]), "the message ends after 2 B, in the middle");
    assert_eq!(error(&[50, 0, 0, 0, 0, 0, 0, 0, 1, 7, 7]), "2 B follow the message");
    assert_eq!(error(&[1]), "no message between neighbours starts with byte 1");
    assert_eq!(error(&[51, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0]), "16777216 is no number of an epoch");
    let map = [&[52, 0, 0, 0, 1][..], &[0; 8], &[0; 13]].concat();
    assert_eq!(error(&map), "an update for 0 SoCs of 0 ports; a rack has 2 to 16384 SoCs of 1 to 16 ports");
    let command = |bytes: &[u8]| Command::decode(bytes).expect_err("it is no command").to_string();
    assert_eq!(command(&[1, 0, 0, 0, 0, 255, 255]), "65535 is no SoC");
    assert_eq!(command(&[9]), "no command starts with byte 9");
    let changes = [&[2][..], &[0; 22], &[0, 3, 0b11]].concat();
    assert_eq!(command(&changes), "3 is no last port that changes");
    let answer = |bytes: &[u8]| Answer::decode(bytes).expect_err("it is no answer").to_string();
    assert_eq!(answer(&[17, 0, 0, 0, 0, 0, 0, 0, 0, 2]), "2 is no yes or no");
    assert_eq!(answer(&[0]), "no answer starts with byte 0");
    assert_eq!(Signal::decode(&[2]).expect_err("it is no signal").to_string(), "no signal starts with byte 2");
}

#[test]
fn a_map_for_512_socs_is_well_below_the_kilobyte_that_the_paper_allows() {
    // §4.4: "the forwarding table, plus all the other information for a XFabric with 512 SoCs is less than 1 KB."
    let table = Table::new(6, vec![1; 512]);
    let update = Update { version: 1, neighbours: vec![None; 6], gateway: None, table };
    let body = Body::Map { soc: 511, base: Version(1), update };
    let message = LinkMessage::Routed(Packet { route: vec![0; 5], back: vec![0; 5], body });
    assert_eq!(message.encode().len(), 456);
}
