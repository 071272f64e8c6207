"""Who meets whom: inside the fence everybody, across it nobody."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable

import pytest
from fence_rig import DOMAIN, OTHER_DOMAIN, PROGRAMS, result_of, run_program

from acres_ros import fence
from acres_ros.fence import ProofImpossibleError
from acres_ros.fence.proof import isolation, require_tools

Start = Callable[..., subprocess.Popen[str]]


def test_two_processes_inside_find_each_other(start: Start, fenced: dict[str, str]) -> None:
    start(fenced, "publish", "inside", "120")
    seen = result_of(start(fenced, "hear", "inside", "50", "20"))
    assert seen == {"heard": 20, "nodes": ["publisher"]}


def test_a_newcomer_sees_who_is_there_well_within_the_wait(start: Start, fenced: dict[str, str]) -> None:
    """Without the profile's announcements one in two newcomers needs 2 s or more, longer than a node waits."""
    first = start(fenced, "publish", "/clock", "120", "first_simulator")
    assert first.stdout.readline() == "ready\n"
    waits = []
    for _ in range(6):
        seen = result_of(start(fenced, "duplicate", "/clock"))
        assert "/clock: /first_simulator" in seen["refusal"]
        waits.append(seen["waited"])
    assert sorted(waits)[-2] < 1.4, "one may be held up by a busy machine"


def test_another_domain_hears_nothing(start: Start, base: dict[str, str], fenced: dict[str, str]) -> None:
    start(fenced, "publish", "inside", "120")
    other = fence.environment(base, domain=OTHER_DOMAIN)
    assert result_of(start(other, "hear", "inside", "3", "1")) == {"heard": 0, "nodes": []}


def test_a_default_node_of_another_domain_hears_nothing(
    apart: list[str], unfenced: dict[str, str], fenced: dict[str, str], start: Start
) -> None:
    start(fenced, "publish", "inside", "120")
    outside = {**unfenced, "ROS_DOMAIN_ID": "0"}
    assert run_program(apart, outside, "hear", "inside", "3", "1") == {"heard": 0, "nodes": []}


@pytest.mark.parametrize(("state", "expected"), [("fenced", 0), ("open", 20)])
def test_another_host_that_knows_the_address_hears_nothing(base: dict[str, str], state: str, expected: int) -> None:
    """Without the fence the same host hears everything, so the cable between them works."""
    try:
        require_tools()
        command = isolation()
    except ProofImpossibleError as error:
        pytest.skip(str(error))
    done = subprocess.run(
        [*command, sys.executable, str(PROGRAMS), "two_hosts", state, str(DOMAIN)],
        env=base, capture_output=True, text=True, timeout=180, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout.strip().splitlines()[-1])
    assert seen == {"heard": expected, "nodes": ["near"] if expected else []}


def test_fifteen_participants_find_each_other(start: Start, fenced: dict[str, str]) -> None:
    crowd = [start(fenced, "crowd", str(number), "15", "40") for number in range(15)]
    assert [json.loads(member.stdout.readline())["seen"] for member in crowd] == [15] * 15


def test_a_second_simulator_refuses_and_names_the_first(start: Start, fenced: dict[str, str]) -> None:
    first = start(fenced, "publish", "/clock", "120", "first_simulator")
    assert first.stdout.readline() == "ready\n"
    seen = result_of(start(fenced, "duplicate", "/vehicle/steering/report", "/clock"))
    assert "/clock: /first_simulator" in seen["refusal"]
    assert f"Domain {DOMAIN}" in seen["refusal"] and "ACRES_DOMAIN_ID" in seen["refusal"]
    assert "/vehicle/steering/report" not in seen["refusal"]


def test_a_lone_simulator_goes_on_and_does_not_see_itself(start: Start, fenced: dict[str, str]) -> None:
    seen = result_of(start(fenced, "duplicate", "/vehicle/steering/report", "/clock"))
    assert seen["refusal"] == "" and seen["own_refusal"] == ""
    assert seen["waited"] > 1.4
