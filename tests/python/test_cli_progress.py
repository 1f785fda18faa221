"""What a person sees while runs go on."""

import io

import pytest
from rich.console import Console

from gossamer import api
from gossamer.cli import progress
from gossamer.types import RunStatus


def run(
    name: str,
    status: RunStatus,
    milliseconds: float,
    *,
    earlier: bool = False,
    flows: int = 0,
    expected_flows: int | None = None,
) -> api.RunProgress:
    return {
        "name": name,
        "status": status,
        "simulated_ps": round(milliseconds * 1e9),
        "duration_ps": 20_000_000_000,
        "hops": round(milliseconds * 1e6),
        "flows": flows,
        "expected_flows": expected_flows,
        "earlier": earlier,
    }


HALF_WAY: api.Progress = {
    "runs": [run("newreno", "done", 20), run("dctcp", "running", 5), run("direct", "not-started", 0)],
    "hops": 25_000_000,
    "elapsed_s": 2.5,
}


def test_fraction_counts_what_has_ended_as_whole() -> None:
    early: api.Progress = {"runs": [run("a", "done", 3), run("b", "running", 10)], "hops": 1, "elapsed_s": 1.0}
    assert progress.fraction(early) == 0.75


def test_a_run_is_over_once_its_flows_have_ended() -> None:
    assert progress.run_fraction(run("a", "running", 5, flows=80, expected_flows=100)) == 0.8
    assert progress.run_fraction(run("a", "running", 5, flows=1, expected_flows=100)) == 0.25
    assert progress.run_fraction(run("a", "running", 5, flows=80)) == 0.25
    assert progress.run_fraction(run("a", "running", 5, flows=120, expected_flows=100)) == 1.0


def test_remaining_is_scaled_from_what_has_passed() -> None:
    assert progress.fraction(HALF_WAY) == pytest.approx(1.25 / 3)
    assert progress.remaining(HALF_WAY) == "about 3.5 s left"
    assert progress.pace(HALF_WAY) == "10.0 M hops/s"
    at_first: api.Progress = {"runs": [run("a", "running", 0.01)], "hops": 0, "elapsed_s": 0.0}
    assert progress.remaining(at_first) == "too early to estimate the time left"


def test_what_was_done_before_says_nothing_of_pace(capsys: pytest.CaptureFixture[str]) -> None:
    runs = [run("newreno", "done", 20, earlier=True), run("dctcp", "running", 5), run("direct", "not-started", 0)]
    resumed: api.Progress = {**HALF_WAY, "runs": runs}
    assert progress.fraction(resumed) == pytest.approx(1.25 / 3)
    assert progress.pace(resumed) == "2.0 M hops/s"
    assert progress.remaining(resumed) == "about 18 s left"
    progress.Lines().show(resumed)
    assert capsys.readouterr().err == "newreno: done before, 20 ms of 20 ms simulated, 20 M hops\n"


def test_lines_say_each_ending_once(capsys: pytest.CaptureFixture[str]) -> None:
    lines = progress.Lines()
    lines.show(HALF_WAY)
    lines.show(HALF_WAY)
    assert capsys.readouterr().err == "newreno: done, 20 ms of 20 ms simulated, 20 M hops\n"


def test_lines_say_the_total_now_and_then(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    lines = progress.Lines()
    monkeypatch.setattr(progress, "LINE_EVERY_S", 0.0)
    lines.show(HALF_WAY)
    assert capsys.readouterr().err.splitlines()[1] == "42 %, 10.0 M hops/s, about 3.5 s left"


def test_bars_show_the_running_run_and_all() -> None:
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=120, color_system=None)
    with progress.Bars(console) as bars:
        bars.show(HALF_WAY)
    last = screen.getvalue()
    assert "1 of 3 done, 10.0 M hops/s, about 3.5 s left" in last
    assert "5 ms of 20 ms simulated, 5 M hops" in last
    assert "newreno" not in last


def test_nothing_is_shown_to_scripts(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.view(quiet=True) as shown:
        shown.show(HALF_WAY)
    assert capsys.readouterr() == ("", "")
