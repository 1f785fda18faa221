//! Frames on links, in one flat array.

use engine::prefetch_at;
use fabric::{Frame, Inside};

/// Where frames are kept while they travel. Memory grows with what is in flight, not with what has passed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Slab {
    frames: Vec<Frame>,
    /// The link each is on; [`Slab::FREE`] for a free place.
    links: Vec<u32>,
    free: Vec<u32>,
    /// Frames that were lost while an event of theirs is pending: their places are not free yet.
    gone: usize,
}

impl Slab {
    const FREE: u32 = u32::MAX;
    const GONE: u32 = u32::MAX - 1;

    /// No place.
    pub(crate) const NOWHERE: u32 = u32::MAX;

    /// Keeps a frame that is on `link`; says where.
    #[inline(always)]
    pub(crate) fn put(&mut self, frame: Frame, link: u32) -> u32 {
        let place = self.free.pop().unwrap_or_else(|| self.grow());
        self.frames[place as usize] = frame;
        self.links[place as usize] = link;
        place
    }

    /// A new place.
    #[cold]
    #[inline(never)]
    fn grow(&mut self) -> u32 {
        let place = u32::try_from(self.frames.len()).expect("fewer than 2^32 frames are in flight");
        self.frames.push(Frame::EMPTY);
        self.links.push(Self::FREE);
        place
    }

    /// The frame in `place` will be read soon, if it is a place at all.
    #[inline(always)]
    pub(crate) fn prefetch(&self, place: u32) {
        prefetch_at(&self.frames, place as usize);
        prefetch_at(&self.links, place as usize);
    }

    /// What is in `place`, if it is one.
    #[inline(always)]
    pub(crate) fn peek(&self, place: u32) -> Option<&Frame> {
        self.frames.get(place as usize)
    }

    /// The frame in `place`.
    #[inline]
    pub(crate) fn get(&self, place: u32) -> Frame {
        debug_assert_ne!(self.links[place as usize], Self::FREE, "a frame arrives once");
        self.frames[place as usize]
    }

    /// The same, to change.
    #[inline]
    pub(crate) fn get_mut(&mut self, place: u32) -> &mut Frame {
        debug_assert_ne!(self.links[place as usize], Self::FREE, "a frame arrives once");
        &mut self.frames[place as usize]
    }

    /// The frame in `place` has gone on over `link`.
    #[inline]
    pub(crate) fn pass(&mut self, place: u32, link: u32) {
        self.links[place as usize] = link;
    }

    /// The frame in `place` is on no link any more.
    #[inline]
    pub(crate) fn free(&mut self, place: u32) {
        self.links[place as usize] = Self::FREE;
        self.free.push(place);
    }

    /// Loses every frame that is on one of these links, by number; says which link each was on. Their places are not used
    /// again before [`Slab::forget`].
    pub(crate) fn lose(&mut self, on: &[bool]) -> Vec<u32> {
        let mut lost = Vec::new();
        for link in self.links.iter_mut().filter(|link| on.get(**link as usize) == Some(&true)) {
            lost.push(std::mem::replace(link, Self::GONE));
        }
        self.gone += lost.len();
        lost
    }

    /// The event of the frame in `place` has come. If the frame was lost, its place is free, and this is true.
    pub(crate) fn forget(&mut self, place: u32) -> bool {
        let gone = self.links[place as usize] == Self::GONE;
        if gone {
            self.gone -= 1;
            self.free(place);
        }
        gone
    }

    /// How many are kept.
    pub(crate) fn len(&self) -> usize {
        self.frames.len() - self.free.len() - self.gone
    }

    /// Every frame, with its link.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Inside> + '_ {
        let all = self.frames.iter().zip(&self.links);
        all.filter(|(_, link)| **link < Self::GONE).map(|(frame, link)| Inside { frame: *frame, link: *link })
    }
}
