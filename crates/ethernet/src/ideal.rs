//! How long a message takes that is alone in the fabric.

use crate::class::PortClass;
use units::{Bytes, Span};

/// Time from handing the first of a message's packets to the source's interface until the last bit of the last is there, over
/// links of these classes, with nothing else in the way: exact, packet by packet, in closed form.
///
/// All packets but the last have `mtu` bytes, and equal packets keep their distance: at hop i the n-th of them is done
/// `(n - 1) * max(T_1..T_i)` after the first. The last may be shorter, and follows as fast as links and packets before it let it.
pub fn message(path: &[&PortClass], bytes: Bytes, header: Bytes, mtu: Bytes) -> Span {
    let payload = mtu.get() - header.get();
    let packets = bytes.get().div_ceil(payload).max(1);
    let last = (bytes.get() - (packets - 1) * payload + header.get()) as u32;
    let full = mtu.get() as u32;

    // When the first full packet has its head and its whole at each hop; the same of the last packet.
    let (mut first_head, mut first_whole) = (Span::ZERO, Span::ZERO);
    let (mut last_head, mut last_whole) = (Span::ZERO, Span::ZERO);
    let mut slowest = Span::ZERO;
    for class in path {
        let (full_time, last_time) = (class.time_on_wire(full), class.time_on_wire(last));
        let mut free = Span::ZERO;
        if packets > 1 {
            slowest = slowest.max(full_time);
            let begin = first_head;
            let end = (begin + full_time).max(first_whole);
            free = end + slowest.saturating_mul(packets - 2);
            first_whole = end + class.delay;
            first_head = class
                .head
                .map_or(first_whole, |head| end.saturating_sub(full_time) + head.min(full_time) + class.delay);
        }
        let begin = last_head.max(free);
        let end = (begin + last_time).max(last_whole);
        last_whole = end + class.delay;
        last_head =
            class.head.map_or(last_whole, |head| end.saturating_sub(last_time) + head.min(last_time) + class.delay);
    }
    last_whole
}
