//! Tail loss probes: RFC 8985 §7.

use units::Time;

/// The probe that repairs, or finds, the loss of a flight's end.
#[derive(Debug, Clone, Default)]
pub(super) struct Probe {
    /// When it is to be sent.
    pub(super) timer: Option<Time>,
    /// It is to be sent at once.
    pub(super) due: bool,
    /// The byte after the last that had been sent when it was, until it is known what became of it (TLP.end_seq), and whether it was a
    /// retransmission.
    outstanding: Option<(u64, bool)>,
}

/// What an acknowledgement says of a probe.
#[derive(Debug, Clone, Copy)]
pub(super) struct Answer {
    /// The byte that it expects next.
    pub(super) ack: u64,
    /// The byte after what came twice, if something did.
    pub(super) twice: Option<u64>,
    /// It acknowledges nothing that was not acknowledged, and has no blocks.
    pub(super) bare: bool,
}

impl Probe {
    /// None may be sent until it is known what became of this one.
    pub(super) fn is_outstanding(&self) -> bool {
        self.outstanding.is_some()
    }

    /// One was sent: of new data or not. All below `end` was sent.
    pub(super) fn sent(&mut self, end: u64, again: bool) {
        (self.due, self.outstanding) = (false, Some((end, again)));
    }

    /// A loss was found otherwise.
    pub(super) fn cancel(&mut self) {
        *self = Probe::default();
    }

    /// RFC 8985 §7.4.2. Whether it repaired a loss, which is to be answered as one.
    pub(super) fn hear(&mut self, Answer { ack, twice, bare }: Answer) -> bool {
        let Some((end, again)) = self.outstanding.filter(|(end, _)| ack >= *end) else { return false };
        let needless = !again || twice == Some(end) || bare && ack == end;
        if needless || ack > end {
            self.outstanding = None;
        }
        !needless && ack > end
    }
}
