"""The programs that show the stand-in to a user, run as he runs them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from system_rig import OK, OWN_DOMAIN, SHARED_DOMAIN, START_S, User, joined

from acres_ros import fence
from acres_ros.cli.up import started

pytestmark = pytest.mark.system

ROOT = Path(__file__).resolve().parents[2]
VELOCITY = "/vehicle/vehicle_velocity"


def acres(*words: str, domain: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "acres_ros.cli", *words],
        cwd=ROOT,
        env={**os.environ, "ACRES_DOMAIN_ID": str(domain)},
        capture_output=True,
        text=True,
        timeout=900.0,
        check=False,
    )


def test_a_short_lap_in_lockstep_stays_on_its_path_and_leaves_a_picture(tmp_path: Path) -> None:
    picture = tmp_path / "lap.png"
    result = acres("drive", "kilometre", "--lockstep", "--lap", "400", "--picture", str(picture), domain=OWN_DOMAIN)
    assert result.returncode == 0, result.stdout + result.stderr
    found = re.search(r"distance ([\d.]+) m .* mean ([\d.]+) m, largest ([\d.]+) m", result.stdout)
    assert found, result.stdout
    distance, mean, largest = map(float, found.groups())
    assert 400.0 <= distance < 405.0
    assert mean < 0.15 and largest < 0.6
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_drive_where_nothing_is_up_says_so(tmp_path: Path) -> None:
    result = acres("drive", "kilometre", "--attach", "--picture", str(tmp_path / "lap.png"), domain=OWN_DOMAIN)
    assert result.returncode != 0
    assert f"nothing is up in ROS domain {OWN_DOMAIN}: ./acres up" in result.stdout + result.stderr


def test_a_drive_in_a_pause_says_how_to_go_on(tmp_path: Path) -> None:
    with started({"paused": True}, domain=OWN_DOMAIN) as stand_in:
        stand_in.wait_ready(START_S)
        result = acres("drive", "kilometre", "--attach", "--picture", str(tmp_path / "lap.png"), domain=OWN_DOMAIN)
    assert result.returncode != 0
    assert "--lockstep steps it" in result.stdout + result.stderr


def test_the_shortest_program_moves_the_vehicle() -> None:
    with started({}, domain=OWN_DOMAIN) as stand_in:
        stand_in.wait_ready(START_S)
        driver = subprocess.Popen(
            [sys.executable, str(ROOT / "examples" / "driver.py")],
            env=fence.environment(os.environ, domain=OWN_DOMAIN),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            with joined(OWN_DOMAIN) as ros:
                user = User(ros)
                user.spin_until(lambda: user.recorder.rows[VELOCITY], "a velocity")
                user.spin_until(lambda: user.last(VELOCITY).vehicle_velocity_brake > 0.5, "motion")
        finally:
            driver.kill()
            driver.wait()


def test_rain_is_a_service_call_away(user: User) -> None:
    result = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "rain.py")],
        env=fence.environment(os.environ, domain=SHARED_DOMAIN),
        capture_output=True,
        text=True,
        timeout=60.0,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert "success=True" in result.stdout


def test_control_steps_drive_a_bend_the_same_each_time(user: User) -> None:
    outputs = []
    for _ in range(2):
        assert user.reset().result == OK
        result = subprocess.run(
            [sys.executable, str(ROOT / "examples" / "control_step.py")],
            env=fence.environment(os.environ, domain=SHARED_DOMAIN),
            capture_output=True,
            text=True,
            timeout=120.0,
            check=False,
        )
        assert result.returncode == 0, result.stderr
        outputs.append(result.stdout)
    assert outputs[0] == outputs[1] and outputs[0].startswith("at step 1212: ")
