//! Tiers of switches above leaves with hosts: a folded Clos of any depth, of unbundled links.
//!
//! A stage joins the nodes of one tier to those of the next. Its lower nodes are in groups, and each lower node of a group has
//! one link (or several, where it has more uplinks than the group has upper nodes) to every upper node of the group. At the
//! first stage groups are pods of neighbouring leaves. Above, a pod's top nodes are dealt out to the groups in turn, so that
//! groups join pods. A stage in the middle makes as many larger pods as leave each top node of a pod a group of its own; the
//! last stage makes one. So of two tiers above leaves: every leaf to every tier-1 switch of its pod, tier-1 switches of a pod
//! to different groups of tier 2 (Clos 1953; al-Fares et al., SIGCOMM 2008; Stardust, NSDI 2019, §3).

#[cfg(test)]
mod tests;

use crate::builder::Builder;
use crate::shape::not_zero;
use crate::tree::Cables;
use crate::{BuildError, Handle, Topology};

/// A folded Clos.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clos {
    /// Switches with hosts.
    pub leaves: u32,
    /// Hosts of each.
    pub hosts_per_leaf: u32,
    /// Links up from each.
    pub uplinks: u32,
    /// What is above, from the leaves upwards; at least one.
    pub tiers: Vec<Tier>,
}

/// A tier of switches above leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tier {
    /// How many.
    pub switches: u32,
    /// Links up from each; none from the last tier.
    pub uplinks: Option<u32>,
}

/// How one tier is joined to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stage {
    /// Pods below it, and top nodes of each.
    pods: u32,
    tops: u32,
    /// Pods that it makes of them, and upper nodes of each.
    larger: u32,
    upper: u32,
    /// Groups in each larger pod.
    groups: u32,
    /// Parallel links from a lower to an upper node.
    bundle: u32,
}

impl Clos {
    /// The graph. The first error is as in [`Clos::check`].
    ///
    /// # Errors
    /// For rates out of range and sizes that do not divide. Counts must not be beyond what a builder takes.
    pub(crate) fn build(&self, label: String, link: Cables) -> Result<Topology, BuildError> {
        let mut builder = Builder::new(label);
        let hosts = self.leaves * self.hosts_per_leaf;
        let hosts: Vec<Handle> = (0..hosts).map(|i| builder.host(format!("host-{i}"))).collect();
        let mut lower: Vec<Handle> = (0..self.leaves).map(|i| builder.switch(format!("leaf-{i}"), Some(1))).collect();
        let class = builder.class("host-leaf");
        for (hosts, &leaf) in hosts.chunks(self.hosts_per_leaf as usize).zip(&lower) {
            for &host in hosts {
                link.lay(&mut builder, host, leaf, class);
            }
        }
        let mut below = "leaf".to_owned();
        for ((number, tier), stage) in (1..).zip(&self.tiers).zip(self.stages()?) {
            let name = format!("tier{number}");
            let switch = |i| builder.switch(format!("{name}-{i}"), Some(number + 1));
            let upper: Vec<Handle> = (0..tier.switches).map(switch).collect();
            let class = builder.class(&format!("{below}-{name}"));
            let cables = Cables { bundle: link.bundle * stage.bundle, ..link };
            stage.join(&lower, &upper, |a, b| cables.lay(&mut builder, a, b, class));
            (lower, below) = (upper, name);
        }
        builder.finish()
    }

    /// Hosts, switches, cables.
    pub(crate) fn counts(&self) -> (u128, u128, u128) {
        let (leaves, hosts) = (u128::from(self.leaves), u128::from(self.hosts_per_leaf));
        let above: u128 = self.tiers.iter().map(|tier| u128::from(tier.switches)).sum();
        let links = |tier: &Tier| u128::from(tier.switches) * u128::from(tier.uplinks.unwrap_or(0));
        let up: u128 = leaves * u128::from(self.uplinks) + self.tiers.iter().map(links).sum::<u128>();
        (leaves * hosts, leaves + above, leaves * hosts + up)
    }

    /// `"Clos, 24 leaves with 8 hosts each, 12 switches above"`.
    pub(crate) fn label(&self) -> String {
        let count = |count, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
        let above: Vec<String> = self.tiers.iter().map(|tier| tier.switches.to_string()).collect();
        let above = match above.as_slice() {
            [one] if one == "1" => "1 switch".to_owned(),
            several => format!("{} switches", several.join(" and ")),
        };
        let (leaves, hosts) = (count(self.leaves, "leaf", "leaves"), count(self.hosts_per_leaf, "host", "hosts"));
        format!("Clos, {leaves} with {hosts} each, {above} above")
    }

    /// Refuses what can't be built, but for its size.
    pub(crate) fn check(&self) -> Result<(), BuildError> {
        self.stages().map(drop)
    }

    fn stages(&self) -> Result<Vec<Stage>, BuildError> {
        let shape = "Clos";
        for (key, value) in
            [("leaves", self.leaves), ("hosts_per_leaf", self.hosts_per_leaf), ("uplinks", self.uplinks)]
        {
            not_zero(key, shape, value)?;
        }
        for tier in &self.tiers {
            not_zero("switches", shape, tier.switches)?;
            not_zero("uplinks", shape, tier.uplinks.unwrap_or(1))?;
        }
        let Some(top) = self.tiers.len().checked_sub(1) else {
            return Err(BuildError::Zero { key: "tiers", shape });
        };
        let mut lower = Lower { pods: self.leaves, tops: 1, uplinks: self.uplinks, last: top == 0 };
        let mut stages = Vec::with_capacity(self.tiers.len());
        for (number, tier) in self.tiers.iter().enumerate() {
            let stage = lower.stage_of(self, number)?;
            stages.push(stage);
            let key = format!("tiers.{number}.uplinks");
            let uplinks = match (tier.uplinks, self.tiers.get(number + 1)) {
                (Some(uplinks), Some(_)) => uplinks,
                (None, None) => break,
                (None, Some(above)) => return Err(BuildError::NoUplinks { key, above: above.switches }),
                (Some(uplinks), None) => return Err(BuildError::UplinksOfTop { key, uplinks }),
            };
            lower = Lower { pods: stage.larger, tops: stage.upper, uplinks, last: number + 1 == top };
        }
        Ok(stages)
    }
}

impl Stage {
    /// Lays links from each lower node to the upper nodes of its group.
    fn join(&self, lower: &[Handle], upper: &[Handle], mut lay: impl FnMut(Handle, Handle)) {
        let pods_each = (self.pods / self.larger) as usize;
        let group = (self.upper / self.groups) as usize;
        for (number, pod) in lower.chunks(self.tops as usize).enumerate() {
            let first = number / pods_each * self.upper as usize;
            for (index, &node) in pod.iter().enumerate() {
                let first = first + index % self.groups as usize * group;
                upper[first..first + group].iter().for_each(|&above| lay(node, above));
            }
        }
    }
}

/// Why a stage cannot be laid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Misfit {
    /// Uplinks do not spread evenly over so many upper nodes.
    Uplinks(u32),
    /// Upper nodes cannot be shared out.
    Switches,
    /// Lower pods cannot be shared out among so many larger ones.
    Pods(u32),
}

/// The lower side of a stage.
#[derive(Debug, Clone, Copy)]
struct Lower {
    /// Pods, and top nodes of each.
    pods: u32,
    tops: u32,
    /// Of each top node.
    uplinks: u32,
    /// Whether nothing is above the next tier.
    last: bool,
}

impl Lower {
    /// The stage from here to `switches` upper nodes.
    fn stage(self, switches: u32) -> Result<Stage, Misfit> {
        let Lower { pods, tops, uplinks, last } = self;
        // One group for each top node of a pod, of as many upper nodes as that has uplinks.
        let in_a_pod = u64::from(tops) * u64::from(uplinks);
        let larger = if last || u64::from(switches) <= in_a_pod {
            1
        } else if u64::from(switches).is_multiple_of(in_a_pod) {
            (u64::from(switches) / in_a_pod) as u32
        } else {
            return Err(Misfit::Switches);
        };
        let upper = switches / larger;
        let (groups, bundle) = if uplinks < upper { (upper / uplinks, 1) } else { (1, uplinks / upper) };
        if uplinks >= upper && !uplinks.is_multiple_of(upper) {
            Err(Misfit::Uplinks(upper))
        } else if uplinks < upper && !(upper.is_multiple_of(uplinks) && tops.is_multiple_of(groups)) {
            Err(Misfit::Switches)
        } else if !pods.is_multiple_of(larger) {
            Err(Misfit::Pods(larger))
        } else {
            Ok(Stage { pods, tops, larger, upper, groups, bundle })
        }
    }

    /// The same, or what to change about `clos`, whose stage of this number it is.
    fn stage_of(self, clos: &Clos, number: usize) -> Result<Stage, BuildError> {
        let Tier { switches, .. } = clos.tiers[number];
        let key_below = number.checked_sub(1).map_or("uplinks".to_owned(), |tier| format!("tiers.{tier}.uplinks"));
        let multiples = |value: u32, of: u32| {
            let below = value - value % of;
            (Some(below).filter(|below| *below > 0), below.checked_add(of))
        };
        self.stage(switches).map_err(|misfit| match misfit {
            Misfit::Uplinks(switches) => {
                let (below, above) = multiples(self.uplinks, switches);
                BuildError::Uneven { key: key_below, uplinks: self.uplinks, switches, below, above }
            }
            Misfit::Pods(pods) if number == 0 => {
                let (below, above) = multiples(clos.leaves, pods);
                BuildError::Pods { leaves: clos.leaves, pods, below, above }
            }
            Misfit::Pods(_) | Misfit::Switches => {
                let (below, above) = self.nearest(switches);
                let what = match number.checked_sub(1) {
                    None => format!("{} leaves", clos.leaves),
                    Some(tier) => {
                        format!("{} tier-{} switches in {} pods", clos.tiers[tier].switches, tier + 1, self.pods)
                    }
                };
                let below_them = format!("{what} with {} uplinks each", self.uplinks);
                BuildError::Parts { key: format!("tiers.{number}.switches"), switches, below_them, below, above }
            }
        })
    }

    /// The numbers of upper nodes next to this one that would do.
    fn nearest(self, switches: u32) -> (Option<u32>, Option<u32>) {
        const FAR: u32 = 1 << 16;
        let fits = |switches: &u32| self.stage(*switches).is_ok();
        let below = (switches.saturating_sub(FAR).max(1)..switches).rev().find(fits);
        (below, (switches.saturating_add(1)..=switches.saturating_add(FAR)).find(fits))
    }
}
