//! AN3 networks as a whole.

mod conformance;
mod lab;
