//! Streams: what one end of a connection sends to the other, frame after frame, at one rate.

use crate::filling::Crossings;
use std::collections::VecDeque;
use units::Time;

/// Who sends: a connection's sender or receiver, in one of the connections that take its place after each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Origin {
    /// Twice the connection's place, and one more for its receiver.
    pub place: u32,
    pub epoch: u32,
}

#[derive(Debug, Clone)]
struct Stream {
    origin: Origin,
    /// Where each frame is kept, first to leave first.
    frames: VecDeque<u32>,
    /// Its sender has more and waits until fewer than [`AHEAD`] frames are here.
    is_awaited: bool,
}

/// All streams that have something to send. What is looked at again and again lies in arrays of its own, one after the other.
#[derive(Debug, Clone, Default)]
pub(crate) struct Streams {
    streams: Vec<Stream>,
    free: Vec<u32>,
    /// By the origin's place: its stream.
    of_origin: Vec<u32>,
    /// Of those that flow: which stream; from where to where.
    which: Vec<u32>,
    pub ends: Vec<[u32; 2]>,
    /// Links on its path.
    pub paths: Crossings,
    /// Bits a picosecond; what was left of the first frame at some instant, in bits; that instant; when the frame has left.
    rate: Vec<f64>,
    left: Vec<f64>,
    since: Vec<Time>,
    done: Vec<Time>,
}

const NONE: u32 = u32::MAX;
/// Frames of a stream that are here for it to flow on without a gap: the one that leaves, and the next.
const AHEAD: usize = 2;

/// The first frame of a stream has left.
pub(crate) struct Left {
    /// Where it is kept.
    pub frame: u32,
    /// How many are behind it. None: the stream is over, and rates are others now.
    pub behind: usize,
    /// Whether its sender waits to hear that it may hand over the next.
    pub is_awaited: bool,
}

impl Streams {
    /// How many flow.
    pub(crate) fn len(&self) -> usize {
        self.which.len()
    }

    fn of(&mut self, origin: Origin) -> Option<&mut Stream> {
        let known = *self.of_origin.get(origin.place as usize)?;
        self.streams.get_mut(known as usize).filter(|stream| stream.origin == origin)
    }

    /// Whether a stream needs another frame. If not, [`Left::is_awaited`] says when it does.
    pub(crate) fn takes(&mut self, origin: Origin) -> bool {
        let has_enough = self.of(origin).filter(|stream| stream.frames.len() >= AHEAD);
        has_enough.map(|stream| stream.is_awaited = true).is_none()
    }

    /// A frame joins its stream; false, if it has none yet.
    pub(crate) fn join(&mut self, origin: Origin, frame: u32) -> bool {
        self.of(origin).map(|stream| stream.frames.push_back(frame)).is_some()
    }

    /// A stream begins with a frame of `bits`, kept at `frame`, from its source to its destination over the links of `path`. It flows
    /// once it has a rate.
    pub(crate) fn begin(&mut self, now: Time, origin: Origin, ends: [u32; 2], path: &[u32], frame: u32, bits: f64) {
        let place = origin.place as usize;
        if place >= self.of_origin.len() {
            self.of_origin.resize(place + 1, NONE);
        }
        let mut stream = Stream { origin, frames: VecDeque::new(), is_awaited: false };
        let number = if let Some(free) = self.free.pop() {
            std::mem::swap(&mut stream.frames, &mut self.streams[free as usize].frames);
            self.streams[free as usize] = stream;
            free
        } else {
            self.streams.push(stream);
            self.streams.len() as u32 - 1
        };
        self.streams[number as usize].frames.push_back(frame);
        self.of_origin[place] = number;
        self.which.push(number);
        self.ends.push(ends);
        self.paths.push(path);
        self.rate.push(0.0);
        self.left.push(bits);
        self.since.push(now);
        self.done.push(Time::MAX);
    }

    /// The first frame that has left by `now`, in the order of places, from `place` on.
    pub(crate) fn next_done(&self, place: usize, now: Time) -> Option<usize> {
        self.done[place..].iter().position(|done| *done <= now).map(|further| place + further)
    }

    /// The first frame of the stream in this place.
    pub(crate) fn first(&self, place: usize) -> u32 {
        let frame = self.streams[self.which[place] as usize].frames.front();
        *frame.unwrap_or_else(|| unreachable!("a stream that flows has a frame"))
    }

    /// Takes the first frame of the stream in this place, and begins with the next, whose length in bits `bits` knows.
    pub(crate) fn take(&mut self, place: usize, now: Time, bits: impl Fn(u32) -> f64) -> Left {
        let number = self.which[place];
        let stream = &mut self.streams[number as usize];
        let frame = stream.frames.pop_front().unwrap_or_else(|| unreachable!("a stream that flows has a frame"));
        let behind = stream.frames.len();
        let is_awaited = behind < AHEAD && std::mem::take(&mut stream.is_awaited);
        if let Some(next) = stream.frames.front() {
            self.left[place] = bits(*next);
            self.since[place] = now;
            self.done[place] = done(now, self.left[place], self.rate[place]);
        } else {
            self.remove(place, number);
        }
        Left { frame, behind, is_awaited }
    }

    fn remove(&mut self, place: usize, number: u32) {
        let origin = &mut self.of_origin[self.streams[number as usize].origin.place as usize];
        if *origin == number {
            *origin = NONE;
        }
        self.streams[number as usize].origin.place = NONE;
        self.free.push(number);
        self.which.swap_remove(place);
        self.ends.swap_remove(place);
        self.paths.swap_remove(place);
        self.rate.swap_remove(place);
        self.left.swap_remove(place);
        self.since.swap_remove(place);
        self.done.swap_remove(place);
    }

    /// Whose data will flow at another rate with these: the connection's place, the host that sends, and the rate in bits a picosecond.
    pub(crate) fn changes<'a>(&'a self, rates: &'a [f64]) -> impl Iterator<Item = (u32, u32, f64)> + 'a {
        let changed = (0..).zip(rates.iter().zip(&self.rate)).filter(|(_, (new, old))| new != old);
        changed.filter_map(|(place, (new, _)): (usize, _)| {
            let origin = self.streams[self.which[place] as usize].origin.place;
            origin.is_multiple_of(2).then_some((origin / 2, self.ends[place][0], *new))
        })
    }

    /// New rates from `now` on, in bits a picosecond.
    pub(crate) fn set_rates(&mut self, now: Time, rates: &[f64]) {
        for (place, rate) in rates.iter().enumerate() {
            let old = std::mem::replace(&mut self.rate[place], *rate);
            if old == *rate {
                continue;
            }
            let flowed = now.since(self.since[place]).as_ps() as f64 * old;
            self.left[place] = (self.left[place] - flowed).max(0.0);
            self.since[place] = now;
            self.done[place] = done(now, self.left[place], *rate);
        }
    }

    /// When the next frame will have left.
    pub(crate) fn next(&self) -> Option<Time> {
        self.done.iter().min().copied()
    }

    /// The rate of each, in bits a picosecond.
    pub(crate) fn rates(&self) -> &[f64] {
        &self.rate
    }
}

/// When so many bits have left at this rate: at the end of the picosecond that the last one falls in.
fn done(now: Time, bits: f64, rate: f64) -> Time {
    now + units::Span::from_ps(((bits / rate).ceil() as u64).max(1))
}
