use super::*;
use crate::wire::Given;
use crate::wire::tag::Key;
use arbiter::Path;
use arbiter::control::Epoch;
use proptest::prelude::*;

const MS: Duration = Duration::from_millis(1);

fn codec() -> Codec {
    Codec::new(Key::default(), units::Span::from_ms(1))
}

fn arbiter() -> SocketAddr {
    "127.0.0.1:7200".parse().expect("an address")
}

/// Two hosts of a rack that want about as much as they can have, from slot 100 on.
fn two_hosts() -> Hosts {
    let settings = r#"{"racks": 1, "hosts_per_rack": 2, "load": 1.0, "demand": 4, "repeat": 5}"#;
    let loading = settings::loading(&Flat::parse(settings).expect("JSON")).expect("a load");
    Hosts::new(loading, codec(), Slot(100))
}

/// What hosts ask for: source, destination, slots that are missing, and the map of those that are held.
fn asked(hosts: &mut Hosts) -> Vec<(u16, u16, u64, u64)> {
    let sent: Vec<Message> =
        hosts.outbox.datagrams().map(|(_, bytes)| codec().decode(bytes).expect("a message")).collect();
    hosts.outbox.clear();
    let of = |message: &Message| message.requests().collect::<Vec<_>>();
    let all = sent.iter().flat_map(of);
    all.map(|of| (of.source, of.destination, of.requested - of.granted, of.held)).collect()
}

/// A host is given a slot, over the switch of its own number.
fn give(hosts: &mut Hosts, ms: u32, source: u16, destination: u16, slot: u64) {
    let given = vec![Given { slot: Slot(slot), destination, path: Path::Aggregation(source as u8) }];
    let message = Message::Allocations { epoch: Epoch { number: 1, arbiter: 0 }, source, given };
    hosts.on_datagram(MS * ms, arbiter(), Ok(message)).expect("nothing is refused");
}

#[test]
fn demands_are_asked_for_met_and_measured() {
    let mut hosts = two_hosts();
    hosts.on_slot(MS * 20, Slot(120));
    let wanted = asked(&mut hosts);
    assert_eq!(wanted.iter().map(|(.., missing, _)| missing).sum::<u64>(), hosts.report.wanted);
    assert!(hosts.report.demands >= 2 && hosts.unmet() == hosts.report.wanted, "{:?}", hosts.report);
    hosts.is_open = false;
    for &(source, destination, missing, _) in &wanted {
        (0..missing).for_each(|number| give(&mut hosts, 25, source, destination, 121 + number));
    }
    let report = hosts.report(MS * 25);
    assert_eq!((report.unmet, report.collisions, report.contradictions), (0, 0, 0), "{report:?}");
    assert_eq!(report.allocations, report.wanted);
    // All demands came at 20 ms, when the slot was told, and were met at 25 ms.
    assert_eq!((report.allocation_latency.count, report.allocation_latency.max_ns), (report.demands, Some(5_000_000)));
    assert_eq!(report.demand_latency, report.allocation_latency);
    // Slots that the thread slept through were missed, that of now is used.
    hosts.on_slot(MS * 22, Slot(122));
    assert_eq!((hosts.report.missed, hosts.report.used), (2, 2));
    assert_eq!(asked(&mut hosts), []);
}

#[test]
fn who_waits_asks_again_and_says_what_it_holds() {
    let mut hosts = two_hosts();
    hosts.on_slot(MS * 20, Slot(120));
    let first = asked(&mut hosts);
    hosts.is_open = false;
    give(&mut hosts, 20, 0, 1, 123);
    (121..125).for_each(|slot| hosts.on_slot(MS * 20, Slot(slot)));
    assert_eq!(asked(&mut hosts), [], "it has just asked");
    hosts.on_slot(MS * 25, Slot(125));
    let again = asked(&mut hosts);
    let missing = |of: &[(u16, u16, u64, u64)], source| of.iter().find(|asked| asked.0 == source).map(|asked| asked.2);
    assert_eq!(missing(&again, 0), missing(&first, 0).map(|slots| slots - 1));
    assert_eq!(missing(&again, 1), missing(&first, 1));
    give(&mut hosts, 25, 0, 1, 128);
    give(&mut hosts, 25, 0, 1, 128);
    give(&mut hosts, 25, 0, 1, 125);
    assert_eq!((hosts.report.repeated, hosts.report.out_of_reach), (1, 1));
    hosts.on_slot(MS * 130, Slot(130));
    give(&mut hosts, 130, 1, 0, 131);
    (131..=135).for_each(|slot| hosts.on_slot(MS * 135, Slot(slot)));
    assert!(asked(&mut hosts).iter().all(|asked| asked.3 == 0), "what is past is not held");
}

#[test]
fn a_slot_too_many_is_not_one_too_few_later() {
    let mut hosts = two_hosts();
    hosts.is_open = false;
    give(&mut hosts, 0, 0, 1, 110);
    let report = hosts.report(MS);
    assert_eq!((report.surplus, report.allocations, report.unmet), (1, 1, 0));
    hosts.hosts[0].endpoint.want(1, 3);
    assert_eq!(hosts.hosts[0].endpoint.requests().map(|of| of.requested - of.granted).collect::<Vec<_>>(), [3]);
}

#[test]
fn what_an_arbiter_refuses_ends_the_load_but_for_clocks() {
    let mut hosts = two_hosts();
    let mut told = |source, destination, reason| {
        let refusal = Message::Refusal { source, destination, reason };
        hosts.on_datagram(MS, arbiter(), Ok(refusal)).map_err(|error| error.to_string())
    };
    assert_eq!(told(0, 0, Reason::FromTheFuture { now: Slot(3) }), Ok(()));
    let refused = "the arbiter at 127.0.0.1:7200 refuses: ";
    assert_eq!(
        told(1, 0, Reason::UnknownHost { hosts: 1 }),
        Err(format!("{refused}host 1 asks for slots to host 0, but hosts are 0..1 there"))
    );
    assert_eq!(told(1, 1, Reason::ToItself), Err(format!("{refused}host 1 asks for slots to itself")));
    assert_eq!(told(0, 0, Reason::SlotLength), Err(format!("{refused}its slots are of another length")));
    // Whatever a stranger sends is counted.
    hosts.on_datagram(MS, arbiter(), Err(WireError::Tag)).expect("it goes on");
    hosts.on_datagram(MS, arbiter(), Ok(Message::TakeOver { epoch: Epoch::default() })).expect("it goes on");
    assert_eq!((hosts.report.malformed.tag, hosts.report.misplaced), (1, 1));
}

proptest! {
    /// What hosts hold and count is right whatever comes; a refusal ends the load, and nothing else does.
    #[test]
    fn no_messages_confuse_hosts(messages in prop::collection::vec(crate::wire::tests::message(), 1..40)) {
        let mut hosts = two_hosts();
        hosts.on_slot(MS * 20, Slot(120));
        for mut message in messages {
            if let Message::Allocations { source, given, .. } = &mut message {
                *source %= 3;
                given.iter_mut().for_each(|given| given.destination %= 3);
                given.iter_mut().for_each(|given| given.slot = Slot(118 + given.slot.0 % 70));
            }
            let is_refusal = matches!(message, Message::Refusal { .. });
            let outcome = hosts.on_datagram(MS * 20, arbiter(), Ok(message));
            prop_assert!(outcome.is_ok() || is_refusal);
        }
        let report = hosts.report(MS * 20);
        prop_assert_eq!(report.wanted + report.surplus, report.allocations + report.unmet);
    }
}
