//! The 3D torus.

use super::{BaselineError, check};
use crate::graph::{Graph, Port};

/// A torus of `x * y * z` SoCs with six ports each: two a dimension, up and down, the last joined with the first. SoC `(i, j, k)` is
/// number `(k * y + j) * x + i`. A dimension of two SoCs joins them twice, one of a single SoC leaves its ports free.
///
/// # Errors
/// For fewer SoCs than 2 and more than [`crate::MOST_SOCS`].
pub fn torus(sizes: [u32; 3]) -> Result<Graph, BaselineError> {
    let socs = sizes.iter().try_fold(1_u64, |socs, &size| socs.checked_mul(u64::from(size))).unwrap_or(u64::MAX);
    let what = "a torus";
    let socs = u32::try_from(socs).map_err(|_| BaselineError::Socs { what, socs })?;
    check(what, socs, 6)?;
    let mut graph = Graph::new(socs, 6);
    let mut stride = 1;
    for (dimension, size) in (0..).zip(sizes) {
        for soc in (0..socs).filter(|_| size > 1) {
            let place = soc / stride % size;
            let next = soc - place * stride + (place + 1) % size * stride;
            graph.join(Port { soc, number: 2 * dimension }, Port { soc: next, number: 2 * dimension + 1 });
        }
        stride *= size;
    }
    Ok(graph)
}

/// The sizes of the torus of so many SoCs that is nearest to a cube: the least sum of sizes, the least first.
pub fn most_cubic(socs: u32) -> [u32; 3] {
    let divides = |of: u32| move |size: &u32| of.is_multiple_of(*size);
    let up_to_root = |of: u32| (1..=of).take_while(move |&size| u64::from(size) * u64::from(size) <= u64::from(of));
    let all = up_to_root(socs).filter(divides(socs)).flat_map(|x| {
        let rest = socs / x;
        up_to_root(rest).filter(divides(rest)).filter(move |&y| y >= x).map(move |y| [x, y, rest / y])
    });
    all.min_by_key(|sizes| sizes.iter().map(|&size| u64::from(size)).sum::<u64>()).unwrap_or([1, 1, socs])
}
