//! Who can be reached over which link: the tables that devices build by themselves from periodic messages (§4.2, §5.8 to §5.10,
//! App E).
//!
//! A device tells the tier above which adapters it reaches downwards, and the tier below which it reaches at all. What it hears on
//! a link is believed once it was the same a number of times; a link from which nothing is heard for as long has failed.

use crate::config::Reachability;

/// Adapters, a bit each, in the parts that one message holds.
pub type Bitmap = u128;

/// What a device knows of a link that comes to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Health {
    /// It counts as working.
    pub alive: bool,
    /// The far end says that it does not hear this one.
    pub deaf: bool,
    /// A message came in this period.
    heard: bool,
    missed: i32,
    good: u16,
    /// Cells since errors were last counted, and errors.
    cells: u16,
    errors: u16,
}

/// The reachability of all devices. Devices are numbered, adapters first, by their own numbers; links by the topology's.
#[derive(Debug, Clone)]
pub struct Reach {
    settings: Reachability,
    /// Messages that hold a whole table: M.
    pub parts: u32,
    /// By link.
    health: Vec<Health>,
    /// By link and part: what is believed; what was last heard instead, and how often.
    believed: Vec<Bitmap>,
    rumour: Vec<(Bitmap, u8)>,
    /// By device and part: what it reaches downwards, itself included, and at all.
    below: Vec<Bitmap>,
    all: Vec<Bitmap>,
    /// By device: which part its next messages tell of.
    turn: Vec<u32>,
    /// Errors of a window above which a link is faulty.
    most_errors: u16,
    adapters: u32,
}

/// What a device does after it has heard something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum News {
    /// All is as it was.
    None,
    /// Its tables must be made anew.
    Changed,
}

/// A device's links, as its tables need them.
pub trait Links {
    /// Links that leave the device to devices above, and to devices below.
    fn up(&self, device: u32) -> &[u32];
    /// See [`Links::up`].
    fn down(&self, device: u32) -> &[u32];
    /// The other direction of a link.
    fn back(&self, link: u32) -> u32;
}

impl Reach {
    /// For so many devices, the first of which are the adapters, and links.
    pub fn new(settings: Reachability, devices: u32, adapters: u32, links: u32) -> Reach {
        let parts = adapters.div_ceil(Reachability::BITMAP);
        let fresh = Health { alive: false, deaf: false, heard: false, missed: 0, good: 0, cells: 0, errors: 0 };
        let mut below = vec![0; place(devices, parts, 0)];
        for adapter in 0..adapters {
            below[place(adapter, parts, adapter / Reachability::BITMAP)] |= bit(adapter);
        }
        Reach {
            settings,
            parts,
            health: vec![fresh; links as usize],
            believed: vec![0; place(links, parts, 0)],
            rumour: vec![(0, 0); place(links, parts, 0)],
            all: below.clone(),
            below,
            turn: vec![0; devices as usize],
            adapters,
            most_errors: (settings.error_threshold * f64::from(Reachability::ERROR_WINDOW)).floor() as u16,
        }
    }

    /// Everything has been heard and believed, as after a long time without failures.
    ///
    /// The first message of the run comes over a link after `quiet` periods of its far end at most, which do not count as silent.
    pub fn warm_up(&mut self, devices: u32, links: &impl Links, quiet: impl Fn(u32) -> u32) {
        for (link, health) in (0..).zip(&mut self.health) {
            health.alive = true;
            health.missed = -(quiet(link).min(u32::from(u16::MAX) / 4) as i32);
        }
        loop {
            let mut changed = false;
            for device in 0..devices {
                engine::look();
                for part in 0..self.parts {
                    for (out, table) in [(links.up(device), &self.below), (links.down(device), &self.all)] {
                        let told = table[place(device, self.parts, part)];
                        for link in out {
                            let believed = &mut self.believed[place(*link, self.parts, part)];
                            changed |= *believed != told;
                            *believed = told;
                        }
                    }
                }
                changed |= self.refresh(device, links);
            }
            if !changed {
                return;
            }
        }
    }

    /// Whether a device may send cells over a link: it hears its far end, and is heard by it.
    pub fn usable(&self, link: u32, links: &impl Links) -> bool {
        let health = &self.health[links.back(link) as usize];
        health.alive && !health.deaf
    }

    /// Whether a link that comes to a device counts as working.
    pub fn is_alive(&self, link: u32) -> bool {
        self.health[link as usize].alive
    }

    /// Whether an adapter is reached over a link.
    #[cfg(test)]
    pub fn leads(&self, link: u32, adapter: u32, links: &impl Links) -> bool {
        self.led(link, adapter / Reachability::BITMAP, links) & bit(adapter) != 0
    }

    /// Which adapters of this part are reached over a link.
    pub fn led(&self, link: u32, part: u32, links: &impl Links) -> Bitmap {
        if self.usable(link, links) { self.believed[place(links.back(link), self.parts, part)] } else { 0 }
    }

    /// Whether a device reaches an adapter at all.
    pub fn reaches(&self, device: u32, adapter: u32) -> bool {
        self.all[place(device, self.parts, adapter / Reachability::BITMAP)] & bit(adapter) != 0
    }

    /// Makes a device's tables anew from what it believes. True: what it tells others has changed.
    pub fn refresh(&mut self, device: u32, links: &impl Links) -> bool {
        let mut changed = false;
        for part in 0..self.parts {
            let place = place(device, self.parts, part);
            let itself = device < self.adapters && device / Reachability::BITMAP == part;
            let own = if itself { bit(device) } else { 0 };
            let over = |out: &[u32]| {
                let heard = |link: &u32| self.believed[self::place(links.back(*link), self.parts, part)];
                out.iter().filter(|link| self.usable(**link, links)).map(heard).fold(0, |all, some| all | some)
            };
            let below = own | over(links.down(device));
            let all = below | over(links.up(device));
            changed |= below != self.below[place] || all != self.all[place];
            (self.below[place], self.all[place]) = (below, all);
        }
        changed
    }

    /// The messages that a device sends now: the part that it is their turn to tell of, for devices above and below.
    pub fn tell(&mut self, device: u32) -> (u32, Bitmap, Bitmap) {
        let turn = &mut self.turn[device as usize];
        let part = *turn;
        *turn = (part + 1) % self.parts;
        let place = place(device, self.parts, part);
        (part, self.below[place], self.all[place])
    }

    /// A device's period is over: links from which nothing came are a message nearer to having failed.
    pub fn end_period(&mut self, link: u32) -> News {
        let health = &mut self.health[link as usize];
        if std::mem::take(&mut health.heard) {
            return News::None;
        }
        health.good = 0;
        health.missed = health.missed.saturating_add(1);
        if health.alive && health.missed >= self.settings.threshold as i32 {
            health.alive = false;
            return News::Changed;
        }
        News::None
    }

    /// A message came over a link.
    pub fn hear(&mut self, link: u32, part: u32, told: Bitmap, deaf: bool) -> News {
        let Reachability { threshold, valid_after, .. } = self.settings;
        let health = &mut self.health[link as usize];
        let mut news = News::None;
        health.heard = true;
        health.missed = 0;
        if health.deaf != deaf {
            health.deaf = deaf;
            news = News::Changed;
        }
        if !health.alive {
            health.good = health.good.saturating_add(1);
            if u32::from(health.good) >= valid_after {
                *health = Health { alive: true, good: 0, cells: 0, errors: 0, ..*health };
                news = News::Changed;
            }
        }
        let place = place(link, self.parts, part);
        let rumour = &mut self.rumour[place];
        if told == self.believed[place] {
            rumour.1 = 0;
            return news;
        }
        *rumour = if rumour.0 == told { (told, rumour.1.saturating_add(1)) } else { (told, 1) };
        if u32::from(rumour.1) >= threshold {
            self.believed[place] = told;
            *rumour = (told, 0);
            return News::Changed;
        }
        news
    }

    /// A link has lost its signal, and the device it comes to sees it at once.
    pub fn lose_signal(&mut self, link: u32) -> News {
        let health = &mut self.health[link as usize];
        health.good = 0;
        if std::mem::take(&mut health.alive) { News::Changed } else { News::None }
    }

    /// A cell came over a link, right or wrong. Above the threshold the link marks itself as faulty (§5.10).
    pub fn check_cell(&mut self, link: u32, wrong: bool) -> News {
        let health = &mut self.health[link as usize];
        health.errors += u16::from(wrong);
        if wrong {
            health.good = 0;
        }
        health.cells += 1;
        let faulty = health.errors > self.most_errors;
        if faulty || u32::from(health.cells) >= Reachability::ERROR_WINDOW {
            (health.cells, health.errors) = (0, 0);
        }
        if faulty && std::mem::take(&mut health.alive) { News::Changed } else { News::None }
    }

    /// A device begins anew: it has heard nothing.
    pub fn forget(&mut self, link: u32) {
        let place = place(link, self.parts, 0);
        self.believed[place..place + self.parts as usize].fill(0);
        self.rumour[place..place + self.parts as usize].fill((0, 0));
        let health = &mut self.health[link as usize];
        *health = Health { alive: false, deaf: false, heard: false, missed: 0, good: 0, cells: 0, errors: 0 };
    }
}

/// An adapter's bit in its part.
/// Where an array by device or link and part has one of them. Both numbers are of 32 bits, and large fabrics have more places than that.
#[inline]
fn place(of: u32, parts: u32, part: u32) -> usize {
    of as usize * parts as usize + part as usize
}

pub(crate) fn bit(adapter: u32) -> Bitmap {
    1 << (adapter % Reachability::BITMAP)
}

#[cfg(test)]
mod tests;
