use super::*;

fn book(json: &str) -> Result<Book, SettingError> {
    let given: Value = serde_json::from_str(json).unwrap();
    let edition =
        given.get("prices").map_or(Edition::Paper, |edition| serde_json::from_value(edition.clone()).unwrap());
    Book::new(edition, given.get("book").cloned())
}

fn refused_as(json: &str) -> String {
    book(json).unwrap_err().to_string()
}

const fn transceiver(gbps: u64) -> Item {
    (Part::Transceiver, Some(Rate::from_gbps(gbps)))
}

#[test]
fn every_entry_has_a_number_a_date_and_a_source() {
    for entry in OWN.iter() {
        assert_eq!(entry.wrong(), None);
        let digits = |text: &str, count| text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
        let mut parts = entry.date.split('-');
        assert!(parts.next().is_some_and(|year| digits(year, 4)), "{}", entry.date);
        assert!(parts.all(|part| digits(part, 2)), "{}", entry.date);
        let paper = entry.edition == Some(Edition::Paper);
        assert_eq!(paper, !entry.source.starts_with("https://"), "{}", entry.source);
        assert!(entry.edition.is_some_and(|edition| edition != Edition::None));
    }
}

#[test]
fn the_paper_s_numbers_come_first_and_gaps_are_filled() {
    let paper = book("{}").unwrap();
    let hundred = paper.usd(transceiver(100)).unwrap();
    assert_eq!((hundred.value, hundred.date.as_str(), hundred.unit), (435.0, "2018-09-12", "usd"));
    assert_eq!(paper.usd(transceiver(400)).map(|found| found.value), Some(700.0));
    assert_eq!(paper.w(transceiver(800)).map(|found| found.value), Some(17.0));
    assert_eq!(paper.usd(transceiver(200)), None, "power is known, a price is not");
    assert_eq!(paper.usd(transceiver(1_600)), None);
    assert_eq!(book(r#"{"prices": "none"}"#).unwrap().usd(transceiver(100)), None);
}

#[test]
fn a_person_s_entries_come_before_the_book_and_settings_before_both() {
    let file = r#"[{"part": "transceiver", "rates": ["100 Gb/s"], "usd": 99, "date": "2026-01", "source": "a quote"}]"#;
    let mut mine = book(&format!(r#"{{"book": {file}}}"#)).unwrap();
    assert_eq!(mine.usd(transceiver(100)).map(|found| (found.value, found.source)), Some((99.0, "a quote".to_owned())));
    assert_eq!(mine.links(Rate::from_gbps(100), Rate::from_gbps(25)), Some(4), "what it carries is still the book's");
    mine.set_usd("price_transceivers", Part::Transceiver, Some(Rate::from_gbps(100)), 5.0);
    let set = mine.usd(transceiver(100)).unwrap();
    assert_eq!((set.value, set.source.as_str(), set.date.as_str()), (5.0, "set with price_transceivers", ""));
    mine.set_w("transceiver_power_w", Part::Transceiver, None, 0.0);
    assert_eq!(mine.w(transceiver(1_600)).map(|found| found.value), Some(0.0), "for every rate");
}

#[test]
fn transceivers_carry_the_links_that_their_lanes_do() {
    let paper = book("{}").unwrap();
    let links = |rate, link| paper.links(Rate::from_gbps(rate), Rate::from_gbps(link));
    assert_eq!(links(100, 25), Some(4));
    assert_eq!(links(400, 100), Some(4));
    assert_eq!((links(400, 25), links(800, 50)), (None, None), "their lanes are faster");
    assert_eq!(links(400, 400), Some(1));
    assert_eq!((links(100, 40), links(25, 50)), (None, None));
    assert_eq!(links(40, 10), Some(4), "of what is not in the book, every whole number");
}

#[test]
fn a_book_that_cannot_be_read_is_answered() {
    let with = |entry: &str| format!(r#"{{"book": [{{"part": "switch", "date": "2026", "source": "x", {entry}}}]}}"#);
    assert_eq!(
        refused_as(&with(r#""note": "nothing""#)),
        "book = the given prices: the entry of a switch has neither `usd` nor `w`; expected [[entry]] tables as in \
         docs/planner.md"
    );
    assert_eq!(
        refused_as(&with(r#""usd": -3"#)),
        "book = the given prices: usd = -3 of a switch: expected a number from 0 to 1000000000; expected [[entry]] tables as \
         in docs/planner.md"
    );
    assert!(refused_as(&with(r#""eur": 3"#)).contains("unknown field `eur`"));
    assert!(refused_as(&with(r#""usd": 3, "rates": ["25"]"#)).contains("has no unit"));
    assert!(
        refused_as(r#"{"book": [{"part": "hub", "date": "2026", "source": "x", "usd": 1}]}"#)
            .contains("unknown variant `hub`")
    );
}

#[test]
fn gaps_are_filled_in_proportion_to_the_nearest_rate() {
    let switch = |gbps| (Part::Switch, Some(Rate::from_gbps(gbps)));
    let mut paper = book("{}").unwrap();
    assert_eq!(paper.usd(switch(800)), None);
    for gbps in [800, 6_400, 102_400] {
        paper.fill(Part::Switch, Rate::from_gbps(gbps));
    }
    let found = paper.usd(switch(800)).unwrap();
    assert_eq!((found.value, found.date.as_str()), (2_025.0, "2018-09-12"));
    assert_eq!(
        found.source, "in proportion to 6.4 Tb/s: Stardust (NSDI 2019), Table 3: list price at Colfax",
        "of the edition that comes first, though the nearest of 102.4 Tb/s is of the other"
    );
    assert!(!paper.w(switch(102_400)).unwrap().source.contains("800 Gb/s"), "not to what was filled itself");
    assert_eq!(paper.usd(switch(6_400)).map(|found| found.value), Some(16_200.0), "what there is, stays");
    assert_eq!(paper.w(switch(102_400)).map(|found| found.value), Some(4_960.0));
    let mut none = book(r#"{"prices": "none"}"#).unwrap();
    none.fill(Part::Switch, Rate::from_gbps(800));
    assert_eq!((none.usd(switch(800)), none.w(switch(800))), (None, None));
    let mut mine = book(
        r#"{"book": [{"part": "switch", "rates": ["1 Tb/s"], "usd": 4000, "date": "2026", "source": "a quote"}]}"#,
    )
    .unwrap();
    mine.fill(Part::Switch, Rate::from_gbps(800));
    assert_eq!(mine.usd(switch(800)).map(|found| found.value), Some(3_200.0));
    assert_eq!(mine.w(switch(800)).map(|found| found.value), Some(38.75));
}
