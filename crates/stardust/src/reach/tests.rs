//! What devices say and believe: one link as a timeline, and trees of devices against plain searches.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Devices in tiers, adapters first. A cable is two links: `2n` upwards, `2n + 1` back.
#[derive(Debug, Clone)]
struct Tiers {
    adapters: u32,
    devices: u32,
    /// Who is below, who above.
    cables: Vec<(u32, u32)>,
    up: Vec<Vec<u32>>,
    down: Vec<Vec<u32>>,
}

impl Tiers {
    fn new(adapters: u32, devices: u32, cables: Vec<(u32, u32)>) -> Tiers {
        let (mut up, mut down) = (vec![Vec::new(); devices as usize], vec![Vec::new(); devices as usize]);
        for (number, (below, above)) in (0..).zip(&cables) {
            up[*below as usize].push(2 * number);
            down[*above as usize].push(2 * number + 1);
        }
        Tiers { adapters, devices, cables, up, down }
    }
    fn links(&self) -> u32 {
        self.cables.len() as u32 * 2
    }
    fn to(&self, link: u32) -> u32 {
        let (below, above) = self.cables[link as usize / 2];
        if link.is_multiple_of(2) { above } else { below }
    }
    /// Whom a device reaches by going down, itself included; or by going up first, as often as it likes.
    fn reaches(&self, device: u32, rising: bool, dead: &BTreeSet<u32>) -> BTreeSet<u32> {
        let mut found = BTreeSet::new();
        if device < self.adapters {
            found.insert(device);
        }
        let works = |link: &&u32| !dead.contains(&(**link / 2));
        for link in self.down[device as usize].iter().filter(works) {
            found.extend(self.reaches(self.to(*link), false, dead));
        }
        for link in self.up[device as usize].iter().filter(works).filter(|_| rising) {
            found.extend(self.reaches(self.to(*link), true, dead));
        }
        found
    }
}

impl Links for Tiers {
    fn up(&self, device: u32) -> &[u32] {
        &self.up[device as usize]
    }
    fn down(&self, device: u32) -> &[u32] {
        &self.down[device as usize]
    }
    fn back(&self, link: u32) -> u32 {
        link ^ 1
    }
}

fn settings() -> Reachability {
    crate::Config::default().reachability
}

fn new(tiers: &Tiers) -> Reach {
    Reach::new(settings(), tiers.devices, tiers.adapters, tiers.links())
}

/// A period: every device looks who was silent, and tells over the cables that are not dead. Says whether anything was news.
fn period(reach: &mut Reach, tiers: &Tiers, dead: &BTreeSet<u32>) -> bool {
    let mut news = false;
    for device in 0..tiers.devices {
        let (part, below, all) = reach.tell(device);
        for (out, told) in [(&tiers.up[device as usize], below), (&tiers.down[device as usize], all)] {
            for link in out {
                let back = tiers.back(*link);
                if reach.end_period(back) == News::Changed {
                    reach.refresh(device, tiers);
                    news = true;
                }
                let deaf = !reach.is_alive(back);
                if !dead.contains(&(link / 2)) && reach.hear(*link, part, told, deaf) == News::Changed {
                    reach.refresh(tiers.to(*link), tiers);
                    news = true;
                }
            }
        }
    }
    news
}

/// Periods until nothing has been news for long enough to be sure.
fn converge(reach: &mut Reach, tiers: &Tiers, dead: &BTreeSet<u32>) -> u32 {
    let (mut quiet, mut periods) = (0, 0);
    while quiet <= 4 * reach.parts {
        periods += 1;
        quiet = if period(reach, tiers, dead) { 0 } else { quiet + 1 };
        assert!(periods < 1000, "it settles");
    }
    periods - quiet
}

fn tiers() -> impl Strategy<Value = Tiers> {
    let adapters = prop_oneof![4 => 2u32..12, 1 => 125u32..140];
    (adapters, 1u32..5, 0u32..4).prop_flat_map(|(adapters, first, second)| {
        let lower = prop::collection::vec((0..adapters, adapters..adapters + first), 1..(adapters * 3) as usize);
        let upper = prop::collection::vec((adapters..adapters + first, 0..second.max(1)), 0..12);
        (lower, upper).prop_map(move |(mut cables, upper)| {
            if second > 0 {
                cables.extend(upper.into_iter().map(|(below, above)| (below, adapters + first + above)));
            }
            Tiers::new(adapters, adapters + first + second, cables)
        })
    })
}

fn agrees(reach: &Reach, tiers: &Tiers, dead: &BTreeSet<u32>) -> Result<(), TestCaseError> {
    let reached: Vec<_> =
        (0..tiers.devices).map(|device| [false, true].map(|rising| tiers.reaches(device, rising, dead))).collect();
    for device in 0..tiers.devices {
        for adapter in 0..tiers.adapters {
            prop_assert_eq!(reach.reaches(device, adapter), reached[device as usize][1].contains(&adapter));
        }
    }
    for link in 0..tiers.links() {
        let works = !dead.contains(&(link / 2));
        prop_assert_eq!(reach.usable(link, tiers), works);
        let over = &reached[tiers.to(link) as usize][usize::from(link.is_multiple_of(2))];
        for adapter in 0..tiers.adapters {
            prop_assert_eq!(reach.leads(link, adapter, tiers), works && over.contains(&adapter));
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Cold tables come by messages to what a search of the graph gives, and so do warm ones after cables have failed, and come back.
    #[test]
    fn tables_come_to_what_a_search_gives(tiers in tiers(), chosen in prop::collection::vec(any::<prop::sample::Index>(), 0..4)) {
        let none = BTreeSet::new();
        let mut cold = new(&tiers);
        converge(&mut cold, &tiers, &none);
        agrees(&cold, &tiers, &none)?;
        let mut warm = new(&tiers);
        warm.warm_up(tiers.devices, &tiers, |_| 0);
        agrees(&warm, &tiers, &none)?;
        let dead: BTreeSet<u32> = chosen.iter().map(|index| index.index(tiers.cables.len()) as u32).collect();
        converge(&mut warm, &tiers, &dead);
        agrees(&warm, &tiers, &dead)?;
        converge(&mut warm, &tiers, &none);
        agrees(&warm, &tiers, &none)?;
    }
}

/// An adapter, an element above it, and one cable. Link 0 leads up.
fn pair() -> (Reach, Tiers) {
    let tiers = Tiers::new(1, 2, vec![(0, 1)]);
    (new(&tiers), tiers)
}

#[test]
fn a_link_is_valid_after_good_messages_and_failed_after_silent_periods() {
    let (mut reach, tiers) = pair();
    for message in 1..=3 {
        assert!(!reach.is_alive(0));
        let news = reach.hear(0, 0, 1, false);
        assert_eq!(news == News::Changed, message == 3, "message {message}");
    }
    assert!(reach.is_alive(0) && reach.usable(1, &tiers) && reach.leads(1, 0, &tiers));
    // A period in which something came, then three without.
    assert_eq!(reach.end_period(0), News::None);
    assert_eq!([(); 3].map(|()| reach.end_period(0)), [News::None, News::None, News::Changed]);
    assert!(!reach.is_alive(0) && !reach.usable(1, &tiers) && !reach.leads(1, 0, &tiers));
    // Good ones count in a row.
    reach.hear(0, 0, 1, false);
    reach.hear(0, 0, 1, false);
    reach.end_period(0);
    assert_eq!(reach.end_period(0), News::None);
    assert_eq!([(); 3].map(|()| reach.hear(0, 0, 1, false)), [News::None, News::None, News::Changed]);
}

#[test]
fn messages_that_are_in_flight_at_the_beginning_are_not_missed() {
    let (mut reach, tiers) = pair();
    reach.warm_up(2, &tiers, |_| 5);
    assert!((0..7).all(|_| reach.end_period(0) == News::None));
    assert_eq!(reach.end_period(0), News::Changed);
}

#[test]
fn what_is_told_is_believed_the_third_time_in_a_row() {
    let (mut reach, tiers) = pair();
    reach.warm_up(2, &tiers, |_| 0);
    let hear = |reach: &mut Reach, told: Bitmap| reach.hear(0, 0, told, false) == News::Changed;
    assert!(!hear(&mut reach, 0) && !hear(&mut reach, 0));
    assert!(!hear(&mut reach, 1), "it was a moment");
    assert!(!hear(&mut reach, 0) && !hear(&mut reach, 0) && reach.leads(1, 0, &tiers));
    assert!(hear(&mut reach, 0) && !reach.leads(1, 0, &tiers));
    // Other news each time is no news.
    assert!(!hear(&mut reach, 1) && !hear(&mut reach, 2) && !hear(&mut reach, 1) && !hear(&mut reach, 1));
    assert!(hear(&mut reach, 1));
}

#[test]
fn who_is_not_heard_is_not_sent_to() {
    let (mut reach, tiers) = pair();
    reach.warm_up(2, &tiers, |_| 0);
    assert_eq!(reach.hear(0, 0, 1, true), News::Changed);
    assert!(reach.is_alive(0) && !reach.usable(1, &tiers));
    assert_eq!(reach.hear(0, 0, 1, true), News::None);
    assert_eq!(reach.hear(0, 0, 1, false), News::Changed);
    assert!(reach.usable(1, &tiers));
}

#[test]
fn a_link_with_too_many_errors_is_faulty() {
    // A hundredth of a thousand cells are ten.
    let (mut reach, tiers) = pair();
    reach.warm_up(2, &tiers, |_| 0);
    for window in 0..3 {
        for cell in 0..1000 {
            assert_eq!(reach.check_cell(0, cell < 10), News::None, "window {window}, cell {cell}");
        }
    }
    for cell in 0..11 {
        assert_eq!(reach.check_cell(0, true) == News::Changed, cell == 10);
    }
    assert!(!reach.is_alive(0) && !reach.usable(1, &tiers));
    assert_eq!(reach.check_cell(0, true), News::None);
    // It counts again after as many good messages as ever.
    assert_eq!([(); 3].map(|()| reach.hear(0, 0, 1, false)), [News::None, News::None, News::Changed]);
}

#[test]
fn a_lost_signal_is_seen_at_once_and_said_once() {
    let (mut reach, tiers) = pair();
    reach.warm_up(2, &tiers, |_| 0);
    assert_eq!([(); 2].map(|()| reach.lose_signal(0)), [News::Changed, News::None]);
    assert!(!reach.usable(1, &tiers) && reach.usable(0, &tiers));
}

#[test]
fn messages_tell_of_128_adapters_in_turn() {
    let cables = (0..300).map(|adapter| (adapter, 300)).collect();
    let tiers = Tiers::new(300, 301, cables);
    let mut reach = new(&tiers);
    assert_eq!(reach.parts, 3);
    reach.warm_up(301, &tiers, |_| 0);
    let parts: Vec<(u32, u32)> =
        (0..4).map(|_| reach.tell(300)).map(|(part, below, _)| (part, below.count_ones())).collect();
    assert_eq!(parts, [(0, 128), (1, 128), (2, 44), (0, 128)]);
    // An adapter tells upwards of itself alone, and that in one of the parts.
    let parts: Vec<(u32, Bitmap)> = (0..3).map(|_| reach.tell(130)).map(|(part, below, _)| (part, below)).collect();
    assert_eq!(parts, [(0, 0), (1, 1 << 2), (2, 0)]);
    // News of an adapter takes three rounds of three messages over each of two links: M * th, twice.
    let mut cold = new(&tiers);
    let periods = converge(&mut cold, &tiers, &BTreeSet::new());
    assert!((12..=18).contains(&periods), "{periods} periods");
}

#[test]
fn large_tables_have_more_places_than_32_bits_count() {
    assert_eq!(place(1 << 25, 512, 511), (1_usize << 34) + 511);
}
