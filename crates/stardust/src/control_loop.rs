//! The loop of requests and credits, and what a virtual output queue must say ahead of it.

use crate::build::{Layout, classes};
use crate::config::Config;
use crate::reach::Links;
use topology::{LinkId, Topology};
use units::{Bytes, Rate, Span};

/// The longest time from a request's leaving its adapter until the credit that answers it is back, over links that are busy with cells, and
/// the least `credit_watermark` with which a port never waits for a request: what it receives in that time, beside the credit that it
/// gives and the step below which nothing is reported. A queue that reports later leaves its port idle once a loop.
///
/// The topology must be one that a [`crate::Plan`] accepts.
pub fn least_watermark(config: &Config, topology: &Topology) -> (Span, Bytes) {
    let Ok(mut layout) = Layout::new(topology) else { return (Span::ZERO, Bytes::ZERO) };
    let Ok((links, _)) = classes(config, topology, &mut layout) else { return (Span::ZERO, Bytes::ZERO) };
    let message = config.credits.message.get() as u32;
    let cost = |link: u32| {
        let class = &links[usize::from(layout.wires[link as usize].class)];
        class.full.1 + class.pace.span(message) + class.delay
    };
    let mut heights = vec![None; layout.devices as usize];
    let climb = (0..layout.adapters).map(|adapter| height(&layout, adapter, &cost, &mut heights)).max();
    // Up, down, and back again.
    let turn = climb.unwrap_or(Span::ZERO).saturating_mul(2);
    let rates = layout.hosts.iter().map(|host| topology.link(LinkId(host.down)).rate);
    let rate = rates.max().map_or(0.0, |rate: Rate| rate.as_bps() as f64 / 8.0) * (1.0 + config.credits.speed_up);
    let received = Bytes::new((rate * turn.as_secs_f64()).ceil() as u64);
    (turn, received + config.credits.size + config.credits.step)
}

/// The longest time from a device up to a top and down the same path.
fn height(layout: &Layout, device: u32, cost: &impl Fn(u32) -> Span, known: &mut [Option<Span>]) -> Span {
    if let Some(height) = known[device as usize] {
        return height;
    }
    let route = |link: &u32| cost(*link) + cost(layout.back(*link));
    let mut longest = Span::ZERO;
    for link in layout.up(device) {
        longest = longest.max(route(link) + height(layout, layout.wires[*link as usize].to, cost, known));
    }
    known[device as usize] = Some(longest);
    longest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::Lanes;
    use crate::rig::{Rig, us};
    use topology::Shape;

    /// The share of its port that one sender has of which the queue stays short: it sends no faster than the port.
    fn share(watermark: Bytes, topology: &Topology) -> f64 {
        let mut config = Config { mtu: Bytes::new(9000), ..Config::default() };
        config.credits.watermark = watermark;
        config.credits.window = Span::from_ms(10);
        let mut rig = Rig::<Lanes>::new(&config, topology, 1);
        let frames = 3000;
        for _ in 0..frames {
            rig.send(0, 5, 9000, 0);
        }
        rig.run(us(20_000));
        let delivered = &rig.delivered;
        assert_eq!(delivered.len(), frames);
        // From the first third to the last frame.
        let time = delivered[frames - 1].0.since(delivered[frames / 3].0);
        let wire = Rate::from_gbps(100).time_for(Bytes::new(9038)).saturating_mul((frames - 1 - frames / 3) as u64);
        wire.as_ps() as f64 / time.as_ps() as f64
    }

    #[test]
    fn a_port_waits_for_requests_below_the_least_watermark_and_not_above() {
        let shape = Shape::LeafSpine { leaves: 2, spines: 4, hosts_per_leaf: 4 };
        let topology = shape.build(Rate::from_gbps(100), Span::from_us(5)).unwrap();
        let (turn, least) = least_watermark(&Config::default(), &topology);
        // Four links of 5 us, each behind a cell of 256 B.
        assert_eq!((turn.as_ps() / 1000, least.get() / 1000), (20_089, 261));
        assert!(share(least, &topology) > 0.995, "{}", share(least, &topology));
        let half = Bytes::new(least.get() / 2);
        assert!(share(half, &topology) < 0.97, "{}", share(half, &topology));
    }
}
