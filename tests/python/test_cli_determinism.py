"""The same file and seed give the same bytes: in two processes, and with one thread and with two."""

import hashlib
from pathlib import Path

from conftest import process

EXPERIMENT = """\
seed = 7
duration = "1 ms"
warmup = "100 us"

[topology]
kind = "fat-tree"
k = 4
rate = "10 Gb/s"
delay = "1 us"

[fabric]
kind = "ethernet"
queue = "20 packets"
ecn_threshold = "5 packets"
loss = 0.001

[transport]
kind = "dctcp"

[[workload]]
kind = "poisson"
load = 0.6
size = "web-search"

[[variant]]
name = "hashed"
fabric.routing = "ecmp"

[[variant]]
name = "sprayed"
fabric.routing = "spray"
transport.kind = "newreno"

[sweep]
seed = [1, 2]
"""


def digests(folder: Path) -> dict[str, str]:
    """Every table's digest, by its path in the folder."""
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.rglob("*.arrow"))
    }


def test_run_twice(tmp_path: Path) -> None:
    (tmp_path / "twice.toml").write_text(EXPERIMENT)
    found = {}
    for name, threads in (("first", "1"), ("second", "1"), ("two-threads", "2")):
        ended = process("run", "twice.toml", "--no-report", "--threads", threads, "--out", name, cwd=tmp_path)
        out, err = ended.communicate(timeout=120)
        assert ended.returncode == 0, out + err
        found[name] = digests(tmp_path / name)
    assert len(found["first"]) == 4 * 8
    assert found["first"] == found["second"] == found["two-threads"]
    # The check can fail: another seed and another variant are other bytes.
    runs = {path.split("/")[1]: digest for path, digest in found["first"].items() if path.endswith("flows.arrow")}
    assert len(set(runs.values())) == 4
