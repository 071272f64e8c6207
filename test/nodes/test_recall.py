"""What outputs publish after samples that were published before: what follows them, with what was on its way."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import pytest
from test_ins_messages import step_of
from vehicle_rig import Recorder, outputs, published, samples, sensors

from acres_ros.core.sensors import Sensors

LATCHED = {"tf_static", "robot_description"}


def drive(count: int) -> np.recarray:
    """Return samples in which everything moves, and the gear and the system change now and then."""
    rows, rng = samples(count), np.random.default_rng(3)
    rows.vehicle.body.vx = rng.normal(size=count)
    rows.vehicle.body.wz = rng.normal(size=count)
    rows.vehicle.dbw.steering.angle_deg = rng.normal(size=count)
    rows.vehicle.dbw.gear.engaged = 1 + np.arange(count) // 31 % 5
    rows.gateway.system.state = np.arange(count) // 43 % 3
    return rows


def slow_sensors() -> Sensors:
    """Return sensors whose messages take 0.5 s and 2 s."""
    tree = deepcopy(dict(sensors().tree))
    tree["ins"]["delay_s"], tree["vehicle_imu"]["delay_s"] = 0.5, 2.0
    return Sensors.from_tree(tree)


@pytest.mark.parametrize("profile", ["acres", "vehicle"])
@pytest.mark.parametrize("step", [130, 131, 134, 200, 245])
@pytest.mark.parametrize("slow", [False, True])
def test_what_follows_is_what_followed(profile: str, step: int, slow: bool) -> None:
    rows, options = drive(360), {"profile": profile, "sensors": slow_sensors() if slow else sensors()}
    first = Recorder()
    out = outputs(first, **options)
    out.publish(rows[:step])
    before = len(first.log)
    out.publish(rows[step:])
    again = Recorder()
    out = outputs(again, **options)
    out.publish(rows[:40])
    again.log.clear()
    out.recall(rows[max(0, step - (241 if slow else 121)) : step])
    assert again.log == [] and out.last.step == step
    out.publish(rows[step:])
    assert [entry for entry in again.log if entry[0] not in LATCHED] == first.log[before:]
    assert again.keys()[1:3] == ["tf_static", "robot_description"], "behind the clock, as at every start"


def test_the_messages_on_their_way_arrive() -> None:
    rows = drive(240)
    recorder = Recorder()
    out = outputs(recorder)
    out.restart(120, 0)
    out.publish(rows[120:])
    late = len(list(recorder.messages("ins/odometry")))
    recalling = Recorder()
    out = outputs(recalling)
    out.recall(rows[:120])
    out.publish(rows[120:])
    assert len(list(recalling.messages("ins/odometry"))) == late + 5


def test_the_first_listeners_of_new_outputs_get_what_is_on_its_way() -> None:
    rows, listening = drive(240), False
    whole = published(rows)
    recorder = Recorder()
    out = outputs(recorder, listeners=lambda topic: lambda: int(listening))
    out.recall(rows[:120])
    listening = True
    out.publish(rows[120:])
    told = [entry for entry in recorder.log if entry[0] not in LATCHED]
    assert told == whole.log[-len(told) :] and len(told) > 1000


@pytest.mark.parametrize("heard", [True, False])
def test_a_message_for_nobody_is_not_on_its_way(heard: bool) -> None:
    rows, listening = drive(240), heard
    recorder = Recorder()
    out = outputs(recorder, listeners=lambda topic: lambda: int(listening))
    out.publish(rows[:1])
    out.recall(rows[:120])
    recorder.log.clear()
    listening = True
    out.publish(rows[120:])
    first = next(recorder.messages("ins/odometry"))
    assert (step_of(first) <= 120) == heard


def test_the_samples_of_an_epoch_that_began_late_stand_on_its_grid() -> None:
    rows = drive(300)
    rows.step += 1000
    rows.epoch, rows.epoch_step = 2, 1000
    whole = published(rows)
    recorder = Recorder()
    out = outputs(recorder)
    out.recall(rows[29:150])
    assert (out.step, out.epoch) == (1150, 2)
    out.publish(rows[150:])
    told = [entry for entry in recorder.log if entry[0] not in LATCHED]
    assert told == whole.log[-len(told) :]


def test_nothing_to_recall_changes_nothing() -> None:
    rows = samples(60)
    recorder = Recorder()
    out = outputs(recorder)
    out.publish(rows[:30])
    out.recall(rows[:0])
    out.publish(rows[30:])
    assert recorder.log == published(rows).log
