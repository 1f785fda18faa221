"""AN3's claims that arithmetic settles."""

import pytest

from gossamer.reproduce import Outcome, reproduce

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
