//! Data paths: what holds for all of them, and small ones worked out by hand.

mod properties;
mod timelines;
