use super::*;
use crate::allocation::Policy;
use crate::pod::Pod;
use crate::slot::Slot;

fn settings() -> Settings {
    let pod = Pod::of_fat_tree(4).expect("a pod");
    Settings {
        pod,
        policy: Policy::MaxMin,
        batch: 4,
        arbiter: 0,
        voters: 1,
        ahead: 4,
        repair: 3,
        lease: 100,
        patience: 4,
    }
}

/// An arbiter that is in charge from slot 10 on, and has handed out slots until 14.
fn active() -> Arbiter {
    let mut arbiter = Arbiter::new(settings(), Slot(10)).expect("settings agree");
    let (mut voter, mut actions) = (Voter::default(), Vec::new());
    arbiter.take_over(&mut actions);
    let Some(&Action::Ask(0, lease)) = actions.first() else { panic!("it asks the voter, not {actions:?}") };
    arbiter.on_vote(0, voter.handle(lease), &mut actions);
    assert_eq!(arbiter.role(), Role::Active);
    arbiter.advance(Slot(10), &mut actions);
    arbiter
}

fn allocations(actions: &[Action]) -> Vec<(u64, u16, u16)> {
    let of = |action: &Action| match *action {
        Action::Allocate(allocation) => Some((allocation.slot.0, allocation.source, allocation.destination)),
        Action::Ask(..) | Action::Beat(_) => None,
    };
    actions.iter().filter_map(of).collect()
}

fn advance(arbiter: &mut Arbiter, slot: u64) -> Vec<(u64, u16, u16)> {
    let mut actions = Vec::new();
    arbiter.advance(Slot(slot), &mut actions);
    allocations(&actions)
}

fn ask(arbiter: &mut Arbiter, slot: u64, held: u64, requested: u64, granted: u64) -> Vec<(u64, u16, u16)> {
    let mut actions = Vec::new();
    let request = Request { source: 0, destination: 3, slot: Slot(slot), held, requested, granted };
    arbiter.on_request(request, &mut actions).expect("a host of the pod");
    allocations(&actions)
}

#[test]
fn a_request_counts_once_however_often_it_comes() {
    let mut arbiter = active();
    for _ in 0..3 {
        assert_eq!(ask(&mut arbiter, 10, 0, 1, 0), []);
    }
    assert_eq!(advance(&mut arbiter, 11), [(15, 0, 3)]);
    // On its way: the same request, and a later one that cannot know of it yet, ask for nothing more.
    ask(&mut arbiter, 10, 0, 1, 0);
    ask(&mut arbiter, 11, 0, 1, 0);
    assert_eq!(advance(&mut arbiter, 12), []);
}

#[test]
fn an_allocation_that_does_not_arrive_is_sent_again_and_then_replaced() {
    let mut arbiter = active();
    ask(&mut arbiter, 10, 0, 1, 0);
    assert_eq!(advance(&mut arbiter, 11), [(15, 0, 3)]);
    advance(&mut arbiter, 12);
    advance(&mut arbiter, 13);
    assert_eq!(ask(&mut arbiter, 12, 0, 1, 0), [], "it may be under way");
    advance(&mut arbiter, 14);
    assert_eq!(ask(&mut arbiter, 13, 0, 1, 0), [(15, 0, 3)], "sent again");
    assert_eq!(ask(&mut arbiter, 13, 0b10, 1, 1), [], "it is held");
    advance(&mut arbiter, 15);
    advance(&mut arbiter, 16);
    // The host's slot is past it, and it never came: another slot takes its place.
    ask(&mut arbiter, 15, 0, 1, 0);
    assert_eq!(advance(&mut arbiter, 17), [(21, 0, 3)]);
}

#[test]
fn an_old_request_does_not_undo_a_new_one() {
    let mut arbiter = active();
    advance(&mut arbiter, 11);
    ask(&mut arbiter, 11, 0, 2, 0);
    ask(&mut arbiter, 10, 0, 0, 0);
    assert_eq!(advance(&mut arbiter, 12), [(16, 0, 3)]);
}

#[test]
fn what_no_host_can_ask_is_named_and_changes_nothing() {
    let mut arbiter = active();
    let request = Request { source: 0, destination: 3, slot: Slot(10), held: 0, requested: 1, granted: 0 };
    let before = arbiter.clone();
    let mut message = |request| arbiter.on_request(request, &mut Vec::new()).expect_err("no").to_string();
    assert_eq!(
        message(Request { destination: 4, ..request }),
        "host 4 asks for slots or is asked for, but hosts are 0..4"
    );
    assert_eq!(message(Request { destination: 0, ..request }), "host 0 asks for slots to itself");
    assert_eq!(message(Request { slot: Slot(12), ..request }), "host 0 asks as of slot 12, which is after slot 10");
    assert_eq!(arbiter, before);
}

#[test]
fn settings_that_contradict_each_other_are_named() {
    let message = |settings| Arbiter::new(settings, Slot(0)).expect_err("no").to_string();
    assert_eq!(message(Settings { batch: 0, ..settings() }), "a batch has 1 to 64 slots, not 0");
    assert_eq!(message(Settings { voters: 0, ..settings() }), "there are 1 to 64 voters, not 0");
    assert_eq!(message(Settings { ahead: 64, ..settings() }), "slots are handed out 1 to 63 ahead, not 64");
    assert_eq!(
        message(Settings { lease: 9, ..settings() }),
        "a lease of 9 slots is too short to hand out slots 4 ahead; it needs 10 at least"
    );
    assert_eq!(
        message(Settings { patience: 1, ..settings() }),
        "an arbiter needs patience for at least 2 slots, not 1"
    );
    let attached = crate::interpod::Attached::new(settings().pod, 2, 129).expect("core switches");
    let many = Arbiter::among(settings(), attached, Slot(0)).expect_err("no").to_string();
    assert_eq!(many, "core switches join at most 128 pods, not 129");
}

#[test]
fn a_host_takes_slots_to_come_and_each_once() {
    let mut host = Endpoint::new(0, 4, Slot(10));
    host.want(3, 2);
    let path = crate::Path::Aggregation(1);
    let allocation =
        |slot, destination| Allocation { epoch: Epoch::default(), slot: Slot(slot), source: 0, destination, path };
    assert_eq!(host.handle(allocation(10, 3)), Taken::OutOfReach);
    assert_eq!(host.handle(allocation(75, 3)), Taken::OutOfReach);
    assert_eq!(host.handle(allocation(12, 3)), Taken::Held);
    assert_eq!(host.handle(allocation(12, 3)), Taken::Again);
    assert_eq!(host.handle(allocation(12, 2)), Taken::Contradiction);
    let request = Request { source: 0, destination: 3, slot: Slot(10), held: 0b10, requested: 2, granted: 1 };
    assert_eq!(host.requests().collect::<Vec<_>>(), [request]);
    assert_eq!(host.advance(Slot(11)), None);
    assert_eq!(host.advance(Slot(12)), Some((3, path)));
    assert_eq!(host.advance(Slot(12)), None, "once");
}

#[test]
fn a_voter_never_grants_to_an_earlier_epoch() {
    let mut voter = Voter::default();
    let epoch = |number| Epoch { number, arbiter: 0 };
    let ask = |voter: &mut Voter, number, until| voter.handle(Lease { epoch: epoch(number), until: Slot(until) });
    let granted = |number, floor, until| Vote::Granted { epoch: epoch(number), floor: Slot(floor), until: Slot(until) };
    assert_eq!(ask(&mut voter, 1, 100), granted(1, 0, 100));
    assert_eq!(ask(&mut voter, 1, 150), granted(1, 0, 150));
    assert_eq!(ask(&mut voter, 2, 120), granted(2, 150, 150));
    assert_eq!(ask(&mut voter, 1, 200), Vote::Refused { epoch: epoch(2) });
    assert_eq!(ask(&mut voter, 2, 220), granted(2, 150, 220));
}

#[test]
fn a_voter_that_begins_again_remembers() {
    let mut voter = Voter::default();
    let epoch = |number| Epoch { number, arbiter: 0 };
    voter.handle(Lease { epoch: epoch(1), until: Slot(100) });
    voter.handle(Lease { epoch: epoch(2), until: Slot(120) });
    let mut again = Voter::remembering(voter.epoch(), voter.floor(), voter.until());
    assert_eq!(again, voter);
    let later = Lease { epoch: epoch(3), until: Slot(110) };
    let granted = Vote::Granted { epoch: epoch(3), floor: Slot(120), until: Slot(120) };
    assert_eq!(again.handle(later), granted);
    assert_eq!(
        again.handle(Lease { epoch: epoch(2), until: Slot(200) }),
        Vote::Refused { epoch: epoch(3) },
        "of an epoch before"
    );
}
