//! A pod of switches without buffers, from outside.

mod conformance;
mod lab;
mod timelines;
