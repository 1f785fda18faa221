//! Frames that a reconfiguration costs (§6.6): those on the wire while a crosspoint switches.

use units::{Bytes, Rate, Span, Time};

/// What a port sends: frames of one length, back to back or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    /// Of the link.
    pub rate: Rate,
    /// Of a frame, with its checksum.
    pub frame: Bytes,
    /// From the end of a frame to the beginning of the next, at the least: on Ethernet 12 B of gap and 8 B of preamble. The
    /// paper's arithmetic leaves it out: 0 B.
    pub gap: Bytes,
}

impl Line {
    /// The most frames, in one direction of a link, that a crosspoint which is dark for this long can cut: as many as fit, at least
    /// partly, into the time. A frame is cut if any of it is on the wire while the crosspoint is dark.
    pub fn most_cut(&self, dark: Span) -> u32 {
        // The last bit of the first and the first bit of the last of k frames, k - 1 gaps and k - 2 frames in between.
        let (frame, gap) = (self.rate.time_for(self.frame), self.rate.time_for(self.gap));
        let mut frames = 1;
        let mut between = gap;
        while between < dark {
            frames += 1;
            between = between + gap + frame;
        }
        frames
    }

    /// The mean number of frames cut in one direction, at a random time: of a line that is `busy` for this share of the time.
    pub fn mean_cut(&self, dark: Span, busy: f64) -> f64 {
        let (frame, gap) = (self.rate.time_for(self.frame), self.rate.time_for(self.gap));
        busy * (frame + dark).as_secs_f64() / (frame + gap).as_secs_f64()
    }
}

/// How many of these frames, each from its first bit to its last, are cut by a crosspoint that is dark from `from` until `until`.
pub fn cut(frames: impl IntoIterator<Item = (Time, Time)>, (from, until): (Time, Time)) -> u32 {
    frames.into_iter().filter(|&(first, last)| first < until && last > from).count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    const DARK: Span = Span::from_ns(20);

    /// The most and the mean of frames cut, over all picoseconds at which the crosspoint may begin to switch, in steps.
    fn tried(line: Line, step: u64) -> (u32, f64) {
        let (frame, gap) = (line.rate.time_for(line.frame), line.rate.time_for(line.gap));
        let period = frame + gap;
        let frames: Vec<(Time, Time)> =
            (0..5).map(|number| Time::ZERO + period * number).map(|first| (first, first + frame)).collect();
        let phases = (0..period.as_ps()).step_by(step as usize).map(|phase| Time::ZERO + period + Span::from_ps(phase));
        let counts: Vec<u32> = phases.map(|from| cut(frames.iter().copied(), (from, from + DARK))).collect();
        let most = counts.iter().copied().max().expect("there are phases");
        (most, f64::from(counts.iter().sum::<u32>()) / counts.len() as f64)
    }

    #[test]
    fn what_is_cut_is_what_the_arithmetic_says() {
        for (gigabits, bytes, gap) in
            [(1, 64, 0), (1, 64, 20), (10, 64, 0), (10, 64, 20), (1, 1518, 20), (10, 1518, 20)]
        {
            let line = Line { rate: Rate::from_gbps(gigabits), frame: Bytes::new(bytes), gap: Bytes::new(gap) };
            let (most, mean) = tried(line, 100);
            assert_eq!(line.most_cut(DARK), most, "{line:?}");
            assert!((line.mean_cut(DARK, 1.0) - mean).abs() < 0.01, "{line:?}: {mean}");
        }
    }

    #[test]
    fn a_full_duplex_link_loses_at_most_four_frames_as_the_paper_says() {
        // §6.6: 20 ns are 3 B at 1 Gb/s and 25 B at 10 Gb/s; frames of 64 B: "4 frames per reconfiguration for both".
        let most = |gigabits, gap| {
            let line = Line { rate: Rate::from_gbps(gigabits), frame: Bytes::new(64), gap: Bytes::new(gap) };
            2 * line.most_cut(DARK)
        };
        assert_eq!((most(1, 0), most(10, 0)), (4, 4));
        // Ethernet's gap lasts 160 ns at 1 Gb/s, so that a link of the prototype loses at most 2; 16 ns at 10 Gb/s.
        assert_eq!((most(1, 20), most(10, 20)), (2, 4));
    }
}
