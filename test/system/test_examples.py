"""The programs that show the stand-in to a user, run as he runs them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from acres_interfaces.srv import GetFarm
from rclpy.node import Node
from system_rig import OK, OWN_DOMAIN, SHARED_DOMAIN, START_S, User, joined, wait_for

from acres_ros import fence
from acres_ros.cli.up import started

pytestmark = [pytest.mark.system, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
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


def example(*words: str, domain: int) -> subprocess.CompletedProcess[str]:
    name, *rest = words
    return subprocess.run(
        [sys.executable, str(EXAMPLES / name), *rest],
        env=fence.environment(os.environ, domain=domain),
        capture_output=True,
        text=True,
        timeout=120.0,
        check=False,
    )


def test_a_short_lap_in_lockstep_stays_on_its_path_and_leaves_a_picture(tmp_path: Path) -> None:
    picture = tmp_path / "lap.png"
    words = ("drive", "kilometre", "--attach", "--lockstep", "--lap", "400", "--picture", str(picture))
    with started({"paused": True}, domain=OWN_DOMAIN) as stand_in:
        stand_in.wait_ready(START_S)
        assert acres("step", "4000", domain=OWN_DOMAIN).returncode == 0, "it need not be a new one"
        result = acres(*words, domain=OWN_DOMAIN)
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
            [sys.executable, str(EXAMPLES / "driver.py")],
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


@pytest.mark.parametrize(
    ("words", "waits", "ends"),
    [
        (
            ["rain.py"],
            "waiting for the stand-in, 10 s at most",
            "nobody offers /acres/set_conditions: is the stand-in up?",
        ),
        (
            ["control_step.py"],
            "waiting for the stand-in, 10 s at most",
            "nobody offers /acres/step_with_commands: is the",
        ),
        (
            ["call.py", "/acres/get_farm"],
            "waiting for /acres/get_farm, 10 s",
            "nobody offers the service /acres/get_farm",
        ),
        (["kilometre.py"], "waiting for odometry, 10 s at most", f"nothing is up in ROS domain {OWN_DOMAIN}"),
        (["kilometre.py", "--lockstep"], "waiting for /step_simulation, 10 s at most", "nothing is up in ROS domain"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_an_example_alone_says_that_it_waits_and_ends_with_words(words: list[str], waits: str, ends: str) -> None:
    result = example(*words, domain=OWN_DOMAIN)
    first, last = (result.stdout + result.stderr).splitlines()
    assert result.returncode == 1 and waits in first and ends in last


def test_the_driver_alone_says_that_nobody_takes_its_commands() -> None:
    driver = subprocess.Popen(
        [sys.executable, str(EXAMPLES / "driver.py")],
        env=fence.environment(os.environ, domain=OWN_DOMAIN),
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert driver.stdout is not None
        assert driver.stdout.readline().startswith("nobody takes the commands yet: is the stand-in up?")
    finally:
        driver.kill()
        driver.communicate()


def test_a_call_ends_when_who_was_called_has_gone() -> None:
    with joined(OWN_DOMAIN) as ros:
        node = Node("silent", context=ros)
        service = node.create_service(GetFarm, "/acres/get_farm", lambda _, response: response)
        with ThreadPoolExecutor() as pool:
            called = pool.submit(example, "call.py", "/acres/get_farm", domain=OWN_DOMAIN)
            with service.handle:
                wait_for(lambda: service.handle.service_take_request(GetFarm.Request)[0], "a request", START_S)
            node.destroy_node()
            result = called.result()
    assert result.returncode == 1 and "whoever offered /acres/get_farm has gone without an answer" in result.stderr


@pytest.mark.parametrize("name", ["driver.py", "rain.py"])
def test_the_programs_of_the_readme_are_the_examples(name: str) -> None:
    assert f"```python\n{(EXAMPLES / name).read_text()}```" in (ROOT / "README.md").read_text()


def test_rain_is_a_service_call_away(user: User) -> None:
    result = example("rain.py", domain=SHARED_DOMAIN)
    assert result.returncode == 0, result.stderr
    assert "success=True" in result.stdout


def test_control_steps_drive_a_bend_the_same_each_time(user: User) -> None:
    outputs = []
    for _ in range(2):
        assert user.reset().result == OK
        result = example("control_step.py", domain=SHARED_DOMAIN)
        assert result.returncode == 0, result.stderr
        outputs.append(result.stdout.splitlines()[-1])  # on a busy machine it says before that it waits
    assert outputs[0] == outputs[1] and outputs[0].startswith("at step 1212: ")
