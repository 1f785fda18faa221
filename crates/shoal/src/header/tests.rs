use super::*;
use proptest::prelude::*;

/// The payload of a cell of 64 B.
const PAYLOAD: [u8; 56] = {
    let mut payload = [0; 56];
    let mut at = 0;
    while at < 56 {
        payload[at] = (at as u8).wrapping_mul(37) ^ 0x5A;
        at += 1;
    }
    payload
};

/// A cell of 64 B.
fn cell(layout: Layout, header: &Header) -> [u8; 64] {
    let mut cell = [0; 64];
    cell[..BYTES].copy_from_slice(&layout.encode(header, &PAYLOAD).unwrap());
    cell[BYTES..].copy_from_slice(&PAYLOAD);
    cell
}

fn decode(layout: Layout, cell: &[u8; 64]) -> Result<Header, Corrupted> {
    let (header, payload) = cell.split_first_chunk().unwrap();
    layout.decode(*header, payload)
}

fn flip(cell: &mut [u8; 64], bit: usize) {
    cell[bit / 8] ^= 0x80 >> (bit % 8);
}

const HEADER: Header = Header {
    source: 0b10_0110_0101,
    destination: 0b01_0000_1111,
    sequence: Sequence::ZERO,
    feedback: 0b101_1100_0111,
    start: true,
    end: false,
    last_dropped: true,
};

#[test]
fn figure_5_bit_for_bit() {
    let layout = Layout::FIGURE_5;
    let header = Header { sequence: layout.numbering().of(0b11_0011_0000_1111_0101_0110), ..HEADER };
    let word = u64::from_be_bytes(layout.encode(&header, &PAYLOAD).unwrap());
    let bits = "1001100101 0100001111 1100110000111101010110 10111000111 1 0 1".replace(' ', "");
    assert_eq!(format!("{:056b}", word >> 8), bits);
    assert_eq!(layout.decode(word.to_be_bytes(), &PAYLOAD), Ok(header));
}

/// One bit at a time, by the definition: polynomial division of the cell, its first eight bits inverted.
#[test]
fn the_cell_leaves_no_remainder() {
    let mut cell = cell(Layout::FIGURE_5, &HEADER);
    cell[0] = !cell[0];
    let mut remainder = 0_u32;
    for bit in 0..512 {
        remainder = remainder << 1 | u32::from(cell[bit / 8] >> (7 - bit % 8) & 1);
        if remainder & 0x100 != 0 {
            remainder ^= 0x11D;
        }
    }
    assert_eq!(remainder, 0);
    assert_eq!(decode(Layout::FIGURE_5, &[0; 64]), Err(Corrupted { feedback: 0 }));
    assert_eq!(decode(Layout::FIGURE_5, &[0xFF; 64]), Err(Corrupted { feedback: 2047 }));
}

#[test]
fn widths() {
    let widths = |nodes| {
        let layout = Layout::for_nodes(nodes)?;
        Ok((layout.node_bits(), layout.sequence_bits(), layout.feedback_bits(), layout.numbering().window()))
    };
    assert_eq!(widths(2), Ok((10, 22, 11, 2_097_152)));
    assert_eq!(widths(1024), widths(2));
    assert_eq!(widths(1025), Ok((11, 19, 12, 262_144)));
    assert_eq!(widths(2048), widths(1025));
    assert_eq!(widths(4096), Ok((12, 16, 13, 32_768)));
    for nodes in [2, 1024, 2048, 4096] {
        let (node, sequence, feedback, _) = widths(nodes).unwrap();
        assert_eq!(2 * node + sequence + feedback + 3 + 8, 64);
        assert!(2 * nodes - 2 < 1 << feedback, "Eq 6 goes up to 2 N - 2");
    }
    let too_many: Result<_, HeaderError> = widths(4097);
    assert_eq!(
        too_many.unwrap_err().to_string(),
        "`nodes` is 4097; a cell header of 8 bytes can address up to 4096 nodes"
    );
}

#[test]
fn what_does_not_fit_is_named() {
    let wrong = |header| Layout::FIGURE_5.encode(&header, &[]).unwrap_err().to_string();
    assert_eq!(wrong(Header { source: 1024, ..HEADER }), "the cell's source is 1024; its 10 bits hold up to 1023");
    assert_eq!(
        wrong(Header { feedback: 2048, ..HEADER }),
        "the cell's rate-limit feedback is 2048; its 11 bits hold up to 2047"
    );
    assert_eq!(
        wrong(Header { sequence: Numbering::new(23).of(1 << 22), ..HEADER }),
        "the cell's sequence number is 4194304; its 22 bits hold up to 4194303"
    );
}

/// All single and double errors of a cell. Missed are those 255 or 510 bits apart, and so none with both in the header.
#[test]
fn errors_of_one_and_two_bits() {
    let sent = cell(Layout::FIGURE_5, &HEADER);
    let mut missed = vec![];
    for first in 0..512 {
        let mut came = sent;
        flip(&mut came, first);
        assert!(decode(Layout::FIGURE_5, &came).is_err(), "bit {first}");
        for second in first + 1..512 {
            flip(&mut came, second);
            if decode(Layout::FIGURE_5, &came).is_ok() {
                missed.push((first, second));
            }
            flip(&mut came, second);
        }
    }
    let apart = |&(first, second): &(usize, usize)| (second - first).is_multiple_of(255);
    assert!(missed.iter().all(apart));
    assert_eq!(missed.iter().filter(|missed| missed.0 < 64).count(), 66);
    // 510 of 512 bits share 255 remainders two by two, and the last two make groups of three: no check of 8 bits does better.
    assert_eq!(missed.len(), 253 + 2 * 3);
}

/// Every error that lies within 8 bits, anywhere in the cell, the border between header and payload included.
#[test]
fn bursts() {
    let sent = cell(Layout::FIGURE_5, &HEADER);
    for first in 0..512 {
        for pattern in 0..128_u32 {
            let bits =
                [first].into_iter().chain((0..7).filter(|bit| pattern >> bit & 1 == 1).map(|bit| first + 1 + bit));
            let mut came = sent;
            bits.filter(|&bit| bit < 512).for_each(|bit| flip(&mut came, bit));
            assert!(decode(Layout::FIGURE_5, &came).is_err(), "bit {first}, pattern {pattern:07b}");
        }
    }
}

/// Of three wrong bits in the header some are missed, about as many as chance would have it, one in 256.
#[test]
fn three_wrong_bits_of_the_header() {
    let sent = cell(Layout::FIGURE_5, &HEADER);
    let (mut all, mut missed) = (0, 0);
    for first in 0..64 {
        for second in first + 1..64 {
            for third in second + 1..64 {
                let mut came = sent;
                [first, second, third].into_iter().for_each(|bit| flip(&mut came, bit));
                all += 1;
                missed += u32::from(decode(Layout::FIGURE_5, &came).is_ok());
            }
        }
    }
    assert_eq!((all, missed), (41_664, 198));
}

proptest! {
    #[test]
    fn what_is_encoded_is_decoded(
        nodes in 2..=4096_u32,
        source in any::<u16>(), destination in any::<u16>(), feedback in any::<u16>(), count in any::<u64>(),
        (start, end, last_dropped) in any::<(bool, bool, bool)>(),
        payload in prop::collection::vec(any::<u8>(), 0..600),
        wrong in any::<prop::sample::Index>(),
    ) {
        let layout = Layout::for_nodes(nodes).unwrap();
        let low = |value: u16, bits| (u32::from(value) & ((1_u32 << bits) - 1)) as u16;
        let header = Header {
            source: low(source, layout.node_bits()),
            destination: low(destination, layout.node_bits()),
            sequence: layout.numbering().of(count),
            feedback: low(feedback, layout.feedback_bits()),
            start, end, last_dropped,
        };
        let bytes = layout.encode(&header, &payload).unwrap();
        prop_assert_eq!(layout.decode(bytes, &payload), Ok(header));
        let mut cell = [&bytes[..], &payload].concat();
        let bit = wrong.index(8 * cell.len());
        cell[bit / 8] ^= 1 << (bit % 8);
        let (came, payload) = cell.split_first_chunk().unwrap();
        let corrupted = layout.decode(*came, payload).unwrap_err();
        if bit >= 64 {
            prop_assert_eq!(corrupted.feedback, header.feedback);
        }
    }
}
