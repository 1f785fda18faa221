//! Files that a person names: regular ones only, and no line or text that has no end.

use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;

/// The longest line of a list of flows or weights: 4 MiB.
pub(super) const LONGEST_LINE: u64 = 1 << 22;
/// The longest file that is read as a whole: 1 GiB.
const LONGEST_TEXT: u64 = 1 << 30;

/// Opens a regular file.
///
/// # Errors
/// What the system says; a device or a pipe, since reading one could go on for ever.
pub fn open(path: &Path) -> Result<File> {
    // Looked at first: to open a pipe is to wait for whoever writes to it.
    let kind = std::fs::metadata(path)?.file_type();
    if kind.is_file() {
        return File::open(path);
    }
    let what = if kind.is_dir() { "a folder" } else { "a device or a pipe" };
    Err(Error::new(ErrorKind::InvalidInput, format!("it is {what}; name a regular file")))
}

/// The text of a regular file, without the byte-order mark that some programs begin it with.
///
/// # Errors
/// As [`open`]; a file of more than 1 GiB; bytes that are not UTF-8, or a NUL, which no text has.
pub fn read_text(path: &Path) -> Result<String> {
    let mut text = String::new();
    open(path)?.take(LONGEST_TEXT + 1).read_to_string(&mut text)?;
    if text.len() as u64 > LONGEST_TEXT {
        return Err(Error::new(ErrorKind::InvalidData, "it is longer than 1 GiB, the most that is read"));
    }
    if text.contains('\0') {
        return Err(Error::new(
            ErrorKind::InvalidData,
            "it holds NUL bytes, so it is not plain text; save it as UTF-8",
        ));
    }
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_are_read() {
        let refused = |path: &str| open(Path::new(path)).map(drop).map_err(|error| error.to_string());
        assert_eq!(refused("/"), Err("it is a folder; name a regular file".to_owned()));
        #[cfg(target_os = "linux")]
        assert_eq!(refused("/dev/zero"), Err("it is a device or a pipe; name a regular file".to_owned()));
    }
}
