//! Numbers with units: how they are checked, and what an editor is told about them.

use crate::length::{HostWords, Length, Threshold};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;
use std::str::FromStr;
use units::{Bytes, Pace, ParseError, Rate, Span, bounds};

/// A kind of quantity in an experiment file, with its bounds: those of [`units::bounds`], so that no sum of them overflows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// A time, zero included.
    Time,
    /// A time above zero.
    Lasting,
    /// What a frame takes over a link or through a device.
    Delay,
    /// The rate of a link: what [`units::Pace`] is exact for.
    Rate,
    /// A part of a packet or cell, zero bytes included.
    Size,
    /// A packet, a cell or a header of at least a byte.
    Packet,
    /// The memory of a device or of a connection.
    Buffer,
    /// A message: a number of bytes above zero.
    Volume,
    /// The length of a queue.
    Queue,
    /// The length of a queue, or "none".
    Threshold,
    /// A number of bytes that wait, or "none".
    ByteThreshold,
    /// A choice of hosts in words: a number and what it counts, too.
    Hosts,
}

impl Quantity {
    const ALL: [Quantity; 12] = [
        Quantity::Time,
        Quantity::Lasting,
        Quantity::Delay,
        Quantity::Rate,
        Quantity::Size,
        Quantity::Packet,
        Quantity::Buffer,
        Quantity::Volume,
        Quantity::Queue,
        Quantity::Threshold,
        Quantity::ByteThreshold,
        Quantity::Hosts,
    ];
    const SLOWEST: Rate = Pace::SLOWEST;

    /// Its name in the schema.
    fn name(self) -> &'static str {
        match self {
            Quantity::Time => "time",
            Quantity::Lasting => "time above zero",
            Quantity::Delay => "delay",
            Quantity::Rate => "rate",
            Quantity::Size => "size",
            Quantity::Packet => "packet size",
            Quantity::Buffer => "memory",
            Quantity::Volume => "size above zero",
            Quantity::Queue => "queue length",
            Quantity::Threshold => "threshold",
            Quantity::ByteThreshold => "threshold in bytes",
            Quantity::Hosts => "hosts",
        }
    }
    /// The quantity of that name.
    pub fn named(name: &str) -> Quantity {
        let found = Quantity::ALL.into_iter().find(|quantity| quantity.name() == name);
        found.expect("the schema names quantities by this very table")
    }
    /// What it is called in the reference and in messages.
    pub fn what(self) -> &'static str {
        match self {
            Quantity::Time | Quantity::Lasting | Quantity::Delay => "time",
            Quantity::Rate => "rate",
            Quantity::Size | Quantity::Packet | Quantity::Buffer | Quantity::Volume => "size",
            Quantity::Queue => "queue length",
            Quantity::Threshold => "queue length or \"none\"",
            Quantity::ByteThreshold => "size or \"none\"",
            Quantity::Hosts => "choice of hosts",
        }
    }
    /// A right spelling.
    pub fn example(self) -> &'static str {
        match self {
            Quantity::Time | Quantity::Lasting | Quantity::Delay => "10 us",
            Quantity::Rate => "100 Gb/s",
            Quantity::Size | Quantity::Packet | Quantity::Buffer | Quantity::Volume => "4 KB",
            Quantity::Queue => "100 packets",
            Quantity::Threshold => "20 packets",
            Quantity::ByteThreshold => "100 KB",
            Quantity::Hosts => "first 8",
        }
    }
    /// The unit that a bare number most likely meant.
    pub fn likely_unit(self) -> Option<&'static str> {
        match self {
            Quantity::Time | Quantity::Lasting | Quantity::Delay => Some("us"),
            Quantity::Rate => Some("Gb/s"),
            Quantity::Size | Quantity::Packet | Quantity::Buffer | Quantity::Volume => Some("B"),
            Quantity::Queue | Quantity::Threshold => Some("packets"),
            Quantity::ByteThreshold => Some("KB"),
            Quantity::Hosts => None,
        }
    }
    /// Whether `text` is meant as this, where a word can stand as well.
    pub fn may_be(self, text: &str) -> bool {
        self == Quantity::Hosts || text.trim_start().starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '.')
    }
    /// What is wrong with `text`, if something is.
    pub fn check(self, text: &str) -> Result<(), String> {
        match self {
            Quantity::Time => self.at_most::<Span>(text, bounds::TIME).map(drop),
            Quantity::Lasting => above_zero(self.at_most(text, bounds::TIME)?, Span::ZERO, self),
            Quantity::Delay => self.at_most::<Span>(text, bounds::DELAY).map(drop),
            Quantity::Rate => {
                let message = || format!("must be from {} to {}", Quantity::SLOWEST, bounds::RATE);
                let fits = |rate| (Quantity::SLOWEST..=bounds::RATE).contains(&rate);
                match text.parse() {
                    Ok(rate) if fits(rate) => Ok(()),
                    Ok(_) | Err(ParseError::TooLarge { .. }) => Err(message()),
                    Err(error) => Err(explained(error)),
                }
            }
            Quantity::Size => self.at_most::<Bytes>(text, bounds::PACKET).map(drop),
            Quantity::Packet => above_zero(self.at_most(text, bounds::PACKET)?, Bytes::ZERO, self),
            Quantity::Buffer => above_zero(self.at_most(text, bounds::BUFFER)?, Bytes::ZERO, self),
            Quantity::Volume => above_zero(self.at_most(text, bounds::MESSAGE)?, Bytes::ZERO, self),
            Quantity::Queue => text.parse::<Length>().map(drop),
            Quantity::Threshold => text.parse::<Threshold>().map(drop),
            Quantity::ByteThreshold => match text.parse()? {
                Threshold(Some(Length::Packets(_))) => {
                    Err(format!("must be in bytes here, such as \"{}\"", self.example()))
                }
                Threshold(Some(Length::Bytes(_)) | None) => Ok(()),
            },
            Quantity::Hosts => text.parse::<HostWords>().map(drop),
        }
    }
    /// How much `text` is of a time, a rate or a size, in the smallest steps there are; none of a length or a choice, which are no single
    /// number.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn magnitude(self, text: &str) -> Result<Option<u64>, ParseError> {
        match self {
            Quantity::Time | Quantity::Lasting | Quantity::Delay => text.parse().map(|time: Span| Some(time.as_ps())),
            Quantity::Rate => text.parse().map(|rate: Rate| Some(rate.as_bps())),
            Quantity::Size | Quantity::Packet | Quantity::Buffer | Quantity::Volume => {
                text.parse().map(|size: Bytes| Some(size.get()))
            }
            Quantity::Queue | Quantity::Threshold | Quantity::ByteThreshold | Quantity::Hosts => Ok(None),
        }
    }
    /// The largest that it may be.
    pub fn most(self) -> Option<String> {
        match self {
            Quantity::Time | Quantity::Lasting => Some(bounds::TIME.to_string()),
            Quantity::Delay => Some(bounds::DELAY.to_string()),
            Quantity::Rate => Some(bounds::RATE.to_string()),
            Quantity::Size | Quantity::Packet => Some("1 GiB".to_owned()),
            Quantity::Buffer | Quantity::ByteThreshold => Some(bounds::BUFFER.to_string()),
            Quantity::Volume => Some(bounds::MESSAGE.to_string()),
            Quantity::Queue | Quantity::Threshold => Some(format!("{} packets or {}", bounds::PACKETS, bounds::BUFFER)),
            Quantity::Hosts => None,
        }
    }
    /// `text` as a value up to `most`.
    fn at_most<T: FromStr<Err = ParseError> + PartialOrd>(self, text: &str, most: T) -> Result<T, String> {
        match text.parse::<T>() {
            Ok(value) if value <= most => Ok(value),
            Ok(_) | Err(ParseError::TooLarge { .. }) => {
                Err(format!("must be at most {}", self.most().unwrap_or_default()))
            }
            Err(error) => Err(explained(error)),
        }
    }
    /// A regular expression for editors: the spelling, without the bounds.
    pub fn pattern(self) -> String {
        const NUMBER: &str = r"[0-9][0-9_]*(\.[0-9]+)?";
        const SIZES: &str = "B|KB|kB|MB|GB|TB|KiB|MiB|GiB|TiB";
        const TIMES: &str = "ps|ns|us|µs|μs|ms|s";
        const RATES: &str = "b/s|kb/s|Mb/s|Gb/s|Tb/s|bps|kbps|Mbps|Gbps|Tbps";
        match self {
            Quantity::Time | Quantity::Delay => format!("^ *({NUMBER} *({TIMES})|0) *$"),
            Quantity::Lasting => format!("^ *{NUMBER} *({TIMES}) *$"),
            Quantity::Rate => format!("^ *{NUMBER} *({RATES}) *$"),
            Quantity::Size => format!("^ *({NUMBER} *({SIZES})|0) *$"),
            Quantity::Packet | Quantity::Buffer | Quantity::Volume => format!("^ *{NUMBER} *({SIZES}) *$"),
            Quantity::Queue => format!("^ *{NUMBER} *(packets?|{SIZES}) *$"),
            Quantity::Threshold => format!("^ *({NUMBER} *(packets?|{SIZES})|none) *$"),
            Quantity::ByteThreshold => format!("^ *({NUMBER} *({SIZES})|none) *$"),
            Quantity::Hosts => "^ *(all|(first|random) +[0-9]+) *$".to_owned(),
        }
    }
    /// What editors are told.
    pub fn schema(self) -> Schema {
        json_schema!({ "type": "string", "pattern": self.pattern(), "x-quantity": self.name() })
    }
}

fn above_zero<T: PartialEq>(value: T, zero: T, quantity: Quantity) -> Result<(), String> {
    if value == zero { Err(format!("must be above zero, such as \"{}\"", quantity.example())) } else { Ok(()) }
}

/// A reading error without the value, which a message about a key has already shown.
pub fn explained(error: ParseError) -> String {
    match error {
        ParseError::NoNumber { example, .. } => format!("does not start with a number; write {example}"),
        ParseError::NoUnit { example, .. } => format!("has no unit; write {example}"),
        ParseError::UnknownUnit { unit, units, example, .. } => {
            format!("has the unit \"{unit}\"; the units are {units}: write {example}")
        }
        ParseError::TooFine { smallest, .. } => format!("is finer than {smallest}, the smallest step there is"),
        ParseError::TooLarge { .. } => "is too large".to_owned(),
        other => other.to_string(),
    }
}

/// Stand-ins that tell schemars what a field of a type from `units` looks like in a file.
macro_rules! schemas {
    ($($(#[$doc:meta])* $name:ident = $quantity:ident),* $(,)?) => {$(
        $(#[$doc])*
        pub struct $name;
        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                Quantity::$quantity.schema()
            }
        }
    )*};
}
schemas! {
    /// A time, zero included.
    TimeText = Time,
    /// A time above zero.
    LastingText = Lasting,
    /// The rate of a link.
    RateText = Rate,
    /// What a frame takes over a link or through a device.
    DelayText = Delay,
    /// A part of a packet or cell, zero bytes included.
    SizeText = Size,
    /// A packet, a cell or a header of at least a byte.
    PacketText = Packet,
    /// The memory of a device or of a connection.
    BufferText = Buffer,
    /// A message: a number of bytes above zero.
    VolumeText = Volume,
    /// A queue's length.
    QueueText = Queue,
    /// A queue's length or "none".
    ThresholdText = Threshold,
    /// A number of bytes that wait, or "none".
    ByteThresholdText = ByteThreshold,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_is_wrong() {
        let wrong = |quantity: Quantity, text: &str| quantity.check(text).expect_err(text);
        assert_eq!(
            wrong(Quantity::Time, "10 msec"),
            r#"has the unit "msec"; the units are ps, ns, us, ms, s: write a time such as "10 us""#
        );
        assert_eq!(wrong(Quantity::Lasting, "0"), r#"must be above zero, such as "10 us""#);
        assert_eq!(wrong(Quantity::Rate, "10 b/s"), "must be from 1 Mb/s to 100 Tb/s");
        assert_eq!(wrong(Quantity::Volume, "0 B"), r#"must be above zero, such as "4 KB""#);
        let cure = r#"write a number of packets such as "100 packets" or a size such as "150 KB""#;
        assert_eq!(wrong(Quantity::Queue, "100"), format!("has no unit; {cure}"));
        assert_eq!(
            wrong(Quantity::Queue, "100 frames"),
            format!("has the unit \"frames\"; the units are packets, B, KB, MB, GB, TB: {cure}")
        );
        assert_eq!(wrong(Quantity::Queue, "none"), format!("does not start with a number; {cure}"));
        assert_eq!(
            wrong(Quantity::Queue, "1.5 packets"),
            format!("is not a whole number of packets up to 10000000; {cure}")
        );
        assert_eq!(wrong(Quantity::Queue, "0 packets"), r#"must be above zero, such as "100 packets""#);
        assert_eq!(wrong(Quantity::Delay, "18446744073709551615 ps"), "must be at most 10 s");
        assert_eq!(wrong(Quantity::Lasting, "100000.000000000001 s"), "must be at most 100000 s");
        assert_eq!(wrong(Quantity::Time, "99999999999999999999 s"), "must be at most 100000 s");
        assert_eq!(wrong(Quantity::Packet, "18446744073709551000 B"), "must be at most 1 GiB");
        assert_eq!(wrong(Quantity::Buffer, "2 TB"), "must be at most 1 TB");
        assert_eq!(wrong(Quantity::Volume, "1001 TB"), "must be at most 1000 TB");
        assert_eq!(wrong(Quantity::Threshold, "2 TB"), "must be at most 1 TB");
        assert_eq!(wrong(Quantity::Rate, "100.1 Tb/s"), "must be from 1 Mb/s to 100 Tb/s");
        assert_eq!(wrong(Quantity::Size, "1.5 B"), "is finer than 1 B, the smallest step there is");
    }

    #[test]
    fn what_is_written_reads_back() {
        for text in ["100 packets", "1 packet", "900 KB", "none"] {
            assert_eq!(text.parse::<Threshold>().map(|t| t.to_string()), Ok(text.to_owned()));
        }
        assert_eq!("none".parse(), Ok(Threshold(None)));
        assert_eq!("20packets".parse(), Ok(Length::Packets(20)));
    }

    #[test]
    fn every_example_is_right_and_names_are_unique() {
        for quantity in Quantity::ALL {
            assert_eq!(quantity.check(quantity.example()), Ok(()), "{quantity:?}");
            assert_eq!(Quantity::named(quantity.name()), quantity);
        }
    }
}
