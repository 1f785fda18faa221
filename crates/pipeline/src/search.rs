//! The lowest clock at which a data path keeps up with its lines.

use crate::machine::run;
use crate::mix::Mix;
use crate::spec::{Refusal, Spec};
use engine::Seed;
use units::Bytes;

/// The lowest multiple of `step_hz`, at most `most_hz`, at which nothing is dropped at any of these packet sizes, as the
/// clocked model finds it; nothing where even `most_hz` is too slow.
///
/// # Errors
/// What `Spec::check` refuses.
pub fn lowest_clock_hz(
    spec: &Spec,
    sizes: &[u32],
    step_hz: u64,
    most_hz: u64,
    seed: Seed,
) -> Result<Option<u64>, Refusal> {
    let highest = most_hz / step_hz.max(1);
    let keeps_up = |size: u32, steps: u64| -> Result<bool, Refusal> {
        let mut spec = spec.clone();
        spec.mix = Mix::fixed(size);
        spec.clock_hz = steps * step_hz.max(1);
        // A port that is kept up with holds one arrival and has the next one come. More room would hide small overloads for
        // as long as it takes to fill.
        spec.port_buffer = Bytes::new(3 * spec.clone().check()?.largest_arrival().get());
        Ok(run(&spec.check()?, seed).keeps_up())
    };
    // A faster clock never loses more, so each size needs a look only above what the sizes before it need.
    let mut lowest = 1;
    for size in sizes {
        if highest >= lowest && keeps_up(*size, lowest)? {
            continue;
        }
        if highest < lowest || !keeps_up(*size, highest)? {
            return Ok(None);
        }
        let (mut fails, mut works) = (lowest, highest);
        while works - fails > 1 {
            let middle = fails + (works - fails) / 2;
            if keeps_up(*size, middle)? { works = middle } else { fails = middle }
        }
        lowest = works;
    }
    Ok(Some(lowest * step_hz.max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::Design;

    fn lowest(design: Design, sizes: &[u32]) -> Option<u64> {
        let mut spec = Spec::new(design, Mix::fixed(64));
        (spec.warmup_clocks, spec.clocks) = (0, 200_000);
        lowest_clock_hz(&spec, sizes, 1_000_000, 400_000_000, Seed(1)).unwrap()
    }

    #[test]
    fn the_reference_switch_needs_the_clock_that_the_paper_says() {
        // §6.1.1: "only at a clock frequency of 180MHz"; 3 clocks for each of 58.8 million packets are 176.5 MHz.
        assert_eq!(lowest(Design::ReferenceSwitch, &[64, 65, 96, 97, 1518]), Some(177_000_000));
        assert_eq!(lowest(Design::PackedCells, &[64, 65, 96, 97, 1518]), Some(120_000_000));
    }

    #[test]
    fn a_clock_that_is_out_of_reach_is_not_given() {
        let mut spec = Spec::new(Design::NdpSwitch, Mix::fixed(64));
        spec.clocks = 50_000;
        assert_eq!(lowest_clock_hz(&spec, &[65], 1_000_000, 200_000_000, Seed(1)), Ok(None));
    }
}
