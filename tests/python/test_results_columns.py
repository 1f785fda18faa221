"""The columns that Python documents are those that the engine writes and that docs/results.md lists."""

import os
import re
from pathlib import Path

import pytest

from gossamer.results.columns import TABLES, markdown, schema

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs" / "results.md"
TYPES = {"u64": "uint64", "u32": "uint32", "f64": "double", "bool": "bool", "Arc<str>": "string"}


def rust_tables() -> dict[str, list[tuple[str, str, bool]]]:
    """Name, type and nullability of every column, from the definitions that the engine writes by."""
    text = (ROOT / "crates" / "results" / "src" / "rows.rs").read_text(encoding="utf-8")
    found = {}
    for table, body in re.findall(r'\w+ in "(\w+)" \{(.*?)\n    \}', text, flags=re.DOTALL):
        columns = re.findall(r"^ +(\w+): (Option<)?(Arc<str>|\w+)>?,$", body, flags=re.MULTILINE)
        found[table] = [(name, TYPES[kind], bool(optional)) for name, optional, kind in columns]
    return found


@pytest.mark.parametrize("table", TABLES)
def test_columns_are_those_the_engine_writes(table: str) -> None:
    documented = [(field.name, str(field.type), field.nullable) for field in schema(table)]
    assert documented == rust_tables()[table]


def test_the_engine_writes_no_other_table() -> None:
    assert set(rust_tables()) == set(TABLES)


@pytest.mark.parametrize("table", TABLES)
def test_docs_list_the_columns(table: str) -> None:
    begin, end = f"<!-- columns of {table} -->\n", "<!-- end -->\n"
    before, rest = DOCS.read_text(encoding="utf-8").split(begin)
    listed, after = rest.split(end, 1)
    if os.environ.get("UPDATE_SNAPSHOTS") == "1":
        DOCS.write_text(f"{before}{begin}{markdown(table)}{end}{after}", encoding="utf-8")
        listed = markdown(table)
    assert listed == markdown(table), "UPDATE_SNAPSHOTS=1 pytest writes the columns into docs/results.md"


def test_every_quantity_has_a_unit() -> None:
    for columns in TABLES.values():
        for column in columns:
            if column.name.endswith("_ps"):
                assert column.unit == "ps", column.name
            if column.name.endswith("_bps"):
                assert column.unit == "b/s", column.name
            if column.name.endswith("bytes"):
                assert column.unit == "B", column.name
