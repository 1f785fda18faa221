//! The linear program behind the problem: how much of each demand goes over each plane, where everything that can be had once a slot is shared at will.

use super::super::{Attached, Demand};
use std::collections::BTreeMap;

/// What is shared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Row {
    /// A demand is for one slot.
    Demand(usize),
    Source(u16),
    Destination(u16),
    Up(u32, u8),
    Down(u32, u8),
    /// The links from an aggregation switch to its core switches, which are alike.
    ToCores(u8),
    FromCore(u8, u8),
}

/// The most of these demands that fit in one slot if packets could be split over planes and slots ended in fractions: no less than what fits in whole
/// ([`exact`](super::exact)), and no more than the maximum flow ([`bound`](super::bound)), where packets change planes besides. When every core switch takes packets.
pub fn linear(attached: &Attached, demands: &[Demand]) -> f64 {
    let pod = attached.pod();
    let mut rows: BTreeMap<Row, usize> = BTreeMap::new();
    let mut columns: Vec<Vec<usize>> = Vec::new();
    for (number, &demand) in demands.iter().enumerate() {
        for plane in 0..pod.uplinks() as u8 {
            let up = |host: u16| [Row::Source(host), Row::Up(pod.rack(host), plane)];
            let down = |host: u16| [Row::Destination(host), Row::Down(pod.rack(host), plane)];
            let uses: Vec<Row> = match demand {
                Demand::Within { source, destination } => [up(source), down(destination)].concat(),
                Demand::Out { source, .. } => [&up(source)[..], &[Row::ToCores(plane)]].concat(),
                Demand::In { core, destination } if core.plane == plane => {
                    [&down(destination)[..], &[Row::FromCore(core.plane, core.number)]].concat()
                }
                Demand::In { .. } => continue,
            };
            let mut column = |row: Row| {
                let next = rows.len();
                *rows.entry(row).or_insert(next)
            };
            columns.push(uses.into_iter().chain([Row::Demand(number)]).map(&mut column).collect());
        }
    }
    let mut limits = vec![1.0; rows.len()];
    for (row, place) in &rows {
        if let Row::ToCores(_) = row {
            limits[*place] = f64::from(attached.cores_per_plane());
        }
    }
    maximum(&columns, &limits)
}

/// The largest sum of numbers that are not negative, one for each column, so that of all columns that have a row together no more than its limit is used. By the simplex
/// method, and proved by its dual solution: rounding can make the outcome too large by as much, never too small.
fn maximum(columns: &[Vec<usize>], limits: &[f64]) -> f64 {
    let (rows, width) = (limits.len(), columns.len() + limits.len() + 1);
    // A row for each limit with its slack, the last column what is left of it; below them what each column would still gain.
    let mut table = vec![0.0; (rows + 1) * width];
    for (column, uses) in columns.iter().enumerate() {
        uses.iter().for_each(|row| table[row * width + column] = 1.0);
        table[rows * width + column] = 1.0;
    }
    for (row, limit) in limits.iter().enumerate() {
        table[row * width + columns.len() + row] = 1.0;
        table[row * width + width - 1] = *limit;
    }
    for step in 0.. {
        let gains = &table[rows * width..][..width - 1];
        let gaining = (0..width - 1).filter(|column| gains[*column] > TINY);
        // Of the many with equal gains the first; in the end that is Bland's rule, with which it ends for certain.
        let entering = if step < 4 * rows {
            gaining.fold(None, |best: Option<usize>, next| match best {
                Some(best) if gains[best] >= gains[next] => Some(best),
                _ => Some(next),
            })
        } else {
            gaining.min()
        };
        let Some(entering) = entering else { break };
        let ratio = |row: &usize| table[row * width + width - 1] / table[row * width + entering];
        let leaving = (0..rows)
            .filter(|row| table[row * width + entering] > TINY)
            .min_by(|one, other| ratio(one).total_cmp(&ratio(other)));
        let Some(leaving) = leaving else { break };
        pivot(&mut table, width, leaving, entering);
    }
    // What a limit's slack would gain, negated, is the price of what it limits: no column is worth more than its rows cost, but for what was rounded.
    let price = |row: usize| (-table[rows * width + columns.len() + row]).max(0.0);
    let least =
        columns.iter().map(|uses| uses.iter().map(|row| price(*row)).sum::<f64>()).fold(f64::INFINITY, f64::min);
    let cost: f64 = limits.iter().enumerate().map(|(row, limit)| limit * price(row)).sum();
    if columns.is_empty() { 0.0 } else { cost / least.min(1.0) }
}

/// What is taken for nothing.
const TINY: f64 = 1e-9;

fn pivot(table: &mut [f64], width: usize, leaving: usize, entering: usize) {
    let factor = table[leaving * width + entering];
    let row: Vec<f64> = table[leaving * width..][..width].iter().map(|value| value / factor).collect();
    table[leaving * width..][..width].copy_from_slice(&row);
    for (place, other) in table.chunks_exact_mut(width).enumerate() {
        let times = other[entering];
        if place != leaving && times != 0.0 {
            other.iter_mut().zip(&row).for_each(|(value, pivot)| *value -= times * pivot);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pod;
    use crate::interpod::Core;

    #[test]
    fn sums_that_are_known() {
        // Three pairs of three things: half of each.
        let value = maximum(&[vec![0, 1], vec![1, 2], vec![0, 2]], &[1.0; 3]);
        assert!((value - 1.5).abs() < 1e-9, "{value}");
        assert!((maximum(&[vec![0], vec![0, 1]], &[2.0, 1.0]) - 2.0).abs() < 1e-9);
        assert!(maximum(&[], &[]) < 1e-9);
    }

    #[test]
    fn packets_that_must_leave_in_one_plane_do_not_fit_by_halves_either() {
        let attached = Attached::new(Pod::two_tiers(2, 2, 2).expect("a pod"), 2, 2).expect("core switches");
        let from = |number, destination| Demand::In { core: Core { plane: 0, number }, destination };
        assert!((linear(&attached, &[from(0, 0), from(1, 1)]) - 1.0).abs() < 1e-9);
        assert!((linear(&attached, &[from(0, 0), from(1, 2)]) - 2.0).abs() < 1e-9);
    }
}
