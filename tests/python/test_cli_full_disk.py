"""A disk that fills while tables or the report are written: the cause, the numbers so far, a manifest that is true."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import SMALL

SWEPT = SMALL.replace("hosts = 2", "hosts = 4") + "\n[sweep]\ntopology.hosts = [2, 600]\n"
DISK = "mount -t tmpfs -o size={size}k none {disk} && "
"""A file system of its own for one process, which root may have."""


def on_a_small_disk(size: int, folder: Path, text: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run `arguments` with results on a disk of `size` KiB; the manifest is copied from there to `manifest.json`."""
    disk = folder / "disk"
    disk.mkdir()
    command = f"{sys.executable} -m gossamer run swept.toml --threads 1 --out {disk}/results {' '.join(arguments)}"
    keep = f"; status=$?; cp {disk}/results/manifest.json {folder}/manifest.json; exit $status"
    (folder / "swept.toml").write_text(text)
    return subprocess.run(
        ["unshare", "-m", "sh", "-c", DISK.format(size=size, disk=disk) + "{ " + command + keep + "; }"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture(autouse=True)
def _may_mount(tmp_path: Path) -> None:
    if shutil.which("unshare") is None:
        pytest.skip("no unshare")
    place = tmp_path / "probe"
    place.mkdir()
    line = DISK.format(size=64, disk=place) + "true"
    if subprocess.run(["unshare", "-m", "sh", "-c", line], capture_output=True, check=False).returncode:
        pytest.skip("only root may mount a small disk")


@pytest.mark.parametrize("arguments", [(), ("--no-report",)])
def test_while_tables_are_written(folder: Path, arguments: tuple[str, ...]) -> None:
    ended = on_a_small_disk(160, folder, SWEPT, *arguments)
    assert ended.returncode == 2, ended.stdout + ended.stderr
    last = ended.stderr.splitlines()[-1]
    assert last.startswith("error: run hosts=600: ")
    assert "cannot write: No space left on device (os error 28); what was written before is kept" in last
    lines = ended.stdout.splitlines()
    assert any(line.startswith("hosts=2 ") and "Gb/s" in line for line in lines), "numbers of the finished run"
    assert lines[-1].startswith("resume:  gossamer run swept.toml ")
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["status"] == "failed"
    assert [run["status"] for run in manifest["runs"]] == ["done", "failed"]
    assert "No space left on device" in manifest["runs"][1]["message"]
    assert "Traceback" not in ended.stderr


def test_while_the_report_is_written(folder: Path) -> None:
    ended = on_a_small_disk(400, folder, SWEPT.replace("600", "4"))
    assert ended.returncode == 2, ended.stdout + ended.stderr
    assert ended.stderr.splitlines()[-1].endswith("/report.html cannot be written: No space left on device")
    lines = ended.stdout.splitlines()
    assert all("Gb/s" in line for line in lines[1:3]), "numbers of all runs"
    assert lines[-1].startswith("results: "), "there is nothing to run again"
    manifest = json.loads((folder / "manifest.json").read_text())
    assert [manifest["status"], *(run["status"] for run in manifest["runs"])] == ["done"] * 3
    assert "Traceback" not in ended.stderr
