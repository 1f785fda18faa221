//! Numbers, one after another.

use super::{DecodeError, Decoded};
use crate::control::version::{Epoch, Version};
use crate::forwarding::Mac;

const NOBODY: u16 = u16::MAX;

#[derive(Default)]
pub(super) struct Writer(Vec<u8>);

impl Writer {
    pub(super) fn done(self) -> Vec<u8> {
        self.0
    }
    pub(super) fn tag(&mut self, byte: u8) {
        self.0.push(byte);
    }
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend(bytes);
    }
    /// A number of a SoC or crosspoint, or a count of them: below 65536.
    pub(super) fn small(&mut self, number: u32) {
        self.bytes(&(number as u16).to_be_bytes());
    }
    pub(super) fn epoch(&mut self, epoch: Epoch) {
        self.bytes(&epoch.number.to_be_bytes());
        self.small(epoch.soc);
    }
    pub(super) fn version(&mut self, version: Version) {
        self.bytes(&version.0.to_be_bytes());
    }
    pub(super) fn peer(&mut self, peer: Option<u16>) {
        self.bytes(&peer.unwrap_or(NOBODY).to_be_bytes());
    }
    pub(super) fn route(&mut self, route: &[u8]) {
        self.0.push(u8::try_from(route.len()).expect("a route has at most 255 hops"));
        self.bytes(route);
    }
}

pub(super) struct Reader<'a> {
    left: &'a [u8],
    given: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { left: bytes, given: bytes.len() }
    }
    pub(super) fn take(&mut self, bytes: usize) -> Decoded<&'a [u8]> {
        let (taken, left) = self.left.split_at_checked(bytes).ok_or(DecodeError::Short { given: self.given })?;
        self.left = left;
        Ok(taken)
    }
    /// All that is left.
    pub(super) fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.left)
    }
    pub(super) fn end(&self) -> Decoded<()> {
        if self.left.is_empty() { Ok(()) } else { Err(DecodeError::Long { left: self.left.len() }) }
    }
    fn array<const N: usize>(&mut self) -> Decoded<[u8; N]> {
        let (taken, left) = self.left.split_first_chunk().ok_or(DecodeError::Short { given: self.given })?;
        self.left = left;
        Ok(*taken)
    }
    pub(super) fn u8(&mut self) -> Decoded<u8> {
        self.array().map(u8::from_be_bytes)
    }
    pub(super) fn u16(&mut self) -> Decoded<u16> {
        self.array().map(u16::from_be_bytes)
    }
    pub(super) fn u32(&mut self) -> Decoded<u32> {
        self.array().map(u32::from_be_bytes)
    }
    pub(super) fn u64(&mut self) -> Decoded<u64> {
        self.array().map(u64::from_be_bytes)
    }
    pub(super) fn small(&mut self) -> Decoded<u32> {
        self.u16().map(u32::from)
    }
    pub(super) fn flag(&mut self) -> Decoded<bool> {
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            value => Err(DecodeError::Value { what: "yes or no", value: u64::from(value) }),
        }
    }
    pub(super) fn mac(&mut self) -> Decoded<Mac> {
        self.array().map(Mac)
    }
    pub(super) fn epoch(&mut self) -> Decoded<Epoch> {
        Epoch::checked(self.u32()?, self.small()?)
    }
    pub(super) fn version(&mut self) -> Decoded<Version> {
        self.u64().map(Version)
    }
    pub(super) fn peer(&mut self) -> Decoded<Option<u16>> {
        self.u16().map(|peer| (peer != NOBODY).then_some(peer))
    }
    pub(super) fn route(&mut self) -> Decoded<Vec<u8>> {
        let hops = self.u8()?;
        self.take(usize::from(hops)).map(<[u8]>::to_vec)
    }
}
