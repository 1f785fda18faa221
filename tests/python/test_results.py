"""Opening results folders, whole and cut; tables over all runs; export; other libraries."""

import json
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet
import pytest

from gossamer.errors import InputError
from gossamer.results import Results, ResultsError, UnknownRunError
from gossamer.results.columns import TABLES, schema
from gossamer.results.joining import completed
from gossamer.results.stream import END
from gossamer.results.unfinished import with_unfinished
from synthetic_results import EXPERIMENT, flow, record, stream, table, write_folder

FLOWS = [flow(number, 1000 * (number + 1), 1.0 + number) for number in range(10)]


def two_runs(folder: Path) -> Results:
    runs = [
        record("newreno,load=0.2", variant="newreno", sweep={"workload.0.load": 0.2}, tables={"flows": FLOWS[:4]}),
        record("dctcp,load=0.2", variant="dctcp", sweep={"workload.0.load": 0.2}, tables={"flows": FLOWS}),
    ]
    return Results.open(write_folder(folder, runs))


def test_a_run_is_found_by_its_name(tmp_path: Path) -> None:
    results = two_runs(tmp_path)
    run = results["dctcp,load=0.2"]
    assert (run.name, run.variant, dict(run.sweep), run.status) == (
        "dctcp,load=0.2",
        "dctcp",
        {"workload.0.load": 0.2},
        "done",
    )
    assert results[0] is results.runs[0]
    assert "dctcp,load=0.2" in results
    assert "dctcp" not in results
    assert [each.name for each in results] == ["newreno,load=0.2", "dctcp,load=0.2"]


def test_an_unknown_run_is_answered_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UnknownRunError) as told:
        two_runs(tmp_path)["dctpc,load=0.2"]
    assert str(told.value) == "no run is called 'dctpc,load=0.2'; did you mean 'dctcp,load=0.2'?"
    assert isinstance(told.value, LookupError)
    assert isinstance(told.value, InputError)  # so that the command line answers it as bad input


def test_tables_over_all_runs_say_which_run_a_row_is_of(tmp_path: Path) -> None:
    flows = two_runs(tmp_path).flows
    assert flows.column_names == ["run", "variant", "load", *schema("flows").names]
    assert flows.column("run").to_pylist() == ["newreno,load=0.2"] * 4 + ["dctcp,load=0.2"] * 10
    assert flows.column("variant").to_pylist() == ["newreno"] * 4 + ["dctcp"] * 10
    assert flows.column("load").to_pylist() == [0.2] * 14
    assert flows.column("id").to_pylist() == [*range(4), *range(10)]


@pytest.mark.parametrize(
    ("sweeps", "column", "kind", "values"),
    [
        ([{"fabric.queue": "20 packets"}, {"fabric.queue": "1 MB"}], "queue", "string", ["20 packets", "1 MB"]),
        ([{"topology.k": 4}, {"topology.k": 8}], "k", "int64", [4, 8]),
        ([{"workload.0.load": 1}, {"workload.0.load": 0.5}], "load", "double", [1.0, 0.5]),
        ([{"workload.0.on": True}, {"workload.0.on": False}], "on", "bool", [True, False]),
        ([{"workload.0.bytes": 1}, {"workload.0.bytes": 2}], "workload.0.bytes", "int64", [1, 2]),
        ([{"a.x": 1, "b.x": 5}, {"a.x": 2, "b.x": 5}], "a.x", "int64", [1, 2]),
        ([{"seed": 1}, {"seed": 2}], "seed", "int64", [1, 2]),
    ],
)
def test_a_swept_axis_is_a_column(
    tmp_path: Path, sweeps: list[dict[str, object]], column: str, kind: str, values: list[object]
) -> None:
    runs = [
        record(f"run-{number}", variant=None, sweep=sweep, tables={"flows": FLOWS[:1]})
        for number, sweep in enumerate(sweeps)
    ]
    flows = Results.open(write_folder(tmp_path, runs)).flows
    found = flows.column(column)
    assert found.to_pylist() == values
    assert kind in str(found.type)
    assert flows.column("variant").to_pylist() == [None, None]
    assert flows.column("bytes").to_pylist() == [1000, 1000]


def test_runs_are_chosen_by_variant_and_swept_values(tmp_path: Path) -> None:
    results = two_runs(tmp_path)
    assert [run.name for run in results.where(variant="dctcp")] == ["dctcp,load=0.2"]
    assert len(results.where(load=0.2)) == 2
    assert len(results.where(load=0.9)) == 0
    with pytest.raises(ResultsError, match=r"^no variant is called 'dctpc'; did you mean 'dctcp'\?$"):
        results.where(variant="dctpc")
    with pytest.raises(ResultsError, match=r"^no swept axis is called 'size'; expected load$"):
        results.where(size=1)
    with pytest.raises(
        ResultsError, match=r"^no table is called 'flow'; expected one of flows, operations, links, histograms, "
    ):
        results.table("flow")


def test_a_swept_list_is_known_by_its_text(tmp_path: Path) -> None:
    runs = [
        record(f"dies={number}", variant=None, sweep={"fabric.dies": times}, tables={"flows": FLOWS[:1]})
        for number, times in enumerate([["1 ms"], ["1 ms", "2 ms"]])
    ]
    results = Results.open(write_folder(tmp_path / "results", runs))
    assert [run.sweep["fabric.dies"] for run in results] == ['["1 ms"]', '["1 ms", "2 ms"]']
    assert results.flows.column("dies").to_pylist() == ['["1 ms"]', '["1 ms", "2 ms"]']


def test_reading_one_run_copies_nothing(tmp_path: Path) -> None:
    rows = pa.concat_tables([table("flows", FLOWS)] * 20_000)
    folder = write_folder(tmp_path, [record("dctcp")])
    (folder / "runs/dctcp/flows.arrow").write_bytes(stream(rows))
    size = (folder / "runs/dctcp/flows.arrow").stat().st_size
    before = pa.total_allocated_bytes()
    flows = Results.open(folder)["dctcp"].flows
    assert flows.num_rows == 200_000
    assert pa.total_allocated_bytes() - before < size / 100


def test_the_same_in_memory(tmp_path: Path) -> None:
    folder = write_folder(tmp_path, [record("a", tables={"flows": FLOWS}), record("b")])

    def content(run: int, name: str) -> bytes:
        file = folder / "runs" / "ab"[run] / f"{name}.arrow"
        return file.read_bytes() if file.exists() else b""

    memory = Results.from_memory((folder / "manifest.json").read_text(), content, EXPERIMENT)
    assert memory.path is None
    assert memory.experiment == EXPERIMENT
    assert memory.flows.equals(Results.open(folder).flows)
    assert memory["b"].why_empty("flows") == "run b has no flows: flows.arrow was not written; the run is done"


def test_every_cut_gives_the_whole_batches_before_it(tmp_path: Path) -> None:
    folder = write_folder(tmp_path, [record("dctcp", tables={"flows": FLOWS})], batch_rows=2)
    file = folder / "runs/dctcp/flows.arrow"
    whole = file.read_bytes()
    # Around the beginning of every message, and at every place in eight within: one byte missing is as bad as another.
    begins = [found.start() for found in re.finditer(b"\xff{4}", whole)]
    assert len(begins) >= 7, "a schema, five batches and the end"
    lengths = {at + near for at in begins for near in range(-12, 13)} | {*range(0, len(whole), 7), len(whole)}
    seen = set()
    for length in sorted(lengths & {*range(len(whole) + 1)}):
        file.write_bytes(whole[:length])
        run = Results.open(folder)["dctcp"]
        rows = run.flows.num_rows
        assert run.flows.column("id").to_pylist() == list(range(rows))
        assert rows % 2 == 0
        assert run.flows.schema.equals(schema("flows"))
        seen.add(rows)
        if length == len(whole):
            assert (rows, run.why_short("flows")) == (10, None)
        elif rows:
            assert run.why_short("flows") == f"run dctcp: flows.arrow was cut; the {rows} rows before the cut are used"
        else:
            assert run.why_empty("flows") == (
                "run dctcp has no flows: flows.arrow was cut before its first rows; the run is done"
            )
    assert seen == {0, 2, 4, 6, 8, 10}


def test_a_stream_without_its_end_is_known_to_be_cut(tmp_path: Path) -> None:
    folder = write_folder(tmp_path, [record("dctcp", tables={"flows": FLOWS})])
    file = folder / "runs/dctcp/flows.arrow"
    file.write_bytes(file.read_bytes().removesuffix(END))
    results = Results.open(folder)
    assert results.flows.num_rows == 10
    assert results.warnings == ["run dctcp: flows.arrow was cut; the 10 rows before the cut are used"]


def test_columns_as_dictionaries_of_each_run_come_together(tmp_path: Path) -> None:
    folder = write_folder(tmp_path, [record("a"), record("b")])
    for name, group in (("a", "web"), ("b", "storage")):
        rows = table("flows", [flow(0, 10, 1.0, group=group)])
        at = rows.column_names.index("group")
        coded = rows.set_column(at, "group", rows.column("group").dictionary_encode())
        (folder / f"runs/{name}/flows.arrow").write_bytes(stream(coded))
    results = Results.open(folder)
    assert results.flows.column("group").to_pylist() == ["web", "storage"]
    results.to_csv(folder / "csv")
    back = pa.csv.read_csv(folder / "csv/flows.csv")
    assert back.column("group").to_pylist() == ["web", "storage"]
    assert back.column("run").to_pylist() == ["a", "b"]


def test_tables_have_one_schema_whatever_runs_contained(tmp_path: Path) -> None:
    """Runs with rows and without, words plain and as dictionaries, of this version and an older one."""
    coded = table("flows", FLOWS)
    at = coded.column_names.index("group")
    coded = coded.set_column(at, "group", coded.column("group").dictionary_encode())
    contents = [
        coded,
        table("flows", FLOWS),
        table("flows", []),
        coded.slice(0, 0),
        None,
        coded.drop_columns(["marks"]),
    ]
    schemas: list[pa.Schema] = []
    for count in range(1, len(contents) + 1):
        for order in (contents[:count], contents[:count][::-1]):
            folder = tmp_path / str(len(schemas))
            write_folder(folder, [record(f"run-{number}") for number in range(count)])
            for number, content in enumerate(order):
                if content is not None:
                    (folder / f"runs/run-{number}/flows.arrow").write_bytes(stream(content))
            flows = Results.open(folder).flows
            assert flows.num_rows == sum(content.num_rows for content in order if content is not None)
            assert flows.group_by("group").aggregate([("bytes", "sum")]).num_rows == (flows.num_rows > 0)
            schemas.append(flows.schema)
    assert all(each.equals(schemas[0]) for each in schemas)


def test_a_folder_of_an_older_version_says_what_its_flows_say(tmp_path: Path) -> None:
    """98 flows with slowdowns 1 to 98, and two that had not ended when the run did, one young and one old."""
    flows = [flow(number, 1000, 1.0 + number) for number in range(98)]
    flows += [flow(98, 1000, None, start_ps=9_000_000), flow(99, 1000, None, start_ps=0)]
    flows += [flow(100, 1000, None, start_ps=0, measured=False), flow(101, None, None)]
    new = [name for name in schema("summary").names if name.endswith("_is_bound")]
    new += ["flows_measured", "flows_measured_completed", "max_held_bytes", "operations_started"]
    row = {"run": "a", "simulated_ps": 10_000_000, "flows_started": 102, "flows_completed": 98, "slowdown_p99": 97.0}
    folder = write_folder(tmp_path, [record("a", tables={"flows": flows})])
    (folder / "runs/a/summary.arrow").write_bytes(stream(table("summary", [row]).drop_columns(new)))
    found = Results.open(folder).summary.to_pylist()[0]
    assert (found["flows_measured"], found["flows_measured_completed"]) == (100, 98)
    # Ages are 1 and 10 ideal times: ranks 50, 99 and 100 have 48, 97 and 98; infinite ages would raise all three.
    assert [(found[name], found[f"{name}_is_bound"]) for name in ("slowdown_p50", "slowdown_p99", "slowdown_p999")] == [
        (48.0, True),
        (97.0, True),
        (98.0, True),
    ]
    assert found["slowdown_mean_is_bound"]
    assert found["max_held_bytes"] is None


def test_a_percentile_that_unfinished_flows_cannot_change_is_no_bound() -> None:
    done = [float(value) for value in range(1, 1000)]
    summary = completed(table("summary", [{"run": "a", "simulated_ps": 10**12, "flows_started": 1000}]), "summary")
    flows = [flow(number, 1000, value) for number, value in enumerate(done)] + [flow(999, 1000, None, start_ps=0)]
    found = with_unfinished(summary, table("flows", flows)).to_pylist()[0]
    bounds = {name: found[f"slowdown_{name}_is_bound"] for name in ("mean", "p50", "p99", "p999")}
    assert bounds == {"mean": True, "p50": False, "p99": False, "p999": False}
    assert (found["slowdown_p50"], found["slowdown_p999"]) == (500.0, 999.0)


@pytest.mark.parametrize(
    ("changes", "experiment", "reason"),
    [
        (
            {"status": "not-started", "message": "the wall-clock limit was reached"},
            EXPERIMENT,
            "run a was not started (the wall-clock limit was reached)",
        ),
        (
            {},
            EXPERIMENT + "[measure]\nflows = false\n",
            "run a has no flows: the experiment file turns them off ([measure] flows = false)",
        ),
        ({"status": "failed"}, "not = = toml", "run a has no flows: flows.arrow was not written; the run is failed"),
    ],
)
def test_a_missing_table_says_why(tmp_path: Path, changes: dict[str, str], experiment: str, reason: str) -> None:
    results = Results.open(write_folder(tmp_path, [record("a", **changes)], experiment=experiment))
    assert results.flows.num_rows == 0
    assert results.why_empty("flows") == reason
    assert results.flows.column_names == ["run", "variant", *schema("flows").names]


@pytest.mark.parametrize("name", TABLES)
def test_a_table_without_rows_says_why(tmp_path: Path, name: str) -> None:
    results = Results.open(write_folder(tmp_path, [record("a", tables={name: []}), record("b", tables={name: []})]))
    reason = results.why_empty(name)
    assert reason is not None
    assert reason.startswith(f"run a has no {name}: ")
    assert reason.endswith(" (and so for 1 more)")
    assert "\n" not in reason
    assert "not written" not in reason


def test_the_summary_has_its_own_run_and_seed_but_once(tmp_path: Path) -> None:
    rows = [{"run": "seed=7", "seed": 7, "hosts": 16}]
    runs = [record("seed=7", variant=None, sweep={"seed": 7}, seed=7, tables={"summary": rows})]
    summary = Results.open(write_folder(tmp_path, runs)).summary
    assert sorted(summary.column_names) == sorted(schema("summary").names)
    assert summary.select(["run", "seed", "hosts"]).to_pylist() == [{"run": "seed=7", "seed": 7, "hosts": 16}]


def test_warnings_tell_how_runs_ended(tmp_path: Path) -> None:
    endings = ["stopped", "stalled", "out-of-time", "failed", "not-started", "running"]
    runs = [record(ending, status=ending, message="because" if ending == "stalled" else None) for ending in endings]
    assert Results.open(write_folder(tmp_path, runs)).warnings == [
        "run stopped was stopped",
        "run stalled stalled: because",
        "run out-of-time ran out of time",
        "run failed failed",
        "run not-started was not started",
        "run running was still going on, or was killed",
    ]


def test_what_a_run_that_is_done_has_to_say_is_a_warning(tmp_path: Path) -> None:
    runs = [record("quiet"), record("broken", message="a deadlock, found at 1.5 ms")]
    assert Results.open(write_folder(tmp_path, runs)).warnings == ["run broken: a deadlock, found at 1.5 ms"]


def test_without_a_manifest_the_tables_are_still_read(tmp_path: Path) -> None:
    folder = write_folder(tmp_path, [record("a", tables={"flows": FLOWS})])
    for content in (None, '{"gossamer": "0.1.0", "ru'):
        (folder / "manifest.json").unlink(missing_ok=True)
        if content is not None:
            (folder / "manifest.json").write_text(content)
        results = Results.open(folder)
        assert results.flows.num_rows == 10
        assert results.warnings == [
            "run a ended in an unknown state: "
            "manifest.json is missing or incomplete: the program ended before it could write it"
        ]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (None, "{folder}: no such folder; expected the results folder of an experiment"),
        ({}, "{folder} is not a results folder: it has neither manifest.json nor runs/*/*.arrow"),
        (
            {"manifest.json": "[1,"},
            "{folder}/manifest.json is not a manifest of Gossamer: line 1: Expecting value",
        ),
        ({"manifest.json": "{}"}, "{folder}/manifest.json is not a manifest of Gossamer: it has no 'runs'"),
    ],
)
def test_what_is_no_results_folder_is_refused(tmp_path: Path, files: dict[str, str] | None, message: str) -> None:
    folder = tmp_path / "there"
    if files is not None:
        folder.mkdir()
        for name, content in files.items():
            (folder / name).write_text(content)
    with pytest.raises(ResultsError) as told:
        Results.open(folder)
    assert str(told.value) == message.format(folder=folder)


def test_export_to_parquet(tmp_path: Path) -> None:
    results = two_runs(tmp_path / "results")
    written = results.to_parquet(tmp_path / "out")
    assert {path.name for path in written} == {
        *(f"{name}.parquet" for name in TABLES),
        *(f"{name}.empty.txt" for name in TABLES if name != "flows"),
    }
    back = pa.parquet.read_table(tmp_path / "out/flows.parquet")
    assert back.column("slowdown").to_pylist() == results.flows.column("slowdown").to_pylist()
    assert back.column("load").to_pylist() == [0.2] * 14
    why = (tmp_path / "out/links.empty.txt").read_text()
    assert why == (
        "run newreno,load=0.2 has no links: links.arrow was not written; the run is done (and so for 1 more)\n"
    )


def test_export_overwrites_nothing(tmp_path: Path) -> None:
    results = two_runs(tmp_path / "results")
    results.to_csv(tmp_path / "out")
    before = {path: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    with pytest.raises(ResultsError) as told:
        results.to_csv(tmp_path / "out")
    assert str(told.value) == (
        f"{tmp_path}/out/flows.csv exists; nothing was written. Choose another folder or remove it"
    )
    assert before == {path: path.read_bytes() for path in (tmp_path / "out").iterdir()}


def test_export_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ResultsError, match=r"file/out cannot be written: Not a directory$"):
        two_runs(tmp_path / "results").to_parquet(tmp_path / "file/out")


def test_polars_takes_the_table_without_a_copy(tmp_path: Path) -> None:
    polars = pytest.importorskip("polars", reason="polars is not installed")
    flows = two_runs(tmp_path)["dctcp,load=0.2"].flows
    frame = polars.DataFrame(flows)
    assert frame["slowdown"].to_list() == [1.0 + number for number in range(10)]
    buffer = flows.column("start_ps").chunks[0].buffers()[1]
    assert buffer is not None
    back = frame["start_ps"].to_arrow().buffers()[1]
    assert back.address == buffer.address


def test_pandas_takes_the_table(tmp_path: Path) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    frame = two_runs(tmp_path).flows.to_pandas()
    assert frame.groupby("variant", observed=True)["slowdown"].max().to_dict() == {"newreno": 4.0, "dctcp": 10.0}


def test_duckdb_queries_the_table(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    flows = two_runs(tmp_path).flows
    connection = duckdb.connect()
    connection.register("flows", flows)
    rows = connection.sql("select variant, count(*), max(slowdown) from flows group by variant order by 2").fetchall()
    assert rows == [("newreno", 4, 4.0), ("dctcp", 10, 10.0)]


def test_tables_compute_like_any_other(tmp_path: Path) -> None:
    flows = two_runs(tmp_path).flows
    assert pc.sum(flows.column("bytes")).as_py() == 10_000 + 55_000


def test_in_a_terminal_a_line_a_group(tmp_path: Path) -> None:
    summary = {
        "run": "x",
        "fabric": "ethernet",
        "goodput_per_host_bps": 9.312e9,
        "host_utilisation": 0.9312,
        "slowdown_p50": 1.5,
        "slowdown_p99": 12.345,
        "latency_p99_ps": 41_500_000,
        "dropped_frames": 1234,
        "flows_started": 2000,
        "flows_completed": 2000,
        "flows_measured": 2000,
        "flows_measured_completed": 2000,
    }
    runs = [record("dctcp", tables={"summary": [summary]}), record("newreno", status="stalled", message="no end")]
    folder = write_folder(tmp_path, runs, title="Two transports")
    assert repr(Results.open(folder)).splitlines() == [
        f"Two transports: 2 runs ({folder})",
        "variant  Completed flows  Throughput per host (Gb/s)  Slowdown p50  Slowdown p99  Drops   status",
        "dctcp     2,000 of 2,000                        9.31           1.5          12.3  1,234     done",
        "newreno                –                           –             –             –      –  stalled",  # noqa: RUF001
        "run newreno stalled: no end",
    ]


def test_in_a_notebook_a_table_and_a_figure_without_a_script(tmp_path: Path) -> None:
    page = two_runs(tmp_path)._repr_html_()
    assert "<svg" in page
    assert "<script" not in page
    assert "Synthetic &lt;comparison&gt; &amp; more: 2 runs" in page


def test_no_runs_at_all(tmp_path: Path) -> None:
    folder = write_folder(tmp_path, [])
    results = Results.open(folder)
    assert results.why_empty("flows") == "the experiment has no runs"
    assert results.flows.num_rows == 0
    assert repr(results) == f"Synthetic <comparison> & more: 0 runs ({folder})"
    assert json.loads((folder / "manifest.json").read_text())["runs"] == []
