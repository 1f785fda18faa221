"""AN3's claims that arithmetic settles."""

import pytest

from gossamer.reproduce import Outcome, reproduce
from papers.an3.reproduction import rounds, waiting

COMPUTED = ("scale", "frame", "l0-topology", "crossbar", "setup-rate", "table2-3-cost", "table1-fpga")


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    found = reproduce("an3", COMPUTED, out=tmp_path_factory.mktemp("claims"))
    return {outcome.claim.id: outcome for outcome in found}


@pytest.mark.parametrize(
    ("claim", "measured"),
    [
        ("scale", 90_112),
        ("frame", 7.3728),
        ("l0-topology", 948 / 462),
        ("crossbar", 2.56),
    ],
)
def test_numbers(outcomes: dict[str, Outcome], claim: str, measured: float) -> None:
    assert str(outcomes[claim].verdict) == "reproduced"
    assert outcomes[claim].measured == pytest.approx(measured)


def test_the_rate_of_set_ups_is_given(outcomes: dict[str, Outcome]) -> None:
    """A ring that takes one message a cycle of 6.4 ns takes 156.25 million a second: arithmetic, not a result."""
    assert str(outcomes["setup-rate"].verdict) == "not-comparable"
    assert outcomes["setup-rate"].measured == pytest.approx(156.25)


def test_costs_are_what_the_printed_prices_come_to(outcomes: dict[str, Outcome]) -> None:
    found = outcomes["table2-3-cost"]
    assert found.measured == pytest.approx({"best": 2.430, "asic_20k": 2.056, "fpga": 1.793}, abs=1e-3)
    assert str(found.verdict) == "deviates", "ASICs at 20,000 servers, which the prices make cheaper"
    trends = {check.name: check.measured for check in found.checks if isinstance(check.measured, bool)}
    assert len(trends) == 3
    assert all(trends.values())
    assert len(found.plots) == 4, "Figs. 9 and 10"


def test_areas_are_given(outcomes: dict[str, Outcome]) -> None:
    assert str(outcomes["table1-fpga"].verdict) == "not-comparable"
    assert "8 x" not in outcomes["table1-fpga"].note
    assert outcomes["table1-fpga"].measured == {"line_card_luts": 11_488, "line_card_flip_flops": 3_182}


def test_dips_are_minima_that_are_deep_on_both_sides() -> None:
    full, gap = [1.0] * 50, [0.8, 0.5, 0.4, 0.6, 0.9]
    assert rounds.dips([0.0, 0.5, *full, *gap, *full, *gap, *full, 0.5, 0.0]) == [
        rounds.Dip(54, 3),
        rounds.Dip(109, 3),
    ], "neither the beginning nor the end is one"
    assert rounds.dips([*full, 0.97, *full]) == [], "it is not deep"
    assert rounds.dips([*full, 0.7, 0.72, 0.7, *full]) == [rounds.Dip(50, 3)], "a small rise does not end one"
    shallow = [*full, 0.4, *([0.6] * 20), 0.3, 0.2]
    assert [dip.lowest for dip in rounds.dips(shallow)] == [50], "what comes after may be lower"
    assert rounds.dips([]) == []


def test_chains_are_what_a_host_asks_for_within_a_microsecond() -> None:
    flows = [
        {"src": 0, "dst": 30, "start_ps": 1_000_000, "waited_ps": 2_000_000},
        {"src": 0, "dst": 31, "start_ps": 1_900_000, "waited_ps": 5_000_000},
        {"src": 1, "dst": 31, "start_ps": 1_950_000, "waited_ps": 3_000_000},
        {"src": 0, "dst": 32, "start_ps": 2_500_000, "waited_ps": 1_000_000},
        {"src": 0, "dst": 3, "start_ps": 2_600_000, "waited_ps": 9_000_000},
    ]
    request = waiting.Request
    assert waiting.chains_of(flows) == [
        request(0, 2.0, 2, 0),
        request(0, 5.0, 2, 1),
        request(0, 1.0, 1, 0),
        request(1, 3.0, 1, 0),
    ], "what stays in an L0 network does not count"
    with pytest.raises(ValueError, match="1 flows were never let send"):
        waiting.chains_of([{"src": 0, "dst": 30, "start_ps": 0, "waited_ps": None}])
