"""The encoder against the middleware's own serialisation, and against bytes written out by hand."""

from __future__ import annotations

import struct

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from ds_dbw_msgs.msg import GearReport, SteeringReport, SystemReport, WheelPositions
from geometry_msgs.msg import TransformStamped
from hypothesis import given, settings
from hypothesis import strategies as st
from nav_msgs.msg import Odometry
from rclpy.serialization import deserialize_message
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import NavSatFix
from std_msgs.msg import Header
from tf2_msgs.msg import TFMessage

from acres_ros.nodes import cdr
from acres_ros.nodes.cdr import Block, Encoder, EncodingError, LayoutError, TextEncoder


def test_clock_bytes_by_hand() -> None:
    encoder = Encoder(Clock(), ["clock"])
    assert encoder.encode([7, 8_333_333]) == bytes.fromhex("000100000700000015287f00")


def test_string_pads_the_next_float_to_four_bytes() -> None:
    # stamp 8 bytes, count 4, "ab" and its zero 3 bytes: 15, so the int16 that follows starts at 16
    template = WheelPositions(header=Header(frame_id="ab"))
    encoder = Encoder(template, ["front_left", "rear_right"])
    assert [leaf.offset - 4 for leaf in encoder.leaves] == [16, 22]
    data = encoder.encode([-2, 32767])
    assert data == b"\x00\x01\x00\x00" + struct.pack("<iII2s2xhhhh", 0, 0, 3, b"ab", -2, 0, 0, 32767)


def test_nested_value_and_bool_places() -> None:
    encoder = Encoder(GearReport(), ["gear", "cmd", "reject", "ready", "actuator_temp"])
    # header 13 bytes with an empty frame id; then five one-byte wrappers and the bools, one byte each
    assert [leaf.offset - 4 for leaf in encoder.leaves] == [13, 14, 16, 21, 28]
    report = deserialize_message(encoder.encode([4, 5, 6, True, float("nan")]), GearReport)
    assert (report.gear.value, report.cmd.value, report.reject.value, report.ready) == (4, 5, 6, True)
    assert report.actuator_temp != report.actuator_temp


@settings(max_examples=60, deadline=None)
@given(
    sec=st.integers(0, 2**31 - 1),
    nanosec=st.integers(0, 999_999_999),
    angle=st.floats(width=32, allow_nan=True),
    kind=st.integers(0, 255),
    enabled=st.booleans(),
)
def test_numbers_come_back(sec: int, nanosec: int, angle: float, kind: int, enabled: bool) -> None:
    report = deserialize_message(_STEERING.encode([sec, nanosec, angle, kind, enabled]), SteeringReport)
    assert (report.header.stamp.sec, report.header.stamp.nanosec) == (sec, nanosec)
    assert struct.pack("<f", report.steering_wheel_angle) == struct.pack("<f", angle)
    assert (report.cmd_type, report.enabled, report.header.frame_id) == (kind, enabled, "")
    assert report.limit_value == 280.0


_STEERING = Encoder(SteeringReport(limit_value=280.0), ["header.stamp", "steering_wheel_angle", "cmd_type", "enabled"])


def test_rows_and_constants_stay() -> None:
    template = Odometry(header=Header(frame_id="odom"), child_frame_id="base_link")
    template.pose.covariance[35] = 4.5e-6
    template.twist.covariance[0] = 7.0e-5
    encoder = Encoder(template, ["header.stamp", "pose.pose", "twist.twist"])
    message = deserialize_message(encoder.encode([1, 2, *range(3, 16)]), Odometry)
    assert (message.header.frame_id, message.child_frame_id) == ("odom", "base_link")
    assert (message.pose.pose.position.x, message.pose.pose.orientation.w, message.twist.twist.angular.z) == (
        3.0,
        9.0,
        15.0,
    )
    assert (message.pose.covariance[35], message.twist.covariance[0]) == (4.5e-6, 7.0e-5)


def test_array_elements_vary() -> None:
    encoder = Encoder(NavSatFix(header=Header(frame_id="gps")), ["latitude", "position_covariance[4]"])
    fix = deserialize_message(encoder.encode([40.47, 0.25]), NavSatFix)
    assert (fix.latitude, list(fix.position_covariance)) == (40.47, [0.0] * 4 + [0.25] + [0.0] * 4)


def test_sequence_of_messages_with_strings() -> None:
    template = TFMessage(transforms=[TransformStamped(child_frame_id="a" * n) for n in range(3)])
    encoder = Encoder(template, [f"transforms[{n}].transform.rotation.z" for n in range(3)])
    message = deserialize_message(encoder.encode([0.1, 0.2, 0.3]), TFMessage)
    assert [t.transform.rotation.z for t in message.transforms] == [0.1, 0.2, 0.3]
    assert [t.transform.rotation.w for t in message.transforms] == [1.0, 1.0, 1.0]
    assert [t.child_frame_id for t in message.transforms] == ["", "a", "aa"]


def test_alignment_bytes_are_zero_and_equal_messages_are_equal_bytes() -> None:
    for length in range(1, 9):
        message = Odometry(child_frame_id="x" * length)
        places = cdr.layout(message)
        used = {i for leaf in places for i in range(leaf.offset, leaf.offset + leaf.size)}
        data = cdr.wire(message)
        assert all(data[i] == 0 for i in range(4, len(data)) if i not in used)
        assert Encoder(message, ["header.stamp"]).encode([0, 0]) == data
        assert deserialize_message(data, Odometry) == message


def test_texts_vary_with_one_encoder_each() -> None:
    encoder = TextEncoder(SystemReport(), ("reason_disengage_str", "reason_not_ready_str"), ["header.stamp", "enabled"])
    for texts in (("", ""), ("SteerCmdTimeout", ""), ("", "Überholt"), ("SteerCmdTimeout", "")):
        report = deserialize_message(encoder.encode(texts, [3, 4, True]), SystemReport)
        assert (report.reason_disengage_str, report.reason_not_ready_str) == texts
        assert (report.header.stamp.sec, report.header.stamp.nanosec, report.enabled) == (3, 4, True)


@pytest.mark.parametrize(
    ("varying", "words"),
    [
        (["stering"], "no such field"),
        (["cmd_type", "cmd"], "out of order"),
        (["cmd", "cmd"], "given twice"),
        (["header.frame_id"], "TextEncoder"),
        (["header"], "TextEncoder"),
    ],
)
def test_wrong_paths_are_refused(varying: list[str], words: str) -> None:
    with pytest.raises(LayoutError, match=words):
        Encoder(SteeringReport(), varying)


def test_another_layout_of_the_middleware_fails_loudly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(cdr._FORMATS, "uint8", "H")
    with pytest.raises(EncodingError, match="byte"):
        Encoder(GearReport(), ["gear", "cmd"])


def test_a_count_is_never_a_value() -> None:
    status = DiagnosticStatus(values=[KeyValue(key="a", value="b")])
    leaves = Encoder(DiagnosticArray(status=[status]), ["status[0].level"], trials=0).leaves
    assert [leaf.path for leaf in leaves] == ["status[0].level"]


def test_blocks_are_copied_from_another_buffer_and_may_share_it() -> None:
    template = TFMessage(transforms=[TransformStamped(child_frame_id="a" * n) for n in range(2)])
    blocks = [Block(f"transforms[{n}].header.stamp", 8) for n in range(2)] + [Block("transforms[1].transform", 16)]
    encoder = Encoder(template, ["transforms[0].transform.translation.y"], blocks=blocks)
    other = struct.pack("<qiI7d", -1, 5, 6, 1, 2, 3, 4, 5, 6, 7)
    first, second = deserialize_message(encoder.encode([2.5], other), TFMessage).transforms
    assert (first.header.stamp.sec, second.header.stamp.nanosec) == (5, 6)
    assert (first.transform.translation.y, first.transform.rotation.w) == (2.5, 1.0)
    assert (second.transform.translation.x, second.transform.rotation.x, second.transform.rotation.w) == (1.0, 4.0, 7.0)


def test_a_block_with_a_gap_is_refused() -> None:
    # with "gps" the int8 status stands at an even place, so a byte of alignment comes before the uint16 service
    with pytest.raises(LayoutError, match="gap"):
        Encoder(NavSatFix(header=Header(frame_id="gps")), [], blocks=[Block("status", 0)])
