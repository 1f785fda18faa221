//! The receiving end: packets in order, acknowledgements for those that ask for one, one refusal for each gap; and the notification point (§3.1).

use crate::config::Dcqcn;
use crate::{Connection, Receiver};
use fabric::{Device, Ecn, Env, Frame, Kind, Port};
use units::{Bytes, Span, Time};

/// The receiving end of a connection of DCQCN.
#[derive(Debug, Clone)]
pub struct DcqcnReceiver {
    connection: Connection,
    header: u32,
    control: u32,
    control_priority: u8,
    interval: Span,
    /// First byte that is missing. What comes beyond it is discarded.
    expected: u64,
    /// The gap at `expected` was told of: it is told of once (InfiniBand's sequence error).
    refused: bool,
    /// An acknowledgement or a refusal is to be sent, for a packet with this stamp.
    answer: Option<(Kind, Time)>,
    /// A notification is to be sent, for a packet with this stamp.
    notification: Option<Time>,
    /// When the interval after the last notification is over, and the stamp of a packet that was marked in it.
    quiet_until: Time,
    marked: Option<Time>,
}

impl DcqcnReceiver {
    pub(super) fn new(connection: &Connection, config: &Dcqcn) -> DcqcnReceiver {
        DcqcnReceiver {
            connection: *connection,
            header: config.header.get() as u32,
            control: config.control.get() as u32,
            control_priority: config.control_priority.unwrap_or(connection.priority),
            interval: config.notification_interval,
            expected: 0,
            refused: false,
            answer: None,
            notification: None,
            quiet_until: Time::ZERO,
            marked: None,
        }
    }

    /// A marked packet has come. The first one is told of at once, and what is marked in the interval after that once it is over.
    fn mark(&mut self, now: Time, stamp: Time) {
        if now < self.quiet_until {
            self.marked = Some(stamp);
        } else {
            self.notify(now, stamp);
        }
    }

    fn notify(&mut self, now: Time, stamp: Time) {
        (self.notification, self.marked) = (Some(stamp), None);
        self.quiet_until = now + self.interval;
    }
}

impl Device for DcqcnReceiver {
    type Frame = Frame;

    fn receive(&mut self, now: Time, port: Port, frame: Frame, env: &mut impl Env) {
        debug_assert_eq!(frame.kind, Kind::Data);
        if frame.ecn == Ecn::Marked {
            self.mark(now, frame.stamp);
        }
        if frame.sequence > self.expected {
            if !self.refused {
                (self.refused, self.answer) = (true, Some((Kind::Nack, frame.stamp)));
            }
        } else {
            if frame.sequence == self.expected {
                self.expected += u64::from(frame.len - self.header);
                self.refused = false;
            }
            if frame.echo {
                self.answer = Some((Kind::Ack, frame.stamp));
            }
        }
        if self.answer.is_some() || self.notification.is_some() {
            env.wake(port);
        }
    }

    fn transmit(&mut self, _: Time, _: Port, _: &mut impl Env) -> Option<Frame> {
        let due = self.notification.take().map(|stamp| (Kind::Notification, stamp));
        let (kind, stamp) = due.or_else(|| self.answer.take())?;
        let frame = self.connection.answer(kind, stamp, self.expected, self.control);
        Some(Frame { priority: self.control_priority, ..frame })
    }

    fn deadline(&self) -> Option<Time> {
        self.marked.map(|_| self.quiet_until)
    }

    fn expire(&mut self, now: Time, env: &mut impl Env) {
        if let Some(stamp) = self.marked.filter(|_| now >= self.quiet_until) {
            self.notify(now, stamp);
            env.wake(Port(0));
        }
    }
}

impl Receiver for DcqcnReceiver {
    fn delivered(&self) -> Bytes {
        Bytes::new(self.expected)
    }
}
