"""The rows D of the acceptance table, and the verb that prints them."""

from __future__ import annotations

import argparse
import json

import pytest

from acres_ros.cli import validate as verb
from acres_ros.core.parameters import load_parameters
from acres_ros.tools.validate import ROWS, Figure, validate
from acres_ros.tools.validate.rows import UnknownRowError


@pytest.mark.parametrize("row", ROWS)
def test_the_row_is_in_its_band(row):
    figures = list(validate(load_parameters(), [row]))
    assert figures
    missed = [f"{f.name}: {f.got:g}, wanted {f.low:g} .. {f.high:g}" for f in figures if not f.inside]
    assert not missed


def test_the_targets_are_those_of_the_spec():
    figures = {f.name: f for f in validate(load_parameters(), ["D3", "D4", "D8"])}
    assert figures["north of the start at 10 s, curvature 0.06, m"].target == 19.19
    assert figures["yaw at 10 s, curvature 0.04, rad"].target == 2.289
    assert figures["fuel at 10 s, curvature 0, kJ"].target == 266.0
    assert figures["speed at 5.0 s, m/s"].target == 1.64
    assert figures["distance in 60 s, m"].target == 117.69


def test_a_band_has_two_sides():
    assert Figure("D0", "x", 1.0, 1.0, 0.9, 1.1).inside
    assert not Figure("D0", "x", 1.0, 0.8, 0.9, 1.1).inside
    assert not Figure("D0", "x", 1.0, float("nan"), 0.9, 1.1).inside


def test_an_unknown_row_is_refused():
    with pytest.raises(UnknownRowError, match="D1, D2"):
        list(validate(load_parameters(), ["D99"]))


def arguments(*words):
    parser = argparse.ArgumentParser()
    verb.add_arguments(parser)
    return parser.parse_args(words)


def test_the_verb_prints_and_writes_the_figures(tmp_path, capsys):
    path = tmp_path / "figures.json"
    assert verb.run(arguments("D1", "D2", "--json", str(path))) == 0
    assert "2 of 2 figures in their bands" in capsys.readouterr().out
    rows = json.loads(path.read_text())
    assert [row["row"] for row in rows] == ["D1", "D2"]
    assert rows[0]["got"] == 1318.0


def test_the_verb_fails_on_a_miss(capsys):
    assert verb.run(arguments("D1", "--set", "mass.occupants=1")) == 1
    assert "OUT" in capsys.readouterr().out


def test_the_verb_draws_the_rows_of_drives(tmp_path, capsys):
    folder = tmp_path / "pictures"
    verb.run(arguments("D1", "D4", "D6", "--pictures", str(folder)))
    assert sorted(path.name for path in folder.iterdir()) == ["launch.png", "limit_cycle.png"]
    said = capsys.readouterr().out
    for path in folder.iterdir():
        assert path.read_bytes().startswith(b"\x89PNG")
        assert f"picture: {path}" in said


def test_the_trace_holds_pedals_that_are_never_both_pressed():
    figures = [figure for figure in validate(load_parameters(), ["D6"]) if figure.trace is not None]
    trace = figures[0].trace
    assert len(trace.time) == len(trace.throttle) == 7200
    assert trace.time[-1] == pytest.approx(60.0)
    assert trace.throttle.max() > 20.0 and trace.brake.max() > 1.0
    assert trace.command == 2.0
    pressed = (trace.throttle > 1.0) & (trace.brake > 1.0)
    assert not pressed.any()
