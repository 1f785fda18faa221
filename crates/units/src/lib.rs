//! Time, spans, rates and byte counts as integers, and how people write them.
//!
//! Instants ([`Time`]) and lengths of time ([`Span`]) are different types, both in whole picoseconds: a 64 B cell lasts
//! 0.64 ns at 800 Gb/s, so nanoseconds are too coarse. 2^64 ps are 213 days.
//!
//! ```
//! use units::{Bytes, Rate, Time};
//! let rate: Rate = "10 Gb/s".parse()?;
//! let frame: Bytes = "9000 B".parse()?;
//! let done = Time::ZERO + rate.time_for(frame);
//! assert_eq!(done.to_string(), "7.2 us");
//! # Ok::<(), units::ParseError>(())
//! ```

pub mod bounds;
mod bytes;
mod pace;
mod parse;
mod rate;
mod time;

pub use bytes::Bytes;
pub use pace::Pace;
pub use parse::ParseError;
pub use rate::Rate;
pub use time::{Span, Time};

/// Strings in files, `FromStr` and `Display` in code: the same text both ways.
macro_rules! text_in_files {
    ($type:ty, $expecting:literal) => {
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Text;
                impl serde::de::Visitor<'_> for Text {
                    type Value = $type;
                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str($expecting)
                    }
                    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<$type, E> {
                        text.parse().map_err(E::custom)
                    }
                }
                deserializer.deserialize_str(Text)
            }
        }
    };
}
text_in_files!(Time, r#"a time with its unit, such as "10 us""#);
text_in_files!(Span, r#"a time with its unit, such as "10 us""#);
text_in_files!(Rate, r#"a rate with its unit, such as "100 Gb/s""#);
text_in_files!(Bytes, r#"a number of bytes with its unit, such as "4 KB""#);
