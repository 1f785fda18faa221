use super::*;
use proptest::prelude::*;
use topology::{Shape, Wiring};

/// A line whose frame has so many slots, in the frame of this rig.
fn line(rig: &Rig, slots: u32) -> Line {
    let slot = rig.frame.slot(slots);
    Line { slots, slot, by_slot: Divisor::new(slot.as_ps()), ..rig.lines[0] }
}

proptest! {
    /// Slots are found by multiplication; here they are gone through one by one.
    #[test]
    fn slots_are_those_that_a_search_finds(
        slots in 1_u32..129,
        rate in 1_u64..900,
        at in 0_u64..1 << 45,
        phase in any::<u64>(),
        slot in any::<u32>(),
    ) {
        let shape = topology::An3 { containers: 1, networks: 1, hosts: 4, wiring: Wiring::Mesh, egress: 2, container_links: 1 };
        let topology = Shape::An3(shape).build(Rate::from_gbps(10), Span::from_ns(100)).expect("a good shape");
        let mut rig = Rig::new(&Arc::new(topology)).expect("it is one");
        rig.frame = Frame::of(Rate::from_gbps(rate));
        let length = rig.frame.length();
        rig.by_length = Divisor::new(length.as_ps());
        let line = line(&rig, slots);
        let (at, phase) = (Time::from_ps(at), Span::from_ps(phase % length.as_ps()));
        // Frames begin at `phase` and a whole number of frames from there.
        let frames = at.as_ps().saturating_sub(phase.as_ps()) / length.as_ps();
        let begins = |slot: u32| {
            let first = (phase + line.slot * u64::from(slot)).as_ps() % length.as_ps();
            let times = (frames.saturating_sub(1)..frames + 3).map(move |frame| first + frame * length.as_ps());
            Time::from_ps(times.into_iter().find(|time| *time >= at.as_ps()).expect("it comes within two frames"))
        };
        let slot = slot % slots;
        prop_assert_eq!(rig.slot_from(at, phase, &line, slot as u8), begins(slot));
        let next = (0..slots).min_by_key(|slot| begins(*slot)).expect("there are slots");
        prop_assert_eq!(rig.slot_at(at, phase, &line), next as u8);
        prop_assert_eq!(rig.next_slot(at, phase, &line), begins(next));
    }
}
