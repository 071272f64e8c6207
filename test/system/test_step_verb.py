"""`./acres step` as its user sees it: progress, Ctrl-C, and why steps are refused."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys

import pytest
from system_rig import OK, OWN_DOMAIN, PAUSED, PLAYING, SHARED_DOMAIN, User, stamp_ns, wait_for

pytestmark = pytest.mark.system

MANY = 10**9
TIMEOUT_S = 120.0


def begun(*words: str, domain: int = SHARED_DOMAIN, stderr: int = subprocess.PIPE) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "acres_ros.cli", "step", *words],
        env={**os.environ, "ACRES_DOMAIN_ID": str(domain)},
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
    )


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Return exit code and output of a verb that ends by itself."""
    try:
        out, err = process.communicate(timeout=TIMEOUT_S)
    finally:
        process.kill()
    assert "Traceback" not in (err or "")
    return process.returncode, out, err


@pytest.mark.parametrize("steps", [24, 240], ids=["a few", "more"])
def test_the_steps_are_run_and_their_speed_is_told(user: User, steps: int) -> None:
    user.step(1)
    code, out, err = ended(begun(str(steps)))
    assert code == 0, err
    assert re.fullmatch(rf"{steps} steps, {steps / 120:.3f} s of simulation, in [\d.]+ s \([\d.]+ x real time\)\n", out)
    user.settle()
    assert user.ticks() == [stamp_ns(k) for k in range(1, steps + 2)]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_a_signal_ends_the_steps_and_tells_how_many_were_run(user: User, number: signal.Signals) -> None:
    process = begun(str(MANY))
    user.refused_reset()
    process.send_signal(number)
    code, out, err = ended(process)
    assert (code, out) == (130, "")
    found = re.search(rf"^acres: interrupted: cancelled after (\d+) of {MANY} steps$", err, re.MULTILINE)
    assert found, err
    assert user.state() == PAUSED and user.step_result(1).result == OK
    user.settle()
    assert user.ticks()[-1] == stamp_ns(int(found[1]) + 1)


def test_a_terminal_shows_on_one_line_how_far_they_are(user: User) -> None:
    reader, terminal = pty.openpty()
    process = begun(str(MANY), stderr=terminal)
    os.close(terminal)
    text = ""

    def shown() -> list[str]:
        nonlocal text
        if select.select([reader], [], [], 0.1)[0]:
            text += os.read(reader, 4096).decode()
        return re.findall(
            r"\r\x1b\[K\[acres\] (\d+) of \d+ steps, [\d.]+ s of simulation, in [\d.]+ s \([\d.]+ x", text
        )

    counts = wait_for(lambda: found if len(found := shown()) >= 3 else None, "three lines of progress", TIMEOUT_S)
    assert sorted(map(int, counts)) == list(map(int, counts)) and int(counts[-1]) > int(counts[0]) > 0
    process.send_signal(signal.SIGINT)
    code, out, _ = ended(process)
    os.close(reader)
    assert (code, out) == (130, "")


@pytest.mark.parametrize("steps", ["5", "500"])
def test_why_steps_are_refused_is_told(user: User, steps: str) -> None:
    running = begun(str(MANY))
    user.refused_reset()
    code, _, err = ended(begun(steps))
    assert code == 1 and f"a request of {steps} steps failed: another step request is refused: a step request " in err
    running.send_signal(signal.SIGINT)
    assert ended(running)[0] == 130
    user.set_state(PLAYING)
    code, _, err = ended(begun(steps))
    assert code == 1 and f"a request of {steps} steps failed: the simulation is PLAYING" in err
    code, _, err = ended(begun(steps, "--pause"))
    assert code == 0, err


@pytest.mark.parametrize("steps", ["0", str(MANY + 1)])
def test_a_number_that_cannot_be_run_is_refused(user: User, steps: str) -> None:
    code, out, err = ended(begun(steps))
    assert (code, out) == (1, "") and f"steps = {steps}: wanted 1 to {MANY}" in err
    assert user.state() == PAUSED


def test_where_nothing_is_up_it_says_that_it_waits_and_then_what_to_do() -> None:
    code, out, err = ended(begun("1", domain=OWN_DOMAIN))
    assert (code, out) == (1, "")
    first, last = err.splitlines()
    assert first == f"[acres] waiting for the stand-in in ROS domain {OWN_DOMAIN}, 10 s at most"
    assert last.endswith(f"is the stand-in up in ROS domain {OWN_DOMAIN}? See ./acres up")
