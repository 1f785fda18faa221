//! Frames that wait at a port for its link.

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

/// A frame that waits, when its last bit is there, and how long it takes to send it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Waiting {
    pub(crate) frame: Frame,
    pub(crate) whole: Time,
    pub(crate) service: Span,
}

impl Queue {
    #[inline]
    pub(crate) fn push(&mut self, waiting: Waiting) {
        self.backlog += waiting.service;
        self.frames.push_back(waiting);
    }

    #[inline]
    pub(crate) fn pop_front(&mut self) -> Option<Waiting> {
        let first = self.frames.pop_front()?;
        self.backlog = self.backlog - first.service;
        Some(first)
    }

    pub(crate) fn pop_back(&mut self) -> Option<Waiting> {
        let last = self.frames.pop_back()?;
        self.backlog = self.backlog - last.service;
        Some(last)
    }
}
