//! VOQs as timelines, and chopping against a plain model.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::*;
use crate::config::Config;
use fabric::{Frame, Kind as FrameKind};
use proptest::prelude::*;
use units::{Bytes, Span, bounds};

const KEY: VoqKey = VoqKey { src: 0, dst: 1, port: 5, place: 1, ports: 2, class: 0 };

fn us(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

/// An adapter's ingress, with what surrounds it.
struct Machine {
    ingress: Ingress,
    store: Store,
    sent: u64,
}

/// The packets that end in a cell.
fn cargo_of(store: &Store, cell: &Cell) -> impl Iterator<Item = u32> {
    let some = |packet: u32| (packet != Store::NONE).then_some(packet);
    std::iter::successors(some(cell.cargo), move |packet| some(store.next(*packet)))
}

/// What a credit lets go: lengths of packets, by cell in which they end, with the cell's length on the link.
type Burst = Vec<(u16, Vec<u32>)>;

impl Machine {
    fn new(config: &Config) -> Machine {
        Machine { ingress: Ingress::new(2, config), store: Store::default(), sent: 0 }
    }
    fn receives(&mut self, at: Time, len: u32) -> Admitted {
        self.receives_ecn(at, len, Ecn::NotCapable).0
    }
    fn receives_ecn(&mut self, at: Time, len: u32, ecn: Ecn) -> (Admitted, Ecn) {
        let (flow, epoch, src, dst, entropy, sequence) = (0, 0, 0, 5, 0, self.sent);
        let (kind, priority, echo, stamp) = (FrameKind::Data, 0, false, at);
        let frame =
            Frame { sequence, stamp, flow, epoch, src, dst, len, entropy, kind, priority, ecn, echo, ..Frame::EMPTY };
        self.sent += 1;
        let packet = self.store.put(frame, 0);
        let admitted = self.ingress.admit(at, KEY, packet, &mut self.store);
        let ecn = self.store.frame(packet).ecn;
        if admitted == Admitted::Dropped {
            self.store.take(packet);
        }
        (admitted, ecn)
    }
    /// A request: what has arrived, been released and been credited in all.
    fn asks(&mut self) -> Option<(u32, u32, u32)> {
        self.ingress.request(0).map(|cell| {
            assert_eq!((cell.kind(), cell.voq, cell.to, cell.len), (Kind::Request, 0, 1, 24));
            (cell.sequence, cell.cargo, cell.stamp)
        })
    }
    fn burst(&self, cells: &[Cell]) -> Burst {
        let ends = |cell: &Cell| cargo_of(&self.store, cell).map(|packet| self.store.frame(packet).len).collect();
        cells.iter().map(|cell| (cell.len, ends(cell))).collect()
    }
    fn is_credited(&mut self, at: Time, bytes: u32) -> Burst {
        let mut cells = Vec::new();
        self.ingress.credit(at, 0, bytes, &mut self.store, &mut cells);
        self.burst(&cells)
    }
    fn packets(&mut self, at: Time, bytes: u32) -> Vec<u32> {
        self.is_credited(at, bytes).into_iter().flat_map(|(_, ends)| ends).collect()
    }
    fn balance(&self) -> i32 {
        self.ingress.voqs[0].balance()
    }
}

fn config() -> Config {
    Config { mtu: Bytes::new(9000), ..Config::default() }
}

const QUEUED: Admitted = Admitted::Queued(0);

#[test]
fn a_full_buffer_drops() {
    let mut config = config();
    config.adapter.buffer = Bytes::new(3000);
    config.adapter.voq_share = f64::INFINITY;
    let mut machine = Machine::new(&config);
    assert_eq!(machine.receives(us(0), 1500), QUEUED);
    assert_eq!(machine.receives(us(1), 1501), Admitted::Dropped);
    assert_eq!(machine.receives(us(2), 1500), QUEUED);
    assert_eq!(machine.receives(us(3), 40), Admitted::Dropped);
    assert_eq!(machine.ingress.used, [3000, 0]);
    assert_eq!(machine.packets(us(4), 100), [1500]);
    assert_eq!(machine.receives(us(5), 1500), QUEUED);
    assert_eq!(machine.ingress.peak, 3000);
}

#[test]
fn a_voq_takes_its_share_of_what_is_free() {
    let mut config = config();
    config.adapter.buffer = Bytes::new(9000);
    config.adapter.voq_share = 0.5;
    let mut machine = Machine::new(&config);
    // 1500 <= 4500; 3000 <= 3750; 4500 > 3000.
    assert_eq!(machine.receives(us(0), 1500), QUEUED);
    assert_eq!(machine.receives(us(0), 1500), QUEUED);
    assert_eq!(machine.receives(us(0), 1500), Admitted::Dropped);
    // An adapter that pauses its hosts has to take what is in flight: to the last byte.
    config.adapter.pause_threshold = Some(Bytes::new(1000));
    let mut machine = Machine::new(&config);
    assert!((0..6).all(|_| machine.receives(us(0), 1500) == QUEUED));
    assert_eq!(machine.receives(us(0), 1500), Admitted::Dropped);
}

#[test]
fn packets_that_find_more_than_the_threshold_are_marked() {
    let mut config = config();
    config.adapter.ecn_threshold = Some(Bytes::new(3000));
    let mut machine = Machine::new(&config);
    for waiting in [0, 1500, 3000] {
        assert_eq!(machine.receives_ecn(us(0), 1500, Ecn::Capable), (QUEUED, Ecn::Capable), "behind {waiting} B");
    }
    assert_eq!(machine.receives_ecn(us(0), 1500, Ecn::Capable), (QUEUED, Ecn::Marked));
    assert_eq!(machine.receives_ecn(us(0), 1500, Ecn::NotCapable), (QUEUED, Ecn::NotCapable));
    assert_eq!(machine.ingress.marked, 1);
}

#[test]
fn a_voq_asks_when_its_scheduler_knows_of_less_than_the_watermark() {
    let mut config = config();
    config.credits.watermark = Bytes::new(4000);
    let mut machine = Machine::new(&config);
    machine.receives(us(0), 1500);
    assert_eq!(machine.asks(), Some((1500, 0, 0)));
    assert_eq!(machine.asks(), None, "it has said so");
    machine.receives(us(1), 2500);
    assert_eq!(machine.asks(), Some((4000, 0, 0)));
    machine.receives(us(2), 1500);
    assert_eq!(machine.asks(), None, "4000 B are known of");
    assert_eq!(machine.packets(us(3), 1000), [1500]);
    assert_eq!(machine.asks(), Some((5500, 1500, 1000)));
}

#[test]
fn a_watermark_of_more_than_32_bits_is_one_that_is_never_reached() {
    let mut config = config();
    for watermark in [1 << 31, 1 << 32, bounds::BUFFER.get()] {
        config.credits.watermark = Bytes::new(watermark);
        let mut machine = Machine::new(&config);
        machine.receives(us(0), 1500);
        assert_eq!(machine.asks(), Some((1500, 0, 0)), "with a watermark of {watermark} B");
    }
}

#[test]
fn a_voq_does_not_ask_for_each_short_packet() {
    let mut machine = Machine::new(&config());
    let asked: Vec<_> = (0..40)
        .map(|time| {
            machine.receives(us(time), 64);
            machine.asks().map(|(reported, ..)| reported)
        })
        .collect();
    let expected = |time: u32| time.is_multiple_of(16).then_some(64 * (time + 1));
    assert_eq!(asked, (0..40).map(expected).collect::<Vec<_>>(), "at once, and then for each 1024 B");
    // A credit for all that is known of: the rest is said, however little.
    machine.packets(us(40), 64 * 33);
    assert_eq!(machine.asks(), Some((64 * 40, 64 * 33, 64 * 33)));
}

#[test]
fn a_credit_lets_whole_packets_go_and_later_credits_pay_the_surplus() {
    let mut machine = Machine::new(&config());
    for _ in 0..5 {
        machine.receives(us(0), 1500);
    }
    assert_eq!(machine.packets(us(1), 2000), [1500, 1500]);
    assert_eq!(machine.balance(), -1000);
    assert_eq!(machine.packets(us(2), 1000), [0; 0], "the surplus is paid");
    assert_eq!(machine.balance(), 0);
    assert!(machine.ingress.voqs[0].is_waiting());
    assert_eq!(machine.packets(us(3), 1), [1500]);
    assert_eq!(machine.packets(us(4), 1499), [0; 0]);
    // What is left over when nothing waits lapses: it was reported by nobody.
    assert_eq!(machine.packets(us(5), 4096), [1500, 1500]);
    assert_eq!(machine.balance(), 0);
    assert!(!machine.ingress.voqs[0].is_waiting());
    assert_eq!(machine.ingress.used, [0, 0]);
}

#[test]
fn a_low_latency_voq_sends_at_once() {
    let mut machine = Machine::new(&config());
    machine.receives(us(0), 500);
    machine.receives(us(0), 300);
    let mut cells = Vec::new();
    machine.ingress.send_at_once(us(0), 0, &mut machine.store, &mut cells);
    assert_eq!(machine.burst(&cells), [(256, vec![]), (256, vec![]), (256, vec![500]), (96, vec![300])]);
    assert_eq!(machine.asks(), None);
    assert_eq!((machine.balance(), machine.ingress.voqs[0].is_waiting()), (0, false));
}

#[test]
fn a_voq_that_has_waited_too_long_says_everything_again() {
    let mut machine = Machine::new(&config());
    machine.receives(us(0), 1500);
    machine.receives(us(0), 1500);
    assert_eq!(machine.asks(), Some((3000, 0, 0)));
    assert_eq!(machine.packets(us(1), 100), [1500]);
    let cell = machine.ingress.resync(0);
    assert!(cell.has(Cell::RESYNC) && cell.kind() == Kind::Request);
    assert_eq!((cell.sequence, cell.cargo, cell.stamp), (3000, 1500, 100));
}

#[test]
fn a_purge_takes_all_and_forgives_what_was_said() {
    let mut machine = Machine::new(&config());
    for _ in 0..3 {
        machine.receives(us(0), 1500);
    }
    machine.asks();
    machine.packets(us(1), 100);
    let mut packets = Vec::new();
    machine.ingress.purge(0, &mut machine.store, &mut packets);
    assert_eq!(packets.len(), 2);
    let state = &machine.ingress.voqs[0];
    assert_eq!((state.waiting, state.balance(), state.is_waiting()), (0, 0, false));
    assert_eq!(machine.ingress.used, [0, 0]);
    assert_eq!(machine.asks(), None);
    // A credit that comes too late lapses.
    assert_eq!(machine.packets(us(2), 4096), [0; 0]);
    assert_eq!(machine.balance(), 0);
    machine.receives(us(3), 700);
    assert_eq!(machine.asks(), Some((2200, 1500, 1500)));
}

#[test]
fn voqs_are_by_port_and_class() {
    let config = config().with_classes(&[crate::config::Class { weight: 1, low_latency: false }; 2]);
    let mut machine = Machine::new(&config);
    let mut voq = |place: u32, class: u8| machine.ingress.find(us(0), VoqKey { place, port: 4 + place, class, ..KEY });
    assert_eq!([voq(1, 0), voq(1, 1), voq(0, 0), voq(1, 0), voq(0, 1)], [0, 1, 2, 0, 3]);
}

#[test]
fn packed_cells_hold_parts_of_several_packets() {
    let mut machine = Machine::new(&config());
    for len in [100, 100, 100, 700, 40] {
        machine.receives(us(0), len);
    }
    // 240 B of payload: 1040 B are four full cells and 80 B.
    let expected = [(256, vec![100, 100]), (256, vec![100]), (256, vec![]), (256, vec![]), (96, vec![700, 40])];
    assert_eq!(machine.is_credited(us(1), 4096), expected);
}

#[test]
fn non_packed_cells_hold_one() {
    let mut config = config();
    config.cells.packing = false;
    let mut machine = Machine::new(&config);
    for len in [241, 240, 10] {
        machine.receives(us(0), len);
    }
    // Cells of less than 32 B are padded.
    assert_eq!(machine.is_credited(us(1), 4096), [(256, vec![]), (32, vec![241]), (256, vec![240]), (32, vec![10])]);
}

/// A byte of a packet, in the order in which they leave: its packet, and whether it is the packet's first and last.
type Byte = (u32, bool, bool);

/// What the cells of a burst must be: bytes filled in one by one.
fn model(sizes: &[(u32, u32)], payload: usize, packing: bool) -> Vec<Vec<Byte>> {
    let mut cells: Vec<Vec<Byte>> = vec![Vec::new()];
    for (packet, size) in sizes {
        for byte in 0..*size {
            let cell = cells.last().unwrap();
            if cell.len() == payload || (!packing && byte == 0 && !cell.is_empty()) {
                cells.push(Vec::new());
            }
            cells.last_mut().unwrap().push((*packet, byte == 0, byte + 1 == *size));
        }
    }
    cells.retain(|cell| !cell.is_empty());
    cells
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Lengths, padding, offsets, numbers, flags and the packets that end in each cell, over random packets, credits and cells.
    #[test]
    fn cells_are_what_filling_them_byte_by_byte_gives(
        size in 17u64..512,
        shortest in 16u64..64,
        packing: bool,
        packet_header in 0u64..40,
        lengths in prop::collection::vec(40u32..3000, 1..40),
        credits in prop::collection::vec(1u32..6000, 1..40),
    ) {
        let mut config = config();
        (config.cells.size, config.cells.packing) = (Bytes::new(size), packing);
        config.cells.packet_header = Bytes::new(packet_header);
        config.cells.shortest = Bytes::new(shortest.min(size));
        let mut machine = Machine::new(&config);
        let sizes: Vec<(u32, u32)> = (0..).zip(&lengths).map(|(packet, len)| (packet, len + packet_header as u32)).collect();
        for len in &lengths {
            prop_assert_eq!(machine.receives(us(0), *len), QUEUED);
        }
        let (mut credited, mut released, mut first) = (0i64, 0i64, 0);
        let (mut sequence, mut offset) = (0u32, 0u64);
        for credit in credits {
            let mut cells = Vec::new();
            machine.ingress.credit(us(1), 0, credit, &mut machine.store, &mut cells);
            credited += i64::from(credit);
            // Whole packets while the balance is above zero.
            let mut last = first;
            while credited > released && last < sizes.len() {
                released += i64::from(sizes[last].1);
                last += 1;
            }
            let expected = model(&sizes[first..last], (size - 16) as usize, packing);
            first = last;
            prop_assert_eq!(cells.len(), expected.len());
            for (number, (cell, bytes)) in cells.iter().zip(&expected).enumerate() {
                let bare = bytes.len() as u64 + 16;
                prop_assert_eq!(u64::from(cell.len), bare.max(config.cells.shortest.get()));
                prop_assert_eq!(u64::from(cell.padding), u64::from(cell.len) - bare);
                prop_assert_eq!(cell.sequence, sequence);
                prop_assert_eq!(cell.offset, offset as u16);
                prop_assert_eq!(cell.has(Cell::CONTINUES), !bytes[0].1);
                prop_assert_eq!(cell.has(Cell::LAST), number + 1 == cells.len());
                prop_assert_eq!((cell.kind(), cell.voq, cell.to), (Kind::Data, 0, 1));
                let ends: Vec<u32> = bytes.iter().filter(|byte| byte.2).map(|byte| byte.0).collect();
                prop_assert_eq!(cargo_of(&machine.store, cell).collect::<Vec<_>>(), ends);
                sequence += 1;
                offset += bytes.len() as u64;
            }
            let waiting: u32 = sizes[first..].iter().map(|(_, size)| size).sum();
            prop_assert_eq!(machine.ingress.voqs[0].waiting, waiting);
            prop_assert_eq!(machine.ingress.used[0], u64::from(waiting));
            if waiting > 0 {
                prop_assert_eq!(i64::from(machine.balance()), credited - released);
            }
        }
    }
}
