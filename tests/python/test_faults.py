"""What breaks during a run, and what only one kind of fabric counts: from the file to the report."""

import json
from pathlib import Path
from typing import Any

import pytest

import gossamer as library
from conftest import SMALL, Command
from gossamer import plots
from gossamer.plots.canvas import NoData
from gossamer.report import write_report
from gossamer.results import Fault, Results
from synthetic_results import MICROSECOND, lively_run, record, write_folder

BROKEN = SMALL.replace('duration = "200 us"', 'duration = "2 ms"').replace(
    'kind = "ethernet"', 'kind = "ethernet"\nconvergence = "50 us"'
)
BROKEN += """
[measure]
sample = "100 us"

[[variant]]
name = "healthy"

[[variant]]
name = "broken"
fault = [
    { at = "500 us", until = "1 ms", link = "host-0 -> switch-0" },
    { at = "1.5 ms", nodes = "host", count = 1 },
]
"""


def marks(chart: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows behind the rules of a chart of layers."""
    found = []
    for layer in chart["layer"]:
        if isinstance(layer["mark"], dict) and layer["mark"]["type"] == "rule":
            found += chart["datasets"][layer["data"]["name"]]
    return found


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Results of the experiment above."""
    folder = tmp_path_factory.mktemp("broken")
    return library.run(library.Experiment.from_toml(BROKEN), out=folder / "results")


class TestARunInWhichSomethingBreaks:
    def test_the_manifest_says_what_broke(self, broken: Results) -> None:
        assert broken["healthy"].record.faults == ()
        first, second = broken["broken"].record.faults
        assert first == Fault(500 * MICROSECOND, 1000 * MICROSECOND, ("host-0 -> switch-0",), "down")
        assert (second.at_ps, second.until_ps, second.effect) == (1500 * MICROSECOND, None, "down")
        assert second.targets in [("host-0",), ("host-1",)]

    def test_what_was_lost_is_counted(self, broken: Results) -> None:
        counted = {row["counter"]: row["value"] for row in broken["broken"].counters.to_pylist()}
        lost = broken["broken"].summary.column("lost_frames")[0].as_py()
        assert counted["lost on dead links"] + counted["lost for want of a path"] == lost > 0
        assert counted["changes of all routes"] == 3
        assert broken["healthy"].counters.num_rows == 0
        assert broken.counters.column("run").to_pylist() == ["broken"] * 4
        assert broken.why_empty("counters") is None

    def test_nothing_gets_through_while_it_is_broken(self, broken: Results) -> None:
        def goodput(run: str) -> dict[int, float]:
            rows = broken[run].series.to_pylist()
            return {row["time_ps"] // MICROSECOND: row["value"] for row in rows if row["series"] == "goodput"}

        healthy, ill = goodput("healthy"), goodput("broken")
        assert all(healthy[time] > 15e9 for time in range(600, 2001, 100))
        # Both flows stop: one has no way for its data, the other none for its acknowledgements.
        assert all(ill[time] == 0 for time in (700, 800, 900, 1700, 1800, 1900, 2000))

    def test_the_report_says_what_broke_and_what_was_counted(self, broken: Results, tmp_path: Path) -> None:
        page = write_report(broken, tmp_path / "report.html").read_text(encoding="utf-8")
        assert "<li>host-0 -&gt; switch-0: down, from 500 µs until 1 ms (broken)</li>" in page
        assert "down, from 1.5 ms to the end (broken)</li>" in page
        assert '<h2 id="counters-title">Inside the fabric</h2>' in page
        assert '<th scope="row">lost on dead links, frames</th>' in page
        assert '<th scope="col" class="number">broken</th>' in page

    def test_plots_over_time_mark_it(self, broken: Results) -> None:
        chart = plots.time_series(broken, "goodput")
        rules = [(row["label"], row["time"]) for row in marks(chart.to_dict())]
        assert rules == [("broken", 5e-4), ("broken", 1e-3), ("broken", 1.5e-3)]
        assert marks(chart.to_dict())[1]["what"] == "repaired: host-0 -> switch-0: down"
        told = " ".join(chart.to_dict()["title"]["subtitle"])
        assert "Dashed lines: faults and repairs." in told

    def test_healthy_runs_are_not_marked(self, broken: Results) -> None:
        assert marks(plots.time_series(broken.where(variant="healthy"), "goodput").to_dict()) == []


def test_check_says_what_would_break(gossamer: Command, folder: Path) -> None:
    (folder / "broken.toml").write_text(BROKEN)
    ended = gossamer("check", "broken.toml")
    assert ended.status == 0
    assert "fault: host-0 -> switch-0: down, at 500 µs until 1 ms (in broken)\n" in ended.out
    plan = json.loads(gossamer("check", "broken.toml", "--json").out)
    assert plan["runs"][0]["faults"] == []
    assert plan["runs"][1]["faults"][0]["targets"] == ["host-0 -> switch-0"]


def test_a_mistake_is_named(gossamer: Command, folder: Path) -> None:
    (folder / "broken.toml").write_text(BROKEN.replace("host-0 -> switch-0", "host-0 -> swich-0"))
    ended = gossamer("run", "broken.toml")
    assert (ended.status, ended.err) == (
        2,
        'error: broken.toml:31: variant broken: fault.0.link = "host-0 -> swich-0": no node is called "swich-0"; '
        'did you mean "switch-0"?\n',
    )


def test_long_lists_are_cut_short() -> None:
    targets = tuple(f"leaf-0 -> spine-{number}" for number in range(5))
    fault = Fault(0, None, targets, "bit error rate 1e-9")
    assert fault.what == "leaf-0 -> spine-0, leaf-0 -> spine-1, leaf-0 -> spine-2 and 2 more: bit error rate 1e-9"


class TestWhatAFabricKeepsItself:
    @pytest.fixture
    def results(self, tmp_path: Path) -> Results:
        """Two runs, one of a fabric with counters and distributions of its own."""
        plain, rich = lively_run("plain", 0.5, 1.0), lively_run("rich", 0.5, 1.0)
        rich["counters"] = [
            {"counter": "credits granted", "unit": "credits", "value": 1_234_567.0},
            {"counter": "longest wait", "unit": "ps", "value": 2.5e6},
            {"counter": "buffer", "unit": "B", "value": 2048.0},
        ]
        rich["histograms"] += [
            {"histogram": "cell latency", "unit": "ps", "lower": 0, "upper": 1000, "count": 1},
            {"histogram": "cell latency", "unit": "ps", "lower": 1000, "upper": 2000, "count": 3},
            {"histogram": "queue of an element", "unit": "cells", "lower": 0, "upper": 1, "count": 2},
            {"histogram": "queue of an element", "unit": "cells", "lower": 1, "upper": 2, "count": 2},
        ]
        runs = [record("plain", tables=plain), record("rich", tables=rich)]
        return Results.open(write_folder(tmp_path / "results", runs))

    def test_distributions_are_drawn_by_what_they_measure(self, results: Results) -> None:
        values = max(plots.inside(results, "ps").to_dict()["datasets"].values(), key=len)
        # Nought is not on a log axis; the last bound is left out.
        assert [(row["scope"], row["value"], row["share"]) for row in values] == [("cell latency", 1e-9, 0.75)]
        counts = plots.inside(results, "count")
        assert {each["name"]: each.get("value") for each in counts.to_dict()["params"]}["scope"] == (
            "queue of an element (cells)"
        )
        with pytest.raises(NoData, match="these fabrics keep no such distribution"):
            plots.inside(results, "B")

    def test_they_are_no_queues_of_links(self, results: Results) -> None:
        options = next(
            each["bind"]["options"] for each in plots.queues(results).to_dict()["params"] if each["name"] == "scope"
        )
        assert "of an element" not in options
        assert "host-edge up" in options

    def test_counters_are_printed_with_their_units(self, results: Results, tmp_path: Path) -> None:
        page = write_report(results, tmp_path / "report.html").read_text(encoding="utf-8")
        section = page.split('id="counters-title"')[1].split("</section>")[0]
        assert '<th scope="col" class="number">rich</th>' in section
        assert "plain" not in section
        for name, value in (
            ("credits granted", "1,230,000"),
            ("longest wait", "2.5 µs"),
            ("buffer", "2.05 KB"),
        ):
            row = section.split(f'<th scope="row">{name}</th>')[1].split("</tr>")[0]
            assert f'<td class="number">{value}</td>' in row
        assert results.counters.column("value").to_pylist() == [1_234_567.0, 2.5e6, 2048.0]
