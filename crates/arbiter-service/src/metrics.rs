//! What is counted.

use crate::wire::WireError;
use results::Histogram;
use schemars::JsonSchema;
use serde::Serialize;
use std::time::Duration;

/// Datagrams that were refused, by the first thing that was wrong with them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[schemars(rename = "ArbiterMalformed")]
pub struct Malformed {
    /// Shorter than a header and a tag.
    pub short: u64,
    /// Longer than any datagram of this format.
    pub long: u64,
    /// Not of this format at all: they begin with other bytes.
    pub magic: u64,
    /// Of another version.
    pub version: u64,
    /// Cut off, or with something behind them: another length than their header says.
    pub length: u64,
    /// Forged or damaged, or made with another key.
    pub tag: u64,
    /// From a sender whose slots are of another length.
    pub slot_length: u64,
    /// Of no kind that there is.
    pub kind: u64,
    /// With a body that its kind cannot have.
    pub body: u64,
    /// With a number that means nothing where it stands.
    pub value: u64,
}

impl Malformed {
    /// Counts one, and answers what its kind is called.
    pub fn count(&mut self, error: &WireError) -> &'static str {
        let (counter, name) = match error {
            WireError::Short { .. } => (&mut self.short, "short"),
            WireError::Long => (&mut self.long, "long"),
            WireError::Magic { .. } => (&mut self.magic, "magic"),
            WireError::Version { .. } => (&mut self.version, "version"),
            WireError::Length { .. } => (&mut self.length, "length"),
            WireError::Tag => (&mut self.tag, "tag"),
            WireError::SlotLength { .. } => (&mut self.slot_length, "slot length"),
            WireError::Kind { .. } => (&mut self.kind, "kind"),
            WireError::Body { .. } | WireError::Empty { .. } => (&mut self.body, "body"),
            WireError::Value { .. } => (&mut self.value, "value"),
        };
        *counter += 1;
        name
    }

    /// All of them.
    pub fn sum(&self) -> u64 {
        let Malformed { short, long, magic, version, length, tag, slot_length, kind, body, value } = self;
        short + long + magic + version + length + tag + slot_length + kind + body + value
    }
}

/// Requests that no host of the pod can have made. They change nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[schemars(rename = "ArbiterRefused")]
pub struct Refused {
    /// From or for a host that is not of the pod.
    pub unknown_host: u64,
    /// From a host for slots to itself.
    pub to_itself: u64,
    /// From a host whose slot is after the arbiter's.
    pub from_the_future: u64,
}

/// How long something took, in nanoseconds. Quantiles are right to 0.4 %.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[schemars(rename = "ArbiterLatency")]
pub struct Latency {
    /// How many were measured.
    pub count: u64,
    /// The median.
    pub p50_ns: Option<u64>,
    /// What 99 % do not exceed.
    pub p99_ns: Option<u64>,
    /// What 99.9 % do not exceed.
    pub p999_ns: Option<u64>,
    /// The longest, exactly.
    pub max_ns: Option<u64>,
}

/// Collects latencies.
#[derive(Debug, Clone)]
pub struct Latencies {
    histogram: Histogram,
    longest: Option<u64>,
}

impl Default for Latencies {
    fn default() -> Latencies {
        Latencies { histogram: Histogram::new(8), longest: None }
    }
}

impl Latencies {
    /// One more.
    pub fn record(&mut self, took: Duration) {
        // 2^63 ns are three hundred years.
        let ns = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX >> 1);
        self.histogram.record(ns);
        self.longest = self.longest.max(Some(ns));
    }

    /// What is told of them.
    pub fn told(&self) -> Latency {
        let at = |fraction| self.histogram.quantile(fraction);
        let (p50_ns, p99_ns, p999_ns) = (at(0.5), at(0.99), at(0.999));
        Latency { count: self.histogram.total(), p50_ns, p99_ns, p999_ns, max_ns: self.longest }
    }

    /// Bins of a histogram that hold any: the least of them in nanoseconds, and how many.
    pub fn bins(&self) -> Vec<Bin> {
        self.histogram.bins().map(|(from_ns, to_ns, count)| Bin { from_ns, to_ns, count }).collect()
    }
}

/// One bin of a histogram of latencies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ArbiterLatencyBin")]
pub struct Bin {
    /// The shortest that it has.
    pub from_ns: u64,
    /// The shortest that it has not any more.
    pub to_ns: u64,
    /// How many.
    pub count: u64,
}

/// What an arbiter is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "ArbiterRole")]
pub enum Role {
    /// Another one is in charge, as far as it knows.
    #[default]
    Standby,
    /// It is asking voters.
    Claiming,
    /// It hands out slots.
    Active,
    /// It hands out what it has leased and ends then, while another one takes over.
    Retiring,
}

/// What an arbiter has done since it began.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[schemars(rename = "ArbiterMetrics")]
pub struct ArbiterMetrics {
    /// The address that it listens on.
    pub address: String,
    /// What it is doing.
    pub role: Role,
    /// The number of its epoch, the last one that it has claimed; 0 if it has claimed none.
    pub epoch: u64,
    /// How often it has taken charge.
    pub times_in_charge: u64,
    /// Since it began, in nanoseconds.
    pub uptime_ns: u64,
    /// The slot that it is.
    pub slot: u64,
    /// How long a slot lasts, in picoseconds.
    pub slot_ps: u64,
    /// Hosts of the pod.
    pub hosts: u16,
    /// Hosts that have asked.
    pub hosts_heard: u16,
    /// Datagrams of requests that came.
    pub request_datagrams: u64,
    /// Requests that came: one for each destination that a host wants slots for.
    pub requests: u64,
    /// Requests that were refused.
    pub refused: Refused,
    /// Slots that were given to hosts.
    pub allocations: u64,
    /// Allocations that were sent once more because a host did not hold them in time.
    pub resends: u64,
    /// Datagrams of allocations that were sent.
    pub allocation_datagrams: u64,
    /// Slots that passed before the arbiter's thread had its turn; allocations are made ahead, so none of them need be lost.
    pub slots_behind: u64,
    /// The most of these at once.
    pub most_slots_behind: u64,
    /// Slots that passed while it was in charge and that it handed out to nobody: it was behind by more than it works ahead, or voters had not leased them.
    pub slots_lost: u64,
    /// Beats that were sent.
    pub beats_sent: u64,
    /// Beats of others that came.
    pub beats_heard: u64,
    /// Leases that voters were asked for.
    pub leases_asked: u64,
    /// Votes for it.
    pub votes_granted: u64,
    /// Votes against it.
    pub votes_refused: u64,
    /// Datagrams that were refused, by what is wrong with them.
    pub malformed: Malformed,
    /// Datagrams that are for somebody else: a question to a voter, say.
    pub misplaced: u64,
    /// Beats and votes from addresses that are none of the other arbiters' and voters'.
    pub strangers: u64,
    /// Datagrams that were dropped because too many waited.
    pub overruns: u64,
    /// Datagrams that the kernel dropped because the socket's buffer was full; null where it does not tell.
    pub kernel_drops: Option<u64>,
    /// Datagrams that the system would not send.
    pub send_failures: u64,
    /// From when a request for more slots to a destination came until the first of them was given.
    pub latency: Latency,
}

/// What a voter has done since it began.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[schemars(rename = "VoterMetrics")]
pub struct VoterMetrics {
    /// The address that it listens on.
    pub address: String,
    /// The number of the epoch that it obeys.
    pub epoch: u64,
    /// The number of the arbiter whose epoch that is.
    pub arbiter: u8,
    /// The first slot that it has leased to nobody.
    pub until: u64,
    /// Since it began, in nanoseconds.
    pub uptime_ns: u64,
    /// Leases that it granted.
    pub granted: u64,
    /// Leases that it refused.
    pub refused: u64,
    /// Leases that it could not answer because what it has to remember could not be written.
    pub unwritten: u64,
    /// Datagrams that were refused, by what is wrong with them.
    pub malformed: Malformed,
    /// Datagrams that are not for a voter.
    pub misplaced: u64,
    /// Datagrams that were dropped because too many waited.
    pub overruns: u64,
    /// Datagrams that the kernel dropped because the socket's buffer was full; null where it does not tell.
    pub kernel_drops: Option<u64>,
    /// Datagrams that the system would not send.
    pub send_failures: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latencies_are_told_with_their_tail() {
        let mut latencies = Latencies::default();
        assert_eq!(latencies.told(), Latency::default());
        (1..=1000).for_each(|us| latencies.record(Duration::from_micros(us)));
        let told = latencies.told();
        let near = |ns: Option<u64>, us: u64| ns.is_some_and(|ns| ns.abs_diff(us * 1000) <= us * 4);
        assert!(near(told.p50_ns, 500) && near(told.p99_ns, 990) && near(told.p999_ns, 999), "{told:?}");
        assert_eq!((told.count, told.max_ns), (1000, Some(1_000_000)));
        assert_eq!(latencies.bins().iter().map(|bin| bin.count).sum::<u64>(), 1000);
    }
}
