"""After a reset nothing of the time before is left."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.mark.parametrize("gear", [1, 2, 5])
def test_a_reset_writes_every_field(make_rig, gear: int) -> None:
    clean, dirty = make_rig(gear, 1.5), make_rig(5, 0.0)
    dirty.roll(1.5)
    spin = dirty.vehicles.wheel.spin.copy()
    dirty.vehicles.view(np.uint8)[:] = 0x41
    dirty.vehicles.wheel.spin = spin
    dirty.dbw.age_step = 0.0
    dirty.reset(gear)
    assert dirty.dbw.tobytes() == clean.dbw.tobytes()


def test_the_state_after_a_reset(make_rig) -> None:
    rig = make_rig(2, 1.5)
    rig.command.shift.ulc_speed_bias = 0.0
    dbw = rig.dbw
    assert dbw.steering.angle_deg == 12.5
    assert set(dbw.steering.delay.value) == {12.5}
    assert (dbw.gear.engaged, dbw.gear.selected, dbw.gear.driver) == (2, 2, 2)
    assert dbw.wheel_speed == pytest.approx(-1.5)
    assert dbw.ulc.speed_reference == dbw.wheel_speed
    assert dbw.brake.output_bar == 0.0
    assert dbw.throttle.output_pct == 0.0


def test_a_message_of_the_time_before_has_no_control(rig) -> None:
    rig.send("ulc", type=1, value=0.0)
    rig.send("steering", type=2, value=90.0)
    rig.drive(60, "ulc", "steering")
    rig.reset()
    rig.step()
    assert rig.dbw.ulc.in_control == 0
    assert rig.dbw.steering.in_control == 0
    assert rig.dbw.brake.output_bar == 0.0
    assert rig.dbw.steering.angle_deg == 12.5
