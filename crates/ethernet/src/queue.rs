//! Frames that wait at a port for its link.

use crate::class::PortClass;
use fabric::Frame;
use std::collections::VecDeque;
use units::{Span, Time};

/// Frames that wait, and how long they take.
#[derive(Debug, Clone, Default)]
pub(crate) struct Queue {
    pub(crate) frames: VecDeque<Waiting>,
    /// Time to send them all.
    pub(crate) backlog: Span,
}

/// A frame that waits, and when its last bit is there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Waiting {
    pub(crate) frame: Frame,
    pub(crate) whole: Time,
}

impl Queue {
    pub(crate) fn push(&mut self, frame: Frame, whole: Time, class: &PortClass) {
        self.backlog += class.time_on_wire(frame.len);
        self.frames.push_back(Waiting { frame, whole });
    }

    pub(crate) fn pop_front(&mut self, class: &PortClass) -> Option<Waiting> {
        let first = self.frames.pop_front()?;
        self.backlog = self.backlog - class.time_on_wire(first.frame.len);
        Some(first)
    }

    pub(crate) fn pop_back(&mut self, class: &PortClass) -> Option<Waiting> {
        let last = self.frames.pop_back()?;
        self.backlog = self.backlog - class.time_on_wire(last.frame.len);
        Some(last)
    }
}
