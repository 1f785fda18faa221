//! Forwarding tables: for each device and adapter the set of links that lead there (§4.2, §5.8).

use crate::build::Layout;
use crate::reach::{Links, Reach};
use crate::spray::Sprayer;
use engine::Stream;
use std::collections::BTreeMap;

/// The tables of all devices.
#[derive(Debug, Clone)]
pub struct Tables {
    adapters: u32,
    /// By device and adapter: the number of a set of links, with [`Tables::UP`] if they lead upwards; or [`Tables::NONE`].
    ways: Vec<u32>,
    /// Sets of links that have a number, so that equal ones share their arbiter.
    known: BTreeMap<Vec<u32>, u32>,
}

impl Tables {
    const NONE: u32 = u32::MAX;
    const UP: u32 = 1 << 31;

    /// Empty tables.
    pub fn new(layout: &Layout) -> Tables {
        let entries = layout.devices as usize * layout.adapters as usize;
        Tables { adapters: layout.adapters, ways: vec![Tables::NONE; entries], known: BTreeMap::new() }
    }

    /// The set of links over which a device sends cells to an adapter: those downwards, else, for cells that are on their way up,
    /// those upwards.
    #[inline(always)]
    pub fn way(&self, device: u32, to: u16, rising: bool) -> Option<u32> {
        let way = self.ways[(device * self.adapters) as usize + usize::from(to)];
        if way < Tables::UP {
            Some(way)
        } else if way != Tables::NONE && rising {
            Some(way - Tables::UP)
        } else {
            None
        }
    }

    /// Makes a device's table anew. Gives the adapters that it reached before and does not reach any more.
    pub fn rebuild(
        &mut self,
        device: u32,
        reach: &Reach,
        layout: &Layout,
        sprayers: &mut [&mut Sprayer],
        stream: &mut Stream,
    ) -> Vec<u16> {
        let mut cut_off = Vec::new();
        for adapter in (0..self.adapters).filter(|adapter| *adapter != device) {
            let leading = |links: &[u32]| -> Vec<u32> {
                links.iter().copied().filter(|link| reach.leads(*link, adapter, layout)).collect()
            };
            let (mut links, mut flag) = (leading(layout.down(device)), 0);
            if links.is_empty() {
                (links, flag) = (leading(layout.up(device)), Tables::UP);
            }
            let before = self.ways[(device * self.adapters + adapter) as usize];
            let way = if links.is_empty() { Tables::NONE } else { self.number(links, sprayers, stream) | flag };
            if way == Tables::NONE && before != Tables::NONE && device < self.adapters {
                cut_off.push(adapter as u16);
            }
            self.ways[(device * self.adapters + adapter) as usize] = way;
        }
        cut_off
    }

    fn number(&mut self, links: Vec<u32>, sprayers: &mut [&mut Sprayer], stream: &mut Stream) -> u32 {
        if let Some(number) = self.known.get(&links) {
            return *number;
        }
        let mut number = 0;
        for sprayer in sprayers {
            number = sprayer.add(&links, stream);
        }
        self.known.insert(links, number);
        number
    }
}

#[cfg(test)]
mod tests;
