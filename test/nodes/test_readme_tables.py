"""The tables of the README are those of the nodes."""

from __future__ import annotations

from pathlib import Path

import pytest

from acres_ros.nodes.interface_tables import MarkerError, tables, written

README = Path(__file__).parents[2] / "README.md"


def test_the_readme_holds_the_present_tables() -> None:
    text = README.read_text(encoding="utf-8")
    assert written(text, README) == text, "run: python -m acres_ros.nodes.interface_tables README.md"


def test_a_file_without_a_marker_is_named(tmp_path: Path) -> None:
    with pytest.raises(MarkerError, match="topics"):
        written("no markers", tmp_path / "x.md")


def test_every_table_has_one_row_for_each_entry_and_no_empty_cell() -> None:
    for name, table in tables().items():
        lines = table.splitlines()
        columns = lines[0].count("|")
        assert len(lines) > 8, name
        for line in lines:
            assert line.count("|") == columns, line
            assert "|  |" not in line, line
