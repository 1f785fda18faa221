//! What a topology must be like.

use super::*;
use topology::{Builder, LinkSpec};

/// Hosts at one switch, each with a link of its own length.
fn star_of_different_links(hosts: u64) -> Topology {
    let mut builder = Builder::new("star");
    let switch = builder.switch("switch", None);
    let class = builder.class("link");
    for host in 0..hosts {
        let end = builder.host(format!("host-{host}"));
        let link = LinkSpec { rate: Rate::from_gbps(10), delay: Span::from_ps(host), queue: None };
        builder.cable(end, switch, class, link);
    }
    builder.finish().expect("a star has any number of hosts")
}

#[test]
fn links_of_more_kinds_than_are_numbered_are_refused() {
    let config = Config::default();
    assert!(Parts::new(&config, &star_of_different_links(1 << 16)).is_ok());
    let error = Parts::new(&config, &star_of_different_links((1 << 16) + 1)).expect_err("there is one too many");
    assert_eq!(
        error.to_string(),
        "the links have more than 65536 different rates and delays, counted together: a Stardust fabric has at most so many"
    );
}
