//! Datagrams that are to be sent.

use crate::wire::{Codec, Message};
use std::net::{SocketAddr, UdpSocket};
use std::ops::Range;

/// Datagrams, written one behind another.
#[derive(Debug)]
pub struct Outbox {
    codec: Codec,
    bytes: Vec<u8>,
    datagrams: Vec<(SocketAddr, Range<usize>)>,
}

impl Outbox {
    /// Writes in this format.
    pub fn new(codec: Codec) -> Outbox {
        Outbox { codec, bytes: Vec::new(), datagrams: Vec::new() }
    }

    /// One more datagram.
    ///
    /// # Panics
    /// As [`Codec::encode`].
    pub fn put(&mut self, to: SocketAddr, message: &Message) {
        let begin = self.bytes.len();
        self.codec.encode(message, &mut self.bytes);
        self.datagrams.push((to, begin..self.bytes.len()));
    }

    /// The last datagram once more, to somebody else.
    pub fn put_again(&mut self, to: SocketAddr) {
        if let Some((_, range)) = self.datagrams.last() {
            self.datagrams.push((to, range.clone()));
        }
    }

    /// What is to be sent, to whom.
    pub fn datagrams(&self) -> impl Iterator<Item = (SocketAddr, &[u8])> {
        self.datagrams.iter().map(|(to, range)| (*to, &self.bytes[range.clone()]))
    }

    /// Sends everything; how many the system would not send, and why the last of them. They are lost, as any datagram can be.
    pub fn send(&mut self, socket: &UdpSocket) -> (u64, Option<std::io::Error>) {
        let (mut failures, mut why) = (0, None);
        for (to, bytes) in self.datagrams() {
            if let Err(error) = socket.send_to(bytes, to) {
                failures += 1;
                why = Some(error);
            }
        }
        self.clear();
        (failures, why)
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.datagrams.clear();
    }
}
