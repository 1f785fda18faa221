//! Checks of [`Device`]s.

use crate::{Device, Env, Port};
use std::fmt::Debug;
use units::{Span, Time};

/// An environment that writes down which ports a device wakes. Chance comes from a counter, so that it repeats.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recorder {
    /// Ports that were woken.
    pub woken: Vec<Port>,
    picks: u32,
}

impl Env for Recorder {
    fn wake(&mut self, port: Port) {
        self.woken.push(port);
    }
    fn pick(&mut self, choices: u32) -> u32 {
        self.picks = self.picks.wrapping_add(1);
        self.picks % choices
    }
}

/// `expire` before the deadline, or without one, changes nothing and asks for nothing. Call it after every step of a test.
///
/// # Panics
/// If it does.
pub fn never_early<D>(device: &D, now: Time)
where
    D: Device + Clone + Debug,
{
    let just_before = device.deadline().map_or(now, |deadline| deadline - Span::from_ps(1));
    if device.deadline().is_some_and(|deadline| deadline <= now) {
        return; // it is due: not early
    }
    let mut copy = device.clone();
    let mut env = Recorder::default();
    copy.expire(just_before.max(now), &mut env);
    assert!(env.woken.is_empty(), "expire before the deadline asked for something: {env:?}");
    assert_eq!(format!("{copy:?}"), format!("{device:?}"), "expire before the deadline changed the device");
}
