//! Sizes of packets: one, or a distribution.

use engine::Stream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Some of the packets: evenly between two sizes, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PipelineMixPart")]
pub struct Part {
    /// Smallest size, in bytes: the whole frame, from the address to the check sequence.
    pub from: u32,
    /// Largest size, in bytes.
    pub to: u32,
    /// How many of the packets, in relation to the other parts.
    pub weight: u32,
}

/// A distribution of packet sizes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Mix {
    /// Its parts, in any order.
    pub parts: Vec<Part>,
}

impl Mix {
    /// Packets of one size.
    pub fn fixed(bytes: u32) -> Mix {
        Mix { parts: vec![Part { from: bytes, to: bytes, weight: 1 }] }
    }
    /// The one of these packets' size, where they have only one.
    pub fn only_size(&self) -> Option<u32> {
        let first = self.parts.iter().find(|part| part.weight > 0)?;
        let alone =
            self.parts.iter().filter(|part| part.weight > 0).all(|p| p.from == first.from && p.to == first.from);
        alone.then_some(first.from)
    }
    /// Largest size.
    pub fn largest(&self) -> u32 {
        self.parts.iter().filter(|part| part.weight > 0).map(|part| part.to).max().unwrap_or(0)
    }
    /// Mean size in bytes; NaN without packets.
    pub fn mean(&self) -> f64 {
        let (sum, weight) = self.parts.iter().fold((0.0, 0.0), |(sum, all), part| {
            let weight = f64::from(part.weight);
            (sum + weight * (f64::from(part.from) + f64::from(part.to)) / 2.0, all + weight)
        });
        sum / weight
    }
    /// One packet's size. The parts must have been checked (`Spec::check`).
    pub(crate) fn draw(&self, stream: &mut Stream) -> u32 {
        let total: u64 = self.parts.iter().map(|part| u64::from(part.weight)).sum();
        let mut place = stream.below(total);
        for part in &self.parts {
            let weight = u64::from(part.weight);
            if place < weight {
                return part.from + stream.below(u64::from(part.to - part.from) + 1) as u32;
            }
            place -= weight;
        }
        unreachable!("a number below the sum of weights lies in one of them")
    }
}

/// A mix that comes with the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "PipelineMix")]
pub struct NamedMix {
    /// Name.
    pub name: &'static str,
    /// What of it is published, and what is ours.
    pub source: &'static str,
    /// The sizes.
    pub parts: &'static [Part],
}

const fn part(from: u32, to: u32, weight: u32) -> Part {
    Part { from, to, weight }
}

/// What is published of the packet sizes at Facebook: Roy et al., SIGCOMM 2015, §6.1. Hadoop's packets are almost all of
/// full size (1500 B of IP) or TCP acknowledgements; for the other services the median is well under 200 B and 5 % to 10 %
/// are of full size; a cache server's median is about 175 B. The traces themselves are not public. Sizes here are whole
/// frames: 18 B more than the IP packet.
pub const MIXES: &[NamedMix] = &[
    NamedMix {
        name: "database",
        source: "published: the median is well under 200 B, 5 % to 10 % of the packets are of full size; \
                 ours: 5 %, a median of 128 B, an even spread elsewhere",
        parts: &[part(64, 128, 50), part(129, 1517, 45), part(1518, 1518, 5)],
    },
    NamedMix {
        name: "web",
        source: "published: the median is well under 200 B (about 175 B at a cache server), 5 % to 10 % of the packets \
                 are of full size; ours: 10 %, a median of 175 B, an even spread elsewhere",
        parts: &[part(64, 175, 50), part(176, 1517, 40), part(1518, 1518, 10)],
    },
    NamedMix {
        name: "hadoop",
        source: "published: almost all packets are of full size or acknowledgements; \
                 ours: one acknowledgement of 70 B for every two packets of full size",
        parts: &[part(70, 70, 1), part(1518, 1518, 2)],
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Seed;

    #[test]
    fn mixes_have_the_published_medians() {
        for (name, median) in [("database", 128), ("web", 175)] {
            let named = MIXES.iter().find(|mix| mix.name == name).unwrap();
            let mix = Mix { parts: named.parts.to_vec() };
            let mut stream = Seed(1).stream("test", 0);
            let mut drawn: Vec<u32> = (0..20_001).map(|_| mix.draw(&mut stream)).collect();
            drawn.sort_unstable();
            // Three standard errors of the share below the median: 1.5 / sqrt(20 001), about a hundredth.
            let below = drawn.iter().filter(|size| **size <= median).count() as f64 / drawn.len() as f64;
            assert!((below - 0.5).abs() < 0.011, "{name}: {below}");
            let full = drawn.iter().filter(|size| **size == 1518).count() as f64 / drawn.len() as f64;
            assert!((0.045..0.107).contains(&full), "{name}: {full}");
            let mean = drawn.iter().map(|size| f64::from(*size)).sum::<f64>() / drawn.len() as f64;
            assert!((mean / mix.mean() - 1.0).abs() < 0.03, "{name}: {mean} for {}", mix.mean());
        }
    }

    #[test]
    fn one_size_is_recognised() {
        assert_eq!(Mix::fixed(65).only_size(), Some(65));
        assert_eq!(Mix { parts: vec![part(64, 65, 1)] }.only_size(), None);
        assert_eq!(Mix { parts: vec![part(64, 64, 1), part(65, 65, 0)] }.only_size(), Some(64));
        assert_eq!(Mix { parts: vec![] }.only_size(), None);
    }
}
