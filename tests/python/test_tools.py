"""The checks of the checkout itself: can each of them fail?"""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT, SNAPSHOTS

sys.path.insert(0, str(ROOT / "tools"))
import docs
import layers
import python_types
import shell

PAGE = """\
# Architecture

## Floors

| Floor | Crate | What lives there |
|---|---|---|
| 1 | units | integers |
| 2 | `engine` | time |
| 3 | fabric | the contract |

## Elsewhere

| 9 | nothing | here |
"""


class TestLayers:
    def test_the_table_is_read(self) -> None:
        assert layers.floors(PAGE) == {"units": 1, "engine": 2, "fabric": 3}

    def test_downwards_is_right(self) -> None:
        assert (
            layers.problems(layers.floors(PAGE), {"units": [], "engine": ["units"], "fabric": ["engine", "units"]})
            == []
        )

    def test_everything_else_is_named(self) -> None:
        uses = {"units": ["engine"], "engine": [], "ethernet": ["fabric"]}
        assert layers.problems(layers.floors(PAGE), uses) == [
            "ethernet is in the workspace but on no floor of ARCHITECTURE.md",
            "fabric is on a floor of ARCHITECTURE.md but not in the workspace",
            "units (floor 1) uses engine (floor 2), which is not lower",
        ]

    def test_the_same_floor_is_not_lower(self) -> None:
        floors = {"topology": 3, "results": 3}
        assert layers.problems(floors, {"topology": ["results"], "results": []}) == [
            "topology (floor 3) uses results (floor 3), which is not lower"
        ]

    def test_edges_come_from_the_metadata(self) -> None:
        dependencies = [
            {"name": "units", "path": "crates/units", "kind": None},
            {"name": "engine", "path": "crates/engine", "kind": "dev"},
            {"name": "fabric", "path": "crates/fabric", "kind": "dev"},
            {"name": "serde"},
        ]
        packages = [{"name": "fabric", "dependencies": dependencies}] + [
            {"name": name, "dependencies": []} for name in ("units", "engine")
        ]
        assert layers.edges({"packages": packages}) == {"fabric": ["engine", "units"], "units": [], "engine": []}

    @pytest.mark.parametrize(
        ("page", "message"),
        [
            ("# Architecture\n", "layers: ARCHITECTURE.md has no heading `## Floors`"),
            ("## Floors\nnone\n", "layers: ARCHITECTURE.md has no rows `| floor | crate | ... |` under `## Floors`"),
            ("## Floors\n| 1 | a | |\n| 2 | a | |\n", "layers: ARCHITECTURE.md lists a twice"),
        ],
    )
    def test_a_page_that_says_nothing_is_an_error(self, page: str, message: str) -> None:
        with pytest.raises(SystemExit) as caught:
            layers.floors(page)
        assert str(caught.value) == message


class TestDocs:
    def block(self, language: str, text: str) -> docs.Block:
        return docs.Block(ROOT / "CONTRIBUTING.md", 7, language, text)

    def test_blocks_are_found_with_their_lines(self, tmp_path: Path) -> None:
        page = tmp_path / "page.md"
        page.write_text("text\n```toml\nseed = 1\n```\n```\nplain\n```\n")
        assert list(docs.blocks(page)) == [
            docs.Block(page, 3, "toml", "seed = 1\n"),
            docs.Block(page, 6, "", "plain\n"),
        ]

    def test_an_excerpt_is_checked(self) -> None:
        assert docs.check_toml(self.block("toml", '[fabric]\nqueue = "50 packets"\n')) is None
        wrong = docs.check_toml(self.block("toml", '[fabric]\nqueeu = "50 packets"\n'))
        assert wrong is not None
        assert wrong.startswith("CONTRIBUTING.md:7: ")
        assert "queue" in wrong

    def test_a_block_of_commands_says_so(self) -> None:
        assert docs.check_language(self.block("sh", "gossamer list\n")) is None
        assert docs.check_language(self.block("", "results/\n  experiment.toml\n")) is None
        complaint = docs.check_language(self.block("", "gossamer list\n"))
        assert complaint == "CONTRIBUTING.md:7: commands in a block without a language: write ```sh or ```console"

    def test_python_is_run(self) -> None:
        names: dict[str, object] = {}
        assert list(docs.run_python(self.block("python", "x = 1\n"), names, None)) == []
        assert list(docs.run_python(self.block("python", "assert x == 1\n"), names, None)) == []
        (wrong,) = docs.run_python(self.block("python", "assert x == 2\n"), names, None)
        assert "AssertionError" in wrong.what

    def test_what_python_prints_is_compared(self) -> None:
        block = self.block("python", "print(1 + 1)\n")
        assert list(docs.run_python(block, {}, self.block("text", "2\n"))) == []
        (wrong,) = docs.run_python(block, {}, self.block("text", "3\n"))
        assert (wrong.what, wrong.shown, wrong.printed) == ("prints something else:\n2", ("3",), ("2",))

    def test_only_a_block_directly_below_is_output(self) -> None:
        page = ROOT / "CONTRIBUTING.md"
        python = docs.Block(page, 10, "python", "print(1)\nprint(2)\n")
        assert docs.is_output(docs.Block(page, 15, "text", "1\n2\n"), python)
        assert not docs.is_output(docs.Block(page, 17, "text", "1\n2\n"), python)
        assert not docs.is_output(docs.Block(page, 15, "toml", "a = 1\n"), python)

    def test_pages_are_put_right(self, tmp_path: Path) -> None:
        page = tmp_path / "page.md"
        page.write_text("```console\n$ one\n1\n2\n$ two\nb\n```\n")
        found = [
            docs.Wrong("page.md:2: one", "prints something else", 3, ("1", "2"), ("1",)),
            docs.Wrong("page.md:5: two", "prints something else", 6, ("b",), ("c", "d")),
            docs.Wrong("page.md:9: three", "fails"),
        ]
        assert docs.put_right(page, found) == found[2:]
        assert page.read_text() == "```console\n$ one\n1\n$ two\nc\nd\n```\n"

    def test_links_lead_somewhere(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(docs, "ROOT", tmp_path)
        page = tmp_path / "page.md"
        page.write_text("[here](page.md#top) [web](https://example.org) [gone](gone.md)\n```\n[code](x)\n```\n")
        assert list(docs.check_links(page)) == ["page.md: the link to gone.md leads nowhere"]


class TestShell:
    """Commands of pages: found, carried out in order, compared."""

    def commands(self, text: str) -> "list[shell.Command]":
        return list(shell.find(text, 7, console=True))

    def wrong(self, text: str, folder: Path) -> "list[tuple[int, str]]":
        return [(command.line, what) for command, what, _ in shell.carry_out(self.commands(text), folder)]

    def test_commands_and_what_they_print_are_found(self) -> None:
        text = "$ one \\\n  --more\n1\n2\n$ two   # a comment\n"
        assert self.commands(text) == [
            shell.Command(7, "one \\\n  --more", ["1", "2"]),
            shell.Command(11, "two   # a comment", None),
        ]
        assert list(shell.find("cat > a <<END\nx = 1\nEND\n\n# comment\nls\n", 3, console=False)) == [
            shell.Command(3, "cat > a <<END\nx = 1\nEND"),
            shell.Command(8, "ls"),
        ]

    @pytest.mark.parametrize(
        ("line", "complaint"),
        [
            ("gossamer run experiments/quickstart.toml --threads 2", None),
            ("gossamer run quickstart.toml --json | jq .", None),
            ("gossamer schema > schema.json", None),
            ("gossamer --help", None),
            ("make run FILE=other.toml", None),
            ("gossamer run quickstart.toml --thread 2", "No such option '--thread'. Did you mean '--threads'?"),
            ("gossamer rum quickstart.toml", "no command 'rum': did you mean 'run'?"),
            ("gossamer topology lsit quickstart.toml", "no command 'lsit': did you mean 'list'?"),
            ("make everything", "the Makefile has no target 'everything'"),
        ],
    )
    def test_commands_are_parsed(self, line: str, complaint: str | None) -> None:
        assert shell.examine(shell.Command(1, line)) == complaint

    def test_commands_are_carried_out_in_order(self, tmp_path: Path) -> None:
        page = "$ cd $(mkdir -p there && echo there)\n$ echo 5 > number\n$ cat number\n5\n$ pwd\n.../there\n"
        assert self.wrong(page, tmp_path) == []
        assert (tmp_path / "there" / "number").read_text() == "5\n"

    def test_a_command_that_fails_is_named(self, tmp_path: Path) -> None:
        assert self.wrong("$ echo all right\n$ cat nothing 2> /dev/null\n", tmp_path) == [(8, "fails:\n")]
        assert self.wrong("$ (echo error: no; exit 2)\nerror: no\n", tmp_path) == []
        assert self.wrong("$ echo error: no\nerror: no\n", tmp_path) == [(7, "should fail, and does not:\nerror: no")]

    def test_what_is_printed_is_compared(self, tmp_path: Path) -> None:
        assert self.wrong("$ seq 3\n1\n3\n", tmp_path) == [(7, "prints something else:\n1\n2\n3")]

    @pytest.mark.parametrize(
        ("shown", "same"),
        [
            (["a 12 b", "c", "d"], True),
            (["a ... b", "c", "d"], True),
            (["a 12 b", "..."], True),
            (["...", "d"], True),
            (["a 12 b", "...", "c", "d"], True),
            (["a ... c", "c", "d"], False),
            (["a 12 b", "d"], False),
            (["..."], True),
        ],
    )
    def test_dots_stand_for_anything(self, shown: list[str], same: bool) -> None:
        assert shell.alike(shown, ["a 12 b", "c  ", "d", ""]) is same

    def test_what_takes_long_is_only_checked(self, tmp_path: Path) -> None:
        (tmp_path / "mine.toml").write_text("seed = 1\n")
        page = "$ gossamer run mine.toml --threads 2 --set seed=2   # takes hours\ndone\n"
        ((line, what),) = self.wrong(page, tmp_path)
        assert line == 7
        assert what.startswith("fails:\nerror: mine.toml")
        assert not (tmp_path / "results").exists()
        assert self.wrong("$ gossamer reproduce stardust  # takes hours\n$ make test\n", tmp_path) == []


class TestSetup:
    """What is missing on a machine is named in one line."""

    def machine(
        self, tmp_path: Path, *programs: str, step: str = "machine", **fakes: str
    ) -> "subprocess.CompletedProcess[str]":
        """Run one step with only these programs to be found."""
        here = tmp_path / "bin"
        here.mkdir()
        for program in ("sh", "dirname", "sed", "cut", "sort", "head", "printf", *programs):
            found = sys.executable if program == "python3" else shutil.which(program)
            assert found, program
            # A virtual environment's python finds its library by its own path: call it, do not link it.
            (here / program).write_text(f'#!/bin/sh\nexec {found} "$@"\n')
            (here / program).chmod(0o755)
        for program, output in fakes.items():
            (here / program).write_text(f"#!/bin/sh\n{output}\n")
            (here / program).chmod(0o755)
        shell = shutil.which("sh")
        assert shell
        environment = {key: value for key, value in os.environ.items() if key not in ("PYTHON", "VENV")}
        return subprocess.run(
            [shell, ROOT / "tools" / "setup.sh", step],
            env={**environment, "PATH": str(here)},
            capture_output=True,
            text=True,
            check=False,
        )

    def test_a_machine_with_everything_is_ready(self, tmp_path: Path) -> None:
        ready = self.machine(tmp_path, "python3", rustc="echo 'rustc 1.999.0 (x)'", cargo="", cc="")
        assert (ready.returncode, ready.stdout, ready.stderr) == (0, "", "")

    @pytest.mark.parametrize(
        ("programs", "fakes", "line"),
        [
            ([], {}, "make: Python is missing: install Python 3.11 or newer, or name one with PYTHON=..."),
            (
                [],
                {"python3": 'case "$2" in *version_info*) exit 1;; *) echo 3.9.2;; esac'},
                "make: Python 3.11 or newer is needed, python3 is 3.9.2: name another with PYTHON=...",
            ),
            (
                [],
                {"python3": 'case "$2" in *ensurepip*) exit 1;; esac'},
                "make: Python's venv module is missing: install it "
                "(on Debian and Ubuntu: apt-get install python3-venv)",
            ),
            (["python3"], {}, "make: Rust is missing: install it from https://rustup.rs"),
            (
                ["python3"],
                {"rustc": "echo 'rustc 1.70.0 (x)'", "cargo": ""},
                "make: Rust 1.89 or newer is needed, rustc is 1.70.0: run `rustup update`",
            ),
            (
                ["python3"],
                {"rustc": "echo 'rustc 1.999.0 (x)'", "cargo": ""},
                "make: a C compiler is missing, which Rust links with: install one "
                "(on Debian and Ubuntu: apt-get install gcc libc6-dev)",
            ),
        ],
    )
    def test_what_is_missing(self, tmp_path: Path, programs: list[str], fakes: dict[str, str], line: str) -> None:
        checked = self.machine(tmp_path, *programs, **fakes)
        assert (checked.returncode, checked.stdout, checked.stderr) == (2, "", line + "\n")

    def test_lints_need_components_that_rustup_may_leave_out(self, tmp_path: Path) -> None:
        checked = self.machine(tmp_path, step="tests", cargo='[ "$1" = fmt ]')
        line = "make: rustfmt or clippy is missing: run `rustup component add rustfmt clippy`\n"
        assert (checked.returncode, checked.stdout, checked.stderr) == (2, "", line)


def test_every_dependency_is_justified() -> None:
    """A library that is added without a line on why fails here."""
    workspace = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["dependencies"]
    rust = {name for name, entry in workspace.items() if not (isinstance(entry, dict) and "path" in entry)}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    listed = [*project["project"]["dependencies"], *project["dependency-groups"]["test"]]
    python = {re.split(r"[<>=]", requirement)[0] for requirement in listed}
    justified = set(re.findall(r"`([a-z0-9_-]+)`", (ROOT / "docs" / "dependencies.md").read_text()))
    assert rust | python <= justified


def test_every_direct_dependency_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    for file, wanted in (
        ("requirements.lock", project["project"]["dependencies"]),
        ("requirements-dev.lock", project["dependency-groups"]["test"]),
    ):
        pinned = set((ROOT / "requirements.lock").read_text().splitlines()) | set(
            (ROOT / file).read_text().splitlines()
        )
        names = {line.split("==")[0].replace("_", "-") for line in pinned if "==" in line}
        assert {re.split(r"[<>=]", requirement)[0] for requirement in wanted} <= names


def test_the_makefile_lists_its_targets() -> None:
    listed = subprocess.run(
        ["make", "--no-print-directory"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    for target in ("help", "install", "run", "test", "bench", "docs", "site", "wheel", "reproduce", "clean"):
        assert f"make {target} " in listed


def test_every_snapshot_has_its_test() -> None:
    """A snapshot whose test is gone or has another name would be kept for ever, and compared with nothing."""
    for file in ROOT.glob("crates/**/*.snap"):
        source = re.search(r"^source: (.*)$", file.read_text(), flags=re.MULTILINE)
        assert source, file
        test = file.stem.rpartition("__")[2]
        assert re.search(rf"\bfn {test}\(", (ROOT / source[1]).read_text()), f"no test writes {file}"
    tests = "".join(file.read_text() for file in (ROOT / "tests" / "python").glob("test_*.py"))
    named = set(re.findall(r"assert_snapshot\(\s*f?\"([^\"]+)\"", tests))
    patterns = [re.compile(re.sub(r"\\{.*?\\}", ".+", re.escape(name))) for name in named]
    for file in SNAPSHOTS.glob("*"):
        assert any(pattern.fullmatch(file.stem) for pattern in patterns), f"no test writes {file}"


def test_crates_without_documentation_tests_have_no_examples_to_test() -> None:
    """`doctest = false` saves compiling nothing, and must not keep an example from being tried."""
    for manifest in [*ROOT.glob("crates/*/Cargo.toml"), ROOT / "benches" / "Cargo.toml"]:
        library = tomllib.loads(manifest.read_text()).get("lib", {})
        for source in manifest.parent.rglob("*.rs") if library.get("doctest") is False else ():
            fences = re.findall(r"^\s*//[/!]\s*```(\w*)", source.read_text(), flags=re.MULTILINE)
            assert set(fences[::2]) <= {"text"}, f"{source} has an example: remove doctest = false from {manifest}"


SCHEMA: dict[str, Any] = {
    "properties": {"plan": {"type": "array", "items": {"$ref": "#/$defs/Rack"}}},
    "$defs": {
        "Kind": {
            "description": "What a device is.",
            "oneOf": [
                {"type": "string", "const": "node", "description": "It sends."},
                {"type": "string", "const": "switch", "description": "It passes on what [`Kind::Node`] sends."},
            ],
        },
        "Link": {
            "type": "object",
            "description": "A cable.",
            "properties": {
                "class": {"type": "string", "description": "Its name."},
                "ends": {
                    "type": "array",
                    "prefixItems": [{"type": "integer"}, {"type": "number"}],
                    "description": "2.",
                },
            },
            "required": ["class", "ends"],
        },
        "Rack": {
            "type": "object",
            "description": "A rack (App. A).\nIt has devices.",
            "properties": {
                "kind": {"$ref": "#/$defs/Kind", "description": "Of its devices."},
                "links": {"type": "array", "items": {"$ref": "#/$defs/Link"}, "description": "Its cables."},
                "watts": {"type": ["number", "null"], "description": "What it draws; null if\nthat is not known."},
                "prices": {
                    "anyOf": [{"type": "object", "additionalProperties": {"type": "number"}}, {"type": "null"}],
                    "description": "By part.",
                },
                "unit": {"type": "string", "enum": ["usd", "w"], "description": "Of numbers."},
                "extra": {"description": "Anything."},
            },
            "required": ["kind", "links", "watts", "prices", "unit"],
        },
    },
}


TYPES = '''\
from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

Kind: TypeAlias = Literal["node", "switch"]
"""What a device is.

- `node`: It sends.
- `switch`: It passes on what `Kind::Node` sends.
"""


Link = TypedDict(
    "Link",
    {
        "class": str,
        "ends": list[int | float],
    },
)
"""A cable.

- `class`: Its name.
- `ends`: 2.
"""


class Rack(TypedDict):
    """A rack (App. A).

    It has devices.
    """

    kind: Kind
    """Of its devices."""
    links: list[Link]
    """Its cables."""
    watts: float | None
    """What it draws; None if that is not known."""
    prices: dict[str, float] | None
    """By part."""
    unit: Literal["usd", "w"]
    """Of numbers."""
    extra: NotRequired[Any]
    """Anything."""
'''


def test_types_are_written_from_a_schema() -> None:
    docstring, _, code = python_types.module(json.dumps(SCHEMA)).partition("\n\nfrom")
    assert "from" + code == TYPES
    assert "make docs" in docstring


@pytest.mark.parametrize(
    ("definition", "message"),
    [
        ({"Sum2": {"enum": ["a"], "description": "Words."}}, "Sum2: two structures have this name"),
        ({"Sum": {"type": "object", "description": "A sum.", "properties": {"of": {}}}}, "Sum: of has no comment"),
        ({"Sum": {"enum": ["a"]}}, "Sum: the comment in Rust must begin with a sentence"),
        ({"Sum": {"enum": ["a"], "description": "word " * 30}}, "Sum: the comment in Rust must begin with a sentence"),
        ({"Sum": {"type": "string", "description": "A sum."}}, "Sum is neither a structure nor words"),
        (
            {"Sum": {"description": "A sum.", "properties": {"of": {"not": {}, "description": "What."}}}},
            "no Python type for",
        ),
    ],
)
def test_a_schema_without_good_types_is_refused(definition: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        python_types.module(json.dumps({"properties": {}, "$defs": definition}))
