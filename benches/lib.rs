//! What benchmarks share: timing that compares things fairly on a noisy machine, and the run that is timed.

pub mod timed_run;

use cpu_time::ThreadTime;

/// Times `rounds` of each of several things in turn (A B C A B C ...), so that a drift of the machine's speed meets all alike.
/// Returns each one's median, in seconds of processor time.
pub fn medians<const N: usize>(rounds: usize, mut things: [&mut dyn FnMut(); N]) -> [f64; N] {
    let mut times = [const { Vec::new() }; N];
    for _ in 0..rounds {
        for (thing, times) in things.iter_mut().zip(&mut times) {
            let begin = ThreadTime::now();
            thing();
            times.push(begin.elapsed().as_secs_f64());
        }
    }
    times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    })
}
