"""What a node asks before it speaks."""

from __future__ import annotations

import socket
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from fence_rig import ROOT, run_program

from acres_ros import fence
from acres_ros.fence import sockets
from acres_ros.fence.errors import (
    DuplicateSimulatorError,
    OpenSocketError,
    OutsideFenceError,
    SocketsUnreadableError,
)
from acres_ros.fence.sockets import Held


@pytest.fixture
def inside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put this process into the fence."""
    for name, value in fence.variables():
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)


def test_importing_the_fence_loads_nothing_else_of_the_package() -> None:
    code = (
        "import sys; import acres_ros.fence, acres_ros.fence.proof; "
        "print(sorted(m for m in sys.modules if m.startswith(('acres_ros.', 'rclpy', 'numpy', 'numba'))"
        " and not m.startswith('acres_ros.fence')))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['acres_ros._program', 'acres_ros.errors']"


def test_inside_there_is_nothing_to_say(inside: None) -> None:
    assert fence.require_fence() is None


@pytest.mark.parametrize("almost", ["", "true", "yes", fence.ACCEPTANCE.lower(), fence.ACCEPTANCE + "."])
def test_outside_only_the_exact_sentence_lets_pass(inside: None, monkeypatch: pytest.MonkeyPatch, almost: str) -> None:
    monkeypatch.setenv("ROS_STATIC_PEERS", "10.0.0.9")
    with pytest.raises(OutsideFenceError):
        fence.require_fence(override=almost)
    warning = fence.require_fence(override=fence.ACCEPTANCE)
    assert warning is not None and "real vehicle" in warning


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["node"], ""),
        (["node", "--ros-args", "-p", "outside_fence:=I accept"], "I accept"),
        (["node", "--ros-args", "-p", "acres_physics:outside_fence:='I accept'"], "I accept"),
        (["node", "--ros-args", "--param", "outside_fence:=a", "-p", "outside_fence:=b"], "b"),
        (["node", "--ros-args", "-p", "not_outside_fence:=a"], ""),
        (["node", "--ros-args", "-p"], ""),
        (["node", "--params-file", "/nowhere.yaml"], ""),
    ],
)
def test_override_is_known_before_the_middleware_starts(arguments: list[str], expected: str) -> None:
    assert fence.override_from_arguments(arguments) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("acres_physics:\n  ros__parameters:\n    outside_fence: I accept\n", "I accept"),
        ("/**:\n  acres_physics:\n    ros__parameters:\n      outside_fence: I accept\n", "I accept"),
        ("acres_physics:\n  ros__parameters:\n    outside_fence: true\n", ""),
        ("acres_physics:\n  ros__parameters:\n    rate: 1.0\n", ""),
        (": : :", ""),
    ],
)
def test_override_from_a_parameter_file(tmp_path: Path, text: str, expected: str) -> None:
    pytest.importorskip("yaml")
    (tmp_path / "parameters.yaml").write_text(text)
    arguments = ["node", "--ros-args", "--params-file", str(tmp_path / "parameters.yaml")]
    assert fence.override_from_arguments(arguments) == expected


@pytest.mark.parametrize(
    ("held", "local"),
    [
        (Held("udp", "127.0.0.1", 7410), True),
        (Held("tcp6", "::1", 80), True),
        (Held("udp", "0.0.0.0", 0), True),
        (Held("udp", "0.0.0.0", 7410), False),
        (Held("udp6", "::", 7410), False),
        (Held("udp", "10.77.0.1", 7410), False),
        (Held("tcp", "127.0.0.1", 4000, "10.77.0.2"), False),
        (Held("tcp", "127.0.0.1", 4000, "127.0.0.1"), True),
        (Held("raw", "0.0.0.0", 0), False),
        (Held("AF_CAN", "", 0), False),
    ],
)
def test_which_sockets_stay_local(held: Held, local: bool) -> None:
    assert held.stays_local is local


def test_a_listening_socket_on_every_interface_is_refused(inside: None) -> None:
    before = fence.check_sockets()
    with socket.socket() as listening:
        listening.bind(("0.0.0.0", 0))
        listening.listen()
        port = listening.getsockname()[1]
        with pytest.raises(OpenSocketError, match=f"tcp socket on 0.0.0.0 port {port}"):
            fence.check_sockets()
        with pytest.raises(OpenSocketError):
            fence.check_sockets(rmw="rmw_cyclonedds_cpp")
    assert fence.check_sockets() == before


def test_only_cyclone_may_bind_a_udp_socket_to_any_address(inside: None) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiving:
        receiving.bind(("0.0.0.0", 0))
        assert any(held.any_address for held in fence.check_sockets(rmw="rmw_cyclonedds_cpp"))
        with pytest.raises(OpenSocketError, match="udp socket"):
            fence.check_sockets()


def test_a_process_that_cannot_be_looked_at_is_refused() -> None:
    with pytest.raises(SocketsUnreadableError, match="nothing starts"):
        fence.check_sockets(2**22 + 1)


def test_groups_joined_on_loopback_don_t_count() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as member:
        request = struct.pack("=4s4s", socket.inet_aton("239.255.0.1"), socket.inet_aton("127.0.0.1"))
        member.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, request)
        assert not [group for group in sockets.joined_groups() if "interface lo" in group]


def test_a_fenced_node_holds_loopback_sockets_only(fenced: dict[str, str]) -> None:
    seen = run_program([sys.executable], fenced, "sockets")
    assert seen["refusal"] == "" and seen["groups"] == []
    assert len(seen["own"]) >= 4
    assert all(text.startswith("udp socket on 127.0.0.1 port ") for text in seen["own"])
    assert all(text in seen["outside"] for text in seen["own"]), "the kernel's tables and the descriptors agree"


def test_a_node_with_the_middleware_s_defaults_is_refused(apart: list[str], unfenced: dict[str, str]) -> None:
    seen = run_program(apart, unfenced, "sockets")
    assert "0.0.0.0" in seen["refusal"] and "10.77.0.1" in seen["refusal"]
    assert seen["groups"] == ["multicast group 239.255.0.1 joined on interface acres0"]


@pytest.mark.parametrize(
    "change",
    [
        {"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"},
        {"ROS_LOCALHOST_ONLY": "1"},
        {"FASTRTPS_DEFAULT_PROFILES_FILE": "/nowhere/fastdds.xml"},
    ],
)
def test_the_sockets_show_what_a_changed_variable_opens(
    apart: list[str], fenced: dict[str, str], change: dict[str, str]
) -> None:
    assert "0.0.0.0" in run_program(apart, {**fenced, **change}, "sockets")["refusal"]


PROFILE_OF_SOMEONE_ELSE = """<?xml version="1.0" encoding="UTF-8"?>
<dds xmlns="http://www.eprosima.com/XMLSchemas/fastRTPS_Profiles"><profiles>
<participant profile_name="mine" is_default_profile="true">
<rtps><useBuiltinTransports>true</useBuiltinTransports></rtps></participant></profiles></dds>
"""


def test_a_profile_in_the_working_directory_does_not_open_the_fence(
    apart: list[str], fenced: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "DEFAULT_FASTRTPS_PROFILES.xml").write_text(PROFILE_OF_SOMEONE_ELSE)
    assert run_program(apart, fenced, "sockets", cwd=tmp_path)["refusal"] == ""
    del fenced["SKIP_DEFAULT_XML_FILE"]
    assert "0.0.0.0" in run_program(apart, fenced, "sockets", cwd=tmp_path)["refusal"], "without it the file opens it"


def test_the_node_s_parameter_is_read(apart: list[str], unfenced: dict[str, str], fenced: dict[str, str]) -> None:
    assert "outside the loopback fence" in run_program(apart, unfenced, "parameter")["refusal"]
    accepted = ("--ros-args", "-p", f"outside_fence:={fence.ACCEPTANCE}")
    assert "OUTSIDE THE FENCE" in run_program(apart, unfenced, "parameter", *accepted)["warning"]
    assert run_program([sys.executable], fenced, "parameter") == {"warning": None, "refusal": ""}


def test_a_duplicate_of_every_topic_is_said_in_a_few_lines() -> None:
    text = str(DuplicateSimulatorError({f"/topic{number}": ["/other"] for number in range(26)}, "77"))
    assert text.count("\n") == 5 and "and 23 more topics" in text
