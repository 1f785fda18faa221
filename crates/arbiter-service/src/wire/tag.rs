//! The tag at the end of a datagram: SipHash-2-4 of all that stands before it, under a key of 128 bits (Aumasson and Bernstein, *SipHash: a fast short-input
//! PRF*, INDOCRYPT 2012). It takes some 20 ns, where HMAC-SHA256 would take longer than the arbiter's own work.

/// What hosts, arbiters and voters of a pod share. All zero, it finds damage but stops nobody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Key([u64; 2]);

impl Key {
    /// From 16 bytes.
    pub fn new(bytes: [u8; 16]) -> Key {
        let word = |from: usize| bytes[from..from + 8].iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
        Key([word(0), word(8)])
    }

    /// From 32 hexadecimal digits with white space around them, as a key's file has them; nothing if that is not what the text is.
    pub fn parse(text: &str) -> Option<Key> {
        let digits = text.trim();
        if digits.len() != 32 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        let mut bytes = [0; 16];
        for (place, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&digits[2 * place..2 * place + 2], 16).ok()?;
        }
        Some(Key::new(bytes))
    }

    /// The tag of some bytes.
    pub fn tag(self, bytes: &[u8]) -> u64 {
        let [low, high] = self.0;
        let mut state = [
            low ^ 0x736f_6d65_7073_6575,
            high ^ 0x646f_7261_6e64_6f6d,
            low ^ 0x6c79_6765_6e65_7261,
            high ^ 0x7465_6462_7974_6573,
        ];
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            absorb(&mut state, u64::from_le_bytes(*word));
        }
        let last = rest.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
        absorb(&mut state, (bytes.len() as u64) << 56 | last);
        state[2] ^= 0xff;
        (0..4).for_each(|_| round(&mut state));
        state[0] ^ state[1] ^ state[2] ^ state[3]
    }
}

fn absorb(state: &mut [u64; 4], word: u64) {
    state[3] ^= word;
    round(state);
    round(state);
    state[0] ^= word;
}

fn round(state: &mut [u64; 4]) {
    let [mut a, mut b, mut c, mut d] = *state;
    a = a.wrapping_add(b);
    b = b.rotate_left(13) ^ a;
    a = a.rotate_left(32);
    c = c.wrapping_add(d);
    d = d.rotate_left(16) ^ c;
    a = a.wrapping_add(d);
    d = d.rotate_left(21) ^ a;
    c = c.wrapping_add(b);
    b = b.rotate_left(17) ^ c;
    c = c.rotate_left(32);
    *state = [a, b, c, d];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tag_is_that_of_the_paper() {
        // Appendix A of the SipHash paper: key 00 01 .. 0f, message 00 01 .. 0e.
        let key = Key::parse("000102030405060708090a0b0c0d0e0f\n").expect("a key");
        let message: Vec<u8> = (0..15).collect();
        assert_eq!(key.tag(&message), 0xa129_ca61_49be_45e5);
    }

    #[test]
    fn a_key_is_32_hexadecimal_digits() {
        for wrong in ["", "00", "000102030405060708090a0b0c0d0e0g", "+00102030405060708090a0b0c0d0e0f0"] {
            assert_eq!(Key::parse(wrong), None, "{wrong}");
        }
    }
}
