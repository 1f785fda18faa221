//! How long a message takes that is alone in the fabric, at best.

use crate::build::Role;
use crate::interior::Interior;
use crate::network::Stardust;
use crate::reach::Links;
use fabric::Observer;
use units::{Bytes, Span};

/// Time from handing the first of a message's packets to the source's interface until the last bit of the last is there: packets
/// one after the other over the first and the last link, whichever is slower, and the last cell over the shortest path between.
/// Requests and credits take time of their own, which is not in it: that is what scheduling costs.
pub(crate) fn message<I: Interior, O: Observer>(
    fabric: &Stardust<I, O>,
    src: u32,
    dst: u32,
    bytes: Bytes,
    header: Bytes,
) -> Span {
    let mtu = fabric.config.mtu.get();
    let payload = mtu - header.get();
    let packets = bytes.get().div_ceil(payload).max(1);
    let last = (bytes.get() - (packets - 1) * payload + header.get()) as u32;
    let (from, to) = (fabric.attachment(src), fabric.attachment(dst));
    let (first_link, last_link) = (fabric.edge_class(from.up), fabric.edge_class(to.down));
    let full = |class: &crate::edge::EdgeClass| class.time_on_wire(mtu as u32).saturating_mul(packets - 1);
    let inside = if from.adapter == to.adapter { Span::ZERO } else { route(fabric, from.adapter, to.adapter, last) };
    let ends =
        first_link.time_on_wire(last) + first_link.delay + inside + last_link.time_on_wire(last) + last_link.delay;
    ends + full(first_link).max(full(last_link))
}

/// The last cell of a packet of `len` bytes over the path from an adapter to another.
fn route<I: Interior, O: Observer>(fabric: &Stardust<I, O>, from: u16, to: u16, len: u32) -> Span {
    let cells = &fabric.config.cells;
    let most = (cells.size - cells.header).get() as u32;
    let len = (len.min(most) + cells.header.get() as u32).max(cells.shortest.get() as u32) as u16;
    // Tables that know of failures know only of the paths that are left, and where links differ the first of a path says nothing of the rest.
    if fabric.tables_may_lack() || fabric.link_classes.len() > 1 {
        return shortest(fabric, from, to, len);
    }
    let (mut device, mut rising, mut total) = (u32::from(from), true, Span::ZERO);
    // Up, then down: never more links than twice the devices.
    for _ in 0..2 * fabric.layout.devices {
        if device == u32::from(to) {
            return total;
        }
        let Some(route) = fabric.tables.route(device, to, rising) else { return total };
        let links = fabric.sprayer.links(route);
        let time = |link: &u32| {
            let class = &fabric.link_classes[usize::from(fabric.layout.wires[*link as usize].class)];
            fabric.interior.crossing(*link, len, class)
        };
        let Some(link) = links.iter().copied().min_by_key(|link| (time(link), *link)) else { return total };
        total += time(&link);
        let wire = fabric.layout.wires[link as usize];
        rising = wire.role == Role::Up;
        device = wire.to;
        debug_assert_eq!(fabric.layout.wires[fabric.layout.back(link) as usize].to, wire.from);
    }
    total
}

/// The same over all links that were built, up and then down.
fn shortest<I: Interior, O: Observer>(fabric: &Stardust<I, O>, from: u16, to: u16, len: u16) -> Span {
    // By device, on the way down and on the way up.
    let mut best = vec![[None::<Span>; 2]; fabric.layout.devices as usize];
    best[usize::from(from)][1] = Some(Span::ZERO);
    let mut changed = vec![(u32::from(from), true)];
    while let Some((device, rising)) = changed.pop() {
        let Some(so_far) = best[device as usize][usize::from(rising)] else { continue };
        let up = if rising { fabric.layout.up(device) } else { &[] };
        for link in up.iter().chain(fabric.layout.down(device)) {
            let wire = fabric.layout.wires[*link as usize];
            let total = so_far + fabric.interior.crossing(*link, len, &fabric.link_classes[usize::from(wire.class)]);
            let rises = wire.role == Role::Up;
            let known = &mut best[wire.to as usize][usize::from(rises)];
            if known.is_none_or(|known| total < known) {
                *known = Some(total);
                changed.push((wire.to, rises));
            }
        }
    }
    best[usize::from(to)][0].unwrap_or(Span::ZERO)
}
