//! Equal-cost multipath: how a node chooses among equally short paths by a hash of the flow, so that a flow keeps its path
//! (RFC 2992). Whoever chooses by it chooses alike: the same seed sends the same flow over the same links in every fabric.

use engine::Seed;

/// What makes each node's hashes differ from the others': else flows that one node put together, the next would too.
#[derive(Debug, Clone)]
pub struct Ecmp {
    salts: Vec<u32>,
}

impl Ecmp {
    /// For so many nodes; from the seed's stream `ethernet.hash`.
    pub fn new(seed: Seed, nodes: u32) -> Ecmp {
        let mut stream = seed.stream("ethernet.hash", 0);
        Ecmp { salts: (0..nodes).map(|_| stream.bits() as u32).collect() }
    }

    /// What a node's hashes are made with.
    pub fn salt(&self, node: u32) -> u32 {
        self.salts[node as usize]
    }

    /// Which of so many paths a flow of this entropy takes at a node.
    pub fn choose(&self, node: u32, entropy: u32, choices: u32) -> u32 {
        choose(entropy, self.salt(node), choices)
    }
}

/// Spreads a flow's entropy and a node's salt over 32 bits, and those over `choices`.
#[inline]
pub fn choose(entropy: u32, salt: u32, choices: u32) -> u32 {
    // Two rounds of multiply and fold (the constants are odd, from SplitMix64's): each bit in reaches the high bits out.
    let mixed = u64::from(entropy ^ salt).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (((mixed >> 32) * u64::from(choices)) >> 32) as u32
}
