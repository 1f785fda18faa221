//! Queues in closed or numerical form, to hold simulations against.

pub mod md1;
