//! Checks of [`Device`]s.

use crate::{Device, Env, Port};
use std::fmt::Debug;
use units::{Span, Time};

/// An environment that writes down what a device asks for. Chance comes from a counter, so that it repeats.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorder<F, N> {
    /// Ports that were woken.
    pub woken: Vec<Port>,
    /// Frames that left: port, end, frame.
    pub departed: Vec<(Port, Time, F)>,
    /// Notes.
    pub notes: Vec<N>,
    picks: u32,
}

impl<F, N> Default for Recorder<F, N> {
    fn default() -> Self {
        Recorder { woken: Vec::new(), departed: Vec::new(), notes: Vec::new(), picks: 0 }
    }
}

impl<F, N> Recorder<F, N> {
    /// Nothing was asked for.
    pub fn is_silent(&self) -> bool {
        self.woken.is_empty() && self.departed.is_empty() && self.notes.is_empty()
    }
}

impl<F, N> Env<F, N> for Recorder<F, N> {
    fn wake(&mut self, port: Port) {
        self.woken.push(port);
    }
    fn depart(&mut self, port: Port, end: Time, frame: F) {
        self.departed.push((port, end, frame));
    }
    fn pick(&mut self, choices: u32) -> u32 {
        self.picks = self.picks.wrapping_add(1);
        self.picks % choices
    }
    fn note(&mut self, note: N) {
        self.notes.push(note);
    }
}

/// `expire` before the deadline, or without one, changes nothing and asks for nothing. Call it after every step of a test.
///
/// # Panics
/// If it does.
pub fn never_early<D>(device: &D, now: Time)
where
    D: Device + Clone + Debug,
    D::Frame: Debug,
    D::Note: Debug,
{
    let just_before = device.deadline().map_or(now, |deadline| deadline - Span::from_ps(1));
    if device.deadline().is_some_and(|deadline| deadline <= now) {
        return; // it is due: not early
    }
    let mut copy = device.clone();
    let mut env = Recorder::default();
    copy.expire(just_before.max(now), &mut env);
    assert!(env.is_silent(), "expire before the deadline asked for something: {env:?}");
    assert_eq!(format!("{copy:?}"), format!("{device:?}"), "expire before the deadline changed the device");
}
