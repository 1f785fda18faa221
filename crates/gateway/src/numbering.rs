//! What each of the two networks shows, in the numbers of the whole.

use crate::places::Part;
use fabric::{Frame, Observer, Seen, What};
use std::cell::RefCell;
use std::rc::Rc;
use topology::Joined;
use units::Time;

/// What nodes, links and frames of the two networks are in the whole. Clones share it.
#[derive(Debug, Clone)]
pub struct Numbering(Rc<Book>);

#[derive(Debug)]
struct Book {
    /// By part and its own number: nodes of the whole.
    nodes: [Vec<u32>; 2],
    /// By part and its own number: links of the whole.
    links: [Vec<u32>; 2],
    /// By place: the frame that is kept there, as it was offered. Only if somebody looks on.
    frames: RefCell<Vec<Frame>>,
}

/// The observer of one of the two networks: shows `observer` what that one does as something that the whole does.
#[derive(Debug, Clone)]
pub struct Numbered<W> {
    pub(crate) observer: W,
    pub(crate) numbering: Numbering,
    part: Part,
}

impl Numbering {
    /// For the networks of the two parts of a topology.
    pub fn new(joined: &Joined) -> Numbering {
        let parts = [joined.rack(), joined.outside()];
        let nodes = parts.each_ref().map(|part| part.nodes.clone());
        Numbering(Rc::new(Book { nodes, links: parts.map(|part| part.links), frames: RefCell::default() }))
    }

    /// For the rack's network: shows all to this observer.
    pub fn inside<W>(&self, observer: W) -> Numbered<W> {
        Numbered { observer, numbering: self.clone(), part: Part::Inside }
    }

    /// For the outside's network: shows all to this observer, which has to be another handle of the one that looks at the rack.
    pub fn outside<W>(&self, observer: W) -> Numbered<W> {
        Numbered { observer, numbering: self.clone(), part: Part::Outside }
    }

    /// A frame is kept at this place from now on.
    pub(crate) fn keep(&self, place: u32, frame: Frame) {
        let (place, mut frames) = (place as usize, self.0.frames.borrow_mut());
        if frames.len() <= place {
            frames.resize(place + 1, Frame::EMPTY);
        }
        frames[place] = frame;
    }

    fn node(&self, part: Part, own: u32) -> u32 {
        self.0.nodes[part as usize][own as usize]
    }

    fn link(&self, part: Part, own: u32) -> u32 {
        self.0.links[part as usize][own as usize]
    }

    /// A network's frame as it is by now, with what it was offered with. A frame of the network's own has no original.
    fn frame(&self, part: Part, own: &Frame) -> Frame {
        if own.dst == Frame::NO_HOST {
            return Frame { src: self.node(part, own.src), ..*own };
        }
        let Frame { sequence, src, dst, priority, .. } = self.0.frames.borrow()[own.sequence as usize];
        Frame { sequence, src, dst, priority, ..*own }
    }
}

impl<W: Observer> Observer for Numbered<W> {
    const ACTIVE: bool = W::ACTIVE;

    #[inline(always)]
    fn see(&mut self, now: Time, seen: Seen<'_>) {
        if W::ACTIVE {
            self.show(now, seen);
        }
    }
}

impl<W: Observer> Numbered<W> {
    fn show(&mut self, now: Time, seen: Seen<'_>) {
        let Numbered { observer, numbering, part } = self;
        let (node, link) = (|own| numbering.node(*part, own), |own| numbering.link(*part, own));
        let original;
        let shown = match seen {
            Seen::Frame { frame, link: own, what } => {
                original = numbering.frame(*part, frame);
                // The network's end of the way may be a gateway, from which the frame goes on.
                let is_there = what != What::Delivered || node(frame.dst) == original.dst;
                Seen::Frame { frame: &original, link: link(own), what: if is_there { what } else { What::Arrived } }
            }
            Seen::Cell { from, to, len, link: own, what } => {
                Seen::Cell { from: node(from), to: node(to), len, link: link(own), what }
            }
            Seen::Credit { to, port, bytes } => Seen::Credit { to: node(to), port: node(port), bytes },
            Seen::Pause { link: own, class, pauses } => Seen::Pause { link: link(own), class, pauses },
            Seen::Circuit { ends, made } => Seen::Circuit { ends: ends.map(link), made },
            // Connections are the whole's.
            Seen::Window { .. } | Seen::Slot { .. } => seen,
        };
        observer.see(now, shown);
    }
}
