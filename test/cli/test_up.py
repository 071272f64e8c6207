"""A stand-in that does not come up says why in one line, and `acres up` ends with the same line and exit code 1."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from acres_ros.cli import up
from acres_ros.cli.description import ProcessDescription
from acres_ros.cli.main import main
from acres_ros.cli.up import NotReadyError, StandIn, StandInEndedError
from acres_ros.nodes.parameter_table import READY_TEXT

ROOT = Path(__file__).resolve().parents[2]
DOMAIN = "85"
TAKEN = "another acres_physics with ROS domain 85 and the first agent is running (process 7). "
TAKEN += "End it first, or choose another domain with ACRES_DOMAIN_ID."
ADVICE = "./acres drive kilometre --attach), end it, or choose another domain with ACRES_DOMAIN_ID"
SLEEP = "import time; time.sleep(60)"
TALKS = f"""
import os
for _ in range(20_000):
    os.write(1, b"a name with letters of nobody: \\xff, \\xc3\\xbc\\n")
print({READY_TEXT!r})
"""
SHOWS = f"""
import os
from acres_ros.cli.description import ProcessDescription
from acres_ros.cli.up import StandIn
fenced = dict(os.environ) | {{"ROS_DOMAIN_ID": {DOMAIN!r}}}
stand_in = StandIn([ProcessDescription("acres_physics", "fake_acres_physics", ())], fenced, echo=True)
stand_in.on_ready(print)
code = stand_in.wait()
stand_in.end()
assert len(stand_in.output) == 20_001 and "\\\\xff, ü" in stand_in.output[0]
raise SystemExit(code)
"""


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator:
    """Return a function that starts programs in the place of the nodes, and ends them at the end of the test."""
    stand_ins = []
    monkeypatch.setenv("ACRES_DOMAIN_ID", DOMAIN)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))

    def describe(*programs: str) -> list[ProcessDescription]:
        descriptions = []
        for name, text in zip(("acres_physics", "acres_vehicle"), programs, strict=False):
            (tmp_path / f"fake_{name}.py").write_text(text)
            descriptions.append(ProcessDescription(name, f"fake_{name}", ()))
        return descriptions

    def start(*programs: str) -> StandIn:
        stand_ins.append(StandIn(describe(*programs), dict(os.environ) | {"ROS_DOMAIN_ID": DOMAIN}, echo=False))
        return stand_ins[-1]

    start.describe = describe
    yield start
    for stand_in in stand_ins:
        stand_in.end()


def says(text: str, code: int) -> str:
    return f"import sys; print({text!r}); sys.exit({code})"


@pytest.mark.parametrize("full", [False, True], ids=["nobody reads", "the disk is full"])
def test_the_nodes_go_on_where_what_they_say_cannot_be_printed(started, full: bool) -> None:
    """As with `acres up | head`, or into a file; and whatever bytes they say."""
    started.describe(TALKS)
    reading, writing = os.pipe()
    os.close(reading)
    with open("/dev/full" if full else writing, "w") as out:
        done = subprocess.run(
            [sys.executable, "-c", SHOWS], cwd=ROOT, stdout=out, stderr=subprocess.PIPE, timeout=60, check=False
        )
    assert (done.returncode, done.stderr.decode()) == (0, "")


def test_a_refused_start_is_an_error_with_the_words_of_the_node(started) -> None:
    stand_in = started(SLEEP, says("acres_vehicle: world 'moon' is not known: wanted\n  - yard", 1))
    with pytest.raises(StandInEndedError) as caught:
        stand_in.wait_ready(30.0)
    assert str(caught.value) == (
        "the stand-in did not come up: acres_vehicle ended with exit code 1: world 'moon' is not known: wanted"
    )


def test_a_domain_that_is_taken_gets_the_advice_for_it(started) -> None:
    with pytest.raises(StandInEndedError) as caught:
        started(says(f"acres_physics: {TAKEN}", 1), SLEEP).wait_ready(30.0)
    assert TAKEN.partition(". End")[0] in str(caught.value) and str(caught.value).count("ACRES_DOMAIN_ID") == 1
    assert str(caught.value).endswith(ADVICE)


def test_a_crash_is_told_by_its_last_line(started) -> None:
    with pytest.raises(StandInEndedError, match=r"acres_physics ended with exit code 1: ValueError: square$"):
        started("raise ValueError('square')", SLEEP).wait_ready(30.0)


def test_a_start_that_takes_too_long_is_an_error_in_words(started) -> None:
    with pytest.raises(NotReadyError, match=r"did not come up within 0\.1 s"):
        started(SLEEP, SLEEP).wait_ready(0.1)


def test_an_end_after_the_start_is_told_as_such(started) -> None:
    stand_in = started(f"print({READY_TEXT!r}); import time; time.sleep(1); raise SystemExit(5)", SLEEP)
    stand_in.wait_ready(30.0)
    with pytest.raises(StandInEndedError, match="the stand-in is gone: acres_physics ended with exit code 5"):
        stand_in.wait()


def test_an_end_that_was_asked_for_is_none_of_it(started) -> None:
    assert started("", SLEEP).wait() == 0


@pytest.mark.parametrize("words", [["up"], ["drive", "lockstep"], ["drive", "kilometre"]])
def test_the_command_ends_with_one_line_and_code_one(
    started, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    descriptions = started.describe(says(f"acres_physics: {TAKEN}", 1), SLEEP)
    monkeypatch.setattr(up, "processes", lambda values: descriptions)
    assert main(words) == 1
    *_, last = capsys.readouterr().err.splitlines()
    assert last.startswith("acres: the stand-in did not come up: acres_physics ended") and last.endswith(ADVICE)


def test_a_terminal_that_is_closed_ends_a_stand_in_but_one_that_nohup_has_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(up, "processes", lambda values: [])
    before = signal.getsignal(signal.SIGHUP)
    try:
        for handler, ends in ((signal.SIG_IGN, False), (signal.SIG_DFL, True)):
            signal.signal(signal.SIGHUP, handler)
            ended = False
            try:
                with up.started({}):
                    signal.raise_signal(signal.SIGHUP)
            except KeyboardInterrupt:
                ended = True
            assert ended == ends
            assert signal.getsignal(signal.SIGHUP) == handler
    finally:
        signal.signal(signal.SIGHUP, before)


def test_up_does_not_leave_the_fence(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["up", "--outside-fence", "I accept that commands can reach a real vehicle"])
    assert caught.value.code == 2
    with pytest.raises(SystemExit):
        main(["up", "--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert "It never leaves the fence; docs/fence.md tells" in text and "--outside-fence" not in text


@pytest.mark.system
def test_a_second_stand_in_in_a_domain_says_what_to_do(domain: int) -> None:
    with up.started({"paused": True}, domain=domain) as first:
        first.wait_ready(240.0)
        command = [sys.executable, "-m", "acres_ros.cli", "up", "--paused"]
        environment = os.environ | {"ACRES_DOMAIN_ID": str(domain)}
        second = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False
        )
        assert all(process.poll() is None for process in first.processes.values())
    assert second.returncode == 1
    assert second.stderr.splitlines()[-1].endswith(ADVICE), second.stdout + second.stderr
