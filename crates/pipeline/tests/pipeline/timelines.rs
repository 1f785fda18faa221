//! Small data paths, worked out by hand.

use engine::Seed;
use pipeline::{Design, Measured, Mix, Spec, Traffic, run};
use units::{Bytes, Rate};

/// One port of 8 Gb/s, a byte a nanosecond, before a data path of 1 GHz: a byte a clock. No gap, words of 4 B.
fn byte_a_clock(design: Design, bytes: u32, clocks: u64) -> Measured {
    let mut spec = Spec::new(design, Mix::fixed(bytes));
    (spec.ports, spec.line_rate, spec.clock_hz) = (1, Rate::from_gbps(8), 1_000_000_000);
    (spec.width, spec.gap, spec.lookup_clocks) = (Bytes::new(4), Bytes::ZERO, 2);
    (spec.warmup_clocks, spec.clocks) = (0, clocks);
    run(&spec.check().expect("a possible data path"), Seed(1))
}

/// Packets delivered after each number of clocks.
fn delivered(design: Design, bytes: u32, clocks: u64) -> Vec<u64> {
    (1..=clocks).map(|clocks| byte_a_clock(design, bytes, clocks).delivered.packets).collect()
}

#[test]
fn a_packet_of_two_words_from_line_to_end() {
    // Bytes 1 to 8 arrive in clocks 0 to 7. In clock 8 the first word enters, in clock 9 the look-up passes it on and the
    // second one enters, which leaves in clock 10: after 11 clocks the packet is delivered, the next one 8 clocks later.
    let after = delivered(Design::ReferenceSwitch, 8, 20);
    assert_eq!(after, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2]);
}

#[test]
fn ndp_has_a_stage_more_and_holds_the_first_word() {
    // One clock for the stage, one for which the first word is held.
    let after = delivered(Design::NdpSwitch, 8, 20);
    assert_eq!(after, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]);
}

#[test]
fn a_look_up_every_other_clock_limits_packets_of_one_word() {
    // Packets of 1 B arrive in every clock and leave in every other one.
    let measured = byte_a_clock(Design::ReferenceSwitch, 1, 100_000);
    assert_eq!(format!("{:.4}", measured.throughput()), "0.5000");
    assert!(!measured.keeps_up());
    assert_eq!(format!("{:.3}", measured.pipelines_needed()), "2.000");
}

#[test]
fn four_lines_of_netfpga() {
    let share = |design, traffic, bytes| {
        let mut spec = Spec::new(design, Mix::fixed(bytes));
        spec.traffic = traffic;
        run(&spec.check().expect("a possible data path"), Seed(1)).throughput()
    };
    // 150 MHz over 3 clocks, over 40 Gb/s / 8 / 85 B.
    assert_eq!(format!("{:.3}", share(Design::ReferenceSwitch, Traffic::Ndp, 65)), "0.850");
    // 4 clocks: the first word of an NDP packet waits for one.
    assert_eq!(format!("{:.3}", share(Design::NdpSwitch, Traffic::Ndp, 65)), "0.637");
    // Footnote 3: TCP has the Reference Switch's throughput.
    assert_eq!(format!("{:.3}", share(Design::NdpSwitch, Traffic::Tcp, 65)), "0.850");
    // 65 B in two cells of 64 B.
    assert_eq!(format!("{:.3}", share(Design::Cells, Traffic::Ndp, 65)), "0.508");
    // 32 packets of 65 B a credit in 33 cells, sometimes 31 in 32.
    assert_eq!(format!("{:.3}", share(Design::PackedCells, Traffic::Ndp, 65)), "0.984");
}

#[test]
fn the_same_seed_gives_the_same() {
    let mix = Mix { parts: pipeline::MIXES[1].parts.to_vec() };
    let run_with = |seed| run(&Spec::new(Design::PackedCells, mix.clone()).check().unwrap(), Seed(seed));
    assert_eq!(run_with(1), run_with(1));
    assert_ne!(run_with(1), run_with(2));
}
