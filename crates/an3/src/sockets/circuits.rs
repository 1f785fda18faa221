//! Sockets as those see them who set circuits up: whose turn it is, what goes over a circuit, and what became of it.

use super::{Failure, Reach, SocketEvent, Sockets};
use crate::connection::{Connection, End};
use std::collections::VecDeque;
use units::Time;

impl Sockets {
    /// A logical connection, by the place of its socket.
    #[inline]
    pub(crate) fn connection(&self, place: u32) -> &Connection {
        &self.connections[place]
    }

    /// Whether sockets of a host wait for circuits.
    #[inline]
    pub(crate) fn is_waiting(&self, host: u32, reach: Reach) -> bool {
        !self.hosts[host as usize].waiting[reach as usize].is_empty()
    }

    /// A socket that has something to send and nothing to send it over stands in line.
    #[inline]
    pub(crate) fn want(&mut self, now: Time, place: u32) {
        let connection = &mut self.connections[place];
        if connection.is_queued || connection.sending > 0 || !connection.has_work() {
            return;
        }
        connection.is_queued = true;
        connection.wanted = connection.wanted.or(Some(now));
        self.hosts[connection.source as usize].waiting[connection.reach as usize].push_back(place);
    }

    /// Whether a host has a socket to ask for.
    #[inline]
    pub(crate) fn has_next(&self, host: u32, reach: Reach) -> bool {
        self.is_waiting(host, reach) || self.next_growth(host, reach).is_some()
    }

    /// The socket for which a host asks next: the first that waits, or the second if the first was refused over this egress NIC, one of several; if none waits, one that can use a
    /// further circuit.
    #[inline]
    pub(crate) fn next(&mut self, host: u32, reach: Reach, egress: Option<u8>, is_one_of_several: bool) -> Option<u32> {
        let line = &mut self.hosts[host as usize].waiting[reach as usize];
        let avoids = |place: &u32| egress.is_some() && is_one_of_several && self.connections[*place].avoid == egress;
        let choice = usize::from(line.len() > 1 && line.front().is_some_and(avoids));
        if let Some(place) = line.get(choice).copied() {
            line.remove(choice);
            self.connections[place].is_queued = false;
            return Some(place);
        }
        self.next_growth(host, reach)
    }

    /// The socket that a further circuit helps most.
    fn next_growth(&self, host: u32, reach: Reach) -> Option<u32> {
        if !self.limits.growth {
            return None;
        }
        // Of sockets that are sending, the one with most left for each of its circuits, if that is a chunk.
        let chunk = u64::from(self.limits.chunk);
        let candidates = self.hosts[host as usize].active.iter().copied().filter(|place| {
            let connection = &self.connections[*place];
            connection.reach == reach && connection.unsent_cells >= chunk && connection.sending > 0
        });
        candidates.max_by_key(|place| {
            let connection = &self.connections[*place];
            (connection.unsent_cells / u64::from(connection.circuits + 1), u32::MAX - place)
        })
    }

    /// A request for a circuit has left for a socket.
    #[inline]
    pub(crate) fn asked(&mut self, place: u32) {
        let connection = &mut self.connections[place];
        if connection.circuits == 0 {
            self.hosts[connection.source as usize].active.push(place);
        }
        connection.circuits += 1;
        connection.sending += 1;
        connection.records += 1;
    }

    /// A circuit of a socket is there. Since when that waited for one, if it did.
    #[inline]
    pub(crate) fn acknowledged(&mut self, place: u32) -> Option<Time> {
        let connection = &mut self.connections[place];
        (connection.avoid, connection.turned_away) = (None, 0);
        connection.wanted.take()
    }

    /// A request for a socket was refused, over this egress NIC: between containers; as something is broken; or for anything else.
    #[inline]
    pub(crate) fn refused(&mut self, now: Time, place: u32, egress: Option<u8>, is_between: bool, is_broken: bool) {
        let connection = &mut self.connections[place];
        connection.avoid = egress;
        connection.turned_away += u32::from(is_between);
        match (is_broken, connection.circuits) {
            (false, _) => connection.is_cut_off = false,
            // Another circuit or request of it may have a way.
            (true, 1..) => {}
            (true, 0) => {
                let since = now.since(connection.cut_off_since(now));
                if connection.give_up.is_some_and(|most| since >= most) {
                    self.fail(now, place, Failure::Unreachable);
                }
            }
        }
        self.want(now, place);
    }

    /// A socket's circuit takes the next chunk, whose first cell leaves at `first`: its number and its cells.
    #[inline]
    pub(crate) fn pull(&mut self, place: u32, first: Time) -> Option<(u32, u32)> {
        let connection = &mut self.connections[place];
        let before = connection.unsent;
        let chunk = connection.pull(self.limits.chunk)?;
        let unsent = connection.unsent;
        self.hosts[connection.source as usize].unsent -= before - unsent;
        if connection.is_awaited && unsent < self.limits.buffer {
            connection.is_awaited = false;
            self.tell(first, place, SocketEvent::Writable);
        }
        Some(chunk)
    }

    /// A circuit of a socket takes no further chunk, though it is still there; or takes them again.
    #[inline]
    pub(crate) fn is_sending(&mut self, place: u32, is_sending: bool) {
        let sending = &mut self.connections[place].sending;
        if is_sending { *sending += 1 } else { *sending -= 1 }
    }

    /// Nobody knows whether a chunk has come: it goes again, unless its source knows by now.
    #[inline]
    pub(crate) fn repeat(&mut self, place: u32, chunk: u32) -> bool {
        self.connections[place].repeat(chunk)
    }

    /// The source knows that a chunk has come.
    #[inline]
    pub(crate) fn acknowledge(&mut self, place: u32, chunk: u32) {
        let connection = &mut self.connections[place];
        // The first switch answers whatever comes after it (§3.1): only what has come shows that there is a way.
        connection.is_cut_off = false;
        connection.acknowledge(chunk);
    }

    /// A chunk has come.
    #[inline]
    pub(crate) fn arrive(&mut self, now: Time, place: u32, chunk: u32) {
        let connection = &mut self.connections[place];
        let before = connection.end;
        let complete = connection.arrive(chunk);
        connection.forget();
        let ends = connection.end == End::Known && before != End::Known;
        if complete > 0 {
            self.tell(now, place, SocketEvent::Readable(complete));
        }
        if ends {
            self.tell(now, place, SocketEvent::Ended);
        }
    }

    /// A circuit of a socket is no more at its source, and took chunks until then or did not.
    #[inline]
    pub(crate) fn lost_circuit(&mut self, place: u32, was_sending: bool) {
        let connection = &mut self.connections[place];
        connection.circuits -= 1;
        connection.sending -= u32::from(was_sending);
        if connection.circuits == 0 {
            let active = &mut self.hosts[connection.source as usize].active;
            if let Some(at) = active.iter().position(|active| *active == place) {
                active.swap_remove(at);
            }
        }
    }

    /// Nothing of one of its circuits is anywhere any more.
    #[inline]
    pub(crate) fn lost_record(&mut self, place: u32) {
        self.connections[place].records -= 1;
    }

    /// Looks whether a socket has become idle or is closed.
    #[inline]
    pub(crate) fn settle(&mut self, now: Time, place: u32) {
        let connection = &mut self.connections[place];
        if !connection.is_open || connection.is_idle || !connection.is_still() || !connection.is_over() {
            return;
        }
        connection.is_idle = true;
        match (connection.is_failed, connection.end) {
            (false, End::Known) => self.tell(now, place, SocketEvent::Closed),
            (false, End::Open) => self.tell(now, place, SocketEvent::Idle),
            (false, End::Closing | End::Marked) => debug_assert!(false, "what is over and closed has its end known"),
            (true, _) => {}
        }
        self.forget(place);
    }

    /// A host has stopped: its sockets have failed.
    pub(crate) fn stop(&mut self, now: Time, host: u32) {
        self.hosts[host as usize].waiting.iter_mut().for_each(VecDeque::clear);
        let mut places = self.sorted();
        places.retain(|place| self.connections[*place].source == host);
        for place in places {
            self.connections[place].is_queued = false;
            self.fail(now, place, Failure::Stopped);
        }
    }

    fn fail(&mut self, now: Time, place: u32, failure: Failure) {
        let connection = &mut self.connections[place];
        if connection.is_failed || connection.is_released || connection.is_idle && connection.end == End::Known {
            return;
        }
        self.hosts[connection.source as usize].unsent -= connection.unsent;
        connection.fail();
        if std::mem::take(&mut connection.is_queued) {
            self.hosts[connection.source as usize].waiting[connection.reach as usize].retain(|other| *other != place);
        }
        self.tell(now, place, SocketEvent::Failed(failure));
    }

    /// Frees the place of a socket that nobody has a use for.
    #[inline]
    pub(super) fn forget(&mut self, place: u32) {
        let connection = &mut self.connections[place];
        let is_done = connection.is_released || connection.end == End::Known && connection.is_idle;
        if connection.is_open && is_done && connection.is_still() && connection.is_over() && connection.is_received() {
            connection.is_open = false;
            self.connections.free(place);
        }
    }
}
