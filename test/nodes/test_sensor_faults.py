"""What drop-outs, freezes and biases make of the messages of the sensors, from the marks of hand-made samples."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from rclpy.node import Node
from test_recall import drive
from vehicle_rig import Recorder, context, exact, outputs, published, still

from acres_ros.core.fault_table import FAULTS, INDEX, SENSORS
from acres_ros.core.lidar_pattern import LidarPattern
from acres_ros.core.sample import Sweep
from acres_ros.nodes.diagnostics import Diagnostics
from acres_ros.nodes.topics import BY_KEY, Topic
from acres_ros.nodes.vehicle_outputs import NOT_FROZEN

BITS = {sensor.name: 1 << bit for bit, sensor in enumerate(SENSORS)}
TOPICS = [(sensor.name, topic) for sensor in SENSORS for topic in sensor.topics if sensor.name != "lidar"]
ON = slice(120, 240)
"""The steps 121 to 240 of a run: the second second."""


def hit(sensor: str, kind: str) -> np.recarray:
    """Return samples of three seconds; in the second one a sensor is hit."""
    rows = drive(360)
    rows.faults[kind][ON] = BITS[sensor]
    return rows


def stamps(recorder: Recorder, key: str) -> list[tuple[int, int]]:
    return [(message.header.stamp.sec, message.header.stamp.nanosec) for message in recorder.messages(key)]


def content(message: Any) -> str:
    """Return a message without its stamp, as text, in which NaN equals NaN."""
    message.header.stamp.sec = message.header.stamp.nanosec = 0
    return repr(message)


def raw_imu() -> dict[str, Any]:
    """Return the options of outputs that publish the raw unit of the INS as well."""
    given = context(sensors=exact())
    ins = given.config.ins
    return {
        "sensors": exact(),
        "config": replace(given.config, ins=replace(ins, imu_raw=replace(ins.imu_raw, publish=True))),
    }


@pytest.mark.parametrize(("sensor", "key"), TOPICS)
def test_a_drop_out_takes_its_messages_and_no_other(sensor: str, key: str) -> None:
    healthy, faulty = published(drive(360), **raw_imu()), published(hit(sensor, "drop"), **raw_imu())
    lost = set(stamps(healthy, key)) - set(stamps(faulty, key))
    assert lost and lost == {stamp for stamp in stamps(healthy, key) if (1, 8333333) <= stamp <= (2, 0)}
    keys = {topic for name, topic in TOPICS if name == sensor}
    assert [entry for entry in healthy.log if entry[0] not in keys] == [
        entry for entry in faulty.log if entry[0] not in keys
    ]


@pytest.mark.parametrize(("sensor", "key"), TOPICS)
def test_a_freeze_repeats_the_content_of_its_first_step_with_new_stamps(sensor: str, key: str) -> None:
    healthy, faulty = published(drive(360), **raw_imu()), published(hit(sensor, "freeze"), **raw_imu())
    assert stamps(healthy, key) == stamps(faulty, key)
    pairs = list(zip(healthy.messages(key), faulty.messages(key), strict=True))
    frozen = set()
    for was, now in pairs:
        if (1, 8333333) <= (now.header.stamp.sec, now.header.stamp.nanosec) <= (2, 0):
            frozen.add(content(now))
        else:
            assert content(was) == content(now)
    assert len(frozen) == 1
    keys = {topic for name, topic in TOPICS if name == sensor}
    assert [entry for entry in healthy.log if entry[0] not in keys] == [
        entry for entry in faulty.log if entry[0] not in keys
    ]


def test_a_frozen_sensor_shows_the_same_to_whoever_comes_later() -> None:
    rows, count = hit("ins_odometry", "freeze"), {"all": 0}

    def listeners(topic: Topic) -> Any:
        return lambda: count["all"]

    late, throughout = Recorder(), published(rows)
    out = outputs(late, listeners=listeners)
    out.publish(rows[:200])
    count["all"] = 1
    out.publish(rows[200:])
    odometry = [data for key, data in late.log if key == "ins/odometry"]
    assert odometry and odometry == [data for key, data in throughout.log if key == "ins/odometry"][-len(odometry) :]


def test_a_reset_ends_a_freeze() -> None:
    rows = hit("wheel_speeds", "freeze")
    rows.epoch[200:] = 1
    rows.faults.freeze[200:] = 0
    healthy, faulty = drive(360), Recorder()
    healthy.epoch[200:] = 1
    outputs(faulty).publish(rows)
    assert [entry for entry in published(healthy).log if entry[0] == "wheel_speeds"][-10:] == [
        entry for entry in faulty.log if entry[0] == "wheel_speeds"
    ][-10:]


@pytest.mark.parametrize("kind", ["drop", "freeze"])
def test_what_follows_a_recall_in_a_fault_is_what_followed(kind: str) -> None:
    rows = hit("ins_imu", kind)
    first, again = Recorder(), Recorder()
    out = outputs(first)
    out.publish(rows[:180])
    before = len(first.log)
    out.publish(rows[180:])
    out = outputs(again)
    out.recall(rows[59:180])
    out.publish(rows[180:])
    imu = [entry for entry in again.log if entry[0] == "ins/imu"]
    assert imu and imu == [entry for entry in first.log[before:] if entry[0] == "ins/imu"]


@pytest.mark.parametrize(("sensor", "key"), TOPICS)
def test_a_freeze_goes_on_where_outputs_are_made_anew(sensor: str, key: str) -> None:
    """As where something is spawned: only the last samples are recalled, all of them frozen."""
    rows = hit(sensor, "freeze")
    throughout, again = Recorder(), Recorder()
    out = outputs(throughout, **raw_imu())
    out.publish(rows[:230])
    before = len(throughout.log)
    anew = outputs(again, **raw_imu())
    anew.restart(230, 0)
    anew.freeze(out.frozen)
    anew.recall(rows[180:230])
    out.publish(rows[230:])
    anew.publish(rows[230:])
    messages = [entry for entry in again.log if entry[0] == key]
    assert messages and messages == [entry for entry in throughout.log[before:] if entry[0] == key]
    anew.restart(360, 0)
    assert anew.frozen == NOT_FROZEN


def test_a_bias_is_in_the_wheel_speeds() -> None:
    rows = drive(6)
    rows.vehicle.wheel.spin[:] = (1.0, 2.0, 3.0, -0.0)
    rows.faults.wheel_bias[:] = (0.5, -0.5, 0.25, 0.0)
    message = next(published(rows).messages("wheel_speeds"))
    assert (message.front_left, message.front_right, message.rear_left, message.rear_right) == (1.5, 1.5, 3.25, 0.0)


# -- the LiDAR --------------------------------------------------------------------------------------------------------


def scans(marks: str) -> list[Any]:
    """Return the clouds of six scans, of which the third and the fourth come in a fault."""
    rows = drive(72)
    rows.faults[marks][24:48] = BITS["lidar"]
    recorder = Recorder()
    out = outputs(recorder)
    beams = LidarPattern.helios().beam_count
    for number in range(6):
        out.publish(rows[12 * number : 12 * (number + 1)])
        points = np.full((beams, 4), float(number + 1), np.float32)
        out.publish_scan(Sweep(12 * number + 1, 0, 0, 0, points))
    return list(recorder.messages("lidar/points"))


def test_a_frozen_lidar_sends_the_same_cloud_with_new_stamps() -> None:
    clouds = scans("freeze")
    x = [float(np.frombuffer(cloud.data, np.float32, 1)[0]) for cloud in clouds]
    assert x == [1.0, 2.0, 3.0, 3.0, 5.0, 6.0]
    nanoseconds = [cloud.header.stamp.sec * 10**9 + cloud.header.stamp.nanosec for cloud in clouds]
    assert np.diff(nanoseconds) == pytest.approx(1e8, abs=2)


def test_a_frozen_lidar_stays_so_where_outputs_are_made_anew() -> None:
    rows, recorder = drive(36), Recorder()
    rows.faults.freeze[:] = BITS["lidar"]
    out, anew = outputs(Recorder()), outputs(recorder)
    beams = LidarPattern.helios().beam_count
    first, second = (Sweep(step, 0, 0, 0, np.full((beams, 4), float(step), np.float32)) for step in (1, 13))
    out.publish(rows[:24])
    out.publish_scan(first)
    anew.restart(24, 0)
    anew.freeze(out.frozen)
    anew.recall(rows[12:24])
    anew.publish(rows[24:])
    anew.publish_scan(second)
    (cloud,) = recorder.messages("lidar/points")
    assert float(np.frombuffer(cloud.data, np.float32, 1)[0]) == 1.0


def test_a_drop_out_of_the_lidar_takes_its_clouds() -> None:
    x = [float(np.frombuffer(cloud.data, np.float32, 1)[0]) for cloud in scans("drop")]
    assert x == [1.0, 2.0, 5.0, 6.0]


# -- reports and diagnostics ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["steering", "brake", "throttle", "gear"])
def test_the_reports_show_a_fault_of_their_module(name: str) -> None:
    rows = drive(12)
    rows.gateway[name].fault[:] = 1
    rows.gateway[name].degraded[:] = 1
    rows.gateway.system.fault[:] = 1
    rows.gateway.system.state[:] = 7
    if name != "gear":
        rows.gateway[name].ready[:] = 0
    recorder = published(rows)
    report = recorder.last(f"{name}/report")
    assert (report.fault, report.degraded, report.ready) == (True, True, False)
    system = recorder.last("system/report")
    assert (system.fault, system.state.value) == (True, 7)
    healthy = published(drive(12))
    assert not healthy.last(f"{name}/report").fault and not healthy.last("system/report").fault


def test_the_misc_report_shows_belt_and_door() -> None:
    rows = drive(12)
    before = published(rows).last("misc/report")
    rows.gateway.person.belt_open[:] = 1
    rows.gateway.person.door_open[:] = 1
    after = published(rows).last("misc/report")
    assert (before.buckle_driver, before.door_driver) == (True, False)
    assert (after.buckle_driver, after.door_driver) == (False, True)
    assert after.buckle_passenger is before.buckle_passenger


def test_the_diagnostics_name_what_is_active(ros: Any) -> None:
    rows = drive(1)
    node = Node("looked_at", context=ros)
    try:
        diagnostics = Diagnostics(node, "", lambda: None)

        def status() -> Any:
            array = diagnostics.message(still(rows), 0.0)
            return next(part for part in array.status if part.name.endswith(": faults"))

        assert (status().level, status().message) == (b"\x00", "no fault is active")
        rows.faults.active[:] = 1 << INDEX["brake_weak"] | 1 << len(FAULTS) - 1
        assert (status().level, status().message) == (b"\x01", f"active: brake_weak, {FAULTS[-1].name}")
    finally:
        node.destroy_node()


def test_every_topic_of_a_sensor_is_in_the_table_of_topics() -> None:
    assert all(topic in BY_KEY for sensor in SENSORS for topic in sensor.topics)
