//! Kinds whose flows start together, round after round.

use super::{Builder, Made, sizes};
use crate::error::Problem;
use crate::group::{AllToMany, Group, Hosts, Incast, Pairs, Permutation, Receivers, Rounds};
use crate::prose::count;
use crate::sizes::Sizes;
use crate::sources::{Round, RoundSource};
use std::collections::BTreeSet;

impl Builder<'_> {
    /// `per_round` flows in each of some rounds.
    fn rounds(
        &self,
        round: Round,
        size: Option<&Sizes>,
        rounds: Rounds,
        per_round: u64,
        what: String,
    ) -> Result<Made, Problem> {
        if let Some(size) = size {
            size.check()?;
        }
        if rounds.count == 0 {
            return Err(Problem::Zero { key: "rounds" });
        }
        if rounds.count > 1 && size.is_none() {
            return Err(Problem::EndlessRounds);
        }
        let Group { start, jitter, .. } = *self.group;
        let source = RoundSource::new(round, size.cloned(), rounds, jitter, start, self.setting.hosts, self.chance);
        let mut description = format!("{what}, {}", sizes(size));
        if rounds.count > 1 {
            description += &format!(", {} rounds one after the other", rounds.count);
        }
        let flows = per_round.saturating_mul(rounds.count);
        Ok(Made::new(source, description).flows(Some(flows)).at_once(per_round).mean(size.map(Sizes::mean)))
    }

    pub(super) fn permutation(&self, it: &Permutation) -> Result<Made, Problem> {
        let hosts = self.hosts(2)?;
        let (pairs, what) = match &it.pairs {
            Pairs::Random { count: None } => (hosts, format!("each of {hosts} hosts to one other")),
            Pairs::Random { count: Some(0) } => return Err(Problem::Zero { key: "pairs" }),
            Pairs::Random { count: Some(asked) } if *asked > hosts => {
                return Err(Problem::NotSoMany { key: "pairs", asked: *asked, there: hosts });
            }
            Pairs::Random { count: Some(asked) } => {
                (*asked, format!("{asked} of {hosts} hosts, each to one other and none to the same"))
            }
            Pairs::List(list) => {
                for &(src, dst) in list {
                    if let Some(host) = [src, dst].into_iter().find(|host| *host >= hosts) {
                        return Err(Problem::NoSuchHost { key: "pairs", host, hosts });
                    }
                    if src == dst {
                        return Err(Problem::ToItself { key: "pairs", host: src });
                    }
                }
                if list.is_empty() {
                    return Err(Problem::Nothing { key: "pairs" });
                }
                (list.len() as u32, format!("the {} listed", count(list.len() as u64, "pair")))
            }
        };
        self.rounds(Round::of_permutation(it), it.size.as_ref(), it.rounds, u64::from(pairs), what)
    }

    pub(super) fn all_to_many(&self, it: &AllToMany) -> Result<Made, Problem> {
        let hosts = self.hosts(2)?;
        it.senders.check("senders", hosts, None)?;
        let senders = u64::from(it.senders.count(hosts, false));
        let (flows, what) = match &it.receivers {
            Receivers::Each(0) => return Err(Problem::Zero { key: "receivers" }),
            Receivers::Each(asked) if *asked >= hosts => {
                return Err(Problem::NotSoMany { key: "receivers", asked: *asked, there: hosts - 1 });
            }
            Receivers::Each(each) => {
                (senders * u64::from(*each), format!("each of {senders} hosts to {each} random others"))
            }
            Receivers::Shared(shared) => {
                shared.check("receivers", hosts, None)?;
                let receivers = u64::from(shared.count(hosts, false));
                // Who is in both has one flow less; how many are, only the draw tells where one is random.
                let mut stream = self.chance.stream("round", 0);
                let sending: BTreeSet<u32> = it.senders.choose(hosts, None, &mut stream).into_iter().collect();
                let both = shared.choose(hosts, None, &mut stream).iter().filter(|host| sending.contains(host)).count();
                let flows = senders * receivers - both as u64;
                if flows == 0 {
                    return Err(Problem::Nothing { key: "receivers" });
                }
                (flows, format!("each of {senders} hosts to the same {receivers}"))
            }
        };
        let round = Round::AllToMany { senders: it.senders.clone(), receivers: it.receivers.clone() };
        self.rounds(round, it.size.as_ref(), it.rounds, flows, what)
    }

    pub(super) fn incast(&self, it: &Incast) -> Result<Made, Problem> {
        let hosts = self.hosts(2)?;
        if let Some(host) = it.receiver.filter(|host| *host >= hosts) {
            return Err(Problem::NoSuchHost { key: "receiver", host, hosts });
        }
        // A random receiver is one host less to send, too; any will do for checking.
        let listed = matches!(it.senders, Hosts::List(_));
        let except = if listed { it.receiver } else { it.receiver.or(Some(0)) };
        it.senders.check("senders", hosts, except)?;
        let senders = it.senders.count(hosts, true);
        if listed && it.receiver.is_none() && senders == hosts {
            return Err(Problem::NotSoMany { key: "senders", asked: senders, there: hosts - 1 });
        }
        let to = it.receiver.map_or("a random host".to_owned(), |host| format!("host {host}"));
        let what = format!("{} to {to}", count(u64::from(senders), "host"));
        self.rounds(Round::of_incast(it), it.size.as_ref(), it.rounds, u64::from(senders), what)
    }
}
