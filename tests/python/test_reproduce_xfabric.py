"""XFabric's claims: arithmetic, properties of the algorithm, and studies of flows on topologies."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from conftest import Command
from gossamer.reproduce import Outcome, claims, packages, reproduce
from gossamer.reproduce.registry import Charts, Study
from papers.xfabric.reproduction import seeds, sizes, topologies

COMPUTED = (
    "ports-256",
    "cost-power-256",
    "table1-343",
    "state-size",
    "topology-properties",
)


def text(drawn: Charts) -> str:
    """A single figure as Vega-Lite."""
    assert not isinstance(drawn, Mapping)
    return json.dumps(drawn.to_dict())


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    found = reproduce("xfabric", COMPUTED, out=tmp_path_factory.mktemp("claims"))
    return {outcome.claim.id: outcome for outcome in found}


@pytest.mark.parametrize(
    ("claim", "measured"),
    [
        ("ports-256", {"full": 1536, "clos": 7680, "clos_asics": 22}),
        ("cost-power-256", {"xfabric_kw": 0.43008, "clos_kw": 2.1504, "xfabric_usd": 4608, "clos_usd": 23040}),
        (
            "table1-343",
            {
                "clos_ports": 10290,
                "clos_usd": 30870,
                "clos_kw": 2.8812,
                "xfabric_ports": 2058,
                "xfabric_usd": 6174,
                "xfabric_kw": 0.57624,
            },
        ),
        ("state-size", 433),
    ],
)
def test_numbers(outcomes: dict[str, Outcome], claim: str, measured: object) -> None:
    assert str(outcomes[claim].verdict) == "reproduced"
    assert outcomes[claim].measured == pytest.approx(measured)


def test_properties_hold_and_two_crosspoints_are_too_few(outcomes: dict[str, Outcome]) -> None:
    found = outcomes["topology-properties"]
    assert str(found.verdict) == "reproduced"
    assert "Of 88 racks of 2 to 128 SoCs with random demands 88 are connected, 88 have all ports in use" in found.note
    assert "of 100 racks with two, 0 fall apart" not in found.note


def test_the_paper_s_contradictions_are_told(outcomes: dict[str, Outcome]) -> None:
    assert (
        "2.6 kW are six ports for each (2.58 kW), 2.2 kW the five of the text (2.15 kW)" in outcomes["ports-256"].note
    )
    assert "351 ports (§6.1), one more than the 350" in outcomes["table1-343"].note


def test_a_table_is_drawn_with_the_paper_s_numbers(outcomes: dict[str, Outcome]) -> None:
    names = [Path(file).name for file in outcomes["table1-343"].plots]
    assert names == ["table1-343.png", "table1-343.svg"]
    assert "XFabric: 2,058 ports, 6.2K USD" in Path(outcomes["table1-343"].plots[1]).read_text()


def test_both_workloads_are_measured_and_drawn() -> None:
    """One seed of each, the graph small: the order of topologies is there, and the bound is below the mean."""
    found = topologies.both(seeds=1, nodes=2_000, threads=1)
    claim = claims.paper("xfabric").claim("fig2a-path-length")
    lengths = topologies.lengths(found)
    assert 1 < lengths.rows["xfabric_hops"] < 1.5
    assert lengths.rows["torus_ratio"] > lengths.rows["random_ratio"] > 2
    at_most = seeds.mean(found.production, "xfabric", "direct_at_most")
    direct = seeds.mean(found.production, "xfabric", "direct")
    assert direct <= at_most
    assert 2 - at_most <= lengths.rows["xfabric_hops"]
    assert "so that no topology has less than" in lengths.note
    drawn = text(topologies.fig_2a(found, claim))
    assert "XFabric Fig. 2a" in drawn
    assert '"expected": 6.36' in drawn
    diversity = topologies.disjoint_and_bottleneck(found)
    assert "Disjoint paths are in the paper's order" in diversity.note
    assert set(topologies.fig_2bc(found, claim)) == {"b", "c"}


def test_studies_are_kept_by_what_they_ask_for() -> None:
    first = seeds.studied(2, 1, socs=27, topologies="random", uplinks=4)
    assert seeds.studied(2, 1, uplinks=4, topologies="random", socs=27) is first
    again = seeds.studied(2, 2, socs=27, topologies="random", uplinks=4)
    assert again == first
    assert len({row["path_length"] for (row,) in first}) == 2


def test_uplinks_by_the_paper_and_nearest() -> None:
    found = topologies.gateways(seeds=1, threads=1)
    near = seeds.mean(found.nearest, "xfabric", "uplink_path_length")
    assert near < seeds.mean(found.placed, "xfabric", "uplink_path_length")
    measured = topologies.shorter_ways_out(found)
    assert set(measured.rows) == {"random", "torus"}
    claim = claims.paper("xfabric").claim("fig4b-uplinks")
    assert "nearest uplink" in text(topologies.fig_4b(found, claim))


def test_skew_and_sizes_are_measured_and_drawn() -> None:
    paper = claims.paper("xfabric")
    skews = sizes.by_skew(seeds=1, clusters=(2, 343), destinations=(1,), threads=1)
    measured = sizes.up_to(skews)
    assert measured.rows[""] == pytest.approx(3.5, rel=0.05)
    assert set(sizes.fig_3(skews, paper.claim("fig3-skew"))) == {"a", "b"}
    scaled = sizes.by_size(seeds=1, sizes=(27, 64), threads=1)
    assert 1 <= sizes.longest_mean(scaled).rows[""] < 1.6
    assert "3D torus" in text(sizes.fig_4a(scaled, paper.claim("fig4a-scale")))


def test_times_are_of_both_in_one_run(tmp_path: Path) -> None:
    (outcome,) = reproduce("xfabric", ["fig6a-speed"], quick=True, out=tmp_path)
    left_out = {"512": None, "1024": None, "osa_1024": None}
    assert outcome.measured == {**left_out, "osa_over_xfabric": outcome.measured["osa_over_xfabric"]}
    assert outcome.verdict in ("reproduced-in-part", "deviates")
    assert "27: " in outcome.note
    assert outcome.note.endswith("Quick run with rounds = 1, sizes = (27, 125, 216)")
    assert [Path(file).name for file in outcome.plots] == ["fig6a-speed.png", "fig6a-speed.svg"]


def test_the_list_says_what_a_study_is(gossamer: Command) -> None:
    entries = {each["claim"]: each for each in json.loads(gossamer("reproduce", "xfabric", "--list", "--json").out)}
    assert entries["fig3-skew"]["computation"] == "gossamer.topology.study"
    assert entries["fig5a-period"]["computation"] is None
    studies = {
        name
        for name, paper in claims.papers().items()
        for method in packages.methods(paper).values()
        if isinstance(method, Study)
    }
    assert studies == {"xfabric"}


def test_the_screen_says_which_study_goes_on(gossamer: Command) -> None:
    result = gossamer("reproduce", "xfabric", "fig6a-speed", "--quick")
    assert result.err == "fig6a-speed: gossamer.topology.seconds\n"
    assert result.status == 0
