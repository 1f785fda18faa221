//! The same in closed form: what the clocked model must agree with.

use crate::design::{Design, Lines};
use crate::spec::Plan;

/// Clocks of the data path that a unit of so many bytes takes when all ports have something, the slowest stage counting.
pub fn clocks_per_unit(plan: &Plan, bytes: u32) -> f64 {
    let spec = &plan.spec;
    let words = plan.words(bytes);
    let polled = if spec.polls { f64::from(spec.idle_inputs) / f64::from(spec.ports) } else { 0.0 };
    let hold = spec.design.hold(spec.traffic).unwrap_or(0).max(spec.output_hold);
    (f64::from(words) + polled).max(f64::from(words + hold)).max(f64::from(spec.lookup_clocks.max(words)))
}

/// The clock in Hz at which the data path keeps up with full lines, for packets of one size. Lines with cells need the same
/// clock whatever the packets are.
pub fn required_clock_hz(plan: &Plan, bytes: u32) -> f64 {
    let spec = &plan.spec;
    let all_lines = spec.line_rate.as_bps() as f64 * f64::from(spec.ports) / 8.0;
    let gap = spec.gap.get() as f64;
    let cell = spec.cell.get() as u32;
    match plan.lines {
        Lines::Cells => all_lines / (f64::from(cell) + gap) * clocks_per_unit(plan, cell),
        Lines::Packets => {
            let packets = all_lines / (f64::from(bytes) + gap);
            packets
                * cells_per_packet(plan, bytes)
                * clocks_per_unit(plan, if spec.design.has_cells() { cell } else { bytes })
        }
    }
}

/// How many such data paths side by side full lines of packets of one size need (§2.3, Fig. 3, and Appendix B with its
/// words and cells): for packets R ceil(S / W) / f, with R = B / (8 (S + G)).
pub fn pipelines_needed(plan: &Plan, bytes: u32) -> f64 {
    required_clock_hz(plan, bytes) / plan.spec.clock_hz as f64
}

/// Units for each packet of one size. For packed cells the mean over the bursts: a credit releases whole packets until it
/// is used up, and what it released too much is taken from the next, so that a burst has n or n - 1 packets.
fn cells_per_packet(plan: &Plan, bytes: u32) -> f64 {
    let payload = plan.payload_per_cell();
    match plan.spec.design {
        Design::ReferenceSwitch | Design::NdpSwitch => 1.0,
        Design::Cells => f64::from(bytes.div_ceil(payload)),
        Design::PackedCells => {
            let credit = plan.spec.credit.get() as f64;
            let mean = credit / f64::from(bytes);
            if mean <= 1.0 {
                return f64::from(bytes.div_ceil(payload));
            }
            let (most, fewest) = (mean.ceil(), mean.ceil() - 1.0);
            // most x + fewest (1 - x) = mean
            let with_most = mean - fewest;
            let cells = |packets: f64| (packets * f64::from(bytes) / f64::from(payload)).ceil();
            (cells(most) * with_most + cells(fewest) * (1.0 - with_most)) / mean
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mix::Mix;
    use crate::spec::Spec;
    use units::{Bytes, Rate};

    fn fig3(design: Design, bytes: u32) -> f64 {
        let mut spec = Spec::new(design, Mix::fixed(bytes));
        spec.lines = Some(Lines::Packets);
        (spec.ports, spec.line_rate) = (32, Rate::from_gbps(400));
        (spec.width, spec.cell, spec.credit) = (Bytes::new(256), Bytes::new(256), Bytes::new(4096));
        (spec.clock_hz, spec.lookup_clocks) = (1_000_000_000, 1);
        pipelines_needed(&spec.check().unwrap(), bytes)
    }

    #[test]
    fn appendix_b() {
        // 12.8 Tb/s at 1 GHz. Appendix B prints P = 6.06 for 256 B; its equation gives 5.797.
        assert_eq!(format!("{:.3}", fig3(Design::ReferenceSwitch, 64)), "19.048");
        assert_eq!(format!("{:.3}", fig3(Design::ReferenceSwitch, 256)), "5.797");
    }

    #[test]
    fn credits_of_4_kib_give_the_gains_that_the_paper_prints() {
        for (bytes, printed) in [(64, "4.00"), (513, "1.41"), (1025, "1.18")] {
            let gain = fig3(Design::ReferenceSwitch, bytes) / fig3(Design::PackedCells, bytes);
            assert_eq!(format!("{gain:.2}"), printed, "{bytes} B");
        }
    }

    #[test]
    fn clocks_of_the_four_designs() {
        let clocks = |design, bytes| clocks_per_unit(&Spec::new(design, Mix::fixed(65)).check().unwrap(), bytes);
        assert_eq!([32, 64, 65, 1518].map(|bytes| clocks(Design::ReferenceSwitch, bytes)), [2.0, 2.0, 3.0, 48.0]);
        assert_eq!([32, 64, 65, 1518].map(|bytes| clocks(Design::NdpSwitch, bytes)), [2.0, 3.0, 4.0, 49.0]);
        assert_eq!(clocks(Design::Cells, 64), 2.0);
    }
}
