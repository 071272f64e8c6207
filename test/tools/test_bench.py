"""The arithmetic of the benchmarks, and their command line; the measurements themselves are not a test."""

from __future__ import annotations

import json
import math
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from rclpy.serialization import serialize_message

from acres_ros.cli import main
from acres_ros.nodes.bench_free_run import ClockWatch, StartEndedError
from acres_ros.nodes.lockstep_client import NoAnswerError
from acres_ros.tools.bench import Bar, Figure, ProcessGroup, grid_lateness, percentile, table
from acres_ros.tools.bench.physics import Drive
from acres_ros.world import World


def test_percentiles_are_values_of_the_sample() -> None:
    values = [5.0, 1.0, 4.0, 2.0, 3.0]
    assert percentile(values, 0.5) == 3.0
    assert percentile(values, 0.0) == 1.0
    assert percentile(values, 1.0) == 5.0
    assert percentile(list(range(1, 101)), 0.99) == 99
    assert percentile(list(range(1, 101)), 0.07) == 7  # 0.07 * 100 is a little more than 7


def test_lateness_is_measured_from_the_median_grid() -> None:
    period = 0.01
    steps = [10, 11, 12, 14, 15]  # one is missing
    times = [7.0 + period * step for step in steps]
    times[2] += 0.003
    late = grid_lateness(times, steps, period)
    assert late == pytest.approx([0.0, 0.0, 0.003, 0.0, 0.0], abs=1e-12)


def test_a_bar_is_met_on_its_good_side_only() -> None:
    assert Bar(5.0).met(4.9) and not Bar(5.0).met(5.0)
    assert Bar(5.0, least=True).met(5.1) and not Bar(5.0, least=True).met(5.0)
    assert not Bar(5.0).met(math.nan) and not Bar(5.0, least=True).met(math.nan)


def test_a_figure_without_a_bar_is_neither_met_nor_missed() -> None:
    figure = Figure("G4", "told only", 3.0, "s")
    assert figure.met is None
    assert figure.as_json()["bar"] is None


def test_the_table_shows_what_is_missed() -> None:
    lines = list(
        table([Figure("G8", "start", 6.25, "s", Bar(5.0), "beside this"), Figure("G1", "steps", 2.5e5, "1/s")])
    )
    assert lines[1].split() == ["G8", "start", "6.25", "s", "<", "5", "NO", "beside", "this"]
    assert lines[2].split() == ["G1", "steps", "250,000", "1/s"]


def test_the_columns_of_the_table_stand_below_each_other_whatever_is_in_them() -> None:
    long = Figure("S10", "a name " * 12 + "at last", 123456789.0, "messages each second", Bar(1e9, least=True), "this")
    lines = list(table([Figure("G1", "steps", 2.5, "1/s"), long, Figure("G8", "start", 6.25, "s", Bar(5.0), "that")]))
    head, *rows = lines
    for word, cells in {
        "figure": ["steps", "a name", "start"],
        "unit": ["1/s", "messages", "s"],
        "bar": ["", ">", "<"],
        "met": ["", "NO", "NO"],
        "beside": ["", "this", "that"],
    }.items():
        at = head.index(word)
        for row, cell in zip(rows, cells, strict=True):
            assert row[at - 1 : at].strip() == "" and row[at:].startswith(cell), row
    end = head.index("value") + len("value")
    assert [row[:end].split()[-1] for row in rows] == ["2.5", "123,456,789", "6.25"]


def test_each_figure_is_told_at_once_and_an_interrupted_bench_prints_its_table(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from acres_ros.cli import bench_rows

    def measure(self: bench_rows.Bench, row: str) -> Iterator[Figure]:
        if row == "G4":
            assert capsys.readouterr().err.splitlines()[-1] == "G1 first: 7 s, bar < 5: NOT met"
            raise KeyboardInterrupt
        yield Figure(row, "first", 7.0, "s", Bar(5.0))

    monkeypatch.setattr(bench_rows.Bench, "measure", measure)
    assert main.main(["bench", "G1", "G4", "G7"]) == main.Exit.INTERRUPTED
    assert [line.split()[:3] for line in capsys.readouterr().out.splitlines()] == [
        ["row", "figure", "value"],
        ["G1", "first", "7"],
    ]


def test_cpu_time_and_memory_are_those_of_the_process() -> None:
    program = "data = bytearray(64_000_000)\nwhile True: pass"
    process = subprocess.Popen([sys.executable, "-c", program])
    try:
        group = ProcessGroup([process.pid])
        end = time.monotonic() + 30.0
        while group.cpu_s() < 0.2 and time.monotonic() < end:
            time.sleep(0.05)
        assert 0.2 <= group.cpu_s() < 30.0
        assert group.resident_mb() > 64.0
    finally:
        process.kill()
        process.wait()
    own = ProcessGroup([os.getpid()])
    assert own.cpu_s() == pytest.approx(time.process_time(), abs=0.5)


def test_the_drive_of_the_physics_row_really_drives() -> None:
    drive = Drive(World.yard(), World.yard().places[0])
    assert drive.run(50) == 600
    assert drive.speed > 1.0  # 5 s after a start from rest with 2 m/s commanded


def test_an_unknown_row_is_refused_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["bench", "G99"]) == main.Exit.USAGE
    assert "the rows are G1, G2, G3, G4, G5, G6, G7, G8, G9, L1, S1, S2, S3, S4, S5" in capsys.readouterr().err


def test_figures_go_to_a_file_and_strict_makes_a_missed_bar_an_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from acres_ros.cli import bench_rows

    missed = Figure("G8", "start", 6.25, "s", Bar(5.0))
    monkeypatch.setattr(bench_rows.Bench, "measure", lambda self, row: iter([missed]))
    file = tmp_path / "figures.json"
    assert main.main(["bench", "G8", "--json", str(file)]) == 0
    assert "1 of 1 bars not met" in capsys.readouterr().out
    content = json.loads(file.read_text())
    assert content["figures"] == [missed.as_json()]
    assert main.main(["bench", "G8", "--strict"]) == 1


def test_a_row_that_fails_leaves_the_figures_of_all_others(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from acres_ros.cli import bench_rows

    file = tmp_path / "figures.json"

    def measure(self: bench_rows.Bench, row: str) -> Iterator[Figure]:
        yield Figure(row, "first", 1.0, "s", Bar(5.0))
        if row == "G4":
            assert len(json.loads(file.read_text())["figures"]) == 3, "what is there is in the file at once"
            raise NoAnswerError("no /clock arrived", 120.0)
        if row == "G6":
            raise ZeroDivisionError("no calls")
        yield Figure(row, "second", 2.0, "s", Bar(5.0))

    monkeypatch.setattr(bench_rows.Bench, "measure", measure)
    assert main.main(["bench", "G1", "G4", "G6", "G7", "--json", str(file)]) == 1
    said = capsys.readouterr()
    names = [tuple(line.split()[:2]) for line in said.out.splitlines()[1:-1]]
    assert names == [(row, name) for row in ("G1", "G4", "G6", "G7") for name in ("first", "second")
                     if (row, name) not in (("G4", "second"), ("G6", "second"))]  # fmt: skip
    assert "0 of 6 bars not met; FAILED: G4 G6; " in said.out
    assert "acres: row G4 failed: no /clock arrived" in said.err
    assert "acres: row G6 failed: ZeroDivisionError('no calls')" in said.err
    content = json.loads(file.read_text())
    assert len(content["figures"]) == 6
    assert list(content["failures"]) == ["G4", "G6"]


def test_a_start_is_not_measured_where_it_would_begin_with_a_set_up(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path / ".venv"))
    assert main.main(["bench", "G8"]) == 1
    error = capsys.readouterr().err
    assert "row G8 failed" in error and f"runs in the environment {tmp_path / '.venv'}" in error


def test_a_start_that_has_ended_is_not_waited_for() -> None:
    class Silent(ClockWatch):
        def __init__(self) -> None:
            """Watch nothing."""

        def take(self) -> list[tuple[int, float]]:
            return []

    process = subprocess.Popen([sys.executable, "-c", "raise SystemExit(3)"])
    with pytest.raises(StartEndedError, match="ended with exit code 3 before any /clock"):
        Silent().first(3600.0, process)


def test_a_file_that_cannot_be_written_is_told_before_anything_is_measured(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from acres_ros.cli import bench_rows

    measured: list[str] = []
    monkeypatch.setattr(bench_rows.Bench, "measure", lambda self, row: measured.append(row))
    assert main.main(["bench", "G1", "--json", str(tmp_path / "nowhere" / "figures.json")]) == 1
    assert "nowhere/figures.json cannot be written" in capsys.readouterr().err
    assert measured == []


def test_files_and_threads_are_those_of_the_process(tmp_path: Path) -> None:
    own = ProcessGroup([os.getpid()])
    _, files, threads = own.usage()
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    with (tmp_path / "one").open("w"):
        _, more_files, more_threads = own.usage()
    done.set()
    thread.join()
    assert (more_files, more_threads) == (files + 1, threads + 1)


def test_the_messages_of_a_flood_are_rubbish_that_can_be_sent() -> None:
    from acres_ros.nodes.bench_endurance import _fill
    from acres_ros.nodes.commands import COMMAND_TOPICS

    source, seen = random.Random(3), set()
    for _ in range(300):
        for topic in COMMAND_TOPICS:
            message = topic.type()
            _fill(message, source)
            serialize_message(message)
            seen.add(repr(getattr(message, "cmd", None)))
    for value in ("nan", "inf", "-inf", "5e-324", "0.0"):
        assert value in seen or f"-{value}" in seen, value
