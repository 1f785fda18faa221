//! From a choice of hosts to the hosts.

use crate::error::Problem;
use crate::group::Hosts;
use crate::order::sample;
use engine::Stream;
use std::collections::BTreeSet;

impl Hosts {
    /// Whether it can be met by hosts 0..hosts, `except` one: `key` is what a person wrote it under.
    pub(crate) fn check(&self, key: &'static str, hosts: u32, except: Option<u32>) -> Result<(), Problem> {
        let there = hosts - u32::from(except.is_some());
        match self {
            Hosts::All => Ok(()),
            Hosts::First(0) | Hosts::Random(0) => Err(Problem::Zero { key }),
            Hosts::First(asked) | Hosts::Random(asked) if *asked > there => {
                Err(Problem::NotSoMany { key, asked: *asked, there })
            }
            Hosts::First(_) | Hosts::Random(_) => Ok(()),
            Hosts::List(list) => {
                let mut seen = BTreeSet::new();
                for &host in list {
                    if host >= hosts {
                        return Err(Problem::NoSuchHost { key, host, hosts });
                    }
                    if Some(host) == except {
                        return Err(Problem::ToItself { key, host });
                    }
                    if !seen.insert(host) {
                        return Err(Problem::Twice { key, host });
                    }
                }
                if list.is_empty() { Err(Problem::Nothing { key }) } else { Ok(()) }
            }
        }
    }

    /// How many hosts it means, of 0..hosts `except` one.
    pub(crate) fn count(&self, hosts: u32, except: bool) -> u32 {
        match self {
            Hosts::All => hosts - u32::from(except),
            Hosts::First(count) | Hosts::Random(count) => *count,
            Hosts::List(list) => list.len() as u32,
        }
    }

    /// The hosts, of 0..hosts `except` one. What was checked can be met.
    pub(crate) fn choose(&self, hosts: u32, except: Option<u32>, stream: &mut Stream) -> Vec<u32> {
        let past = |host: u32| host + u32::from(except.is_some_and(|except| host >= except));
        let there = hosts - u32::from(except.is_some());
        match self {
            Hosts::All => (0..there).map(past).collect(),
            Hosts::First(count) => (0..*count).map(past).collect(),
            Hosts::Random(count) => sample(there, *count, stream).into_iter().map(past).collect(),
            Hosts::List(list) => list.clone(),
        }
    }
}

/// Another host than `host`, of 0..hosts, evenly.
pub(crate) fn other(host: u32, hosts: u32, stream: &mut Stream) -> u32 {
    let pick = stream.below(u64::from(hosts) - 1) as u32;
    pick + u32::from(pick >= host)
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Seed;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_exception_is_never_chosen(hosts in 2_u32..50, except in any::<prop::sample::Index>(), seed in any::<u64>()) {
            let except = except.index(hosts as usize) as u32;
            let mut stream = Seed(seed).stream("test", 0);
            for choice in [Hosts::All, Hosts::First(hosts - 1), Hosts::Random(hosts - 1)] {
                prop_assert!(choice.check("hosts", hosts, Some(except)).is_ok());
                let mut chosen = choice.choose(hosts, Some(except), &mut stream);
                chosen.sort_unstable();
                prop_assert_eq!(&chosen, &(0..hosts).filter(|host| *host != except).collect::<Vec<_>>());
                prop_assert_eq!(choice.count(hosts, true), hosts - 1);
            }
            prop_assert_ne!(other(except, hosts, &mut stream), except);
        }
    }

    #[test]
    fn wrong_choices_are_named() {
        let wrong = |hosts: Hosts, except| hosts.check("senders", 16, except).unwrap_err().to_string();
        assert_eq!(wrong(Hosts::Random(0), None), "`senders` is 0; it must be at least 1");
        assert_eq!(wrong(Hosts::First(16), Some(3)), "`senders` is 16, and there are only 15 to choose from");
        assert_eq!(wrong(Hosts::List(vec![1, 16]), None), "`senders`: 16 is not a host (hosts are 0 to 15)");
        assert_eq!(wrong(Hosts::List(vec![1, 3]), Some(3)), "`senders`: host 3 would send to itself");
        assert_eq!(wrong(Hosts::List(vec![1, 1]), None), "`senders`: host 1 is there twice");
        assert_eq!(wrong(Hosts::List(vec![]), None), "`senders` is empty");
    }
}
