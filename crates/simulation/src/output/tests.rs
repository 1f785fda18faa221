//! What a run writes, at its edges.

use super::*;
use topology::Shape;
use units::bounds;

#[test]
fn the_rates_of_many_hosts_are_added_up() {
    let topology =
        Shape::Star { hosts: 200_000 }.build(bounds::RATE, Span::ZERO).expect("a star has any number of hosts");
    assert_eq!(host_rate(&topology), 2e19);
}
