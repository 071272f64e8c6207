"""A module that falls silent: its report has no message, in both profiles, and what others show of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from rclpy.node import Node
from test_recall import drive
from vehicle_rig import Recorder, outputs, published, still

from acres_ros.core.fault_table import INDEX, MODULES, SILENCE_BITS
from acres_ros.core.reasons import ReasonDisengage, ReasonNotReady
from acres_ros.nodes.diagnostics import Diagnostics

PROFILES = ("acres", "vehicle")
ON = slice(120, 240)
"""The steps 121 to 240 of a run: the second second."""


def silenced(name: str) -> np.recarray:
    """Return samples of three seconds; in the second one a module sends no report."""
    rows = drive(360)
    rows.faults.drop[ON] = SILENCE_BITS[f"{name}/report"]
    return rows


def steps(recorder: Recorder, key: str) -> list[int]:
    """Return the steps of the messages of a topic."""
    stamps = (message.header.stamp for message in recorder.messages(key))
    return [round((stamp.sec + stamp.nanosec / 1e9) * 120.0) for stamp in stamps]


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name", MODULES)
def test_its_report_has_no_message_and_every_other_topic_goes_on(name: str, profile: str) -> None:
    key = f"{name}/report"
    healthy, faulty = published(drive(360), profile=profile), published(silenced(name), profile=profile)
    assert [entry for entry in healthy.log if entry[0] != key] == [entry for entry in faulty.log if entry[0] != key]
    before, after = steps(healthy, key), steps(faulty, key)
    assert any(120 < step <= 240 for step in before) and not any(120 < step <= 240 for step in after)
    assert [step for step in after if step <= 120] == [step for step in before if step <= 120]
    # A change soon after the silence is told when the report is due: nobody knows that it is one.
    late = [step for step in before if step > 240]
    assert [step for step in after if step > 252] == [step for step in late if step > 252]
    assert {step for step in after if step > 240} <= set(late)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name", MODULES)
@pytest.mark.parametrize("step", [150, 244, 300])
def test_what_follows_a_recall_is_what_followed(name: str, profile: str, step: int) -> None:
    rows, first, again = silenced(name), Recorder(), Recorder()
    out = outputs(first, profile=profile)
    out.publish(rows[:step])
    before = len(first.log)
    out.publish(rows[step:])
    out = outputs(again, profile=profile)
    out.recall(rows[step - 121 : step])
    out.publish(rows[step:])
    key = f"{name}/report"
    assert [entry for entry in again.log if entry[0] == key] == [e for e in first.log[before:] if e[0] == key]


@pytest.mark.parametrize(("module", "flag"), list(enumerate(("steer", "brake", "thrtl"))))
def test_turn_signal_and_drive_mode_miss_it(module: int, flag: str) -> None:
    rows = drive(24)
    rows.gateway.system.missing_reports[:] = 1 << module
    recorder = published(rows)
    for key in ("turn_signal/report", "drive_mode/report"):
        report = recorder.last(key)
        flags = {name: getattr(report, f"degraded_comms_dbw_{name}") for name in ("steer", "brake", "thrtl")}
        assert report.degraded and flags == {name: name == flag for name in flags}
        assert report.ready and not report.fault and not report.degraded_cmd_type


def test_for_the_gear_they_have_no_flag() -> None:
    rows = drive(24)
    rows.gateway.system.missing_reports[:] = 1 << 3
    recorder = published(rows)
    assert not recorder.last("turn_signal/report").degraded and not recorder.last("drive_mode/report").degraded


def test_the_diagnostics_name_fault_and_reason(ros: Any) -> None:
    rows, node = drive(1), Node("looked_at", context=ros)
    rows.faults.active[:] = 1 << INDEX["throttle_silent"]
    rows.gateway.system.reason_disengage[:] = ReasonDisengage.ThrtlRptTimeout
    rows.gateway.system.reason_not_ready[:] = ReasonNotReady.MissingReportThrtl
    rows.gateway.system.state[:] = 0
    try:
        array = Diagnostics(node, "", lambda: None).message(still(rows), 0.0)
    finally:
        node.destroy_node()
    parts = {part.name.rpartition(": ")[2]: part for part in array.status}
    assert parts["faults"].message == "active: throttle_silent"
    values = {pair.key: pair.value for pair in parts["drive-by-wire"].values}
    assert (values["state"], values["reason_disengage"]) == ("MANUAL", "ThrtlRptTimeout")
    assert values["reason_not_ready"] == "MissingReportThrtl"


# -- what the other faults of modules and frames show -----------------------------------------------------------------


@pytest.mark.parametrize("name", MODULES[:3])
def test_the_reports_show_damaged_frames_and_what_the_hardware_disabled(name: str) -> None:
    for flag, field in (("bad_crc", "bad_crc"), ("bad_counter", "bad_rc"), ("hardware_disable", "hardware_disable")):
        rows = drive(12)
        rows.gateway[name][flag][:] = 1
        report = published(rows).last(f"{name}/report")
        shown = {each: getattr(report, each) for each in ("bad_crc", "bad_rc", "hardware_disable", "fault", "degraded")}
        assert shown == {each: each == field for each in shown}


def test_the_ulc_and_the_gear_show_their_flags() -> None:
    rows = drive(12)
    rows.gateway.ulc.bad_crc[:] = rows.gateway.ulc.bad_counter[:] = 1
    rows.gateway.gear.bad_crc[:] = rows.gateway.gear.override_active[:] = 1
    recorder = published(rows)
    ulc, gear = recorder.last("ulc/report"), recorder.last("gear/report")
    assert (ulc.bad_crc, ulc.bad_rc) == (True, True)
    assert (gear.bad_crc, gear.override_active, gear.override_other, gear.ready) == (True, True, False, False)
    rows.gateway.gear.override_active[:] = 0
    rows.gateway.gear.override_other[:] = 1
    gear = published(rows).last("gear/report")
    assert (gear.override_active, gear.override_other, gear.ready) == (False, True, True)
