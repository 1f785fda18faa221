//! The M/D/1 queue: Poisson arrivals, a service of one time unit. A Fabric Element's link is bounded by it (Stardust
//! §4.2.1): the unit is the time of a cell, and arrivals from endlessly many Fabric Adapters are Poisson.
//!
//! The number in the system just after a service ends is a Markov chain: `q -> max(q - 1, 0) + a` with `a` Poisson
//! arrivals. It is also what a queue that moves in lock-step with the cell time does, so [`distribution`] holds for both,
//! and because Poisson arrivals see time averages, for the number in the system at any instant.

/// P(N = n) for n = 0.. up to `longest`, where N counts what waits and what is being sent, at `utilisation` in 0..1.
///
/// Computed by balancing the flow across each cut between n - 1 and n. All terms are positive, so nothing cancels: tails of
/// 1e-300 are as exact as the head (Ramaswami 1988, for M/G/1). O(`longest`²).
///
/// # Panics
/// If `utilisation` is not in 0..1: a queue at or over its capacity has no stationary distribution.
pub fn distribution(utilisation: f64, longest: usize) -> Vec<f64> {
    assert!((0.0..1.0).contains(&utilisation), "utilisation {utilisation} is not in 0..1");
    let none = libm::exp(-utilisation);
    // over[k]: P(at least k arrivals in a service).
    let over = poisson_tails(utilisation, longest + 2);
    let mut probabilities = Vec::with_capacity(longest + 1);
    probabilities.push(1.0 - utilisation);
    for n in 1..=longest {
        // Up over the cut: from 0 by n or more arrivals, from j by n + 1 - j or more. Down: from n by no arrival.
        let from_empty = probabilities[0] * over[n];
        let from_others: f64 = (1..n).map(|j| probabilities[j] * over[n + 1 - j]).sum();
        probabilities.push((from_empty + from_others) / none);
    }
    probabilities
}

/// P(N >= n) for n = 0.. up to `longest`.
///
/// # Panics
/// If `utilisation` is not in 0..1.
pub fn tail(utilisation: f64, longest: usize) -> Vec<f64> {
    // What lies beyond `longest` falls off by `decay` a step, very nearly so long before it.
    let probabilities = distribution(utilisation, longest);
    let step = decay(utilisation);
    let mut beyond = probabilities[longest] * step / (1.0 - step);
    let mut tails = vec![0.0; longest + 1];
    for n in (0..=longest).rev() {
        beyond += probabilities[n];
        tails[n] = beyond;
    }
    tails
}

/// By which factor P(N >= n) falls from n to n + 1 for long queues: 1/z, where z > 1 solves exp(u (z - 1)) = z.
/// 0 for an idle queue.
///
/// # Panics
/// If `utilisation` is not in 0..1.
pub fn decay(utilisation: f64) -> f64 {
    assert!((0.0..1.0).contains(&utilisation), "utilisation {utilisation} is not in 0..1");
    if utilisation == 0.0 {
        return 0.0;
    }
    // f(z) = ln z - u (z - 1) is concave with f(1) = 0 and its top at 1/u: the other root lies beyond.
    let excess = |z: f64| libm::log(z) - utilisation * (z - 1.0);
    let (mut low, mut high) = (1.0 / utilisation, 2.0 / utilisation);
    while excess(high) > 0.0 {
        high *= 2.0;
    }
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if excess(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    1.0 / f64::midpoint(low, high)
}

/// Stardust's estimate of P(queue builds up to n): fs^-2n with the fabric speed-up fs = 1 / utilisation (§4.2.1).
pub fn estimate(utilisation: f64, n: u32) -> f64 {
    libm::pow(utilisation, 2.0 * f64::from(n))
}

/// The mean number in the system: u + u² / (2 (1 - u)) (Pollaczek and Khinchine).
///
/// # Panics
/// If `utilisation` is not in 0..1.
pub fn mean(utilisation: f64) -> f64 {
    assert!((0.0..1.0).contains(&utilisation), "utilisation {utilisation} is not in 0..1");
    utilisation + utilisation * utilisation / (2.0 * (1.0 - utilisation))
}

/// The smallest n with P(N > n) <= `share`.
///
/// # Panics
/// If `utilisation` is not in 0..1, or `share` not in 0..1 or less than 1e-300.
pub fn quantile(utilisation: f64, share: f64) -> usize {
    assert!((1e-300..1.0).contains(&share), "share {share} is not in 1e-300..1");
    let mut longest = 64;
    loop {
        let tails = tail(utilisation, longest);
        if let Some(n) = (1..=longest).find(|&n| tails[n] <= share) {
            return n - 1;
        }
        longest *= 2;
    }
}

/// P(at least k arrivals) for k = 0.. below `length`, of a Poisson variable. Summed from the far end, where terms are small.
fn poisson_tails(mean: f64, length: usize) -> Vec<f64> {
    // Terms fall faster than 1/k!: 40 more are below the last bit of any tail.
    let mut terms = vec![libm::exp(-mean)];
    for k in 1..length + 40 {
        let before = terms[k - 1];
        #[expect(clippy::cast_precision_loss, reason = "a queue's length is far below 2^52")]
        terms.push(before * mean / k as f64);
    }
    let mut tails = terms;
    for k in (0..tails.len() - 1).rev() {
        tails[k] += tails[k + 1];
    }
    tails.truncate(length);
    tails[0] = 1.0;
    tails
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Exact: P(0) = 1-u, P(1) = (1-u)(e^u - 1), P(2) = (1-u)(e^2u - e^u (1+u)).
    #[test]
    fn the_head_is_the_textbook_s() {
        for u in [0.1, 0.5, 0.66, 0.8, 0.95] {
            let found = distribution(u, 2);
            let e = libm::exp(u);
            let wanted = [1.0 - u, (1.0 - u) * (e - 1.0), (1.0 - u) * (e * e - e * (1.0 + u))];
            for (a, b) in found.iter().zip(wanted) {
                assert!((a - b).abs() < 1e-14, "{u}: {a} is not {b}");
            }
        }
    }

    /// A chain of the queue itself, stepped many times, goes to the same probabilities.
    #[test]
    fn the_lock_step_queue_has_the_same_distribution() {
        let (u, size) = (0.8, 80);
        let arrivals: Vec<f64> = {
            let tails = poisson_tails(u, size + 1);
            (0..size).map(|k| tails[k] - tails[k + 1]).collect()
        };
        let mut now = vec![0.0; size];
        now[0] = 1.0;
        for _ in 0..3000 {
            let mut next = vec![0.0; size];
            for (q, share) in now.iter().enumerate() {
                let left = q.saturating_sub(1);
                for a in 0..size - left {
                    next[left + a] += share * arrivals[a];
                }
            }
            now = next;
        }
        for (n, (chain, exact)) in now.iter().zip(distribution(u, 30)).enumerate() {
            assert!((chain - exact).abs() < 1e-9, "{n}: {chain} is not {exact}");
        }
    }

    #[test]
    fn long_tails_fall_by_the_decay() {
        let tails = tail(0.9, 400);
        assert!((tails[0] - 1.0).abs() < 1e-12);
        assert!((tails[1] - 0.9).abs() < 1e-12);
        let step = tails[301] / tails[300];
        assert!((step - decay(0.9)).abs() < 1e-12, "{step}");
        assert!(tails[400] > 0.0 && tails[400] < 1e-35);
        // The paper's fs^-2 is near the true factor while the load is high, and too small where it is low.
        assert!((decay(0.95) / (0.95 * 0.95) - 1.0).abs() < 0.002);
        assert!((decay(0.9) / estimate(0.9, 1) - 1.0).abs() < 0.01);
        assert!(decay(0.5) > 1.1 * estimate(0.5, 1));
    }

    #[test]
    fn quantiles_are_the_first_length_that_is_seldom_exceeded() {
        assert_eq!(quantile(0.0, 0.5), 0);
        assert_eq!(quantile(0.5, 0.5), 0); // half of the time it is empty
        assert_eq!(quantile(0.5, 0.499), 1);
        let (n, tails) = (quantile(0.95, 1e-6), tail(0.95, 400));
        assert!(tails[n + 1] <= 1e-6 && tails[n] > 1e-6, "{n}");
    }

    #[test]
    #[should_panic(expected = "utilisation 1 is not in 0..1")]
    fn a_full_queue_has_no_distribution() {
        distribution(1.0, 3);
    }

    proptest! {
        #[test]
        fn probabilities_sum_to_one_and_have_the_mean(u in 0.01f64..0.97) {
            let probabilities = distribution(u, 1500);
            let sum: f64 = probabilities.iter().sum();
            prop_assert!((sum - 1.0).abs() < 1e-9, "{sum}");
            prop_assert!(probabilities.iter().all(|p| *p >= 0.0));
            let mut found = 0.0;
            for (n, p) in probabilities.iter().enumerate() { found += n as f64 * p; }
            prop_assert!((found / mean(u) - 1.0).abs() < 1e-6, "{found} is not {}", mean(u));
        }

        #[test]
        fn more_load_makes_longer_queues(u in 0.05f64..0.9, more in 0.01f64..0.09) {
            let (less, greater) = (tail(u, 60), tail(u + more, 60));
            for n in 1..=60 { prop_assert!(less[n] <= greater[n]); }
            prop_assert!(decay(u) < decay(u + more));
            prop_assert!(decay(u) >= u * u, "the paper's estimate falls faster than the queue");
        }
    }
}
