//! Uplink placement and assignment (§4.2).

use crate::demand::{Demand, DemandError, External, index};

/// Why uplinks were not placed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UplinksError {
    /// More uplinks than SoCs, or none.
    #[error("{uplinks} uplinks for {socs} SoCs; a SoC has one uplink port, so write 1 to {socs}")]
    Count {
        /// How many uplinks.
        uplinks: u32,
        /// How many SoCs can have one.
        socs: u32,
    },
    /// Vectors of different lengths.
    #[error("traffic is sent out of the rack by {sent} SoCs and received by {received}; give both for each SoC")]
    Lengths {
        /// Length of the one.
        sent: usize,
        /// Length of the other.
        received: usize,
    },
}

/// Which SoC has which uplink, and over which uplink each SoC talks to the world.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Uplinks {
    /// The SoC whose uplink port is joined with uplink `i`.
    pub places: Vec<u32>,
    /// The uplink of each SoC, by SoC.
    pub assigned: Vec<u32>,
}

impl Uplinks {
    /// Two stages (§4.2): uplinks go to the SoCs with the highest external demand, one each; then the others, the highest demand
    /// first, go to the uplink with the least demand so far. Of SoCs with equal demand the lowest number comes first, of
    /// uplinks with equal demand too. An uplink's demand counts that of its own SoC.
    ///
    /// # Errors
    /// For no uplink, more than SoCs, and vectors of different lengths.
    pub fn place(external: &External, uplinks: u32) -> Result<Uplinks, UplinksError> {
        Uplinks::place_among(external, uplinks, |_| true)
    }

    /// [`Uplinks::place`] where not every SoC can have an uplink: not those whose uplink port hangs on the control network (§3), nor
    /// those that are broken. They go over the uplink of another like any SoC without.
    ///
    /// # Errors
    /// As [`Uplinks::place`], and if fewer SoCs can have an uplink than there are uplinks.
    pub fn place_among(external: &External, uplinks: u32, may: impl Fn(u32) -> bool) -> Result<Uplinks, UplinksError> {
        let (sent, received) = (external.sent.len(), external.received.len());
        if sent != received {
            return Err(UplinksError::Lengths { sent, received });
        }
        let socs = sent as u32;
        let able = (0..socs).filter(|&soc| may(soc)).count() as u32;
        if uplinks == 0 || uplinks > able {
            return Err(UplinksError::Count { uplinks, socs: able });
        }
        let mut order: Vec<u32> = (0..socs).collect();
        order.sort_by_key(|&soc| std::cmp::Reverse(external.of(soc)));
        let places: Vec<u32> = order.iter().copied().filter(|&soc| may(soc)).take(index(uplinks)).collect();
        order.retain(|soc| !places.contains(soc));
        let mut assigned = vec![0; index(socs)];
        let mut load: Vec<u64> = places.iter().map(|&soc| external.of(soc)).collect();
        for (uplink, &soc) in (0..).zip(&places) {
            assigned[index(soc)] = uplink;
        }
        for &soc in &order {
            let least = (0..uplinks).min_by_key(|&uplink| load[index(uplink)]).expect("there is an uplink");
            assigned[index(soc)] = least;
            load[index(least)] = load[index(least)].saturating_add(external.of(soc));
        }
        Ok(Uplinks { places, assigned })
    }

    /// The same SoCs with uplinks, and the same SoCs sharing each; but a SoC that had one before, and has one now, keeps it. `before` is
    /// [`Uplinks::places`] of that time. §4.2 does not say which uplink a SoC gets; moving one costs what is on it.
    #[must_use]
    pub fn keeping(self, before: &[u32]) -> Uplinks {
        let count = self.places.len();
        let kept = |soc: &u32| before.iter().take(count).position(|had| had == soc);
        let mut number: Vec<Option<usize>> = self.places.iter().map(kept).collect();
        let taken: Vec<usize> = number.iter().flatten().copied().collect();
        let mut free = (0..count).filter(|uplink| !taken.contains(uplink));
        number.iter_mut().filter(|number| number.is_none()).for_each(|number| *number = free.next());
        let number: Vec<usize> = number.into_iter().flatten().collect();
        let mut places = self.places.clone();
        for (soc, &uplink) in self.places.iter().zip(&number) {
            places[uplink] = *soc;
        }
        Uplinks { places, assigned: self.assigned.iter().map(|&uplink| number[index(uplink)] as u32).collect() }
    }

    /// The SoC through which another talks to the world; itself if it has an uplink.
    pub fn gateway(&self, soc: u32) -> u32 {
        self.places[index(self.assigned[index(soc)])]
    }

    /// `dm_all` of §4.2: the demand inside the rack, and what each SoC exchanges with its gateway.
    ///
    /// # Errors
    /// If the sum leaves the range of a matrix.
    ///
    /// # Panics
    /// If the matrix has fewer SoCs than the uplinks were placed for.
    pub fn demand(&self, internal: &Demand, external: &External) -> Result<Demand, DemandError> {
        let socs = (0..).zip(&external.sent).zip(&external.received);
        internal.plus(socs.filter(|&((soc, _), _)| self.gateway(soc) != soc).flat_map(|((soc, &sent), &received)| {
            let gateway = self.gateway(soc);
            [(soc, gateway, sent), (gateway, soc, received)]
        }))
    }
}
