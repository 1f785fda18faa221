use super::*;
use crate::wire::Want;
use crate::wire::tag::Key;
use arbiter::Pod;
use arbiter::allocation::Policy;
use arbiter::control::{Beat, Lease, Voter};
use proptest::prelude::*;

const MS: Duration = Duration::from_millis(1);

fn at(text: &str) -> SocketAddr {
    text.parse().expect("an address")
}

fn host() -> SocketAddr {
    at("10.0.0.1:9000")
}

fn peer() -> SocketAddr {
    at("10.0.0.2:7200")
}

fn voter() -> SocketAddr {
    at("10.0.0.3:7300")
}

fn codec() -> Codec {
    Codec::new(Key::default(), Span::from_ms(1))
}

/// An arbiter of 16 hosts, a voter, and where what it sends goes to.
struct Pair {
    server: Server,
    voter: Voter,
}

impl Pair {
    fn on_standby() -> Pair {
        Pair::gathering(1)
    }

    fn gathering(gather: u64) -> Pair {
        let settings = control::Settings {
            pod: Pod::of_fat_tree(8).expect("a pod"),
            policy: Policy::MaxMin,
            batch: 16,
            arbiter: 0,
            voters: 1,
            ahead: 4,
            repair: 3,
            lease: 20,
            patience: 16,
        };
        let server = Server::new(settings, codec(), Span::from_ms(1), gather, vec![voter()], vec![peer()], Slot(100));
        Pair { server: server.expect("settings agree"), voter: Voter::default() }
    }

    fn in_charge() -> Pair {
        let mut pair = Pair::on_standby();
        pair.server.take_charge();
        pair.settle();
        assert_eq!(pair.server.metrics(MS).role, Role::Active);
        pair
    }

    /// Delivers questions to the voter; what goes to others.
    fn settle(&mut self) -> Vec<(SocketAddr, Message)> {
        let mut others = Vec::new();
        loop {
            let sent: Vec<_> =
                self.server.outbox().datagrams().map(|(to, bytes)| (to, codec().decode(bytes))).collect();
            self.server.outbox().clear();
            if sent.is_empty() {
                return others;
            }
            for (to, message) in sent {
                let message = message.expect("a message");
                if let Message::Ask { voter: number, lease } = message {
                    let vote = self.voter.handle(lease);
                    self.server.on_datagram(MS, to, Ok(Message::Vote { voter: number, vote }));
                } else {
                    others.push((to, message));
                }
            }
        }
    }

    fn slot(&mut self, number: u64) -> Vec<(SocketAddr, Message)> {
        self.server.on_slot(MS * number as u32, Slot(number));
        self.settle()
    }

    fn asks(&mut self, number: u64, source: u16, destination: u16, requested: u64) -> Vec<(SocketAddr, Message)> {
        let wants = vec![Want { destination, requested, granted: 0 }];
        let message = Message::Requests { source, slot: Slot(number), held: 0, wants };
        self.server.on_datagram(MS * number as u32, host(), Ok(message));
        self.settle()
    }

    fn hears(&mut self, from: SocketAddr, message: Message) -> Vec<(SocketAddr, Message)> {
        self.server.on_datagram(MS, from, Ok(message));
        self.settle()
    }
}

fn slots(sent: &[(SocketAddr, Message)]) -> Vec<(u64, u16, u16)> {
    let of = |message: &Message| match message {
        Message::Allocations { source, given, .. } => {
            given.iter().map(|given| (given.slot.0, *source, given.destination)).collect()
        }
        Message::Requests { .. }
        | Message::Ask { .. }
        | Message::Vote { .. }
        | Message::Beat(_)
        | Message::TakeOver { .. }
        | Message::Refusal { .. } => vec![],
    };
    sent.iter().flat_map(|(_, message)| of(message)).collect()
}

#[test]
fn who_asks_is_answered_where_it_asks_from() {
    let mut pair = Pair::in_charge();
    pair.slot(101);
    assert_eq!(pair.asks(101, 3, 7, 2), [], "slots are handed out when a slot begins");
    let sent = pair.slot(102);
    assert_eq!(slots(&sent), [(106, 3, 7)]);
    assert!(sent.iter().any(|(to, message)| *to == host() && matches!(message, Message::Allocations { .. })));
    assert!(sent.contains(&(peer(), Message::Beat(Beat { epoch: Epoch { number: 1, arbiter: 0 } }))));
    assert_eq!(slots(&pair.slot(103)), [(107, 3, 7)]);
    // Nothing of it was held by slot 104: it is sent again, which is no new allocation.
    pair.slot(105);
    assert_eq!(slots(&pair.asks(104, 3, 7, 2)), [(106, 3, 7)]);
    let metrics = pair.server.metrics(MS * 105);
    assert_eq!((metrics.requests, metrics.allocations, metrics.resends), (2, 2, 1));
    assert_eq!((metrics.latency.count, metrics.latency.max_ns, metrics.hosts_heard), (1, Some(1_000_000), 1));
    assert_eq!((metrics.slots_behind, metrics.slots_lost), (1, 0), "104 was left out, and had been handed out before");
}

#[test]
fn allocations_of_some_slots_travel_together() {
    let mut pair = Pair::gathering(3);
    pair.server.take_charge();
    pair.settle();
    pair.slot(101);
    pair.asks(101, 3, 7, 10);
    assert_eq!(slots(&pair.slot(102)), []);
    let sent = pair.slot(103);
    assert_eq!(slots(&sent), [(106, 3, 7), (107, 3, 7)]);
    let metrics = pair.server.metrics(MS);
    assert_eq!((metrics.allocations, metrics.allocation_datagrams), (2, 1));
    assert_eq!(metrics.latency.max_ns, Some(2_000_000), "until they were sent");
    assert_eq!(slots(&pair.slot(104)), []);
    assert_eq!(slots(&pair.slot(105)), []);
    assert_eq!(slots(&pair.slot(106)), [(108, 3, 7), (109, 3, 7), (110, 3, 7)]);
}

#[test]
fn a_late_arbiter_says_what_it_lost() {
    let mut pair = Pair::in_charge();
    pair.slot(101);
    pair.slot(102);
    // Handed out are those before 107.
    pair.slot(110);
    let metrics = pair.server.metrics(MS);
    assert_eq!((metrics.slots_behind, metrics.most_slots_behind, metrics.slots_lost), (7, 7, 4));
}

#[test]
fn what_no_host_of_the_pod_asks_is_refused_and_named() {
    let mut pair = Pair::in_charge();
    pair.slot(101);
    let refusal = |source, destination, reason| (host(), Message::Refusal { source, destination, reason });
    assert_eq!(pair.asks(101, 16, 7, 1), [refusal(16, 7, Reason::UnknownHost { hosts: 16 })]);
    assert_eq!(pair.asks(101, 1, 40, 1), [refusal(1, 40, Reason::UnknownHost { hosts: 16 })]);
    assert_eq!(pair.asks(101, 2, 2, 1), [refusal(2, 2, Reason::ToItself)]);
    assert_eq!(pair.asks(105, 2, 3, 1), [refusal(2, 3, Reason::FromTheFuture { now: Slot(101) })]);
    let refused = pair.server.metrics(MS).refused;
    assert_eq!((refused.unknown_host, refused.to_itself, refused.from_the_future), (2, 1, 1));
    // One good entry beside a bad one counts.
    let want = |destination| Want { destination, requested: 1, granted: 0 };
    let message = Message::Requests { source: 5, slot: Slot(101), held: 0, wants: vec![want(99), want(6)] };
    assert_eq!(pair.hears(host(), message), [refusal(5, 99, Reason::UnknownHost { hosts: 16 })]);
    assert_eq!(slots(&pair.slot(102)), [(106, 5, 6)]);
    let lines = pair.server.journal().take();
    assert!(lines[0].contains("asks voters") && lines[1].contains("in charge, epoch 1"), "{lines:?}");
    assert_eq!(lines[2], "10.0.0.1:9000: host 16 asks for slots or is asked for, but hosts are 0..16; it was refused");
}

#[test]
fn what_is_malformed_misplaced_or_from_a_stranger_changes_nothing() {
    let mut pair = Pair::in_charge();
    let vote = control::Vote::Refused { epoch: Epoch { number: 9, arbiter: 1 } };
    let beat = Message::Beat(Beat { epoch: Epoch { number: 9, arbiter: 1 } });
    let take_over = Message::TakeOver { epoch: Epoch { number: 9, arbiter: 1 } };
    for message in [beat, take_over, Message::Vote { voter: 0, vote }, Message::Vote { voter: 3, vote }] {
        assert_eq!(pair.hears(host(), message), []);
    }
    let lease = Lease { epoch: Epoch::default(), until: Slot(9) };
    assert_eq!(pair.hears(peer(), Message::Ask { voter: 0, lease }), []);
    pair.server.on_datagram(MS, host(), Err(WireError::Tag));
    let other = WireError::SlotLength { said: Span::from_ms(2), ours: Span::from_ms(1), is_request: true };
    pair.server.on_datagram(MS, host(), Err(other));
    let refusal = Message::Refusal { source: 0, destination: 0, reason: Reason::SlotLength };
    assert_eq!(pair.settle(), [(host(), refusal)]);
    let metrics = pair.server.metrics(MS);
    assert_eq!((metrics.strangers, metrics.misplaced, metrics.malformed.sum()), (4, 1, 2));
    assert_eq!((metrics.malformed.tag, metrics.malformed.slot_length, metrics.role), (1, 1, Role::Active));
}

#[test]
fn one_that_retires_hands_out_what_it_has_leased_while_another_begins() {
    let mut pair = Pair::in_charge();
    pair.slot(101);
    pair.asks(101, 3, 7, 100);
    // Asked for, and granted, before it retires; it hears of that after.
    let epoch = Epoch { number: 1, arbiter: 0 };
    let vote = pair.voter.handle(Lease { epoch, until: Slot(125) });
    pair.server.retire();
    assert_eq!(pair.settle(), [(peer(), Message::TakeOver { epoch })]);
    pair.hears(voter(), Message::Vote { voter: 0, vote });
    let leased = pair.server.arbiter.leased();
    assert_eq!(leased, Slot(125));
    let mut last = 0;
    for number in 102..leased.0 - 5 {
        let sent = pair.slot(number);
        last = slots(&sent).iter().fold(last, |last, (slot, ..)| last.max(*slot));
        // Until it hears of another one in charge, it asks for one every second slot.
        let asks = sent.iter().any(|(_, message)| matches!(message, Message::TakeOver { .. }));
        assert_eq!(asks, number % 2 == 1 && number < 106, "{number}");
        if number == 105 {
            // The voter leases to the other one from here on what is not leased yet.
            let later = Epoch { number: 2, arbiter: 1 };
            let vote = pair.voter.handle(Lease { epoch: later, until: Slot(400) });
            assert_eq!(vote, control::Vote::Granted { epoch: later, floor: leased, until: Slot(400) });
            pair.hears(peer(), Message::Beat(Beat { epoch: later }));
            pair.hears(voter(), Message::Vote { voter: 0, vote: control::Vote::Refused { epoch: later } });
        }
        assert!(!pair.server.has_retired());
    }
    let sent = pair.slot(leased.0 - 5);
    last = slots(&sent).iter().fold(last, |last, (slot, ..)| last.max(*slot));
    assert_eq!(last, leased.0 - 1, "it has handed out all of its slots, and none of the other's");
    assert!(pair.server.has_retired());
}

#[test]
fn one_on_standby_takes_over_when_it_is_asked_to_or_hears_no_beats() {
    let mut pair = Pair::on_standby();
    let epoch = Epoch { number: 7, arbiter: 1 };
    pair.hears(peer(), Message::Beat(Beat { epoch }));
    pair.hears(peer(), Message::TakeOver { epoch: Epoch { number: 6, arbiter: 1 } });
    assert_eq!(pair.server.metrics(MS).role, Role::Standby, "of an epoch that is over");
    pair.hears(peer(), Message::TakeOver { epoch });
    assert_eq!((pair.server.metrics(MS).role, pair.server.metrics(MS).epoch), (Role::Active, 8));

    let mut pair = Pair::on_standby();
    for number in 101..116 {
        pair.slot(number);
        pair.asks(number, 3, 7, 1);
        assert_eq!(pair.server.metrics(MS).role, Role::Standby, "{number}");
    }
    pair.slot(116);
    assert_eq!(pair.server.metrics(MS).role, Role::Active);
    pair.asks(116, 3, 7, 1);
    assert_eq!(slots(&pair.slot(117)), [(118, 3, 7)]);
    assert_eq!(pair.server.metrics(MS).latency.max_ns, Some(1_000_000), "since it is in charge");
    pair.server.retire();
    assert!(!pair.server.has_retired());
    let mut alone = Pair::on_standby();
    alone.server.retire();
    assert!(alone.server.has_retired(), "it is not in charge");
}

/// About as it could come at that slot: else hardly one in a thousand is about hosts and epochs that there are.
fn likely(mut message: Message, number: u64) -> Message {
    match &mut message {
        Message::Requests { source, slot, wants, .. } => {
            (*source, *slot) = (*source % 18, Slot(number - 3 + slot.0 % 6));
            wants.iter_mut().for_each(|want| want.destination %= 18);
        }
        Message::Vote { voter, vote: control::Vote::Granted { epoch, floor, until } } => {
            (*voter, *epoch) = (*voter % 2, Epoch { number: epoch.number % 4, arbiter: 0 });
            (*floor, *until) = (Slot(floor.0 % 200), Slot(until.0 % 400));
        }
        Message::Beat(Beat { epoch })
        | Message::TakeOver { epoch }
        | Message::Vote { vote: control::Vote::Refused { epoch }, .. } => epoch.number %= 4,
        Message::Allocations { .. } | Message::Ask { .. } | Message::Refusal { .. } => {}
    }
    message
}

proptest! {
    /// Whoever has the key and any address: what is sent is well made, hosts are those of the pod, and the arbiter goes on.
    #[test]
    fn no_messages_end_the_service(
        messages in prop::collection::vec((0..3_usize, 0..4_u64, any::<bool>(), crate::wire::tests::message()), 1..40)
    ) {
        let mut pair = Pair::in_charge();
        let mut number = 101;
        for (from, passed, is_likely, message) in messages {
            let message = if is_likely { likely(message, number) } else { message };
            number += passed;
            pair.slot(number);
            let sent = pair.hears([host(), peer(), voter()][from], message);
            for (_, source, destination) in slots(&sent) {
                prop_assert!(source < 16 && destination < 16 && source != destination);
            }
        }
        let before = pair.server.metrics(MS).slot;
        pair.slot(number + 1);
        prop_assert_eq!(pair.server.metrics(MS).slot, before + 1);
    }
}
