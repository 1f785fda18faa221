//! What a run writes, at its beginning and at its edges.

use super::*;
use crate::settings::Labels;
use engine::{Control, Stopped};
use topology::Shape;
use units::{Rate, bounds};

/// The links of a large fabric are gone through before the first table is begun.
#[test]
fn it_ends_at_any_look_before_it_has_a_table() {
    let topology =
        Shape::Star { hosts: 10_000 }.build(Rate::from_gbps(10), Span::ZERO).expect("a star has any number of hosts");
    let folder = std::env::temp_dir().join(format!("gossamer-output-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("there is room for tests");
    let name = || Arc::<str>::from("it");
    let labels = Labels { run: name(), variant: None, fabric: name(), transport: name(), seed: 1 };
    let settings = Settings {
        duration: Time::from_ps(1_000_000),
        warmup: Time::ZERO,
        stop_when_done: true,
        sample: None,
        watch: Vec::new(),
        flows: true,
        links: true,
        goodput: true,
        queue: true,
        utilisation: true,
        faults: Vec::new(),
        labels,
    };
    let files = || std::fs::read_dir(&folder).map_or(0, Iterator::count);
    let create = |control: &Control| {
        let create = || Output::create(&Destination::Folder(folder.clone()), settings.clone(), &topology, vec![name()]);
        control.stoppable(create).map(|output| output.is_ok())
    };
    let stopped_after = |looks: u64| {
        let control = Control::default();
        control.stop_after(looks);
        (create(&control), files())
    };
    let looks = (0..).find(|looks| stopped_after(*looks) != (Err(Stopped), 0)).expect("it ends");
    assert!(looks > 20_000 / 4096, "{looks} looks at 20 000 links");
    assert_eq!(files(), 8);
    std::fs::remove_dir_all(&folder).expect("it was made here");
}

#[test]
fn the_rates_of_many_hosts_are_added_up() {
    let topology =
        Shape::Star { hosts: 200_000 }.build(bounds::RATE, Span::ZERO).expect("a star has any number of hosts");
    assert_eq!(host_rate(&topology), 2e19);
}
