"""Order, time, restarts: what leaves is a function of the samples."""

from __future__ import annotations

import numpy as np
import pytest
from vehicle_rig import Recorder, context, exact, outputs, published, samples

from acres_ros.nodes.topics import TOPICS
from acres_ros.nodes.vehicle_outputs import SampleOrderError, VehicleOutputs


def _stamps(recorder: Recorder, key: str) -> list[tuple[int, int]]:
    messages = recorder.messages(key)
    stamps = [
        m.clock if key == "clock" else m.transforms[0].header.stamp if key == "tf" else m.header.stamp for m in messages
    ]
    return [(stamp.sec, stamp.nanosec) for stamp in stamps]


def test_clock_is_the_first_message_of_every_step_and_the_order_is_that_of_the_table() -> None:
    recorder = published(samples(240))
    order = [topic.key for topic in TOPICS]
    steps: list[list[str]] = []
    for key in recorder.keys():
        if key == "clock":
            steps.append([])
        steps[-1].append(key)
    assert len(steps) == 240
    for step in steps:
        places = [order.index(key) for key in step]
        assert places == sorted(set(places))


def test_stamps_are_whole_nanoseconds_of_the_step_count() -> None:
    recorder = published(samples(6), sensors=exact())
    # k * 25 000 000 / 3 ns, to the nearest
    assert _stamps(recorder, "clock") == [(0, n) for n in (8333333, 16666667, 25000000, 33333333, 41666667, 50000000)]
    assert _stamps(recorder, "tf") == _stamps(recorder, "clock")
    assert _stamps(recorder, "ground_truth/odometry") == _stamps(recorder, "clock")
    assert _stamps(recorder, "ins/imu") == _stamps(recorder, "clock")[1:]


def test_stamp_far_out_has_no_drift() -> None:
    recorder = Recorder()
    out = outputs(recorder)
    out.restart(10**8 - 1, 0)
    out.publish(samples(1, first=10**8))
    assert _stamps(recorder, "clock") == [(833333, 333333333)]


def test_every_stamp_of_a_step_is_its_clock() -> None:
    recorder = published(samples(130), sensors=exact())
    clock = None
    for key, data in recorder.log:
        if key == "clock":
            clock = data[4:12]
        elif key not in {"dbw_enabled", "robot_description"}:
            start = 8 if key in {"tf", "tf_static"} else 4
            assert data[start : start + 8] == clock, key


def test_chunks_do_not_matter() -> None:
    rows = samples(200)
    rng = np.random.default_rng(5)
    rows.vehicle.body.vx = rng.normal(size=200)
    rows.vehicle.body.wz = rng.normal(size=200)
    rows.vehicle.dbw.steering.angle_deg = rng.normal(size=200)
    whole = published(rows)
    recorder = Recorder()
    out = outputs(recorder)
    for first, last in ((0, 1), (1, 13), (13, 14), (14, 200)):
        out.publish(rows[first:last])
    assert recorder.log == whole.log


def test_a_late_joiner_stands_on_the_same_grid() -> None:
    rows = samples(240)
    whole = published(rows, sensors=exact())
    recorder = Recorder()
    out = outputs(recorder, sensors=exact())
    out.restart(120, 0)
    out.publish(rows[120:])
    once = {"tf_static", "robot_description"}
    late = [entry for entry in recorder.log if entry[0] not in once]
    assert late == [entry for entry in whole.log if entry[0] not in once][-len(late) :]
    assert [key for key in recorder.keys() if key in once] == ["tf_static", "robot_description"]


def test_a_reset_with_time_repeats_everything() -> None:
    recorder = Recorder()
    out = outputs(recorder)
    out.publish(samples(77))
    first = list(recorder.log)
    recorder.log.clear()
    out.publish(samples(77, epoch=1))
    assert recorder.log == first


def test_a_reset_of_the_state_goes_on_in_time() -> None:
    recorder = Recorder()
    out = outputs(recorder)
    out.publish(samples(12))
    recorder.log.clear()
    out.publish(samples(12, first=13, epoch=1))
    assert _stamps(recorder, "clock")[0] == (0, 108333333)
    assert [round((s + n / 1e9) * 120) for s, n in _stamps(recorder, "steering/report")] == [15, 17, 20, 22, 24]


def test_rates_over_a_step_do_not_look_across_a_reset() -> None:
    rows = samples(12)
    rows.vehicle.dbw.steering.angle_deg = np.arange(12) * 0.5
    again = samples(12, epoch=1)
    recorder = Recorder()
    out = outputs(recorder)
    out.publish(rows)
    assert [m.angle_rate for m in recorder.messages("steering/info")] == [60.0, 60.0]
    out.publish(again)
    assert [m.angle_rate for m in recorder.messages("steering/info")][2:] == [0.0, 0.0]


@pytest.mark.parametrize("step", [11, 12, 14])
def test_a_missing_or_repeated_step_is_an_error(step: int) -> None:
    out = outputs(Recorder())
    out.publish(samples(12))
    with pytest.raises(SampleOrderError, match=f"step 12 came that of step {step}"):
        out.publish(samples(1, first=step))


def test_without_its_clock_nothing_else_changes() -> None:
    with_clock = published(samples(120))
    without = published(samples(120), publish_clock=False)
    assert without.log == [entry for entry in with_clock.log if entry[0] != "clock"]


def test_last_is_empty_until_a_sample_was_published() -> None:
    out = outputs(Recorder())
    assert out.last is None
    out.publish(samples(3))
    assert out.last is not None
    assert out.last.step == 3
    out.restart(0, 1)
    assert out.last is None


def test_dbw_enabled_is_sent_when_the_gateway_says_so() -> None:
    rows = samples(12)
    rows.gateway.dbw_enabled_due = [0, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 1]
    rows.gateway.dbw_enabled[3:8] = 1
    recorder = published(rows)
    assert [m.data for m in recorder.messages("dbw_enabled")] == [True, True, False, False]


@pytest.mark.parametrize("epoch", [0, 1])
def test_neither_a_late_joiner_nor_a_reset_of_the_time_misses_a_dbw_enabled(epoch: int) -> None:
    rows = samples(12)
    rows.gateway.dbw_enabled_due = [0] * 7 + [1, 0, 0, 0, 1]
    rows.gateway.dbw_enabled[7:] = 1
    rows.epoch[7:] = epoch
    recorder = Recorder()
    out = outputs(recorder)
    if epoch:
        out.publish(rows[:7])
    else:
        out.restart(7, 0)
    out.publish(rows[7:])
    assert [m.data for m in recorder.messages("dbw_enabled")] == [True, True]


def test_what_nobody_listens_to_is_not_made_and_comes_with_its_first_listener() -> None:
    recorder = Recorder()
    heard: set[str] = set()
    outputs = VehicleOutputs(context(), recorder.open, listeners=lambda topic: lambda: int(topic.key in heard))
    outputs.publish(samples(12))
    assert set(recorder.keys()) == {"tf_static", "robot_description"}
    recorder.log.clear()
    heard |= {"clock", "steering/report"}
    outputs.publish(samples(12, first=13))
    assert set(recorder.keys()) == {"clock", "steering/report"}
    assert recorder.keys().count("clock") == 12
    # The grid of 50 Hz is that of an output that was heard from the start: 5 reports in 12 steps.
    assert recorder.keys().count("steering/report") == 5
    heard.clear()
    recorder.log.clear()
    outputs.publish(samples(12, first=25))
    assert recorder.keys() == []
