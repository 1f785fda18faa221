//! The ends of open connections, in flat arrays whose places are used again.

use fabric::Device;
use std::collections::VecDeque;
use transport::{AnyReceiver, AnySender};
use units::Time;

/// One end of a connection, with what its host keeps beside it.
pub(crate) struct Open<E> {
    pub end: E,
    pub host: u32,
    pub epoch: u32,
    /// When the pending timer goes off; [`Time::MAX`]: there is none.
    pub timer: Time,
    pub priority: u8,
    /// A sending end stands in its host's line for the interface.
    pub in_line: bool,
}

impl<E: Device> Open<E> {
    /// The end's deadline, if it is before the pending timer, which it then is. One that has passed is now.
    #[inline(always)]
    pub(crate) fn new_timer(&mut self, now: Time) -> Option<Time> {
        let at = self.end.deadline()?.max(now);
        if at >= self.timer {
            return None;
        }
        self.timer = at;
        Some(at)
    }
}

/// Open connections by place. The ends of one are in the same place of two arrays, as they are at two hosts. Memory grows with how many are
/// open at once.
#[derive(Default)]
pub(crate) struct Ends {
    pub senders: Vec<Option<Open<AnySender>>>,
    pub receivers: Vec<Option<Open<AnyReceiver>>>,
    epochs: Vec<u32>,
    /// Free places, longest free first: late frames of the last connection there are gone before the next comes.
    free: VecDeque<u32>,
}

impl Ends {
    /// The place of the next connection, and its epoch there.
    pub(crate) fn next_place(&mut self) -> (u32, u32) {
        let place = self.free.pop_front().unwrap_or_else(|| {
            let place = u32::try_from(self.epochs.len()).expect("fewer than 2^32 connections are open");
            self.senders.push(None);
            self.receivers.push(None);
            self.epochs.push(0);
            place
        });
        (place, self.epochs[place as usize])
    }

    /// The sending end in `place`, which must be open.
    #[inline]
    pub(crate) fn sender(&mut self, place: u32) -> &mut Open<AnySender> {
        self.senders[place as usize].as_mut().expect("a connection in line is open")
    }

    /// Forgets both ends.
    pub(crate) fn close(&mut self, place: u32) {
        let index = place as usize;
        assert!(self.senders[index].take().is_some(), "a connection is closed once");
        self.receivers[index] = None;
        self.epochs[index] = self.epochs[index].wrapping_add(1);
        self.free.push_back(place);
    }
}

/// The end that is in `place` in this epoch, if it is still open.
#[inline]
pub(crate) fn get<E>(ends: &mut [Option<Open<E>>], place: u32, epoch: u32) -> Option<&mut Open<E>> {
    ends.get_mut(place as usize)?.as_mut().filter(|open| open.epoch == epoch)
}
