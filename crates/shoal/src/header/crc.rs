//! The cell's CRC: a check byte inside the header, such that the whole cell, in the order of the wire, leaves no remainder.
//!
//! With the check byte where it is, and not at the end, what is a burst on the wire is a burst of the code, and one pass over the cell
//! checks it. The sender divides with zero in its place, and multiplies the remainder by the power of `x` that the bytes behind it
//! stand for, inverted: a constant for cells of one size.

use super::BYTES;

/// `x^8 + x^4 + x^3 + x^2 + 1`, without `x^8`.
const POLYNOMIAL: u8 = 0x1D;
/// `x` to this power is 1: the polynomial is primitive.
const PERIOD: usize = 255;
/// The register before the first byte.
const START: u8 = 0xFF;

/// `x` times a remainder.
const fn shift(remainder: u8) -> u8 {
    (remainder << 1) ^ if remainder & 0x80 == 0 { 0 } else { POLYNOMIAL }
}

/// `x^8` times each remainder.
const TABLE: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut remainder = byte as u8;
        let mut bit = 0;
        while bit < 8 {
            remainder = shift(remainder);
            bit += 1;
        }
        table[byte] = remainder;
        byte += 1;
    }
    table
};

fn remainder(header: [u8; BYTES], payload: &[u8]) -> u8 {
    header.iter().chain(payload).fold(START, |register, &byte| TABLE[usize::from(register ^ byte)])
}

/// The last byte of the header, which is zero in `header`.
pub(super) fn check_byte(header: [u8; BYTES], payload: &[u8]) -> u8 {
    debug_assert_eq!(header[BYTES - 1], 0);
    // What stands there counts x^8 times for itself and each byte behind it.
    let back = PERIOD - (8 * (payload.len() % PERIOD + 1)) % PERIOD;
    (0..back).fold(remainder(header, payload), |product, _| shift(product))
}

/// Whether a cell is as it was sent.
pub(super) fn fits(header: [u8; BYTES], payload: &[u8]) -> bool {
    remainder(header, payload) == 0
}
