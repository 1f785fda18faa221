//! Table 2 of App. A, as printed and as built.
//!
//! Numbers are coefficients, so that they hold for every fat-tree: ToRs in k^n, switches in t k^(n-1), bundles in t k^n,
//! links per ToR in t l.

use super::size::{Construction, FatTree};
use schemars::JsonSchema;
use serde::Serialize;

/// Tiers the table has a row for.
pub const TIERS: u32 = 4;

/// The coefficients of a row of Table 2.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "StardustCoefficients")]
pub struct Coefficients {
    /// Most ToRs, in k^n.
    pub tors: f64,
    /// Most switches, in t k^(n-1).
    pub switches: f64,
    /// Link bundles, in t k^n.
    pub bundles: f64,
    /// Serial links per ToR, in t l.
    pub links_per_tor: f64,
}

/// A row of Table 2, for a number of tiers: as printed, by the general row, and as built.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "StardustSizeRow")]
pub struct Row {
    /// n.
    pub tiers: u32,
    /// The row of the table.
    pub printed: Coefficients,
    /// The general row, for this n.
    pub general: Coefficients,
    /// Counted in fat-trees that were built link by link.
    pub built: Coefficients,
}

/// The whole table.
pub fn rows() -> Vec<Row> {
    (1..=TIERS)
        .map(|tiers| Row { tiers, printed: printed(tiers), general: general(tiers), built: built(tiers) })
        .collect()
}

/// The rows for 1 to 4 tiers.
fn printed(tiers: u32) -> Coefficients {
    let (tors, switches, bundles, links_per_tor) = match tiers {
        1 => (1.0, 1.0, 1.0, 1.0),
        2 => (0.5, 1.5, 1.0, 2.0),
        3 => (0.25, 1.25, 0.75, 3.0),
        _ => (0.125, 0.875, 0.875, 7.0),
    };
    Coefficients { tors, switches, bundles, links_per_tor }
}

/// The row for n tiers: ToRs k^n/2^(n-1), switches (2n-1)/2^(n-1) t k^(n-1), bundles (1 - 1/2^(n-1)) t k^n, links per ToR
/// (2^(n-1) - 1) t l.
fn general(tiers: u32) -> Coefficients {
    let (n, halves) = (f64::from(tiers), f64::from(1u32 << (tiers - 1)));
    Coefficients {
        tors: 1.0 / halves,
        switches: (2.0 * n - 1.0) / halves,
        bundles: 1.0 - 1.0 / halves,
        links_per_tor: halves - 1.0,
    }
}

/// Counted link by link in a fat-tree with k = 4 and t = 3. That others have the same coefficients is tested.
fn built(tiers: u32) -> Coefficients {
    counted(FatTree::full(4, 3), tiers)
}

#[expect(clippy::cast_precision_loss, reason = "the fabrics that are counted have thousands of links")]
fn counted(tree: FatTree, tiers: u32) -> Coefficients {
    let (mut tors, mut switches, mut bundles) = (0u128, vec![0u128; tiers as usize], 0u128);
    for (below, above) in Construction::new(tree, tiers).bundles() {
        bundles += 1;
        if below.tier == 0 {
            tors = tors.max(below.number + 1);
        }
        let seen = &mut switches[above.tier as usize - 1];
        *seen = (*seen).max(above.number + 1);
    }
    let (k, t) = (u128::from(tree.radix()), u128::from(tree.uplinks()));
    Coefficients {
        tors: tors as f64 / k.pow(tiers) as f64,
        switches: switches.iter().sum::<u128>() as f64 / (t * k.pow(tiers - 1)) as f64,
        bundles: bundles as f64 / (t * k.pow(tiers)) as f64,
        links_per_tor: bundles as f64 / (tors * t) as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fat_tree_has_the_same_coefficients() {
        for tiers in 1..=TIERS {
            for (k, t) in [(2, 1), (4, 1), (6, 2), (8, 1)] {
                assert_eq!(counted(FatTree::full(k, t), tiers), built(tiers), "k = {k}, t = {t}, n = {tiers}");
            }
            let (n, halves) = (f64::from(tiers), f64::from(1u32 << (tiers - 1)));
            let wanted = Coefficients {
                tors: 1.0 / halves,
                switches: (2.0 * n - 1.0) / halves,
                bundles: n / halves,
                links_per_tor: n,
            };
            assert_eq!(built(tiers), wanted);
        }
    }

    #[test]
    fn the_table_contradicts_itself_where_links_are_counted() {
        let rows = rows();
        let differing = |other: fn(&Row) -> Coefficients| -> Vec<u32> {
            rows.iter().filter(|row| other(row) != row.built).map(|row| row.tiers).collect()
        };
        assert_eq!(differing(|row| row.printed), [4]);
        assert_eq!(differing(|row| row.general), [1, 2, 4]);
        assert!(rows.iter().all(|row| row.printed.tors == row.built.tors && row.general.tors == row.built.tors));
        assert!(rows.iter().all(|row| row.printed.switches == row.built.switches));
        assert!(rows.iter().all(|row| row.general.switches == row.built.switches));
        assert_eq!((rows[3].printed.bundles, rows[3].built.bundles), (0.875, 0.5));
        assert_eq!((rows[3].printed.links_per_tor, rows[3].built.links_per_tor), (7.0, 4.0));
        assert_eq!((rows[0].general.bundles, rows[1].general.links_per_tor), (0.0, 1.0));
    }
}
