//! What holds for every data path, whatever its sizes.

use engine::Seed;
use pipeline::{Design, Lines, Measured, Mix, Part, Spec, clocks_per_unit, pipelines_needed, required_clock_hz, run};
use proptest::prelude::*;
use units::{Bytes, Rate};

fn designs() -> impl Strategy<Value = Design> {
    prop::sample::select(Design::ALL.to_vec())
}
fn mixes() -> impl Strategy<Value = Mix> {
    let part = (64_u32..1500, 0_u32..400, 1_u32..10);
    prop::collection::vec(part, 1..4).prop_map(|parts| Mix {
        parts: parts.into_iter().map(|(from, more, weight)| Part { from, to: from + more, weight }).collect(),
    })
}
fn specs() -> impl Strategy<Value = Spec> {
    let numbers = (1_u32..6, 1_u64..40, 8_u64..100, 50_u64..400, 1_u32..5, 0_u32..3, any::<bool>(), 0_u32..3);
    (designs(), mixes(), numbers, any::<(bool, bool)>()).prop_map(|(design, mix, numbers, (packets, pauses))| {
        let mut spec = Spec::new(design, mix);
        let (ports, gbps, width, mhz, lookup, idle, polls, hold) = numbers;
        (spec.ports, spec.line_rate, spec.width) = (ports, Rate::from_gbps(gbps), Bytes::new(width));
        (spec.clock_hz, spec.lookup_clocks) = (mhz * 1_000_000, lookup);
        (spec.idle_inputs, spec.polls, spec.output_hold) = (idle, polls, hold);
        (spec.lines, spec.pauses) = (packets.then_some(Lines::Packets), pauses);
        (spec.warmup_clocks, spec.clocks) = (2_000, 20_000);
        spec
    })
}
fn measure(spec: &Spec) -> Measured {
    run(&spec.clone().check().expect("a possible data path"), Seed(7))
}
/// What waits at the ports may be delivered within a window without having arrived in it, and the other way round.
fn slack(spec: &Spec, measured: &Measured) -> f64 {
    let buffered = spec.port_buffer.get() * u64::from(spec.ports) + 4096;
    buffered as f64 / measured.capacity.max(1) as f64
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn packets_are_conserved(spec in specs()) {
        let [offered, delivered, dropped, held] = measure(&spec).whole;
        prop_assert_eq!(offered.units, delivered.units + dropped.units + held.units);
        prop_assert_eq!(offered.packets, delivered.packets + dropped.packets + held.packets);
        prop_assert_eq!(offered.payload, delivered.payload + dropped.payload + held.payload);
        prop_assert_eq!(offered.line_bytes, delivered.line_bytes + dropped.line_bytes + held.line_bytes);
    }

    #[test]
    fn neither_lines_nor_data_path_carry_more_than_they_can(spec in specs()) {
        let measured = measure(&spec);
        // The lines have carried line_bytes at their rate, to within one arrival each.
        let seconds = measured.clocks as f64 / measured.clock_hz as f64;
        let lines = measured.lines_bps as f64 / 8.0 * seconds;
        let arrival = f64::from(spec.ports) * 2.0 * 8192.0;
        let brought = (measured.offered.line_bytes + measured.paused_line_bytes) as f64;
        prop_assert!((brought - lines).abs() <= arrival, "{} for {}", brought, lines);
        prop_assert!(measured.dropped.units == 0 || !spec.pauses);
        // The data path moves a word a clock. What it delivers first, it may have had most of before the window began.
        let words = (measured.clocks + 20) * spec.width.get();
        let largest = spec.mix.parts.iter().map(|part| u64::from(part.to)).max().unwrap_or(0).max(spec.cell.get());
        prop_assert!(measured.delivered.payload <= words + largest);
        prop_assert!(measured.throughput() <= 1.0 && measured.line_share() <= 1.0);
    }

    #[test]
    fn work_is_conserved(size in 64_u32..1519, design in designs(), mhz in 80_u64..260, polls in any::<bool>(), hold in 0_u32..2) {
        let mut spec = Spec::new(design, Mix::fixed(size));
        (spec.clock_hz, spec.polls, spec.idle_inputs, spec.output_hold) = (mhz * 1_000_000, polls, 1, hold);
        let plan = spec.clone().check().unwrap();
        // Every port full: each clock does what it can, so the clocked model gives the closed form. An arbiter that polls
        // loses clocks at ports that are empty for the moment, when it is nearly keeping up.
        let expected = (spec.clock_hz as f64 / required_clock_hz(&plan, size)).min(1.0);
        let found = measure(&spec).line_share();
        let polled = if polls && expected > 0.9 { 0.1 } else { 0.0 };
        prop_assert!((found - expected).abs() < 0.004 + polled, "{} for {}, {} clocks", found, expected, clocks_per_unit(&plan, size));
    }

    #[test]
    fn packing_never_needs_more_cells(mix in mixes()) {
        let throughput = |design| {
            let spec = Spec::new(design, mix.clone());
            let measured = measure(&spec);
            (measured.throughput(), slack(&spec, &measured))
        };
        let (packed, slack) = throughput(Design::PackedCells);
        let (padded, _) = throughput(Design::Cells);
        prop_assert!(packed >= padded - slack - 0.02, "packed {}, padded {}", packed, padded);
    }

    #[test]
    fn a_faster_clock_never_gets_less_through(spec in specs()) {
        let slow = measure(&spec);
        let mut faster = spec.clone();
        faster.clock_hz = spec.clock_hz * 5 / 4;
        let fast = measure(&faster);
        let slack = slack(&spec, &slow) + slack(&faster, &fast) + 0.02;
        prop_assert!(fast.throughput() >= slow.throughput() - slack, "{} after {}", fast.throughput(), slow.throughput());
    }

    #[test]
    fn fig_3_is_the_closed_form(size in 64_u32..1519, packed in any::<bool>()) {
        let mut spec = Spec::new(if packed { Design::PackedCells } else { Design::ReferenceSwitch }, Mix::fixed(size));
        (spec.lines, spec.pauses) = (Some(Lines::Packets), true);
        (spec.ports, spec.line_rate) = (32, Rate::from_gbps(400));
        (spec.width, spec.cell, spec.credit) = (Bytes::new(256), Bytes::new(256), Bytes::new(4096));
        (spec.clock_hz, spec.lookup_clocks) = (1_000_000_000, 1);
        let expected = pipelines_needed(&spec.clone().check().unwrap(), size);
        let found = measure(&spec).pipelines_needed();
        prop_assert!((found / expected - 1.0).abs() < 0.01, "{} for {}", found, expected);
    }
}
