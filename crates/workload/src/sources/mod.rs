//! One file a kind of source: what starts when.

mod all_to_all;
mod background;
mod closed_loop;
mod exchange;
mod iterations;
mod poisson;
mod ring;
mod rounds;
mod trace;
mod tree;

pub(crate) use all_to_all::AllToAllSource;
pub(crate) use background::BackgroundSource;
pub(crate) use closed_loop::ClosedLoopSource;
pub(crate) use exchange::ExchangeSource;
pub(crate) use iterations::Iterations;
pub(crate) use poisson::PoissonSource;
pub(crate) use ring::RingSource;
pub(crate) use rounds::{Round, RoundSource};
pub(crate) use trace::TraceSource;
pub(crate) use tree::TreeSource;

use crate::setting::Chance;
use crate::sizes::Sizes;
use units::{Bytes, Span};

/// Up to `jitter` of delay, evenly: the `index`-th choice of its kind in this group.
fn delay(chance: &Chance, jitter: Span, index: u64) -> Span {
    match jitter.as_ps().checked_add(1) {
        Some(1) => Span::ZERO,
        Some(ways) => Span::from_ps(chance.stream("jitter", index).below(ways)),
        None => Span::from_ps(chance.stream("jitter", index).bits()),
    }
}

/// The size of the `index`-th flow of this group.
fn size(chance: &Chance, size: Option<&Sizes>, index: u64) -> Bytes {
    size.map_or(Bytes::MAX, |size| size.sample(&mut chance.stream("size", index)))
}

/// The `index`-th of `pieces` nearly equal pieces of `bytes`: together they are all of it.
fn piece(bytes: Bytes, pieces: u64, index: u64) -> Bytes {
    let upto = |index: u64| (u128::from(bytes.get()) * u128::from(index) / u128::from(pieces)) as u64;
    Bytes::new(upto(index + 1) - upto(index))
}

#[cfg(test)]
mod tests;
