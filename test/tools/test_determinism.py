"""The rows of `./acres check determinism` find a difference where there is one."""

from __future__ import annotations

import hashlib
import signal
import subprocess
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import nullcontext

import pytest

from acres_ros.cli import check_determinism
from acres_ros.cli.check import FAILED, NOT_CHECKED, PASSED
from acres_ros.errors import AcresError
from acres_ros.nodes import determinism
from acres_ros.tools.determinism import drive, rows
from acres_ros.tools.determinism.drive import HASH_STEPS, Drive
from acres_ros.tools.determinism.rows import DriveFailedError, Outcome, first_difference
from acres_ros.world import World


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shrink the rows to a level yard and two hashes."""
    monkeypatch.setattr(rows, "load_world", lambda _: World.yard())
    monkeypatch.setattr(rows, "DRIVE_STEPS", 2 * HASH_STEPS // 12 * 12)
    monkeypatch.setattr(rows, "VEHICLES", 2)
    monkeypatch.setattr(rows, "SCAN_PLACES", 1)


def test_a_difference_is_told_by_its_steps() -> None:
    assert first_difference(["a", "b"], ["a", "b"]) is None
    assert first_difference(["a", "b"], ["a", "c"]) == "steps 1001 to 2000: b and c"
    assert first_difference(["a", "b"], ["a"]) == "steps 1001 to 2000: b and nothing"


def test_a_drive_repeats_and_another_seed_is_another_drive() -> None:
    one, again, other = (list(Drive(World.yard(), seed).run(2400)) for seed in (5, 5, 6))
    assert one == again and len(one) == 3 and len(set(one)) == 3
    assert first_difference(one, other) is not None


def test_a_drive_has_something_of_everything() -> None:
    made = Drive(World.yard(), 1)
    said: list[str] = []
    made.environment.take_events = lambda take=made.environment.take_events: _kept(take(), said)  # type: ignore[method-assign]
    list(made.run(60 * 120 * 3))
    for word in ("NaN", "overrid", "VEHICLE_SPEED", "enabled"):
        assert any(word in text for text in said), (word, set(said))
    assert made.environment.epoch >= 3, "it was put elsewhere"


def _kept(events: list, said: list[str]) -> list:
    said.extend(event.text for event in events)
    return events


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("row", [rows.step_sizes, rows.threads, rows.snapshots])
def test_rows_find_nothing_in_what_repeats(row) -> None:
    outcomes = list(row())
    assert outcomes and all(outcome.difference is None for outcome in outcomes)


class Restless(Drive):
    """A drive into which something of its past leaks: the count of drives that were made before."""

    made = 0

    def command(self) -> None:
        if self.environment.step_count == 0:
            Restless.made += 1
            self._speed += 1e-12 * Restless.made
        super().command()


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("row", [rows.step_sizes, rows.threads])
def test_rows_find_what_leaks_from_one_drive_into_the_next(row, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "Drive", Restless)
    difference = next(row()).difference
    assert difference is not None and "steps 1 to 1000" in difference


@pytest.mark.usefixtures("small")
def test_the_row_of_snapshots_finds_a_state_that_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    restore = drive.Environment.restore

    def forget(environment, snapshot) -> None:  # type: ignore[no-untyped-def]
        restore(environment, snapshot)
        environment._vehicles["wheel"]["rotation"][0, 0] += 1e-9

    monkeypatch.setattr(drive.Environment, "restore", forget)
    assert next(rows.snapshots()).difference is not None


def test_long_runs_compare_two_processes_hash_by_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "WORLD", "yard")
    seen: list[tuple[int, int]] = []
    with rows.long_runs(0.3) as outcomes:
        (outcome,) = outcomes(lambda done, total: seen.append((done, total)))
    assert outcome.difference is None and outcome.amount.startswith("0.3 minutes twice, 3 hashes")
    assert seen == [(1000, 2160), (2000, 2160), (2160, 2160)]


def popen_of(texts: Iterator[str], code: int):
    """Return a stand-in for Popen whose processes print a text and end with a code."""
    popen = subprocess.Popen

    def start(_: list[str], **options: object) -> subprocess.Popen[str]:
        program = f"print({next(texts)!r}); raise SystemExit({code})"
        return popen([sys.executable, "-c", program], **options)  # type: ignore[call-overload]

    return start


def test_long_runs_tell_where_two_processes_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows.subprocess, "Popen", popen_of(iter(("a\nb\nc", "a\nx\ny")), 0))
    with rows.long_runs(0.5) as outcomes:
        (outcome,) = outcomes(lambda *_: None)
    assert outcome.difference == "steps 1001 to 2000: b and x"


def test_long_runs_tell_of_a_process_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows.subprocess, "Popen", popen_of(iter(("a", "a")), 7))
    with rows.long_runs(0.1) as outcomes, pytest.raises(DriveFailedError, match="exit code 7"):
        list(outcomes(lambda *_: None))


def test_long_runs_go_on_beside_other_rows_and_end_with_them(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[subprocess.Popen[str]] = []
    popen = subprocess.Popen

    def start(_: list[str], **options: object) -> subprocess.Popen[str]:
        begun.append(popen([sys.executable, "-c", "import time; time.sleep(600)"], **options))  # type: ignore[call-overload]
        return begun[-1]

    monkeypatch.setattr(rows.subprocess, "Popen", start)
    with pytest.raises(AcresError, match="another row"), rows.long_runs(30.0):
        assert [process.poll() for process in begun] == [None, None]
        raise AcresError("another row failed")
    assert [process.poll() for process in begun] == [-signal.SIGKILL] * 2


@pytest.mark.parametrize(
    ("difference", "code", "last"),
    [(None, PASSED, "PASSED: 2 comparisons"), ("byte 3", FAILED, "FAILED: 1 of 2 comparisons differ")],
)
def test_the_verb_prints_each_row_and_its_verdict(difference, code, last, monkeypatch, capsys) -> None:
    quiet = ("step_sizes", "threads", "snapshots")
    for name in quiet:
        monkeypatch.setattr(rows, name, lambda: iter(()))
    monkeypatch.setattr(rows, "long_runs", lambda _: nullcontext(lambda _: [Outcome("B8", "long", "3 minutes", None)]))
    monkeypatch.setattr(determinism, "published", lambda *_: [Outcome("B1", "two", "9 steps", difference)])
    assert check_determinism.run(Namespace(long=False, world="yard")) == code
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("B1  two: equal" if difference is None else "B1  two: DIFFERENT: byte 3")
    assert lines[1] == "B8  long: equal (3 minutes)"
    assert lines[2].startswith(last)


def test_the_verb_says_what_could_not_be_checked(monkeypatch, capsys) -> None:
    def fail() -> Iterator[Outcome]:
        raise AcresError("no memory")
        yield

    monkeypatch.setattr(rows, "step_sizes", fail)
    monkeypatch.setattr(rows, "long_runs", lambda _: nullcontext(lambda _: []))
    assert check_determinism.run(Namespace(long=False, world="yard")) == NOT_CHECKED
    assert "no memory" in capsys.readouterr().err


def test_a_hash_covers_every_byte_of_the_samples() -> None:
    made = Drive(World.yard(), 9)
    (text,) = made.run(12)
    again = Drive(World.yard(), 9)
    again.command()
    samples = again.environment.step(12)
    events = repr(again.environment.take_events()).encode()
    assert hashlib.sha256(samples.tobytes() + events).hexdigest()[:16] == text
