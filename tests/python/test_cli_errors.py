"""Every way in which input can be wrong: one message with the cure, exit status 2, nothing overwritten."""

import subprocess
import sys
from pathlib import Path

import pytest

from conftest import SMALL, Command, process

RUN = "\nsee `gossamer run --help`\n"
VALUE = "error: Invalid value for"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chek", "x"], "error: no command 'chek': did you mean 'check'?\nsee `gossamer --help`\n"),
        (["run"], "error: Missing argument 'FILE'." + RUN),
        (
            ["run", "small.toml", "--thread", "2"],
            "error: No such option '--thread'. Did you mean '--threads'?" + RUN,
        ),
        (
            ["run", "small.toml", "--threads", "0"],
            f"{VALUE} '--threads': 0 is not in the range 1<=x<=4096.{RUN}",
        ),
        (
            ["run", "small.toml", "--wall-limit", "10x"],
            f"{VALUE} '--wall-limit': '10x' is not a length of time: write 90s, 10m or 2h{RUN}",
        ),
        (
            ["run", "small.toml", "--plots", "png,sgv"],
            f"{VALUE} '--plots': no 'sgv' here: did you mean 'svg'?{RUN}",
        ),
        (
            ["run", "small.toml", "--format", "xlsx"],
            f"{VALUE} '--format': no 'xlsx' here: expected one of csv and parquet{RUN}",
        ),
        (["run", "smal.toml"], "error: smal.toml: no such file; did you mean small.toml?\n"),
        (["check", "nothing/at/all.toml"], "error: nothing/at/all.toml: no such file\n"),
        (["run", "."], "error: .: is a folder, not an experiment file; did you mean small.toml?\n"),
        (["report", "nowhere"], "error: nowhere: no such folder; expected the results folder of an experiment\n"),
        (["report", "."], "error: . is not a results folder: it has neither manifest.json nor runs/*/*.arrow\n"),
        (
            ["list", "transport"],
            "error: no list of 'transport': did you mean 'transports'?\n",
        ),
        (["reproduce", "stardus"], "error: no paper 'stardus': did you mean 'stardust'?\n"),
        (
            ["reproduce", "stardust", "fig10a-througput"],
            "error: stardust has no claim 'fig10a-througput': did you mean 'fig10a-throughput'?\n",
        ),
        (
            ["reproduce", "stardust", "--quick", "--write-docs"],
            "error: --write-docs records full runs: omit --quick\n",
        ),
        (
            ["reproduce"],
            "error: no paper named: expected one of an3, fastpod, shoal, stardust, xfabric and all, as in "
            "`gossamer reproduce an3`\n",
        ),
    ],
)
def test_message_and_status(gossamer: Command, arguments: list[str], message: str) -> None:
    result = gossamer(*arguments)
    assert result.err == message
    assert (result.status, result.out) == (2, "")


def test_what_the_core_refuses_is_said_once(gossamer: Command, folder: Path) -> None:
    (folder / "wrong.toml").write_text(SMALL.replace("seed", "sead"))
    for command in ("check", "run"):
        result = gossamer(command, "wrong.toml")
        assert result.status == 2
        assert result.err.startswith("error: wrong.toml:1")
        assert "sead" in result.err
        assert "seed" in result.err
        assert not (folder / "results").exists()


def test_an_override_is_checked_like_the_file(gossamer: Command) -> None:
    result = gossamer("check", "small.toml", "--set", "topology.hots=4")
    assert result.status == 2
    assert "hosts" in result.err


def test_text_that_is_not_utf_8(gossamer: Command, folder: Path) -> None:
    (folder / "latin.toml").write_bytes(b'seed = 1\ntitle = "caf\xe9"\n')
    result = gossamer("run", "latin.toml")
    assert result == (
        result.__class__(2, "", "error: latin.toml:2: not UTF-8 text (byte 0xe9 at offset 21): save it as UTF-8\n")
    )


class TestOut:
    """`--out` names a new folder or an empty one."""

    def test_a_folder_with_something_in_it_is_refused(self, gossamer: Command, folder: Path) -> None:
        (folder / "mine").mkdir()
        (folder / "mine" / "thesis.txt").write_text("years of work")
        result = gossamer("run", "small.toml", "--out", "mine")
        assert result.status == 2
        assert result.err.splitlines()[-1] == (
            "error: mine: the folder is not empty, and nothing in it is overwritten: "
            "name another with --out, or omit --out"
        )
        assert [file.name for file in (folder / "mine").iterdir()] == ["thesis.txt"]

    def test_a_file_is_refused(self, gossamer: Command, folder: Path) -> None:
        (folder / "mine").write_text("years of work")
        result = gossamer("run", "small.toml", "--out", "mine")
        assert result.status == 2
        assert (
            result.err.splitlines()[-1] == "error: mine: is a file, but results need a folder: name another with --out"
        )
        assert (folder / "mine").read_text() == "years of work"

    @pytest.mark.skipif(sys.platform != "linux", reason="where nobody may write, not even root")
    def test_a_place_where_nobody_may_write_is_named(self, gossamer: Command) -> None:
        result = gossamer("run", "small.toml", "--out", "/proc/results")
        assert result.status == 2
        assert result.err.splitlines()[-1].startswith("error: /proc/results: results cannot be written there: ")

    def test_a_file_named_results_is_in_the_way(self, gossamer: Command, folder: Path) -> None:
        (folder / "results").write_text("")
        result = gossamer("run", "small.toml")
        assert result.status == 2
        assert result.err.splitlines()[-1] == "error: results: results cannot be written there: File exists"


class TestNew:
    """`gossamer new` writes where nothing is."""

    def test_an_existing_file_stays(self, gossamer: Command, folder: Path) -> None:
        result = gossamer("new", "small.toml")
        assert result.status == 2
        assert result.err == "error: small.toml: already exists and is not overwritten: name another file\n"
        assert (folder / "small.toml").read_text() == SMALL

    def test_a_folder_that_is_not_there(self, gossamer: Command) -> None:
        result = gossamer("new", "there/mine.toml")
        assert (result.status, result.err) == (
            2,
            "error: there/mine.toml: cannot be written: No such file or directory\n",
        )

    def test_an_unknown_kind_names_the_known_ones(self, gossamer: Command, folder: Path) -> None:
        result = gossamer("new", "incats")
        assert result.status == 2
        assert result.err.startswith('error: there is no template "incats"')
        assert "incast" in result.err
        assert not (folder / "incats.toml").exists()


def test_tables_that_find_no_room(folder: Path) -> None:
    """A limit on file sizes stands in for a full disk: the system refuses to write on."""
    (folder / "large.toml").write_text(SMALL.replace("hosts = 2", "hosts = 500"))
    program = (
        "import resource, sys\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (16384, 16384))\n"
        "sys.argv = ['gossamer', 'run', 'large.toml']\n"
        "from gossamer.cli import main\n"
        "main()\n"
    )
    command = [sys.executable, "-c", program]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    last = ended.stderr.splitlines()[-1]
    assert ended.returncode == 2
    assert last.startswith("error: run run: results/large/runs/run/")
    assert last.endswith(".arrow: cannot write: File too large (os error 27); what was written before is kept")
    assert "Traceback" not in ended.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="a disk that is always full")
def test_output_to_a_full_disk(folder: Path) -> None:
    with Path("/dev/full").open("w") as full:
        result = subprocess.run(
            [sys.executable, "-m", "gossamer", "schema"], stdout=full, stderr=subprocess.PIPE, text=True, cwd=folder
        )
    assert (result.returncode, result.stderr) == (2, "error: the output: No space left on device\n")


def test_a_reader_that_leaves_early_is_no_error(folder: Path) -> None:
    running = process("schema", cwd=folder)
    assert running.stdout is not None
    assert running.stderr is not None
    running.stdout.close()
    assert running.wait(60) == 0
    assert running.stderr.read() == ""
    running.stderr.close()
