//! One device: packets a second, pipelines, credits, queues, tables (§2.3, §4.1, §5.8, §6.2, App. B and C).

use units::{Bytes, Rate, Span};

/// Preamble, start of frame and the gap between frames, of Ethernet (App. B).
pub const PACKET_GAP: Bytes = Bytes::new(20);
/// What a VOQ takes: 128K of them "consume roughly 4MB" (App. C).
pub const VOQ_BYTES: u64 = 32;

/// R, packets a second at line rate: B / (8 (S + G)) (Eq. 1).
#[expect(clippy::cast_precision_loss, reason = "rates and sizes are far below 2^53")]
pub fn packet_rate(bandwidth: Rate, packet: Bytes, gap: Bytes) -> f64 {
    bandwidth.as_bps() as f64 / (packet + gap).bits() as f64
}

/// r, packets a second through one pipeline: f / c (Eq. 2).
pub fn pipeline_rate(clock_hz: f64, clocks_per_packet: f64) -> f64 {
    clock_hz / clocks_per_packet
}

/// P, how many packets a device has to process at the same time: R / r (Eq. 3).
pub fn parallelism(bandwidth: Rate, packet: Bytes, gap: Bytes, clock_hz: f64, clocks_per_packet: f64) -> f64 {
    packet_rate(bandwidth, packet, gap) / pipeline_rate(clock_hz, clocks_per_packet)
}

/// The smallest credit with which an adapter's scheduler keeps its output busy: B / (f / clocks) (§4.1), in bytes, rounded
/// up.
#[expect(clippy::cast_precision_loss, reason = "rates are far below 2^53")]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive, and far below 2^53")]
pub fn minimum_credit(bandwidth: Rate, clock_hz: f64, clocks_per_credit: f64) -> Bytes {
    Bytes::new((bandwidth.as_bps() as f64 / 8.0 / pipeline_rate(clock_hz, clocks_per_credit)).ceil() as u64)
}

/// VOQs of an adapter: one for every port of the network and traffic class (§3.3).
pub fn voqs(ports: u64, classes: u64) -> u128 {
    u128::from(ports) * u128::from(classes)
}

/// Memory for VOQs, in bytes (App. C).
pub fn voq_memory(voqs: u128) -> u128 {
    voqs * u128::from(VOQ_BYTES)
}

/// Cell memory of an element whose every link may have `cells` waiting (§6.2).
pub fn element_memory(links: u64, cells: u64, cell: Bytes) -> u128 {
    u128::from(links) * u128::from(cells) * u128::from(cell.get())
}

/// The longest that a cell waits in an element: all that may wait for its link goes first (§6.2).
///
/// # Panics
/// At a rate of zero.
pub fn element_latency(cells: u64, cell: Bytes, link: Rate) -> Span {
    Span::from_ps(link.time_for(cell).as_ps().saturating_mul(cells))
}

/// Bits of an exact-match IPv4 table in a switch: N (32 + log2 k) (App. C); a port takes whole bits.
pub fn forwarding_table_bits(hosts: u64, radix: u64) -> u128 {
    u128::from(hosts) * u128::from(32 + port_bits(radix))
}

/// Bits of the table in an element, which points to adapters: (N / 40) log2 k (App. C, with 40 hosts an adapter).
pub fn element_table_bits(adapters: u64, radix: u64) -> u128 {
    u128::from(adapters) * u128::from(port_bits(radix))
}

/// Bits of the reachability table: for every adapter, which links lead to it (§5.8).
pub fn reachability_bits(adapters: u64, links: u64) -> u128 {
    u128::from(adapters) * u128::from(links)
}

fn port_bits(radix: u64) -> u32 {
    radix.max(2).next_power_of_two().ilog2()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SWITCH: Rate = Rate::from_gbps(12_800);

    fn close(found: f64, wanted: f64) {
        assert!((found / wanted - 1.0).abs() < 1e-4, "{found} is not {wanted}");
    }

    #[test]
    fn appendix_b() {
        close(packet_rate(SWITCH, Bytes::new(64), PACKET_GAP), 19.0476e9);
        close(parallelism(SWITCH, Bytes::new(64), PACKET_GAP, 1e9, 1.0), 19.0476);
        // The appendix prints 6.06; its own equation and §2.3 say 5.8.
        close(parallelism(SWITCH, Bytes::new(256), PACKET_GAP, 1e9, 1.0), 5.7971);
        assert!(parallelism(SWITCH, Bytes::new(1500), PACKET_GAP, 1e9, 1.0) > 1.0, "§2.3: even for 1500 B");
        close(pipeline_rate(1e9, 2.0), 5e8);
    }

    #[test]
    fn section_4_1() {
        assert_eq!(minimum_credit(Rate::from_gbps(10_000), 1e9, 2.0), Bytes::new(2500));
    }

    #[test]
    fn section_6_2() {
        assert_eq!(element_memory(256, 128, Bytes::new(256)), 8 << 20);
        let latency = element_latency(128, Bytes::new(256), Rate::from_gbps(50));
        assert_eq!(latency, Span::from_ps(128 * 40_960));
    }

    #[test]
    fn appendix_c() {
        assert_eq!(voq_memory(voqs(32 << 10, 4)), 4 << 20);
        assert_eq!(forwarding_table_bits(32_000, 256), 32_000 * 40);
        assert_eq!(element_table_bits(800, 256), 800 * 8);
        assert_eq!(reachability_bits(800, 256), 800 * 256);
        assert_eq!([1, 2, 3, 32, 33].map(port_bits), [1, 1, 2, 5, 6]);
    }
}
