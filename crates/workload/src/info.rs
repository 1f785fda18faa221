//! What a group is, in words and numbers, before anything runs.

/// A group, as `check` prints it and a report repeats it.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupInfo {
    /// Its name.
    pub name: String,
    /// Its kind, as experiment files have it.
    pub kind: &'static str,
    /// What it sends, in a line.
    pub description: String,
    /// How many flows it starts if every flow that has an end does end in time: exact for lists, the mean for arrivals at
    /// random, none if it depends on the network.
    pub flows: Option<u64>,
    /// The most of them that are active together; none if times decide it, as of arrivals at random.
    pub at_once: Option<u64>,
    /// Mean size; none if the flows never end.
    pub mean_bytes: Option<f64>,
    /// Payload bits a second that it offers, whatever the network carries; none if it waits for the network.
    pub offered_bps: Option<f64>,
    /// The same over the sum of all hosts' link rates.
    pub offered_load: Option<f64>,
    /// What a person should know, though nothing is wrong.
    pub warnings: Vec<String>,
}
