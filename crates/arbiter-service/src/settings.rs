//! What a person says of an arbiter, a voter and a load, and what is wrong with it.

#[cfg(test)]
mod tests;

use crate::wire::tag::Key;
use arbiter::allocation::Policy;
use arbiter::control::SettingsError;
use arbiter::{Pod, PodError, control};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::{Flat, LastingText, RateText, SettingError};
use std::net::{SocketAddr, ToSocketAddrs};
use units::{Bytes, Rate, Span};

/// Bytes of a data packet (§5 of the Fastpod paper).
pub(crate) const PACKET: Bytes = Bytes::new(1500);
/// Bytes of an RTS and of a SCHD (the same).
const CONTROL: Bytes = Bytes::new(64);
/// Hosts of the largest pod that one arbiter serves: it keeps 16 B for each pair.
const MOST_HOSTS: u32 = 4096;

/// Why a service cannot begin, or go on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ServiceError {
    /// A setting that cannot be.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// Settings that contradict each other.
    #[error(transparent)]
    Arbiter(#[from] SettingsError),
    /// A pod that cannot be.
    #[error(transparent)]
    Pod(#[from] PodError),
    /// More hosts than are served.
    #[error("{racks} racks of {hosts_per_rack} hosts are too many: one arbiter serves {MOST_HOSTS} hosts at most")]
    TooManyHosts {
        /// Racks.
        racks: u32,
        /// Hosts of each.
        hosts_per_rack: u32,
    },
    /// Several arbiters, each with a voter of its own: both would be in charge.
    #[error("peers = {peers}: arbiters that stand in for each other need the same voters: write voters = ADDRESS,...")]
    PeersWithoutVoters {
        /// The others.
        peers: String,
    },
    /// A socket that cannot be had.
    #[error("listen = {address}: {reason}")]
    Socket {
        /// The address.
        address: String,
        /// What the system says.
        reason: String,
    },
    /// A file of a voter that is not one.
    #[error("{file}: {reason}")]
    State {
        /// The file.
        file: String,
        /// What is wrong with it.
        reason: String,
    },
    /// An arbiter will not have a host's requests.
    #[error("the arbiter at {address} refuses: {reason}")]
    Refused {
        /// Who.
        address: SocketAddr,
        /// Why.
        reason: String,
    },
    /// Nobody there.
    #[error("no arbiter answers at {addresses}: nothing was allocated in {seconds} s")]
    NoAnswer {
        /// Where.
        addresses: String,
        /// How long.
        seconds: u64,
    },
}

/// Who comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// The one that got its last slot longest ago: max-min fairness.
    MaxMin,
    /// The one with the fewest slots left: short mean completion times.
    MinCompletion,
}

/// An arbiter. All that is said in slots is counted in whole slots.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Serve {
    /// Address and UDP port to listen on; port 0 is any that is free.
    pub listen: String,
    /// Racks of the pod.
    #[schemars(range(min = 1, max = 4096))]
    pub racks: u32,
    /// Hosts of a rack.
    #[schemars(range(min = 1, max = 4096))]
    pub hosts_per_rack: u32,
    /// Uplinks of a rack, each to an aggregation switch.
    #[schemars(range(min = 1, max = 64), extend("x-default" = "hosts of a rack"))]
    pub uplinks: Option<u32>,
    /// Rate of a host's link.
    #[schemars(with = "RateText", extend("x-least" = "1 Mb/s"))]
    pub rate: Rate,
    /// How long a slot lasts: at least what a packet of 1500 B for each other host of the rack and two of 64 B take.
    #[schemars(with = "LastingText", extend("x-most" = "10 s"))]
    pub slot: Span,
    /// Which demand comes first.
    pub policy: Order,
    /// Slots that are allocated at once.
    #[schemars(range(min = 1, max = 64))]
    pub batch: u32,
    /// Slots that allocations are made ahead of their time.
    #[schemars(range(min = 1, max = 63))]
    pub ahead: u64,
    /// Slots whose allocations travel to a host in one datagram: fewer datagrams, and that much less time for them. Less than `ahead`.
    #[schemars(range(min = 1, max = 62))]
    pub gather: u64,
    /// Slots after which an allocation that its host does not hold is sent again.
    #[schemars(range(min = 1, max = 63), extend("x-default" = "half of ahead"))]
    pub repair: Option<u64>,
    /// Slots that are leased at a time, at least 2 (ahead + 1); a takeover leaves at most so many unused.
    #[schemars(range(min = 4, max = 1_000_000), extend("x-default" = "4 times ahead"))]
    pub lease: Option<u64>,
    /// Slots without a beat after which it takes over.
    #[schemars(range(min = 2, max = 1_000_000_000), extend("x-default" = "those of 250 ms"))]
    pub patience: Option<u64>,
    /// Its number among the arbiters of the pod; number n waits n more times as long before it takes over.
    pub number: u8,
    /// Addresses of the other arbiters.
    pub peers: Option<String>,
    /// Addresses of all voters.
    #[schemars(extend("x-default" = "one in this process, if there are no peers"))]
    pub voters: Option<String>,
    /// The one of `voters` that runs in this process.
    pub voter: Option<String>,
    /// File in which the voter of this process remembers what it has leased.
    pub voter_state: Option<String>,
    /// File with the pod's key: 32 hexadecimal digits.
    pub key: Option<String>,
}

impl Default for Serve {
    fn default() -> Serve {
        Serve {
            listen: "127.0.0.1:7200".to_owned(),
            racks: 4,
            hosts_per_rack: 4,
            uplinks: None,
            rate: Rate::from_gbps(100),
            slot: Span::from_ms(1),
            policy: Order::MaxMin,
            batch: 64,
            ahead: 16,
            gather: 1,
            repair: None,
            lease: None,
            patience: None,
            number: 0,
            peers: None,
            voters: None,
            voter: None,
            voter_state: None,
            key: None,
        }
    }
}

/// A voter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Vote {
    /// Address and UDP port to listen on; port 0 is any that is free.
    pub listen: String,
    /// How long a slot lasts: as the arbiters have it.
    #[schemars(with = "LastingText", extend("x-most" = "10 s"))]
    pub slot: Span,
    /// File in which it remembers what it has leased. Without, it may not begin again while an arbiter lives that it has voted for.
    pub state: Option<String>,
    /// File with the pod's key: 32 hexadecimal digits.
    pub key: Option<String>,
}

impl Default for Vote {
    fn default() -> Vote {
        Vote { listen: "127.0.0.1:7300".to_owned(), slot: Span::from_ms(1), state: None, key: None }
    }
}

/// The hosts of a pod, and what they ask for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Load {
    /// Addresses of all arbiters of the pod.
    pub arbiters: String,
    /// Address to send from.
    pub listen: String,
    /// Racks of the pod.
    #[schemars(range(min = 1, max = 4096))]
    pub racks: u32,
    /// Hosts of a rack.
    #[schemars(range(min = 1, max = 4096))]
    pub hosts_per_rack: u32,
    /// Uplinks of a rack.
    #[schemars(range(min = 1, max = 64), extend("x-default" = "hosts of a rack"))]
    pub uplinks: Option<u32>,
    /// Rate of a host's link.
    #[schemars(with = "RateText", extend("x-least" = "1 Mb/s"))]
    pub rate: Rate,
    /// How long a slot lasts: as the arbiter has it.
    #[schemars(with = "LastingText", extend("x-most" = "10 s"))]
    pub slot: Span,
    /// Share of its slots that a host asks for in the mean.
    #[schemars(range(min = 0.0, max = 2.0))]
    pub load: f64,
    /// Slots of a demand in the mean; they are exponential, for a random destination.
    #[schemars(range(min = 1.0, max = 1_000_000.0))]
    pub demand: f64,
    /// For how long new demands come.
    #[schemars(with = "LastingText")]
    pub duration: Span,
    /// Slots after which a host repeats a request while something is missing.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub repeat: u64,
    /// What all chance is drawn from.
    pub seed: u64,
    /// File with the pod's key: 32 hexadecimal digits.
    pub key: Option<String>,
}

impl Default for Load {
    fn default() -> Load {
        let Serve { listen: arbiters, racks, hosts_per_rack, rate, slot, .. } = Serve::default();
        Load {
            arbiters,
            listen: "127.0.0.1:0".to_owned(),
            racks,
            hosts_per_rack,
            uplinks: None,
            rate,
            slot,
            load: 0.5,
            demand: 10.0,
            duration: Span::from_ms(10_000),
            repeat: 8,
            seed: 1,
            key: None,
        }
    }
}

/// An arbiter that can begin.
#[derive(Debug, Clone)]
pub(crate) struct Serving {
    pub(crate) listen: SocketAddr,
    pub(crate) slot: Span,
    pub(crate) peers: Vec<SocketAddr>,
    /// Empty if there is one in this process that nobody else knows.
    pub(crate) voters: Vec<SocketAddr>,
    /// A voter beside it: where it listens, and what it remembers in.
    pub(crate) voter: Option<Voting>,
    pub(crate) key: Key,
    /// Slots whose allocations travel together.
    pub(crate) gather: u64,
    pub(crate) control: control::Settings,
}

/// A voter that can begin.
#[derive(Debug, Clone)]
pub(crate) struct Voting {
    pub(crate) listen: SocketAddr,
    /// How many slots from now on somebody may have leased from one before it that was forgotten.
    pub(crate) forgotten: u64,
    pub(crate) slot: Span,
    pub(crate) state: Option<String>,
    pub(crate) key: Key,
}

/// Hosts that can begin.
#[derive(Debug, Clone)]
pub(crate) struct Loading {
    pub(crate) arbiters: Vec<SocketAddr>,
    pub(crate) listen: SocketAddr,
    pub(crate) pod: Pod,
    pub(crate) key: Key,
    pub(crate) settings: Load,
}

/// Checks an arbiter.
pub(crate) fn serving(given: &Flat) -> Result<Serving, ServiceError> {
    let serve: Serve = given.read()?;
    let pod = pod(serve.racks, serve.hosts_per_rack, serve.uplinks)?;
    check_slot(given, serve.slot, serve.hosts_per_rack, serve.rate)?;
    let key = key(given, serve.key.as_deref())?;
    let peers = addresses(given, "peers", serve.peers.as_deref())?;
    let voters = addresses(given, "voters", serve.voters.as_deref())?;
    let listen = address(given, "listen", &serve.listen)?;
    if peers.contains(&listen) {
        return Err(given.refusal("peers", "it lists this arbiter's own address among the others").into());
    }
    if let (Some(peers), true) = (serve.peers, voters.is_empty()) {
        return Err(ServiceError::PeersWithoutVoters { peers });
    }
    let beside = serve.voter.as_deref().map(|own| address(given, "voter", own)).transpose()?;
    if let Some(own) = beside.filter(|own| !voters.contains(own)) {
        return Err(given.refusal("voter", format!("{own} is none of the voters; list it in voters too")).into());
    }
    let beside = beside.or_else(|| voters.is_empty().then(|| SocketAddr::new(listen.ip(), 0)));
    if let (None, Some(_)) = (beside, &serve.voter_state) {
        return Err(given.refusal("voter_state", "no voter is in this process; write voter = ADDRESS").into());
    }
    let Serve { slot, ahead, gather, .. } = serve;
    if gather >= ahead {
        return Err(given.refusal("gather", format!("expected less than ahead, which is {ahead}")).into());
    }
    let lease = serve.lease.unwrap_or((4 * ahead).max(4));
    // Nobody but this arbiter knows a voter that has not been named, and it has forgotten what it leased before if it has begun again.
    let forgotten = if voters.is_empty() { lease } else { 0 };
    let voter = beside.map(|listen| Voting { listen, forgotten, slot, state: serve.voter_state, key });
    let quarter_of_a_second = Span::from_ms(250).as_ps().div_ceil(slot.as_ps());
    let control = control::Settings {
        pod,
        policy: match serve.policy {
            Order::MaxMin => Policy::MaxMin,
            Order::MinCompletion => Policy::MinCompletion,
        },
        batch: serve.batch,
        arbiter: serve.number,
        voters: u8::try_from(voters.len().max(1)).unwrap_or(u8::MAX),
        ahead,
        repair: serve.repair.unwrap_or(ahead.div_ceil(2)) + gather - 1,
        lease,
        patience: serve.patience.unwrap_or(quarter_of_a_second.max(4)),
    };
    control::Arbiter::new(control.clone(), arbiter::Slot(0))?;
    Ok(Serving { listen, slot, peers, voters, voter, key, gather, control })
}

/// Checks a voter.
pub(crate) fn voting(given: &Flat) -> Result<Voting, ServiceError> {
    let Vote { listen, slot, state, key: file } = given.read()?;
    check_clock(given, slot)?;
    Ok(Voting {
        listen: address(given, "listen", &listen)?,
        forgotten: 0,
        slot,
        state,
        key: key(given, file.as_deref())?,
    })
}

/// Checks a load.
pub(crate) fn loading(given: &Flat) -> Result<Loading, ServiceError> {
    let settings: Load = given.read()?;
    let pod = pod(settings.racks, settings.hosts_per_rack, settings.uplinks)?;
    if pod.hosts() < 2 {
        return Err(given.refusal("hosts_per_rack", "a host alone has nobody to send to").into());
    }
    check_slot(given, settings.slot, settings.hosts_per_rack, settings.rate)?;
    let key = key(given, settings.key.as_deref())?;
    let arbiters = addresses(given, "arbiters", Some(&settings.arbiters))?;
    let listen = address(given, "listen", &settings.listen)?;
    Ok(Loading { arbiters, listen, pod, key, settings })
}

fn pod(racks: u32, hosts_per_rack: u32, uplinks: Option<u32>) -> Result<Pod, ServiceError> {
    if racks.saturating_mul(hosts_per_rack) > MOST_HOSTS {
        return Err(ServiceError::TooManyHosts { racks, hosts_per_rack });
    }
    Ok(Pod::two_tiers(racks, hosts_per_rack, uplinks.unwrap_or(hosts_per_rack))?)
}

/// Slots are told apart by a clock that counts nanoseconds.
fn check_clock(given: &Flat, slot: Span) -> Result<(), SettingError> {
    let least = Span::from_ns(100);
    if slot < least { Err(given.refusal("slot", format!("expected at least {least}"))) } else { Ok(()) }
}

/// A slot has room for a data packet for every other host of the rack, and for an RTS and a SCHD (§3.2).
fn check_slot(given: &Flat, slot: Span, hosts_per_rack: u32, rate: Rate) -> Result<(), SettingError> {
    check_clock(given, slot)?;
    let packets = u64::from(hosts_per_rack - 1).max(1);
    let bytes = Bytes::new(packets * PACKET.get() + 2 * CONTROL.get());
    let least = rate.time_for(bytes);
    if slot < least {
        let room = format!("{packets} packets of {} B and 2 of {} B at {rate}", PACKET.get(), CONTROL.get());
        return Err(given.refusal("slot", format!("too short: {room} take {least}, before any guard bands")));
    }
    Ok(())
}

fn key(given: &Flat, file: Option<&str>) -> Result<Key, SettingError> {
    let Some(file) = file else { return Ok(Key::default()) };
    let text = std::fs::read_to_string(file).map_err(|error| given.refusal("key", error.to_string()))?;
    Key::parse(&text).ok_or_else(|| given.refusal("key", "expected a file of 32 hexadecimal digits"))
}

/// Addresses with commas between.
fn addresses(given: &Flat, key: &str, text: Option<&str>) -> Result<Vec<SocketAddr>, SettingError> {
    let Some(text) = text else { return Ok(Vec::new()) };
    let found = text.split(',').map(|each| address(given, key, each.trim())).collect::<Result<Vec<_>, _>>()?;
    match found.iter().enumerate().find(|(place, each)| found[..*place].contains(each)) {
        Some((_, twice)) => Err(given.refusal(key, format!("{twice} is there twice"))),
        None => Ok(found),
    }
}

/// An address and a port; a name is looked up.
fn address(given: &Flat, key: &str, text: &str) -> Result<SocketAddr, SettingError> {
    let found = text.to_socket_addrs().ok().and_then(|mut found| found.next());
    found.ok_or_else(|| given.refusal(key, format!("{text:?} is no address and port, such as 127.0.0.1:7200")))
}
