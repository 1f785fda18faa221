"""`gossamer topology xfabric`: circuits for a demand from a file, from the command line and from Python."""

import json
import re
from pathlib import Path

import pytest

from conftest import ROOT, Command, assert_snapshot
from gossamer import Experiment, InputError, check, topology
from gossamer.plots import cabling
from gossamer.plots.canvas import Canvas, NoData
from gossamer.types import XFabricConfigurationInput

DEMAND = """\
source,destination,bytes
web-0,web-1,900000
web-1,db-0,40000
web-0,db-0,70000
db-0,db-1,8000000
db-1,map-0,300
map-0,map-1,5000000
map-1,web-0,2500
db-0,uplink,60000
uplink,map-1,90000
"""
LATER = DEMAND.replace("web-0,web-1,900000", "web-0,map-0,9000000")


@pytest.fixture
def demand(folder: Path) -> Path:
    (folder / "later.csv").write_text(LATER)
    file = folder / "demand.csv"
    file.write_text(DEMAND)
    return file


def test_circuits_join_each_port_once_and_tables_lead_to_everybody(demand: Path) -> None:
    found = topology.xfabric(demand, soc_ports=3, uplinks=2)
    for crosspoint in found["crosspoints"]:
        ports = [port for circuit in crosspoint["circuits"] for port in circuit["ports"]]
        assert sorted(ports) == [str(number) for number in range(6)]
    table = {of["soc"]: of for of in found["forwarding"]}
    for source in found["socs"]:
        for number, destination in enumerate(found["socs"]):
            at, hops = source, 0
            while at != destination:
                peer = table[at]["neighbours"][table[at]["toward"][number][0]]
                assert peer is not None
                at, hops = peer, hops + 1
                assert hops <= (found["summary"]["diameter"] or 0)


def test_what_is_printed_reads_as_kept(gossamer: Command, demand: Path) -> None:
    first = gossamer("topology", "xfabric", "--demand", demand.name, "--soc-ports", "3", "--uplinks", "2")
    assert (first.status, first.err) == (0, "")
    assert_snapshot("topology-xfabric", first.out)
    written = gossamer("topology", "xfabric", "--demand", demand.name, "--soc-ports", "3", "--uplinks", "2", "--json")
    Path("before.json").write_text(written.out)
    later = gossamer("topology", "xfabric", "--demand", "later.csv", "--previous", "before.json")
    assert (later.status, later.err) == (0, "")
    assert_snapshot("topology-xfabric-later", later.out)
    same = gossamer("topology", "xfabric", "--demand", demand.name, "--previous", "before.json")
    assert "No circuit changes.\n" in same.out


def test_json_is_the_same_from_the_command_and_from_python(gossamer: Command, demand: Path) -> None:
    result = gossamer("topology", "xfabric", "--demand", demand.name, "--set", "seed=9", "--json")
    assert json.loads(result.out) == topology.xfabric(demand, seed=9)
    again = gossamer("topology", "xfabric", "--demand", demand.name, "--set", "seed=9", "--json")
    assert again.out == result.out


def test_files_are_written_and_read_again(gossamer: Command, demand: Path) -> None:
    words = ["topology", "xfabric", "--demand", demand.name, "--soc-ports", "3", "--out", "rack"]
    result = gossamer(*words)
    end = "wrote rack/topology.json, and drawings: circuits, demand (PNG, SVG, PDF)\n"
    assert result.out.endswith(end)
    kinds = {f"{name}.{kind}" for name in ("circuits", "demand") for kind in ("png", "svg", "pdf")}
    assert {file.name for file in Path("rack").iterdir()} == {"topology.json", *kinds}
    drawn = Path("rack/circuits.svg").read_text()
    assert "Circuits of configuration 1" in drawn
    assert "web-0" in drawn
    assert "below: hops" in Path("rack/demand.svg").read_text()
    before = json.loads(Path("rack/topology.json").read_text())
    later = gossamer("topology", "xfabric", "--demand", "later.csv", "--previous", "rack/topology.json", "--json")
    found = json.loads(later.out)
    assert (found["version"], found["input"], found["changes"]["version"]) == (2, before["input"], 1)


def test_a_wiring_names_real_ports(gossamer: Command, demand: Path) -> None:
    socs = ["web-0", "web-1", "db-0", "db-1", "map-0", "map-1"]
    lines = [f"{soc},{port},oxc-{port},{40 + number}" for number, soc in enumerate(socs) for port in range(3)]
    Path("wiring.csv").write_text("\n".join(["soc,port,crosspoint,crosspoint_port", *lines]))
    result = gossamer(
        "topology", "xfabric", "--demand", demand.name, "--wiring", "wiring.csv", "--failed", "map-1:2", "--json"
    )
    found = json.loads(result.out)
    assert [each["name"] for each in found["crosspoints"]] == ["oxc-0", "oxc-1", "oxc-2"]
    assert found["crosspoints"][0]["circuits"][0]["ports"] == ["42", "43"]
    assert all("45" not in circuit["ports"] for circuit in found["crosspoints"][2]["circuits"])


def test_warnings_go_where_scripts_do_not_read(gossamer: Command, demand: Path) -> None:
    result = gossamer("topology", "xfabric", "--demand", demand.name, "--failed", "web-1", "--uplinks", "0")
    assert result.status == 0
    assert result.err == (
        "warning: web-1 cannot reach the other SoCs; what has failed cuts them off\n"
        "warning: 150000 B from and to the world count for nothing: the rack has no uplink\n"
    )
    assert "no path for some of it, or no demand on average" in result.out


def test_an_experiment_begins_with_the_same_file(demand: Path) -> None:
    tables = {
        "seed": 1,
        "duration": "1 ms",
        "topology": {"kind": "planes", "hosts": 6, "planes": 3, "rate": "10 Gb/s", "delay": "10 ns"},
        "fabric": {"kind": "xfabric", "start": "demand", "demand": demand.name, "controllers": [0]},
        "transport": {"kind": "newreno"},
        "workload": [{"kind": "permutation"}],
    }
    experiment = Experiment.from_dict(tables, demand.parent / "x.toml")
    assert len(check(experiment)["runs"]) == 1
    demand.write_text(DEMAND.replace("source,destination,bytes", "src,dst,weight"))
    with pytest.raises(InputError) as told:
        check(experiment)
    assert str(told.value).endswith(
        "demand.csv: line 1: a list of demands begins with `source,destination,bytes`, this file with `src,dst,weight`"
    )


def documented(heading: str) -> dict[str, str]:
    """Settings and defaults of a section of the page."""
    page = (ROOT / "docs" / "topology.md").read_text(encoding="utf-8")
    (section,) = re.findall(rf"^##+ {heading}\n(.*?)(?=^##|\Z)", page, re.MULTILINE | re.DOTALL)
    return dict(re.findall(r"^\| `(\w+)` \| (.+?) \|", section, re.MULTILINE))


def test_every_setting_is_documented_with_its_default(demand: Path) -> None:
    settings = documented("Settings of XFabric's topology")
    assert set(settings) | {"failed"} == set(XFabricConfigurationInput.__annotations__)
    found = topology.xfabric(demand)["input"]
    assert (found["soc_ports"], found["crosspoints"], found["uplinks"]) == (6, 6, 6)
    plain = {key: settings[key] for key in ("soc_ports", "weight", "ties", "seed", "fixed_circuits")}
    assert topology.xfabric(demand, **plain)["input"] == found


def test_every_setting_of_a_study_is_documented_with_its_default() -> None:
    settings = {key: value for key, value in documented("Comparing topologies").items() if key != "topologies"}
    assert settings.pop("workload") == "production"
    small = {"socs": "27", "topologies": "random", "nodes": "500", "cluster": "16"}
    of = {
        "production": ("servers", "largest_cluster", "whole_cluster_one_in", "strangers", "most_flows"),
        "social": ("nodes",),
        "clustered": ("cluster",),
        "random-destinations": ("destinations",),
    }
    shared = {
        key: value for key, value in settings.items() if key not in {each for keys in of.values() for each in keys}
    }
    for workload, keys in of.items():
        given = {**shared, **{key: settings[key] for key in keys}}
        given = {key: small.get(key, value) for key, value in {**given, "topologies": ""}.items()}
        plain = {key: small[key] for key in ("socs", "topologies", *(["nodes"] if workload == "social" else []))}
        assert topology.study(workload=workload, **given) == topology.study(workload=workload, **plain)


def test_nothing_to_draw_is_said() -> None:
    idle = topology.xfabric([[0, 0, 0, 0]] * 4)
    assert idle["warnings"] == ["nobody sends anything: chance alone chose the circuits"]
    with pytest.raises(NoData, match="nobody sends anything"):
        cabling.draw_demand(idle, Canvas())
    assert list(cabling.draw_all(idle, Canvas())) == ["circuits"]


@pytest.mark.parametrize("page", [[], ["xfabric"]])
def test_help_reads_as_kept(gossamer: Command, page: list[str]) -> None:
    help_page = gossamer("topology", *page, "--help")
    assert help_page.status == 0
    assert max(map(len, help_page.out.splitlines())) <= 100
    assert_snapshot("topology-xfabric-help" if page else "help-topology", help_page.out)


def test_commands_are_listed(gossamer: Command) -> None:
    assert gossamer("topology").out == gossamer("topology", "--help").out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--demand", "none.csv"], "error: none.csv: No such file or directory\n"),
        (["--demand", "demand.csv", "--set", "tie=3"], "error: tie: no such setting; did you mean ties?\n"),
        (
            ["--demand", "demand.csv", "--uplinks", "7"],
            "error: uplinks = 7: expected a whole number from 0 to 6\n",
        ),
        (
            ["--demand", "demand.csv", "--set", "seed"],
            "error: --set seed: expected KEY=VALUE, such as --set ties=by-number\n",
        ),
        (
            ["--demand", "demand.csv", "--failed", "web-7"],
            "error: failed web-7: there is no such SoC; did you mean web-0?\n",
        ),
        (
            ["--demand", "demand.csv", "--previous", "demand.csv"],
            "error: demand.csv: this is no configuration that `gossamer topology xfabric` has written: expected value "
            "at line 1 column 1\n",
        ),
        (
            ["--demand", "wrong.csv"],
            "error: wrong.csv: line 2, column 3: `many` is no number of bytes; write 0 or more, such as 1500 or "
            "1.5e6\n",
        ),
        (
            ["--demand", "latin.csv"],
            "error: latin.csv: byte 25 is not UTF-8 text; save it as UTF-8\n",
        ),
    ],
)
def test_bad_input_is_answered(gossamer: Command, demand: Path, words: list[str], message: str) -> None:
    demand.with_name("wrong.csv").write_text("source,destination,bytes\na,b,many\n")
    demand.with_name("latin.csv").write_bytes("source,destination,bytes\nä,b,1\n".encode("latin-1"))
    result = gossamer("topology", "xfabric", *words)
    assert (result.status, result.out, result.err) == (2, "", message)


def test_a_demand_is_needed(gossamer: Command) -> None:
    result = gossamer("topology", "xfabric")
    assert (result.status, result.err.splitlines()[0]) == (2, "error: Missing option '--demand'.")


def test_rows_of_a_matrix_are_checked_like_a_file() -> None:
    with pytest.raises(InputError) as caught:
        topology.xfabric([[0, -1], [0, 0]])
    message = "demand: line 1, column 2: `-1` is no number of bytes; write 0 or more, such as 1500 or 1.5e6"
    assert str(caught.value) == message
