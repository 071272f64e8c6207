"""The environment of a fenced process, and each variable that would open it."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from acres_ros import fence
from acres_ros.fence import settings
from acres_ros.fence.errors import DomainError, MiddlewareError, OutsideFenceError, ProfileError

OPENERS = {
    "ROS_LOCALHOST_ONLY": "1",
    "ROS_STATIC_PEERS": "10.77.0.2",
    "ROS_DISCOVERY_SERVER": "10.77.0.2:11811",
    "FASTDDS_BUILTIN_TRANSPORTS": "UDPv4",
    "FASTDDS_ENVIRONMENT_FILE": "/tmp/other.json",
    "ZENOH_SESSION_CONFIG_URI": "/tmp/other.json5",
}


def test_fence_takes_away_everything_that_opens_it_and_keeps_the_rest() -> None:
    result = fence.environment({"PATH": "/bin", "ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET", **OPENERS})
    assert not set(OPENERS) & set(result)
    assert result["PATH"] == "/bin"
    assert result["ROS_AUTOMATIC_DISCOVERY_RANGE"] == "SYSTEM_DEFAULT"
    assert result["RMW_IMPLEMENTATION"] == "rmw_fastrtps_cpp"
    assert Path(result["FASTRTPS_DEFAULT_PROFILES_FILE"]).is_absolute()
    assert Path(result["FASTRTPS_DEFAULT_PROFILES_FILE"]).read_text().startswith("<?xml")
    assert result["SKIP_DEFAULT_XML_FILE"] == "1"


@pytest.mark.parametrize(
    ("base", "domain", "expected"),
    [
        ({}, None, "77"),
        ({"ROS_DOMAIN_ID": "5"}, None, "77"),
        ({"ACRES_DOMAIN_ID": "0"}, None, "0"),
        ({"ACRES_DOMAIN_ID": " 101 "}, None, "101"),
        ({"ACRES_DOMAIN_ID": ""}, None, "77"),
        ({"ACRES_DOMAIN_ID": "3"}, 42, "42"),
        ({}, "42", "42"),
    ],
)
def test_domain_is_private_unless_named(base: dict[str, str], domain: int | str | None, expected: str) -> None:
    result = fence.environment(base, domain=domain)
    assert result["ROS_DOMAIN_ID"] == expected
    assert fence.environment(result)["ROS_DOMAIN_ID"] == expected, "a process started inside stays in the domain"


@pytest.mark.parametrize("domain", [-1, 102, "102", "-1", "7.5", "x", "1e1", True, 3.0, "٣", "99999"])
def test_a_domain_that_dds_cannot_use_is_refused(domain: object) -> None:
    with pytest.raises(DomainError, match="from 0 to 101"):
        fence.environment({}, domain=domain)
    with pytest.raises(DomainError, match="ACRES_DOMAIN_ID"):
        fence.environment({"ACRES_DOMAIN_ID": str(domain) + "."})


def test_launch_actions_give_the_same_environment() -> None:
    base = {"HOME": "/root", "RMW_IMPLEMENTATION": "rmw_cyclonedds_cpp", **OPENERS}
    by_actions = dict(base)
    for name, value in fence.variables(base, domain=9):
        if value is None:
            by_actions.pop(name, None)
        else:
            by_actions[name] = value
    assert by_actions == fence.environment(base, domain=9)
    names = [name for name, _ in fence.variables(base)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("content", [None, "", "  \n"])
def test_a_missing_or_empty_profile_is_refused(tmp_path: Path, content: str | None) -> None:
    profile = tmp_path / "profile.xml"
    if content is not None:
        profile.write_text(content)
    with pytest.raises(ProfileError, match="nothing starts"):
        fence.environment({}, profile=profile)


def test_an_rmw_without_settings_is_refused() -> None:
    with pytest.raises(MiddlewareError, match="rmw_connextdds"):
        fence.environment({"RMW_IMPLEMENTATION": "rmw_connextdds"})


def test_the_profile_names_loopback_and_no_other_address() -> None:
    addresses = [e.text for e in ElementTree.parse(settings.FAST_DDS_PROFILE).iter() if e.tag.endswith("address")]
    assert addresses == ["127.0.0.1", "127.0.0.1"]


def test_cyclone_settings_are_one_xml_text_without_a_comma() -> None:
    text = settings.cyclone_uri()
    root = ElementTree.fromstring(text)
    assert root.find("Domain/General/Interfaces/NetworkInterface").attrib == {
        "address": "127.0.0.1",
        "multicast": "false",
    }
    assert root.find("Domain/General/AllowMulticast").text == "false"
    assert "," not in text, "Cyclone reads CYCLONEDDS_URI as a list with commas"
    assert "<!--" not in text


def test_zenoh_nodes_connect_where_the_router_listens_and_both_stay_on_loopback() -> None:
    node, router = settings.zenoh_override(77), settings.zenoh_override(77, router=True)
    assert 'connect/endpoints=["tcp/127.0.0.1:7577"]' in node
    assert 'listen/endpoints=["tcp/127.0.0.1:7577"]' in router
    assert 'listen/endpoints=["tcp/127.0.0.1:0"]' in node
    for text in (node, router):
        assert "scouting/multicast/enabled=false" in text
        assert "0.0.0.0" not in text and "[::]" not in text


@pytest.mark.parametrize("rmw", settings.MIDDLEWARES)
def test_a_fenced_environment_has_no_problem(rmw: str, tmp_path: Path) -> None:
    (tmp_path / "DEFAULT_FASTRTPS_PROFILES.xml").write_text("<dds/>")
    assert settings.problems(fence.environment({}, rmw=rmw), tmp_path) == []


def _changed(**changes: str | None) -> dict[str, str]:
    environ = fence.environment({})
    for name, value in changes.items():
        if value is None:
            environ.pop(name)
        else:
            environ[name] = value
    return environ


@pytest.mark.parametrize(
    ("environ", "word"),
    [
        (_changed(ROS_DOMAIN_ID=None), "ROS_DOMAIN_ID"),
        (_changed(ROS_DOMAIN_ID="150"), "ROS_DOMAIN_ID"),
        (_changed(ROS_AUTOMATIC_DISCOVERY_RANGE="LOCALHOST"), "ROS_AUTOMATIC_DISCOVERY_RANGE"),
        (_changed(ROS_AUTOMATIC_DISCOVERY_RANGE=None), "ROS_AUTOMATIC_DISCOVERY_RANGE"),
        (_changed(FASTRTPS_DEFAULT_PROFILES_FILE="/nowhere/profile.xml"), "/nowhere/profile.xml"),
        (_changed(FASTRTPS_DEFAULT_PROFILES_FILE=None), "FASTRTPS_DEFAULT_PROFILES_FILE"),
        (_changed(FASTRTPS_DEFAULT_PROFILES_FILE=str(settings.CYCLONE_DDS_SETTINGS)), "not the fence's profile"),
        (_changed(RMW_IMPLEMENTATION="rmw_connextdds"), "rmw_connextdds"),
        (_changed(RMW_IMPLEMENTATION="rmw_cyclonedds_cpp", CYCLONEDDS_URI=None), "CYCLONEDDS_URI"),
        (_changed(RMW_IMPLEMENTATION="rmw_zenoh_cpp", ZENOH_CONFIG_OVERRIDE="mode='peer'"), "ZENOH_CONFIG_OVERRIDE"),
        *((_changed(**{name: value}), name) for name, value in OPENERS.items()),
    ],
)
def test_each_way_out_of_the_fence_is_named(environ: dict[str, str], word: str) -> None:
    with pytest.raises(OutsideFenceError) as caught:
        fence.check_environment(environ)
    text = str(caught.value)
    assert word in text
    assert fence.ACCEPTANCE in text and "./acres run" in text


def test_a_profile_in_the_working_directory_is_named_unless_it_is_skipped(tmp_path: Path) -> None:
    (tmp_path / "DEFAULT_FASTRTPS_PROFILES.xml").write_text("<dds/>")
    found = settings.problems(_changed(SKIP_DEFAULT_XML_FILE=None), tmp_path)
    assert len(found) == 1 and "DEFAULT_FASTRTPS_PROFILES.xml" in found[0]


def test_an_empty_environment_is_outside() -> None:
    with pytest.raises(OutsideFenceError):
        fence.check_environment({})
