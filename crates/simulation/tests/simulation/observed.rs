//! What an observer of a whole run sees, and that looking changes nothing.

use crate::lab::{Lab, dctcp, direct, fabric, flows, ms, star, us};
use engine::{Control, Seed};
use ethernet::{Ethernet, Fifo, Length};
use fabric::observer::{Filter, Filtered};
use fabric::{Network, Observer, Seen, What};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use topology::{NodeId, Routes};
use transport::{Config as Protocol, config};
use units::{Bytes, Rate, Span, Time};

/// Windows and rates, in the order in which they were shown; and frames that were queued.
#[derive(Debug, Clone, Default)]
struct Shown {
    windows: Rc<RefCell<Vec<(Time, u32, Bytes)>>>,
    rates: Rc<RefCell<Vec<Rate>>>,
    queued: Rc<RefCell<Vec<u64>>>,
}

impl Observer for Shown {
    fn see(&mut self, now: Time, seen: Seen<'_>) {
        if let Seen::Window { flow, window: Some(window), .. } = seen {
            self.windows.borrow_mut().push((now, flow, window));
        }
        if let Seen::Window { rate: Some(rate), window: None, .. } = seen {
            self.rates.borrow_mut().push(rate);
        }
        if let Seen::Frame { frame, what: What::Queued { .. }, .. } = seen {
            self.queued.borrow_mut().push(frame.sequence);
        }
    }
}

fn observed<O: Observer>(lab: &Lab, observer: O) -> impl Network<Observer = O> {
    let routes = Arc::new(Routes::shortest(&lab.topology).unwrap());
    Ethernet::<Fifo, O>::on(&lab.fabric, &lab.topology, routes, Seed(lab.seed), observer)
}

/// Two senders of 2 MB into one host.
fn two_into_one() -> Lab {
    let list = [(1, 0, Bytes::new(2_000_000), us(0)), (2, 0, Bytes::new(2_000_000), us(0))];
    let mut lab = Lab::new(star(3), flows(list), ms(50));
    lab.fabric.port.queue = Length::Packets(30);
    lab
}

#[test]
fn windows_open_and_close() {
    let (lab, shown) = (two_into_one(), Shown::default());
    let report = lab.run_over(observed(&lab, shown.clone()), &dctcp(), &Control::default());
    assert_eq!(report.outcome, lab.run(&dctcp()).outcome, "looking changes nothing");
    let windows = shown.windows.borrow();
    let of = |flow: u32| windows.iter().filter(move |(_, own, _)| *own == flow).map(|(_, _, window)| window.get());
    for flow in [0, 1] {
        let sizes: Vec<u64> = of(flow).collect();
        assert!(sizes.windows(2).all(|pair| pair[0] != pair[1]), "only changes are shown");
        assert!(sizes.windows(2).any(|pair| pair[1] < pair[0]), "marks close the window of flow {flow}");
        // Slow start: by what was acknowledged, from ten segments.
        let segment = fabric().mtu.get() - 40;
        assert_eq!(sizes[..2], [11 * segment, 12 * segment]);
    }
}

#[test]
fn rates_fall_and_rise() {
    let (lab, shown) = (two_into_one(), Shown::default());
    let dcqcn = Protocol::Dcqcn(config::Dcqcn { timeout: Span::from_ms(1), ..config::Dcqcn::default() });
    let report = lab.run_over(observed(&lab, shown.clone()), &dcqcn, &Control::default());
    assert_eq!(report.outcome, lab.run(&dcqcn).outcome, "looking changes nothing");
    let rates = shown.rates.borrow();
    // The first mark halves the rate of the link (alpha is 1).
    assert!((Rate::from_bps(4_500_000_000)..=Rate::from_gbps(5)).contains(&rates[0]), "{}", rates[0]);
    assert!(rates.windows(2).any(|pair| pair[0] > pair[1]), "others cut it further");
    assert!(rates.windows(2).any(|pair| pair[0] < pair[1]), "and they rise again");
    assert!(shown.windows.borrow().is_empty(), "nothing limits what is in flight");
}

#[test]
fn a_filter_hides_the_rest() {
    let (lab, shown) = (two_into_one(), Shown::default());
    let links = lab.topology.ports(NodeId(2)).collect();
    let filter = Filter { flows: vec![1], links, until: Some(us(100)), ..Filter::default() };
    let filtered = Filtered { filter, observer: shown.clone() };
    lab.run_over(observed(&lab, filtered), &direct(), &Control::default());
    // The second flow's host sends 1500 B and 38 B of framing in 1230.4 ns; one packet may wait behind the one being sent.
    let queued = shown.queued.borrow().len() as u64;
    let sent = Span::from_us(100).as_ps() / 1_230_400;
    assert!((sent..=sent + 3).contains(&queued), "{queued} were queued, {sent} sent");
    assert!(shown.windows.borrow().is_empty(), "direct has no window");
}
