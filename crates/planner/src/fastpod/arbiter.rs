//! What an arbiter has to do, and how many cores it takes, by what the crate `arbiter` was measured to take: the table "Slots of an arbiter" of
//! docs/performance.md, to which a test holds the one here.

use super::float;
use schemars::JsonSchema;
use serde::Serialize;
use units::Span;

/// What a pod of so many hosts takes one core.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Row {
    hosts: u64,
    load: f64,
    /// Share of hosts that send in a slot.
    used: f64,
    /// To find a slot for one pair of hosts.
    allocation_ns: f64,
    /// To find the paths of one slot.
    paths_us: f64,
}

const fn row(hosts: u64, load: f64, used: f64, allocation_ns: f64, paths_us: f64) -> Row {
    Row { hosts, load, used, allocation_ns, paths_us }
}

/// Racks of as many hosts as uplinks, two tiers, max-min fairness, batches of 64 slots.
const MEASURED: [[Row; 3]; 5] = [
    [row(16, 0.5, 0.50, 22.2, 0.10), row(16, 0.9, 0.91, 20.4, 0.18), row(16, 0.99, 0.98, 18.9, 0.20)],
    [row(128, 0.5, 0.50, 21.6, 0.70), row(128, 0.9, 0.91, 24.8, 1.31), row(128, 0.99, 0.98, 30.9, 1.54)],
    [row(256, 0.5, 0.50, 21.6, 1.36), row(256, 0.9, 0.90, 26.1, 2.84), row(256, 0.99, 0.97, 38.6, 3.35)],
    [row(1024, 0.5, 0.50, 28.0, 6.04), row(1024, 0.9, 0.89, 45.5, 9.96), row(1024, 0.99, 0.95, 57.7, 12.1)],
    [row(8192, 0.5, 0.50, 80.4, 45.7), row(8192, 0.9, 0.84, 128.8, 80.6), row(8192, 0.99, 0.88, 170.5, 87.4)],
];

/// What one request takes the whole machine, its slots and paths included, in nanoseconds: measured with 1024 hosts that each ask in every slot.
pub const REQUEST_NS: f64 = 123.0;

/// The most hosts that were measured.
pub const MOST_MEASURED: u64 = 8192;

/// Where the numbers are from.
pub const SOURCE: &str = "cargo bench -p benches --bench arbiter (docs/performance.md, Slots of an arbiter)";

/// What one core takes for one pair of hosts in one slot, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    /// To find its slot.
    pub allocation_ns: f64,
    /// To find its path.
    pub path_ns: f64,
}

impl Pace {
    /// As measured: in between by the logarithm of hosts and by load, and for fewer hosts or less load as for the fewest and the least. For more
    /// hosts it grows on as it did last.
    pub fn measured(hosts: u64, load: f64) -> Pace {
        let at = |rows: &[Row; 3]| {
            let upper = if load <= rows[1].load { 1 } else { 2 };
            let (below, above) = (rows[upper - 1], rows[upper]);
            let share = ((load - below.load) / (above.load - below.load)).clamp(0.0, 1.0);
            let between = |number: fn(&Row) -> f64| number(&below) + share * (number(&above) - number(&below));
            Pace {
                allocation_ns: between(|row| row.allocation_ns),
                path_ns: between(|row| row.paths_us * 1e3 / (row.used * float(row.hosts))),
            }
        };
        let last = MEASURED.len() - 1;
        let upper = MEASURED.iter().position(|rows| hosts <= rows[0].hosts).unwrap_or(last).max(1);
        let (below, above) = (&MEASURED[upper - 1], &MEASURED[upper]);
        let logarithm = |hosts: u64| libm::log(float(hosts));
        let (low, high) = (logarithm(below[0].hosts), logarithm(above[0].hosts));
        let share = ((logarithm(hosts) - low) / (high - low)).max(0.0);
        let (below, above) = (at(below), at(above));
        let between = |below: f64, above: f64| below + share * (above - below);
        Pace {
            allocation_ns: between(below.allocation_ns, above.allocation_ns),
            path_ns: between(below.path_ns, above.path_ns),
        }
    }
}

/// What slots and paths take.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "FastpodWork")]
pub struct Work {
    /// To find who sends to whom in a slot.
    pub slots_ps: u64,
    /// To find the paths of a slot.
    pub paths_ps: u64,
    /// Both, over the length of a slot: cores that are busy on average.
    pub busy_cores: f64,
    /// Cores that keep up: one for both if both together take no longer than a slot; else each has its own, and as many as slots pass while it works on
    /// one.
    pub cores: u64,
}

impl Work {
    /// For so many transfers a slot, on average.
    pub fn new(transfers: f64, pace: Pace, slot: Span) -> Work {
        let length = float(slot.as_ps());
        let (slots, paths) = (transfers * pace.allocation_ns * 1e3, transfers * pace.path_ns * 1e3);
        let busy_cores = (slots + paths) / length;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "picoseconds and cores, not negative"
        )]
        let whole = |number: f64| number.ceil() as u64;
        let stage = |time: f64| whole(time / length).max(1);
        let cores = if busy_cores <= 1.0 { 1 } else { stage(slots) + stage(paths) };
        Work { slots_ps: whole(slots), paths_ps: whole(paths), busy_cores, cores }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page, so that neither it nor the table here goes on without the other.
    const PAGE: &str = include_str!("../../../../docs/performance.md");

    #[test]
    fn the_table_is_that_of_the_page() {
        for Row { hosts, load, used, allocation_ns, paths_us } in MEASURED.into_iter().flatten() {
            let name = format!("| {hosts}, {load} |");
            let line = PAGE.lines().find(|line| line.starts_with(&name)).unwrap_or_else(|| panic!("no row {name}"));
            let cells: Vec<f64> = line.split('|').skip(2).filter_map(|cell| cell.trim().parse().ok()).collect();
            assert_eq!([cells[0], cells[2], cells[4]], [used, allocation_ns, paths_us], "{line}");
        }
        assert!(
            PAGE.contains(&format!("takes {REQUEST_NS:.0} ns a request when each of 1024 hosts asks in every slot"))
        );
        assert_eq!(MEASURED[4][0].hosts, MOST_MEASURED);
    }

    #[test]
    fn what_was_measured_is_what_is_said() {
        for row in MEASURED.into_iter().flatten() {
            let found = Pace::measured(row.hosts, row.load);
            assert!((found.allocation_ns - row.allocation_ns).abs() < 1e-9);
            assert!((found.path_ns * row.used * float(row.hosts) / 1e3 - row.paths_us).abs() < 1e-9);
        }
        assert_eq!(Pace::measured(2, 0.1), Pace::measured(16, 0.5), "nothing smaller was measured");
        let between = Pace::measured(512, 0.9);
        assert!((between.allocation_ns - f64::midpoint(26.1, 45.5)).abs() < 1e-9);
        let loads = Pace::measured(1024, 0.7);
        assert!((loads.allocation_ns - f64::midpoint(28.0, 45.5)).abs() < 1e-9);
        assert!(Pace::measured(65_534, 0.9).allocation_ns > 128.8);
    }

    #[test]
    fn stages_have_cores_of_their_own_where_one_is_not_enough() {
        let slot = Span::from_us(1);
        let work = |allocation_ns, path_ns| {
            let found = Work::new(100.0, Pace { allocation_ns, path_ns }, slot);
            (found.slots_ps, found.paths_ps, found.cores)
        };
        assert_eq!(work(6.0, 4.0), (600_000, 400_000, 1));
        assert_eq!(work(6.0, 5.0), (600_000, 500_000, 2));
        assert_eq!(work(21.0, 5.0), (2_100_000, 500_000, 4), "three work on slots, each on its own");
    }
}
