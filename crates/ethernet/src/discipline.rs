//! What an output port may be: who is let in, who goes next.

use crate::class::PortClass;
use crate::pausing::Pausing;
use engine::Stream;
use fabric::{Counters, Frame};
use units::{Span, Time};

/// The output queues of all ports of a fabric, in flat arrays: one implementation a discipline (first in first out, strict
/// priorities, trimming, ranks, priority flow control). Chosen once, at the top, and compiled in.
pub trait Discipline {
    /// Whether its ports pause others. Hosts' interfaces are ports of it then.
    const PAUSES: bool = false;

    /// Whether frames wait in it for [`Discipline::next`].
    const KEEPS: bool = true;

    /// Empty queues for `ports` ports of `classes` priority classes. What is marked by chance is drawn from `marks`, and nothing else is: a stream of its
    /// own changes no other draw, and a switch needs nothing around it for ports that draw none.
    fn new(ports: usize, classes: u8, marks: Stream) -> Self;

    /// A frame wants to leave on `port`. Its last bit is there at `whole`, which is `now` unless the switch cuts through. It
    /// may be marked or trimmed. `pick` draws a number below its argument.
    fn admit(
        &mut self,
        now: Time,
        whole: Time,
        port: u32,
        frame: &mut Frame,
        class: &PortClass,
        pick: impl FnMut(u32) -> u32,
    ) -> Admission;

    /// The link is free: the frame that goes next, and when its last bit will have been sent.
    fn next(&mut self, now: Time, port: u32, class: &PortClass) -> Option<(Frame, Time)>;

    /// The link is dead: all that waits or is being sent is lost. How many frames waited for [`Discipline::next`].
    fn flush(&mut self, port: u32) -> u64;

    /// Time to send all that is waiting or being sent, whether or not [`Discipline::next`] was called for all that has begun to leave by now.
    fn wait(&self, now: Time, port: u32) -> Span;

    /// Whether a frame waits for [`Discipline::next`].
    fn keeps(&self, port: u32) -> bool;

    /// A frame is to be admitted to this port soon: its state can be fetched from memory meanwhile. This changes nothing.
    fn prefetch(&self, port: u32);

    /// When the link will have sent the last frame that left.
    fn free_at(&self, port: u32) -> Time;

    /// What a port counted.
    fn counters(&self, port: u32) -> &Counters;

    /// The same, to change.
    fn counters_mut(&mut self, port: u32) -> &mut Counters;

    /// The next of the frames that a port dropped to let in the last one, if there are more.
    #[inline(always)]
    fn displaced(&mut self) -> Option<Frame> {
        None
    }

    /// Frames that wait for [`Discipline::next`], with their ports.
    fn waiting(&self) -> Vec<(u32, Frame)>;

    /// What it has to do with others' ports, if they pause each other.
    #[inline(always)]
    fn pausing(&self) -> Option<&Pausing> {
        None
    }

    /// The same, to change.
    #[inline(always)]
    fn pausing_mut(&mut self) -> Option<&mut Pausing> {
        None
    }
}

/// What becomes of a frame at an output port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// It leaves; its last bit will have been sent at this time.
    Departs(Time),
    /// The port keeps it until the link asks for it.
    Waits,
    /// The port keeps it until the link asks for it, and has dropped others that waited, see [`Discipline::displaced`].
    Displaces,
    /// There was no room, or the link is dead.
    Dropped,
    /// As [`Admission::Waits`], for which so many bytes were cut off it or off one that waited.
    Trimmed {
        /// Bytes.
        cut: u32,
    },
    /// There was no room for its header either: the header goes back to its source.
    Returned {
        /// Bytes that were cut off it.
        cut: u32,
    },
}
