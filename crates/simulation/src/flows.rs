//! The workload's flows that are open, by the place of their connection.

use host::Stack;
use units::{Bytes, Time};

/// A flow between its start and its end.
pub(crate) struct Flow {
    /// The workload's number for it.
    pub id: u64,
    pub group: u16,
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
    /// Which of the stack's protocols carries it.
    pub protocol: u16,
}

/// What a flow had done when the window began.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Before {
    pub delivered: u64,
    pub retransmits: u64,
    pub timeouts: u64,
}

impl Flow {
    pub(crate) fn is_endless(&self) -> bool {
        self.bytes == Bytes::MAX
    }
}

/// Open flows by place. Memory grows with how many are open at once.
#[derive(Default)]
pub(crate) struct Flows {
    places: Vec<Option<Flow>>,
    /// Open flows that will end, and that will not.
    pub finite: u64,
    pub endless: u64,
    /// Flows that have ended.
    pub ended: u64,
}

impl Flows {
    pub(crate) fn open(&mut self, place: u32, flow: Flow) {
        *if flow.is_endless() { &mut self.endless } else { &mut self.finite } += 1;
        if self.places.len() <= place as usize {
            self.places.resize_with(place as usize + 1, || None);
        }
        self.places[place as usize] = Some(flow);
    }

    /// The flow in `place`, which must be open.
    #[inline]
    pub(crate) fn at(&mut self, place: u32) -> &mut Flow {
        self.places[place as usize].as_mut().expect("a flow is open as long as its connection")
    }

    pub(crate) fn close(&mut self, place: u32) -> Flow {
        let flow = self.places[place as usize].take().expect("a flow is closed once");
        *if flow.is_endless() { &mut self.endless } else { &mut self.finite } -= 1;
        self.ended += 1;
        flow
    }

    /// Open flows with their places.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &Flow)> {
        self.places.iter().enumerate().filter_map(|(place, flow)| flow.as_ref().map(|flow| (place as u32, flow)))
    }

    /// The window begins.
    pub(crate) fn begin_measurement(&mut self, stack: &Stack) {
        for (place, flow) in
            self.places.iter_mut().enumerate().filter_map(|(place, flow)| Some((place, flow.as_mut()?)))
        {
            let counters = stack.counters(place as u32);
            let delivered = stack.delivered(place as u32).get();
            flow.before = Before { delivered, retransmits: counters.retransmits, timeouts: counters.timeouts };
        }
    }
}
