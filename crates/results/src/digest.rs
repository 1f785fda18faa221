//! SHA-256 of files, so that a changed byte is noticed before anything is made of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// How long a file is, and the SHA-256 of its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Digest {
    /// Its length in bytes.
    pub bytes: u64,
    /// SHA-256 (FIPS 180-4) in hexadecimal digits.
    pub sha256: String,
}

impl Digest {
    /// The digest of a file as it is now.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn of_file(path: &Path) -> io::Result<Digest> {
        let (mut file, mut hasher, mut buffer) = (File::open(path)?, Hasher::default(), vec![0; 1 << 18]);
        loop {
            let read = file.read(&mut buffer)?;
            if read == 0 {
                return Ok(hasher.digest());
            }
            hasher.update(&buffer[..read]);
        }
    }

    /// The digest of bytes that are in no file.
    pub fn of_bytes(bytes: &[u8]) -> Digest {
        let mut hasher = Hasher::default();
        hasher.update(bytes);
        hasher.digest()
    }
}

/// Takes bytes as they are written.
#[derive(Default)]
pub(crate) struct Hasher {
    bytes: u64,
    hash: Sha256,
}

impl Hasher {
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.hash.update(bytes);
    }
    pub(crate) fn digest(self) -> Digest {
        let mut sha256 = String::with_capacity(64);
        for byte in self.hash.finalize() {
            write!(sha256, "{byte:02x}").expect("text grows as it must");
        }
        Digest { bytes: self.bytes, sha256 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_that_of_the_standard() {
        // FIPS 180-4's own example, "abc".
        let mut hasher = Hasher::default();
        hasher.update(b"a");
        hasher.update(b"bc");
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hasher.digest(), Digest { bytes: 3, sha256: expected.to_owned() });
        assert_eq!(Digest::of_bytes(b"abc").sha256, expected);
    }
}
