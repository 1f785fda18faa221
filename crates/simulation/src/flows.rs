//! The connections that are open, in one flat array whose places are used again.

use std::collections::VecDeque;
use transport::{Receiver, Sender, Transport};
use units::{Bytes, Time};

/// A flow between its start and its end, with both its ends.
pub(crate) struct Flow<T: Transport> {
    pub sender: T::Sender,
    pub receiver: T::Receiver,
    /// The workload's number for it.
    pub id: u64,
    pub group: u16,
    pub priority: u8,
    pub src: u32,
    pub dst: u32,
    pub bytes: Bytes,
    pub start: Time,
    /// When its last byte was received.
    pub end: Option<Time>,
    /// The workload's number for the operation that it is of.
    pub operation: Option<u64>,
    /// Bytes delivered, data frames sent again and timeouts, before the window.
    pub before: Before,
    /// It stands in its host's line for the interface.
    pub in_line: bool,
    /// When the pending timer events of sender and receiver are; [`Time::MAX`]: there is none.
    pub timers: [Time; 2],
    pub epoch: u32,
}

/// What a flow had done when the window began.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Before {
    pub delivered: u64,
    pub retransmits: u64,
    pub timeouts: u64,
}

impl<T: Transport> Flow<T> {
    /// The window begins.
    pub fn begin_measurement(&mut self) {
        let counters = self.sender.counters();
        let delivered = self.receiver.delivered().get();
        self.before = Before { delivered, retransmits: counters.retransmits, timeouts: counters.timeouts };
    }

    pub fn is_endless(&self) -> bool {
        self.bytes == Bytes::MAX
    }
}

/// Open flows by place. Memory grows with how many are open at once.
pub(crate) struct Flows<T: Transport> {
    places: Vec<Option<Flow<T>>>,
    epochs: Vec<u32>,
    /// Free places, longest free first: stray frames of the last flow there are gone before the next comes.
    free: VecDeque<u32>,
    /// Open flows that will end, and that will not.
    pub finite: u64,
    pub endless: u64,
}

impl<T: Transport> Flows<T> {
    pub fn new() -> Flows<T> {
        Flows { places: Vec::new(), epochs: Vec::new(), free: VecDeque::new(), finite: 0, endless: 0 }
    }

    /// The place of the next flow, and its epoch there.
    pub fn next_place(&mut self) -> (u32, u32) {
        let place = self.free.pop_front().unwrap_or_else(|| {
            self.places.push(None);
            self.epochs.push(0);
            (self.places.len() - 1) as u32
        });
        (place, self.epochs[place as usize])
    }

    pub fn open(&mut self, place: u32, flow: Flow<T>) {
        *if flow.is_endless() { &mut self.endless } else { &mut self.finite } += 1;
        self.places[place as usize] = Some(flow);
    }

    /// The flow that is in `place` in this epoch, if it is still open.
    #[inline]
    pub fn get(&mut self, place: u32, epoch: u32) -> Option<&mut Flow<T>> {
        self.places[place as usize].as_mut().filter(|flow| flow.epoch == epoch)
    }

    /// Whether some flow is in `place`.
    pub fn is_open(&self, place: u32) -> bool {
        self.places[place as usize].is_some()
    }

    /// The flow that is in `place`, which must be open.
    #[inline]
    pub fn at(&mut self, place: u32) -> &mut Flow<T> {
        self.places[place as usize].as_mut().expect("a flow in line is open")
    }

    pub fn close(&mut self, place: u32) -> Flow<T> {
        let flow = self.places[place as usize].take().expect("a flow is closed once");
        *if flow.is_endless() { &mut self.endless } else { &mut self.finite } -= 1;
        self.epochs[place as usize] = flow.epoch.wrapping_add(1);
        self.free.push_back(place);
        flow
    }

    /// Open flows with their places.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Flow<T>)> {
        self.places.iter().enumerate().filter_map(|(place, flow)| flow.as_ref().map(|flow| (place as u32, flow)))
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Flow<T>> {
        self.places.iter_mut().flatten()
    }
}
