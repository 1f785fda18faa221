//! Reachability messages, and the tables that follow from them.

use crate::build::{Layout, Role, classes};
use crate::cell::{Cell, Kind};
use crate::clock::Clock;
use crate::config::Config;
use crate::interior::Interior;
use crate::lane::LinkClass;
use crate::network::Stardust;
use crate::reach::{Links, News};
use engine::EventQueue;
use fabric::Observer;
use topology::Topology;
use units::{Span, Time};

/// By how much more than a period the next message can follow the one before it, since it waits on its link for a cell that is being
/// sent (in lock-step, for the next step) and for another message; and the least `reachability.threshold` that does not take this for a failure of the link.
///
/// A device looks once a period. Between two messages a period and `late` apart, at most `late / period` of its looks, rounded up, find
/// none.
///
/// The topology must be one that a [`crate::Plan`] accepts.
pub fn least_threshold(config: &Config, topology: &Topology) -> (Span, u32) {
    let Ok(mut layout) = Layout::new(topology) else { return (Span::ZERO, 1) };
    let Ok((links, _)) = classes(config, topology, &mut layout) else { return (Span::ZERO, 1) };
    let message = config.reachability.message.max(config.credits.message).get() as u32;
    let inside = layout.wires.iter().filter(|wire| matches!(wire.role, Role::Up | Role::Down));
    let wait = |class: &LinkClass| class.full.1 + class.pace.span(message);
    let late = inside.map(|wire| wait(&links[usize::from(wire.class)])).max().unwrap_or(Span::ZERO);
    let looks = late.as_ps().div_ceil(config.reachability.period.as_ps().max(1));
    (late, u32::try_from(looks).unwrap_or(u32::MAX).saturating_add(1))
}

impl<I: Interior, O: Observer> Stardust<I, O> {
    /// A device's period: it says whom it reaches, and looks which links have been silent.
    pub(crate) fn tick(&mut self, now: Time, device: u32, queue: &mut EventQueue) {
        queue.push(Clock::Reachability(device).event(now + self.config.reachability.period));
        if self.broken.devices[device as usize] {
            return;
        }
        if device < self.layout.adapters {
            // Packets that were discarded because nobody reaches their port have made room.
            self.unpause(now, device as u16, queue);
            for place in 0..self.layout.ports[device as usize].len() {
                let port = self.layout.ports[device as usize][place];
                if self.scheduler.audit(now, port) {
                    self.schedule(now, port, queue);
                }
            }
        }
        let mut changed = false;
        let (part, below, all) = self.reach.tell(device);
        let len = self.config.reachability.message.get() as u16;
        let links: Vec<u32> = self.layout.out(device).collect();
        for link in links {
            let back = self.layout.back(link);
            if self.reach.end_period(back) == News::Changed {
                changed = true;
                if !self.broken.links[back as usize].down {
                    self.broken.suspected = true;
                    self.sums.false_failures += 1;
                }
            }
            let told = if self.wire(link).role == Role::Up { below } else { all };
            let place = self.free_bitmaps.pop().unwrap_or_else(|| {
                self.bitmaps.push(0);
                self.bitmaps.len() as u32 - 1
            });
            self.bitmaps[place as usize] = told;
            let deaf = if self.reach.is_alive(back) { 0 } else { Cell::DEAF };
            let message = Cell::control(Kind::Reachability, 0, 0, len);
            let message = Cell { sequence: part, cargo: place, flags: message.flags | deaf, ..message };
            self.sums.reachability += 1;
            if self.broken.links[link as usize].down {
                self.free_bitmaps.push(place);
            } else {
                self.send_control(now, link, message, queue);
            }
        }
        if changed {
            self.rebuild(now, device);
        }
    }

    pub(crate) fn hear(&mut self, now: Time, link: u32, cell: &Cell) {
        let told = self.bitmaps[cell.cargo as usize];
        self.free_bitmaps.push(cell.cargo);
        if self.reach.hear(link, cell.sequence, told, cell.has(Cell::DEAF)) == News::Changed {
            self.rebuild(now, self.wire(link).to);
        }
    }

    /// What a device knows has changed: its tables are made anew, and packets for adapters that it no longer reaches are discarded.
    pub(crate) fn rebuild(&mut self, now: Time, device: u32) {
        self.reach.refresh(device, &self.layout);
        let mut sprayers = [&mut self.sprayer, &mut self.control];
        let cut_off = self.tables.rebuild(device, &self.reach, &self.layout, &mut sprayers, &mut self.stream);
        for adapter in cut_off {
            self.discard_for(now, device as u16, adapter);
        }
    }

    /// An adapter no longer reaches another.
    pub(crate) fn discard_for(&mut self, now: Time, src: u16, dst: u16) {
        let mut packets = Vec::new();
        for number in 0..self.ingress.voqs.len() as u32 {
            let voq = &self.ingress.voqs[number as usize];
            let (from, to, port, class) = (voq.src, voq.dst, voq.port, voq.class);
            if (from, to) == (src, dst) {
                self.ingress.purge(number, &mut self.store, &mut packets);
            } else if (from, to) == (dst, src) {
                self.scheduler.forget(number, port, class);
            }
        }
        packets.into_iter().for_each(|packet| self.discard_astray(now, packet));
    }
}
