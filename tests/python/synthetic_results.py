"""Small results folders, made up to the last digit, for the tests of results, plots and report."""

import json
import math
import random
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa

from gossamer.results.columns import schema

Rows = Sequence[Mapping[str, Any]]
MICROSECOND = 1_000_000
EXPERIMENT = """\
title = "Synthetic <comparison> & more"
seed = 1
duration = "20 ms"

[topology]
kind = "fat-tree"
k = 4

[[workload]]
kind = "poisson"
load = 0.5
"""


def table(name: str, rows: Rows) -> pa.Table:
    """Rows as a table with the documented columns; a column that a row does not name is null, or zero if it must be."""
    full = [{field.name: row.get(field.name, _nothing(field)) for field in schema(name)} for row in rows]
    return pa.Table.from_pylist(full, schema=schema(name))


def _nothing(field: "pa.Field[Any]") -> Any:
    if field.nullable:
        return None
    if pa.types.is_string(field.type):
        return ""
    return False if pa.types.is_boolean(field.type) else 0


def stream(content: pa.Table, batch_rows: int | None = None) -> bytes:
    """The table as an Arrow IPC stream."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, content.schema) as writer:
        writer.write_table(content, max_chunksize=batch_rows)
    return sink.getvalue().to_pybytes()


def write_folder(
    folder: Path,
    runs: Sequence[Mapping[str, Any]],
    *,
    experiment: str | None = EXPERIMENT,
    batch_rows: int | None = None,
    **manifest: Any,
) -> Path:
    """A results folder. A run is an entry of the manifest, with its tables (lists of rows) under `tables`."""
    records = []
    for run in runs:
        record = {key: value for key, value in run.items() if key != "tables"}
        record.setdefault("folder", f"runs/{record['name']}")
        records.append(record)
        place = folder / record["folder"]
        place.mkdir(parents=True)
        for name, rows in run.get("tables", {}).items():
            (place / f"{name}.arrow").write_bytes(stream(table(name, rows), batch_rows))
    content = {
        "gossamer": "0.1.0",
        "title": "Synthetic <comparison> & more",
        "file": "synthetic.toml",
        "overrides": [],
        "started": "2026-01-02T03:04:05Z",
        "wall_s": 12.5,
        "threads": 2,
        "machine": {"cpu": "Example CPU", "cores": 2, "os": "Linux"},
        "status": "done",
        "runs": records,
    }
    (folder / "manifest.json").write_text(json.dumps(content | manifest), encoding="utf-8")
    if experiment is not None:
        (folder / "experiment.toml").write_text(experiment, encoding="utf-8")
    return folder


def record(name: str, **more: Any) -> dict[str, Any]:
    """An entry of the manifest for a run that went well."""
    base = {
        "name": name,
        "variant": name,
        "sweep": {},
        "seed": 1,
        "status": "done",
        "message": None,
        "core_s": 2.0,
        "hops": 30_000_000,
        "simulated_ps": 20_000 * MICROSECOND,
    }
    return base | more


def flow(number: int, size: int | None, slowdown: float | None, **more: Any) -> dict[str, Any]:
    """A measured flow; its ideal time is a microsecond, so that slowdown and completion time agree."""
    fct = None if slowdown is None else round(slowdown * MICROSECOND)
    base = {
        "id": number,
        "group": "poisson",
        "src": number % 16,
        "dst": (number + 5) % 16,
        "bytes": size,
        "start_ps": number * 1000,
        "end_ps": None if fct is None else number * 1000 + fct,
        "measured": True,
        "delivered_bytes": size or 0,
        "window_bytes": size or 0,
        "goodput_bps": 1e9,
        "ideal_ps": None if size is None else MICROSECOND,
        "fct_ps": fct,
        "slowdown": slowdown,
        "frames": 1,
    }
    return base | more


def operations(count: int, duration_ps: float, group: str = "gradients", **more: Any) -> list[dict[str, Any]]:
    """Ring all-reduces of 64 MB among 16 hosts, one after the other; each takes a tenth longer than the one before."""
    rows = []
    for number in range(count):
        duration = round(duration_ps * 1.1**number)
        algorithm = 8 * 64_000_000 / (duration / 1e12)
        rows.append(
            {
                "operation": number,
                "group": group,
                "kind": "all-reduce (ring)",
                "round": number,
                "ranks": 16,
                "flows": 480,
                "bytes": 64_000_000,
                "start_ps": number * 10**10,
                "end_ps": number * 10**10 + duration,
                "duration_ps": duration,
                "measured": True,
                "algorithm_bandwidth_bps": algorithm,
                "bus_bandwidth_bps": algorithm * 2 * 15 / 16,
            }
            | more
        )
    return rows


def fabric_histograms() -> list[dict[str, Any]]:
    """What a kind of fabric keeps by itself: times near to each other, sizes and counts."""
    kept = (("cell latency", "ps", 1_100_000, 100_000), ("memory", "B", 0, 4096), ("waiting", "cells", 0, 3))
    return [
        {
            "histogram": name,
            "unit": unit,
            "lower": low + step * width,
            "upper": low + (step + 1) * width,
            "count": 9 - step,
        }
        for name, unit, low, width in kept
        for step in range(8)
    ]


def fat_tree_links(k: int, load: float, chance: random.Random) -> list[dict[str, Any]]:
    """A row for every link of a k-ary fat-tree, about as busy as `load`."""
    half = k // 2
    cables = []
    for pod in range(k):
        for edge in range(half):
            switch = pod * half + edge
            cables += [("host-edge", f"host-{switch * half + port}", f"edge-{switch}") for port in range(half)]
            cables += [("edge-aggregation", f"edge-{switch}", f"aggregation-{pod * half + a}") for a in range(half)]
        for a in range(half):
            switch = pod * half + a
            cables += [("aggregation-core", f"aggregation-{switch}", f"core-{a * half + port}") for port in range(half)]
    rows: list[dict[str, Any]] = []
    for kind, low, high in cables:
        for direction, source, target in (("up", low, high), ("down", high, low)):
            spread = 0.05 if kind == "host-edge" else 0.25
            rows.append(
                {
                    "link": len(rows),
                    "source": source,
                    "target": target,
                    "class": kind,
                    "direction": direction,
                    "rate_bps": 10_000_000_000,
                    "delay_ps": MICROSECOND,
                    "frames": 1000,
                    "max_queue_bytes": 90_000,
                    "utilisation": min(1.0, max(0.0, chance.gauss(load, spread * load))),
                }
            )
    return rows


def lively_run(name: str, load: float, harm: float, *, k: int = 4, flows: int = 4000, seed: int = 1) -> dict[str, Any]:
    """Tables of a run that looks like one: `harm` (1 is good) says how badly its transport does."""
    chance = random.Random(f"{name} {load} {seed}")
    rows = []
    for number in range(flows):
        size = round(10 ** chance.uniform(2.5, 7))
        slowdown = 1 + harm * load / (1.05 - load) * chance.expovariate(1.0) * 3 / (1 + size / 1e5)
        done = chance.random() > 0.01 * harm
        goodput = max(1e6, chance.gauss(9e9 / harm**0.3, 1e9))
        ideal = 12 * MICROSECOND + size * 800
        fct = round(ideal * slowdown)
        row = flow(number, size, slowdown if done else None, goodput_bps=goodput, ideal_ps=ideal)
        rows.append(row | {"fct_ps": fct if done else None})
    latencies = [round(2**exponent * 1e5 * step / 4) for exponent in range(6, 15) for step in range(4, 8)]
    buckets = [
        {
            "histogram": "latency",
            "unit": "ps",
            "lower": low,
            "upper": high,
            "count": round(1e6 * math.exp(-low / 5e7 / harm)),
        }
        for low, high in pairwise(latencies)
    ]
    classes = ("host-edge", "edge-aggregation", "aggregation-core")
    scopes = [f"{kind} {direction}" for kind in classes for direction in ("up", "down")]
    for place, scope in enumerate(scopes):
        buckets += [
            {
                "histogram": f"queue {scope}",
                "unit": "B",
                "lower": low,
                "upper": low + 9000,
                "count": round(1e5 * math.exp(-low / 2e4 / harm / (1 + place))),
            }
            for low in range(0, 900_000, 9000)
        ]
    samples = []
    for step in range(1, 201):
        time = step * 100 * MICROSECOND
        wave = 1 - math.exp(-step / 10) + chance.gauss(0, 0.03)
        samples.append(_sample(time, "goodput", "all", "b/s", 16e10 * load * wave))
        samples.append(_sample(time, "held", "all", "B", max(0.0, 4e6 * harm * wave)))
        for place, scope in enumerate(scopes):
            samples.append(_sample(time, "queue", scope, "B", max(0.0, 9000 * harm * (place + 1) * wave)))
            samples.append(_sample(time, "utilisation", scope, "fraction", min(1.0, load * wave)))
    finished = sorted(row["slowdown"] for row in rows if row["slowdown"])
    summary = {
        "run": name,
        "fabric": "ethernet",
        "transport": name.split(",", maxsplit=1)[0],
        "topology": f"fat-tree, k = {k}",
        "hosts": k**3 // 4,
        "seed": seed,
        "duration_ps": 20_000 * MICROSECOND,
        "measured_ps": 18_000 * MICROSECOND,
        "simulated_ps": 20_000 * MICROSECOND,
        "flows_started": flows,
        "flows_completed": len(finished),
        "flows_measured": flows,
        "flows_measured_completed": len(finished),
        "slowdown_mean_is_bound": len(finished) < flows,
        "slowdown_p999_is_bound": len(finished) < 0.999 * flows,
        "slowdown_p99_is_bound": len(finished) < 0.99 * flows,
        "goodput_bps": 16e10 * load / harm**0.3,
        "goodput_per_host_bps": 1e10 * load / harm**0.3,
        "host_utilisation": load / harm**0.3,
        "fct_mean_ps": 5e7 * harm,
        "slowdown_mean": sum(finished) / len(finished),
        "slowdown_p50": finished[len(finished) // 2],
        "slowdown_p99": finished[len(finished) * 99 // 100],
        "slowdown_p999": finished[len(finished) * 999 // 1000],
        "latency_p50_ps": round(3e7 * harm),
        "latency_p99_ps": round(2e8 * harm),
        "frames": 1_000_000,
        "total_frames": 1_100_000,
        "total_hops": 30_000_000,
        "total_events": 40_000_000,
        "dropped_frames": round(1000 * (harm - 1)),
        "marked_frames": 12_000,
        "retransmits": round(1100 * (harm - 1)),
        "timeouts": round(30 * (harm - 1)),
        "max_queue_bytes": round(90_000 * harm),
    }
    return {
        "flows": rows,
        "links": fat_tree_links(k, load, chance),
        "histograms": buckets,
        "series": samples,
        "summary": [summary],
    }


def _sample(time: int, series: str, scope: str, unit: str, value: float) -> dict[str, Any]:
    return {"time_ps": time, "series": series, "scope": scope, "unit": unit, "value": value}
