//! Quantities that have a type of their own, as they are written in files: "100 packets", "150 KB", "none", "first 8".

use crate::quantity::{Quantity, explained};
use serde::de::Error as _;
use std::fmt;
use std::str::FromStr;
use units::{Bytes, ParseError, bounds};

/// The length of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// Bytes on the wire, waiting or being sent; the frame being sent counts with what is left of it.
    Bytes(Bytes),
    /// Whole frames, waiting or being sent.
    Packets(u32),
}

/// A choice of hosts in words: `"all"`, `"first 8"`, `"random 8"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostWords {
    /// All of them.
    All,
    /// The first so many.
    First(u32),
    /// So many, at random.
    Random(u32),
}

impl FromStr for HostWords {
    type Err = String;
    fn from_str(text: &str) -> Result<HostWords, String> {
        let parts: Vec<&str> = text.split_whitespace().collect();
        let number = |text: &str| text.parse::<u32>().ok().filter(|number| *number > 0);
        let hosts = match parts.as_slice() {
            ["all"] => Some(HostWords::All),
            ["first", count] => number(count).map(HostWords::First),
            ["random", count] => number(count).map(HostWords::Random),
            _other => None,
        };
        let cure = "is no choice of hosts; write \"all\", \"first 8\", \"random 8\", or a list such as [0, 5, 7]";
        hosts.ok_or_else(|| cure.to_owned())
    }
}

/// A queue's length above which something happens, or "none": it never does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Threshold(pub Option<Length>);

/// A number of bytes above zero, where something else could stand in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Volume(pub Bytes);

impl FromStr for Volume {
    type Err = String;
    fn from_str(text: &str) -> Result<Volume, String> {
        Quantity::Volume.check(text)?;
        text.parse().map(Volume).map_err(explained)
    }
}
impl fmt::Display for Volume {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
impl FromStr for Length {
    type Err = String;
    fn from_str(text: &str) -> Result<Length, String> {
        const CURE: &str = "write a number of packets such as \"100 packets\" or a size such as \"150 KB\"";
        let trimmed = text.trim();
        if let Some(number) = trimmed.strip_suffix("packets").or_else(|| trimmed.strip_suffix("packet")) {
            let most = bounds::PACKETS;
            return match number.trim().replace('_', "").parse::<u32>().ok().filter(|packets| *packets <= most) {
                Some(0) => Err("must be above zero, such as \"100 packets\"".to_owned()),
                Some(packets) => Ok(Length::Packets(packets)),
                None => Err(format!("is not a whole number of packets up to {most}; {CURE}")),
            };
        }
        match trimmed.parse::<Bytes>() {
            Ok(bytes) if bytes > bounds::BUFFER => Err(format!("must be at most {}", bounds::BUFFER)),
            Err(ParseError::TooLarge { .. }) => Err(format!("must be at most {}", bounds::BUFFER)),
            Ok(Bytes::ZERO) => Err("must be above zero, such as \"150 KB\"".to_owned()),
            Ok(bytes) => Ok(Length::Bytes(bytes)),
            Err(ParseError::UnknownUnit { unit, units, .. }) => {
                Err(format!("has the unit \"{unit}\"; the units are packets, {units}: {CURE}"))
            }
            Err(ParseError::NoUnit { .. }) => Err(format!("has no unit; {CURE}")),
            Err(ParseError::NoNumber { .. }) => Err(format!("does not start with a number; {CURE}")),
            Err(other) => Err(explained(other)),
        }
    }
}
impl FromStr for Threshold {
    type Err = String;
    fn from_str(text: &str) -> Result<Threshold, String> {
        if text.trim() == "none" {
            return Ok(Threshold(None));
        }
        text.parse::<Length>().map(|length| Threshold(Some(length)))
    }
}
impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Length::Bytes(bytes) => bytes.fmt(f),
            Length::Packets(1) => f.write_str("1 packet"),
            Length::Packets(packets) => write!(f, "{packets} packets"),
        }
    }
}
impl fmt::Display for Threshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(length) => length.fmt(f),
            None => f.write_str("none"),
        }
    }
}

macro_rules! text_in_files {
    ($($type:ty),*) => {$(
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
            }
        }
    )*};
}
text_in_files!(Volume, Length, Threshold);

/// For `#[serde(with = "settings::or_none")]`: a threshold that is "none" in files where it is `None` here.
pub mod or_none {
    use super::{Length, Threshold};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// Writes it.
    ///
    /// # Errors
    /// What the serializer says.
    pub fn serialize<S: Serializer>(threshold: &Option<Length>, serializer: S) -> Result<S::Ok, S::Error> {
        Threshold(*threshold).serialize(serializer)
    }
    /// Reads it.
    ///
    /// # Errors
    /// If it is neither a length nor "none".
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Length>, D::Error> {
        Threshold::deserialize(deserializer).map(|Threshold(threshold)| threshold)
    }
}

/// As [`or_none`], for thresholds in bytes only.
pub mod bytes_or_none {
    use super::{Length, Threshold};
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use units::Bytes;

    /// Writes it.
    ///
    /// # Errors
    /// What the serializer says.
    pub fn serialize<S: Serializer>(threshold: &Option<Bytes>, serializer: S) -> Result<S::Ok, S::Error> {
        Threshold(threshold.map(Length::Bytes)).serialize(serializer)
    }
    /// Reads it.
    ///
    /// # Errors
    /// If it is neither a size nor "none".
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Bytes>, D::Error> {
        match Threshold::deserialize(deserializer)? {
            Threshold(Some(Length::Packets(_))) => {
                Err(D::Error::custom("counts bytes; write a size such as \"100 KB\""))
            }
            Threshold(Some(Length::Bytes(bytes))) => Ok(Some(bytes)),
            Threshold(None) => Ok(None),
        }
    }
}
