"""A failed link of a Stardust fabric, simulated: when adapters far away stop using it."""

import pytest

from gossamer.reproduce import stardust_recovery


def test_the_last_adapter_learns_after_four_hops_of_messages() -> None:
    found = stardust_recovery.by_threshold(stardust_recovery.simulated())
    assert list(found) == [1, 2, 3, 5]
    for threshold, (first, last) in found.items():
        assert first <= last
        # Messages come at their own times on each link, up to a period apart.
        assert last == pytest.approx(stardust_recovery.with_detection_us(threshold), rel=0.03)
        assert last > stardust_recovery.closed_form_us(threshold)
