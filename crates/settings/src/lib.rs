//! What a person writes, and what can be wrong with it.
//!
//! Settings are plain structures with serde and schemars derived; the comments on their fields are the reference, word for word. From
//! their schema comes a [`shape`], against which [`inspect`] checks a [`document`] before anything is read into the structures: keys,
//! types, words, units and ranges, each mistake with its line and its cure. What only the reader of the settings can know it reports
//! through [`Diagnostics`], by the key that it is about. Settings of a command line are read by [`Flat`], and [`mod@reference`] lists them.

mod diagnostics;
pub mod document;
mod flat;
mod inspect;
mod length;
mod origin;
mod printable;
mod problem;
mod quantity;
pub mod reference;
pub mod shape;
mod suggestion;
mod syntax;
mod wording;

pub use diagnostics::{Diagnostics, Section};
pub use flat::{Flat, SettingError};
pub use inspect::{complete, inspect};
pub use length::{HostWords, Length, Threshold, Volume, bytes_or_none, or_none};
pub use origin::{KeyPath, Origin};
pub use printable::printable;
pub use problem::{Mistake, Problem, Problems};
pub use quantity::{
    BufferText, ByteThresholdText, DelayText, LastingText, PacketText, Quantity, QueueText, RateText, SizeText,
    ThresholdText, TimeText, VolumeText, explained,
};
pub use suggestion::{cure, listed, misspelt, nearest};
pub use wording::{described, example_of, how_to_write, plain, quoted, real_range, sample, toml_of, whole_range};
