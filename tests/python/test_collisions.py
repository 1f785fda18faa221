"""Who met whom where none may: the table, the run's message, and what is said where there is none."""

from gossamer import Experiment, Results, run

POD = """
seed = 1
duration = "100 us"
[topology]
kind = "leaf-spine"
leaves = 4
spines = 4
hosts_per_leaf = 4
rate = "100 Gb/s"
delay = "1 us"
[fabric]
kind = "fastpod"
guard = "20 ns"
optimistic = false
[transport]
kind = "direct"
header = "0 B"
[[workload]]
name = "flows"
kind = "poisson"
size = "imc10"
load = 0.7
[[variant]]
name = "within"
fabric.clock_error = "10 ns"
[[variant]]
name = "beyond"
fabric.clock_error = "40 ns"
"""


def pod() -> Results:
    return run(Experiment.from_toml(POD))


def test_who_met_whom_is_told_and_counted() -> None:
    within, beyond = pod()
    counters = {row["counter"]: row["value"] for row in beyond.counters.to_pylist()}
    rows = beyond.collisions.to_pylist()
    count = sum(row["collisions"] for row in rows)
    assert count == counters["collisions of scheduled packets"] > 0
    assert rows[0]["first_ps"] == counters["first collision"]
    assert [row["first_ps"] for row in rows] == sorted(row["first_ps"] for row in rows)
    sizes = {row["id"] for row in beyond.flows.to_pylist()}
    for row in rows:
        assert row["first_ps"] <= row["last_ps"]
        assert row["node"].startswith(("leaf-", "spine-"))
        for which in ("lost", "met"):
            assert row[f"{which}_kind"] in ("data", "request", "answer")
            if row[f"{which}_kind"] == "data":
                assert row[f"{which}_slot"] > 0
            assert row[f"{which}_flow"] is None or row[f"{which}_flow"] in sizes
    first = rows[0]
    assert beyond.message is not None
    assert beyond.message.startswith(f"{count} collisions of scheduled packets, the first at ")
    assert f"before {first['node']} -> {first['target']}, where {first['lost_kind']} from " in beyond.message
    assert beyond.message.endswith("; see the table of collisions")
    assert beyond.status == "done"
    assert within.message is None
    assert within.collisions.num_rows == 0
    assert within.why_empty("collisions") == (
        "run within has no collisions: no two packets met where a fabric is to keep them apart; of those here only "
        "fastpod is to"
    )


def test_a_run_with_collisions_is_among_the_warnings() -> None:
    results = pod()
    assert results.collisions.column_names[:2] == ["run", "variant"]
    assert set(results.collisions["variant"].to_pylist()) == {"beyond"}
    assert results.warnings == [f"run beyond: {results['beyond'].message}"]
