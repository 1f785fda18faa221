//! What surrounds a switch while it handles a frame: links that carry frames away and may lose them, chance, and its notes.

use crate::class::PortClass;
use crate::faults::Losses;
use crate::slab::Slab;
use crate::switch::{Note, Wire};
use engine::{Event, EventQueue, Rank, Stream};
use fabric::{Env, Frame, Observer, Port, Seen, Totals, What, kind};
use units::Time;

/// What a switch sees of the world: links that carry frames away, chance, and a place for its notes.
pub(crate) struct Surroundings<'a, O> {
    pub now: Time,
    pub observer: &'a mut O,
    pub first: u32,
    pub wires: &'a [Wire],
    pub classes: &'a [PortClass],
    pub on_links: &'a mut Slab,
    pub stream: &'a mut Stream,
    pub errors: &'a mut Stream,
    pub losses: &'a mut Losses,
    pub totals: &'a mut Totals,
    pub queue: &'a mut EventQueue,
    pub corrupted: &'a mut bool,
    /// Where the frame that has arrived is kept, until it goes on.
    pub place: Option<u32>,
    /// The port that was woken, if any.
    pub woken: Option<Port>,
    /// The link that a frame left on, if any.
    pub departed: Option<u32>,
}

impl<O: Observer> Surroundings<'_, O> {
    /// Something happens to a frame before a link.
    #[inline(always)]
    pub(crate) fn see(&mut self, frame: &Frame, link: u32, what: What) {
        self.observer.see(self.now, Seen::Frame { frame, link, what });
    }

    /// A frame whose last bit leaves on `link` at `end`.
    #[inline(always)]
    pub(crate) fn carry(&mut self, link: u32, end: Time, frame: Frame) {
        let wire = self.wires[link as usize];
        let class = &self.classes[wire.class as usize];
        self.totals.hops += 1;
        self.departed = Some(link);
        if class.lossy && loses(class, frame.len, self.stream, self.errors, self.losses) {
            self.totals.lose(frame.len);
            *self.corrupted = true;
            self.see(&frame, link, What::Lost);
            return;
        }
        let handled = class.head.map_or(end, |head| {
            let service = class.time_on_wire(frame.len);
            end - service + head.min(service)
        });
        let slot = if let Some(place) = self.place.take() {
            self.on_links.pass(place, frame, link);
            place
        } else {
            self.on_links.put(frame, link)
        };
        self.queue.push(Event { at: handled + class.delay, rank: Rank::new(kind::ARRIVAL, link), slot });
    }
}

impl<O: Observer> Surroundings<'_, O> {
    /// What a switch has to tell, to whoever looks on.
    fn show(&mut self, note: &Note) {
        let link = |port: &Port| self.first + port.0;
        let (frame, link, what) = match note {
            Note::Queued(port, frame) => (frame, link(port), What::Queued { leaves: None }),
            Note::Marked(port, frame) => (frame, link(port), What::Marked),
            Note::Dropped(port, frame) => {
                let link = link(port);
                let is_dead = self.classes[self.wires[link as usize].class as usize].dead;
                (frame, link, if is_dead { What::Lost } else { What::Dropped })
            }
            Note::Trimmed(port, frame, cut) => (frame, link(port), What::Trimmed { cut: *cut }),
            Note::Returned(port, frame) => (frame, link(port), What::Returned),
            Note::Unreachable(frame) => (frame, self.first, What::Lost),
        };
        self.see(frame, link, what);
    }
}

/// Whether a link that does not deliver every frame loses this one. By parts, not by [`Surroundings`]: those stay in registers
/// only as long as nobody asks for their address.
#[inline(never)]
fn loses(class: &PortClass, len: u32, stream: &mut Stream, errors: &mut Stream, losses: &mut Losses) -> bool {
    if class.dead {
        losses.broken += 1;
        return true;
    }
    if class.loss > 0 && stream.bits() < class.loss {
        return true;
    }
    let in_error = class.bit_errors > 0.0 && errors.unit() < class.frame_error(len);
    losses.bit_errors += u64::from(in_error);
    in_error
}

impl<O: Observer> Env<Frame, Note> for Surroundings<'_, O> {
    fn wake(&mut self, port: Port) {
        self.woken = Some(port);
    }
    #[inline(always)]
    fn depart(&mut self, port: Port, end: Time, frame: Frame) {
        self.see(&frame, self.first + port.0, What::Queued { leaves: Some(end) });
        self.carry(self.first + port.0, end, frame);
    }
    fn pick(&mut self, choices: u32) -> u32 {
        self.stream.below(u64::from(choices)) as u32
    }
    #[inline]
    fn note(&mut self, note: Note) {
        if O::ACTIVE {
            self.show(&note);
        }
        match note {
            Note::Dropped(port, frame)
                if self.classes[self.wires[(self.first + port.0) as usize].class as usize].dead =>
            {
                self.totals.lose(frame.len);
                self.losses.broken += 1;
            }
            Note::Dropped(_, frame) => self.totals.drop_one(frame.len),
            Note::Queued(..) | Note::Marked(..) => {}
            Note::Trimmed(_, _, cut) => {
                self.totals.trim(cut);
                self.losses.trimmed += 1;
            }
            Note::Returned(..) => self.losses.returned += 1,
            Note::Unreachable(frame) => {
                self.totals.lose(frame.len);
                self.losses.unreachable += 1;
            }
        }
    }
}
