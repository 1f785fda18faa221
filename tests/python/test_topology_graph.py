"""`gossamer topology list`, `draw` and `export`: names of nodes and links, and files that can be read again."""

import csv
import json
import re
from pathlib import Path

import pytest

from conftest import ROOT, SMALL, Command
from gossamer import InputError, check, topology

RACKS = SMALL.replace(
    'kind = "star"\nhosts = 2\nrate = "10 Gb/s"\ndelay = "1 us"\n',
    """\
kind = "leaf-spine"
leaves = 2
spines = 2
hosts_per_leaf = 2
rate = "10 Gb/s"
delay = "1 us"
links.leaf-spine.rate = "40 Gb/s"
link = [{ from = "leaf-0", to = "spine-1", both = false, delay = "3 us" }]
""",
)
FROM_A_FILE = '[topology]\nkind = "file"\npath = "network.json"\n\n[fabric]'
TWO = SMALL + '\n[[variant]]\nname = "few"\n\n[[variant]]\nname = "more"\ntopology.hosts = 5\n'
ATTRIBUTES = {"node": ["id", "kind", "tier"], "link": ["source", "target", "class", "rate", "delay", "queue"]}


@pytest.fixture
def racks(folder: Path) -> Path:
    """An experiment whose cables are not all alike."""
    path = folder / "racks.toml"
    path.write_text(RACKS)
    return path


def test_nodes_and_links_have_names(gossamer: Command, racks: Path) -> None:
    told = json.loads(gossamer("topology", "list", racks, "--json").out)
    assert [node["name"] for node in told["nodes"]] == [
        *(f"host-{number}" for number in range(4)),
        *("leaf-0", "leaf-1", "spine-0", "spine-1"),
    ]
    assert told["nodes"][4] == {"name": "leaf-0", "kind": "switch", "tier": 1, "links": 4}
    links = {link["name"]: link for link in told["links"]}
    assert len(links) == 16
    assert links["leaf-0 -> spine-1"] == {
        "name": "leaf-0 -> spine-1",
        "source": "leaf-0",
        "target": "spine-1",
        "class": "leaf-spine",
        "direction": "up",
        "rate_bps": 40_000_000_000,
        "delay_ps": 3_000_000,
        "queue_bytes": None,
    }
    assert (links["spine-1 -> leaf-0"]["direction"], links["spine-1 -> leaf-0"]["delay_ps"]) == ("down", 1_000_000)


def test_names_are_chosen_by_pattern(gossamer: Command, racks: Path) -> None:
    shown = gossamer("topology", "list", racks, "--only", "leaf-0 -> *")
    assert (shown.status, shown.err) == (0, "")
    assert re.findall(r"^leaf-0 -> \S+", shown.out, re.MULTILINE) == [
        f"leaf-0 -> {name}" for name in ("host-0", "host-1", "spine-0", "spine-1")
    ]
    printed = gossamer("topology", "list", racks, "--links", "--only", "host-*", "--csv").out
    rows = list(csv.DictReader(printed.splitlines()))
    assert {row["class"] for row in rows} == {"host-leaf"}
    assert len(rows) == 8


def test_what_is_exported_is_read_as_the_same(gossamer: Command, racks: Path, folder: Path) -> None:
    assert gossamer("topology", "export", racks, "--out", "network.json").status == 0
    again = re.sub(r"\[topology\].*?\[fabric\]", FROM_A_FILE, RACKS, flags=re.DOTALL)
    (folder / "again.toml").write_text(again)
    first, second = topology.graph(racks), topology.graph(folder / "again.toml")
    assert (first["nodes"], first["links"]) == (second["nodes"], second["links"])
    assert json.loads(first["node_link"])["links"] == json.loads(second["node_link"])["links"]


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_it_is_drawn(gossamer: Command, racks: Path, folder: Path, ending: str) -> None:
    drawn = gossamer("topology", "draw", racks, "--out", f"racks.{ending}")
    assert (drawn.status, drawn.out) == (0, f"wrote racks.{ending}\n")
    written = (folder / f"racks.{ending}").read_bytes()
    assert written.startswith({"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF"}[ending])
    if ending == "svg":
        assert all(name in written.decode() for name in ("host-3", "leaf-1", "spine-0", "leaf-spine"))


def test_the_graph_of_a_run(gossamer: Command, folder: Path) -> None:
    (folder / "two.toml").write_text(TWO)
    assert len(topology.graph(folder / "two.toml")["nodes"]) == 3
    assert len(topology.graph(folder / "two.toml", run="more")["nodes"]) == 6
    wrong = gossamer("topology", "list", "two.toml", "--run", "mor")
    assert (wrong.status, wrong.err) == (2, "error: two.toml has no run 'mor': did you mean 'more'?\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["list", "small.toml", "--csv"], "error: --csv prints one table: add --nodes or --links\n"),
        (
            ["list", "small.toml", "--only", "leaf*"],
            "error: --only 'leaf*': nothing has that name; names look like 'host-0 -> switch-0'\n",
        ),
        (
            ["export", "small.toml", "--out", "small.toml"],
            "error: small.toml: already exists and is not overwritten: name another file\n",
        ),
        (
            ["draw", "small.toml", "--out", "small.gif"],
            "error: small.gif: expected a name that ends in .png, .svg or .pdf\n",
        ),
        (["list", "smal.toml"], "error: smal.toml: no such file; did you mean small.toml?\n"),
    ],
)
def test_bad_input(gossamer: Command, arguments: list[str], message: str) -> None:
    ended = gossamer("topology", *arguments)
    assert (ended.status, ended.out, ended.err) == (2, "", message)


def test_every_attribute_of_the_documentation_is_read() -> None:
    """The tables of docs/topology.md against what the reader calls an attribute: a name one letter off is refused."""
    page = (ROOT / "docs" / "topology.md").read_text(encoding="utf-8")
    for kind, words in ATTRIBUTES.items():
        table = re.search(rf"^\| of a {kind} .*?\n\n", page, re.MULTILINE | re.DOTALL)
        assert table is not None
        documented = re.findall(r"^\| `(\w+)`", table[0], re.MULTILINE)
        assert documented == words
        for word in (name for name in documented if len(name) > 3):
            with pytest.raises(InputError, match=f"a {kind} has the attribute `{word}x`; did you mean `{word}`"):
                read(kind, f"{word}x")


def read(kind: str, attribute: str) -> None:
    """Check an experiment over a file in which one more attribute is written."""
    nodes: list[dict[str, object]] = [{"id": name} for name in ("a", "b", "s")]
    links: list[dict[str, object]] = [{"source": name, "target": "s"} for name in ("a", "b")]
    (nodes if kind == "node" else links)[0][attribute] = None
    folder = Path("network.json")
    folder.write_text(json.dumps({"nodes": nodes, "links": links}))
    try:
        check(
            {
                "seed": 1,
                "topology": {"kind": "file", "path": str(folder.resolve())},
                "workload": [{"kind": "permutation"}],
            }
        )
    finally:
        folder.unlink()
