//! Forwarding tables: for each device and adapter the set of links that lead there (§4.2, §5.8).

use crate::build::Layout;
use crate::config::Reachability;
use crate::reach::{Bitmap, Links, Reach, bit};
use crate::spray::Sprayer;
use engine::Stream;
use std::collections::BTreeMap;

/// The tables of all devices.
#[derive(Debug, Clone)]
pub(crate) struct Tables {
    adapters: u32,
    /// By device and adapter: the number of a set of links, with [`Tables::UP`] if they lead upwards; or [`Tables::NONE`].
    routes: Vec<u32>,
    /// Sets of links that have a number, so that equal ones share their arbiter.
    known: BTreeMap<Vec<u32>, u32>,
}

impl Tables {
    const NONE: u32 = u32::MAX;
    const UP: u32 = 1 << 31;

    /// Empty tables.
    pub(crate) fn new(layout: &Layout) -> Tables {
        let entries = layout.devices as usize * layout.adapters as usize;
        Tables { adapters: layout.adapters, routes: vec![Tables::NONE; entries], known: BTreeMap::new() }
    }

    /// The set of links over which a device sends cells to an adapter: those downwards, else, for cells that are on their way up,
    /// those upwards.
    #[inline(always)]
    pub(crate) fn route(&self, device: u32, to: u16, rising: bool) -> Option<u32> {
        let route = self.routes[(device * self.adapters) as usize + usize::from(to)];
        if route < Tables::UP {
            Some(route)
        } else if route != Tables::NONE && rising {
            Some(route - Tables::UP)
        } else {
            None
        }
    }

    /// Makes a device's table anew. Gives the adapters that it reached before and does not reach any more.
    pub(crate) fn rebuild(
        &mut self,
        device: u32,
        reach: &Reach,
        layout: &Layout,
        sprayers: &mut [&mut Sprayer],
        stream: &mut Stream,
    ) -> Vec<u16> {
        let mut cut_off = Vec::new();
        for part in 0..reach.parts {
            let first = part * Reachability::BITMAP;
            let leading = |links: &[u32]| -> Vec<(u32, Bitmap)> {
                let led = links.iter().map(|link| (*link, reach.led(*link, part, layout)));
                led.filter(|(_, led)| *led != 0).collect()
            };
            let (down, up) = (leading(layout.down(device)), leading(layout.up(device)));
            let is_below = down.iter().fold(0, |all, (_, led)| all | led);
            let mut left = match self.adapters - first {
                some @ 0..Reachability::BITMAP => (1 << some) - 1,
                _whole => Bitmap::MAX,
            };
            if device < self.adapters && device / Reachability::BITMAP == part {
                left &= !bit(device);
            }
            // Adapters that the same links lead to are done together, those first whose first comes first.
            while left != 0 {
                let one = left & left.wrapping_neg();
                let (leading, flag, others) =
                    if is_below & one != 0 { (&down, 0, 0) } else { (&up, Tables::UP, is_below) };
                let mut alike = left & !others;
                let mut links = Vec::new();
                for &(link, led) in leading {
                    if led & one != 0 {
                        alike &= led;
                        links.push(link);
                    } else {
                        alike &= !led;
                    }
                }
                left &= !alike;
                let route = if links.is_empty() { Tables::NONE } else { self.number(links, sprayers, stream) | flag };
                while alike != 0 {
                    let adapter = first + alike.trailing_zeros();
                    alike &= alike - 1;
                    let known = &mut self.routes[(device * self.adapters + adapter) as usize];
                    let before = std::mem::replace(known, route);
                    if route == Tables::NONE && before != Tables::NONE && device < self.adapters {
                        cut_off.push(adapter as u16);
                    }
                }
            }
        }
        cut_off.sort_unstable();
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
