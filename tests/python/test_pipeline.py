"""Packet-processing data paths from Python."""

import pytest

import gossamer
from gossamer import pipeline
from gossamer.pipeline import Part


def test_rows_say_what_was_asked_and_what_came() -> None:
    rows = pipeline.throughput(["reference-switch", "cells"], [64, 65])
    assert [(row["design"], row["size"]) for row in rows] == [
        ("reference-switch", 64),
        ("reference-switch", 65),
        ("cells", 64),
        ("cells", 65),
    ]
    assert [row["keeps_up"] for row in rows] == [True, False, True, True]
    # 150 MHz over 3 clocks, over 40 Gb/s / 8 / 85 B.
    assert rows[1]["throughput"] == pytest.approx(150e6 / 3 / (40e9 / 8 / 85), abs=1e-3)
    assert rows[1]["packets_per_second"] == pytest.approx(50e6, rel=1e-3)
    assert rows[3]["throughput"] == pytest.approx(65 / 128, abs=1e-3)
    assert rows[3]["line_share"] == 1
    offered, delivered, dropped, inside = rows[1]["whole"]
    assert offered["packets"] == delivered["packets"] + dropped["packets"] + inside["packets"]


def test_one_design_and_one_size_need_no_lists() -> None:
    (row,) = pipeline.throughput("ndp-switch", 65, traffic="tcp", clock_hz=200e6, clocks=20_000)
    assert row["keeps_up"]
    assert (row["clock_hz"], row["clocks"]) == (200_000_000, 20_000)


def test_a_seed_gives_the_same_again() -> None:
    def web(seed: int) -> pipeline.Row:
        return pipeline.throughput("packed-cells", "web", seed=seed, clocks=20_000)[0]

    assert web(1) == web(1)
    assert web(1) != web(2)


def test_a_mix_of_ones_own() -> None:
    mixes = {"two": [Part(64, 64, 1), Part(65, 65, 1)]}
    (row,) = pipeline.throughput("reference-switch", "two", mixes=mixes)
    assert row["delivered"]["payload"] / row["delivered"]["packets"] == pytest.approx(64.5, abs=0.05)


def test_the_lowest_clock() -> None:
    assert pipeline.lowest_clock_hz("reference-switch", [64, 65, 97]) == 177_000_000
    assert pipeline.lowest_clock_hz("reference-switch", [64, 65, 97], step_hz=10e6) == 180_000_000
    assert pipeline.lowest_clock_hz("ndp-switch", [65], most_hz=200e6) is None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pipeline.throughput("cell", 64), "no design 'cell': did you mean 'cells'?"),
        (lambda: pipeline.throughput("cells", "wbe"), "no mix 'wbe': did you mean 'web'?"),
        (
            lambda: pipeline.throughput("cells", 0),
            "size in bytes: 0 is not possible; a whole number from 1 to 65536 is expected",
        ),
        (
            lambda: pipeline.throughput("cells", 64, widht="32 B"),  # type: ignore[call-arg]
            "no setting 'widht': did you mean 'width'?",
        ),
        (
            lambda: pipeline.throughput("cells", 64, width="32"),
            'width: `32` has no unit; write a size such as "4 KB" (1000 B) or "4 KiB" (1024 B)',
        ),
        (
            lambda: pipeline.throughput("cells", 64, clock_hz=1.5),
            "clock_hz: 1.5 is not possible; a whole number is expected",
        ),
        (
            lambda: pipeline.throughput("cells", 64, traffic="udp"),
            "traffic: unknown variant `udp`, expected `ndp` or `tcp`",
        ),
        (
            lambda: pipeline.throughput("cells", 64, cell_header="64 B"),
            "cell_header: 64 B leaves no room in a cell of 64 B",
        ),
        (
            lambda: pipeline.lowest_clock_hz("cells", [64], step_hz=0),
            "step_hz: 0 is not possible; at least 1 is expected",
        ),
    ],
)
def test_mistakes_are_answered(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(gossamer.InputError) as mistake:
        call()
    assert str(mistake.value) == message
