use super::*;
use proptest::prelude::*;

const SLOT: Span = Span::from_us(100);

fn codec() -> Codec {
    Codec::new(Key::new([7; 16]), SLOT)
}

fn encoded(message: &Message) -> Vec<u8> {
    let mut buffer = Vec::new();
    codec().encode(message, &mut buffer);
    buffer
}

/// With the tag that belongs to it: what somebody with the key could send.
fn sealed(mut content: Vec<u8>) -> Vec<u8> {
    let tag = Key::new([7; 16]).tag(&content);
    content.extend_from_slice(&tag.to_be_bytes());
    content
}

fn epoch() -> impl Strategy<Value = Epoch> {
    (any::<u64>(), any::<u8>()).prop_map(|(number, arbiter)| Epoch { number: number >> 1, arbiter })
}

fn slot() -> impl Strategy<Value = Slot> {
    any::<u64>().prop_map(|number| Slot(number >> 1))
}

/// Any message that can be written.
pub(crate) fn message() -> impl Strategy<Value = Message> {
    let want = (any::<u16>(), any::<u64>(), any::<u64>()).prop_map(|(destination, requested, granted)| Want {
        destination,
        requested,
        granted,
    });
    let path = prop_oneof![
        Just(Path::Edge),
        any::<u8>().prop_map(Path::Aggregation),
        any::<(u8, u8)>().prop_map(|(aggregation, core)| Path::Core { aggregation, core }),
    ];
    let given = (slot(), any::<u16>(), path).prop_map(|(slot, destination, path)| Given { slot, destination, path });
    let vote = prop_oneof![
        (epoch(), slot(), slot()).prop_map(|(epoch, floor, until)| Vote::Granted { epoch, floor, until }),
        epoch().prop_map(|epoch| Vote::Refused { epoch }),
    ];
    let reason = prop_oneof![
        any::<u16>().prop_map(|hosts| Reason::UnknownHost { hosts }),
        Just(Reason::ToItself),
        slot().prop_map(|now| Reason::FromTheFuture { now }),
        Just(Reason::SlotLength),
    ];
    prop_oneof![
        (any::<u16>(), slot(), any::<u64>(), prop::collection::vec(want, 1..=MOST_WANTS))
            .prop_map(|(source, slot, held, wants)| Message::Requests { source, slot, held, wants }),
        (epoch(), any::<u16>(), prop::collection::vec(given, 1..=MOST_GIVEN))
            .prop_map(|(epoch, source, given)| Message::Allocations { epoch, source, given }),
        (any::<u8>(), epoch(), slot())
            .prop_map(|(voter, epoch, until)| Message::Ask { voter, lease: Lease { epoch, until } }),
        (any::<u8>(), vote).prop_map(|(voter, vote)| Message::Vote { voter, vote }),
        epoch().prop_map(|epoch| Message::Beat(Beat { epoch })),
        epoch().prop_map(|epoch| Message::TakeOver { epoch }),
        (any::<u16>(), any::<u16>(), reason).prop_map(|(source, destination, reason)| Message::Refusal {
            source,
            destination,
            reason
        }),
    ]
}

proptest! {
    #[test]
    fn what_is_written_is_read(message in message()) {
        let datagram = encoded(&message);
        prop_assert!(datagram.len() <= LARGEST);
        prop_assert_eq!(codec().decode(&datagram), Ok(message));
    }

    #[test]
    fn a_datagram_that_is_cut_off_is_named(message in message(), keep in 0.0..1.0) {
        let datagram = encoded(&message);
        let kept = (datagram.len() as f64 * keep) as usize;
        let wrong = codec().decode(&datagram[..kept]).expect_err("it is cut off");
        let expected = if kept < HEADER + TAG {
            WireError::Short { length: kept }
        } else {
            WireError::Length { said: datagram.len() as u16, length: kept }
        };
        prop_assert_eq!(wrong, expected);
    }

    #[test]
    fn a_bit_that_changes_is_found(message in message(), place in any::<prop::sample::Index>(), bit in 0_u32..8) {
        let mut datagram = encoded(&message);
        let place = place.index(datagram.len());
        datagram[place] ^= 1 << bit;
        let wrong = codec().decode(&datagram).expect_err("it is damaged");
        match place {
            0..4 => prop_assert!(matches!(wrong, WireError::Magic { .. }), "{wrong}"),
            4 => prop_assert!(matches!(wrong, WireError::Version { .. }), "{wrong}"),
            6..8 => prop_assert!(matches!(wrong, WireError::Length { .. }), "{wrong}"),
            _ => prop_assert_eq!(wrong, WireError::Tag),
        }
    }

    #[test]
    fn any_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..2 * LARGEST)) {
        prop_assert!(codec().decode(&bytes).is_err());
    }

    /// Whoever has the key can write any body: none leads to a panic, and what is taken is what would be written.
    #[test]
    fn any_body_with_the_right_tag_is_read_or_named(kind in 0_u8..10, body in prop::collection::vec(any::<u8>(), 0..100)) {
        let mut content = MAGIC.to_vec();
        content.extend_from_slice(&[VERSION, kind]);
        content.extend_from_slice(&((HEADER + body.len() + TAG) as u16).to_be_bytes());
        content.extend_from_slice(&SLOT.as_ps().to_be_bytes());
        content.extend_from_slice(&body);
        if let Ok(message) = codec().decode(&sealed(content)) {
            prop_assert_eq!(codec().decode(&encoded(&message)), Ok(message));
        }
    }
}

#[test]
fn a_beat_is_these_bytes() {
    let beat = Message::Beat(Beat { epoch: Epoch { number: 0x0102, arbiter: 3 } });
    let mut buffer = Vec::new();
    Codec::new(Key::default(), Span::from_ms(1)).encode(&beat, &mut buffer);
    let content = [
        0x47, 0x73, 0x41, 0x72, 1, 6, 0, 33, // GsAr, version, kind, length
        0, 0, 0, 0, 0x3b, 0x9a, 0xca, 0x00, // 10^9 ps
        0, 0, 0, 0, 0, 0, 1, 2, 3, // the epoch
    ];
    assert_eq!(buffer[..25], content);
    assert_eq!(buffer[25..], Key::default().tag(&content).to_be_bytes());
}

#[test]
fn what_is_wrong_is_named() {
    let told = |datagram: &[u8]| codec().decode(datagram).expect_err("wrong").to_string();
    let beat = encoded(&Message::Beat(Beat { epoch: Epoch::default() }));
    let with = |place: usize, byte: u8| {
        let mut content = beat[..beat.len() - TAG].to_vec();
        content[place] = byte;
        sealed(content)
    };
    assert_eq!(told(&beat[..10]), "10 bytes are too short for a datagram: its header and its tag are 24 bytes");
    assert_eq!(told(&[0; 1500]), "a datagram is longer than 1400 bytes");
    assert_eq!(told(&with(0, 0)), "a datagram begins with the bytes [00, 73, 41, 72], not with [47, 73, 41, 72]");
    assert_eq!(told(&with(4, 2)), "a datagram is of version 2 of the format, not of version 1");
    assert_eq!(told(&with(7, 34)), "a datagram says that it has 34 bytes, and has 33");
    assert_eq!(told(&with(5, 9)), "there are no datagrams of kind 9");
    assert_eq!(told(&with(5, 3)), "a datagram of kind 3 has a body of 9 bytes, not of 18");
    assert_eq!(told(&with(8, 1)), "a sender's slots last 72057.594137927936 s, not 100 us");
    let mut forged = beat.clone();
    forged[20] ^= 1;
    assert_eq!(
        told(&forged),
        "a datagram's tag is not that of its content under this key: it is forged or damaged, or its sender has another key"
    );
    let allocation = Given { slot: Slot(5), destination: 1, path: Path::Edge };
    let mut allocations =
        encoded(&Message::Allocations { epoch: Epoch::default(), source: 0, given: vec![allocation] });
    allocations.truncate(allocations.len() - TAG);
    allocations[HEADER + GIVENS + 10] = 3;
    assert_eq!(told(&sealed(allocations.clone())), "a datagram of kind 2 has 3 for its path");
    allocations[HEADER + 13] = 0;
    assert_eq!(told(&sealed(allocations)), "a datagram of kind 2 has no entries");
    assert_eq!(told(&with(16, 0x80)), "a datagram of kind 6 has 128 for its epoch's first byte");
    let lease = Lease { epoch: Epoch::default(), until: Slot(u64::MAX) };
    assert_eq!(
        told(&encoded(&Message::Ask { voter: 0, lease })),
        "a datagram of kind 3 has 255 for its slot's first byte"
    );
    let other = Codec::new(Key::default(), SLOT);
    assert_eq!(other.decode(&beat), Err(WireError::Tag), "another key");
}
