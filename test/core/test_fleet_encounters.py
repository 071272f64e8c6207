"""Several vehicles in one world: each sees and touches the others."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from fleet_rig import Rig, beside

from acres_ros.core.entities import vehicle_motion
from acres_ros.core.entity_state import put_vehicle
from acres_ros.core.greeting import WorldFacts
from acres_ros.core.lidar_pattern import LidarPattern
from acres_ros.core.outline import Outline, outlines_meet
from acres_ros.core.parameters import load_parameters
from acres_ros.core.sample import Sweep
from acres_ros.world import World


def nearest_ahead(sweep: Sweep) -> float:
    """Return the shortest distance straight ahead of the sensor, at the height of a body, m."""
    x, y, z, _ = sweep.points.T
    with np.errstate(invalid="ignore"):
        chosen = (x > 3.0) & (np.abs(y) < 0.3) & (z > -1.2) & (z < -0.2)
    return float(x[chosen].min()) if chosen.any() else math.inf


def test_a_scan_has_the_other_vehicle_at_its_range(make_fleet: Callable[..., Rig], yard: World) -> None:
    start = replace(beside(yard)[0], yaw=0.0, gear="P")
    pattern = LidarPattern.helios()
    rig = make_fleet(yard, start, replace(start, x=start.x + 12.0), scanning=True, pattern=pattern)
    alone = make_fleet(yard, start, scanning=True, pattern=pattern)
    for each in (rig, alone):
        each.step(40)
    # The rear of the other is 0.457 m behind its base_footprint.
    expected = 12.0 - 0.457 - float(pattern.mount.xyz_m[0])
    assert nearest_ahead(rig.logs[0].sweeps[0]) == pytest.approx(expected, abs=0.1)
    assert nearest_ahead(alone.logs[0].sweeps[0]) > expected + 1.0


def test_a_moving_vehicle_is_met_where_it_is_when_the_beam_looks(make_fleet: Callable[..., Rig], yard: World) -> None:
    start = replace(beside(yard)[0], yaw=0.0)
    pattern = LidarPattern.helios()
    starts = replace(start, gear="P"), replace(start, x=start.x + 12.0, speed=5.0, gear="N")
    rig = make_fleet(yard, *starts, scanning=True, pattern=pattern)
    rig.step(40)
    sweep = rig.logs[0].sweeps[0]
    begin = sweep.step
    track = rig.logs[1].all
    x, y, *_ = sweep.points.T
    ring_count = pattern.rings
    chosen = int(np.nanargmin(np.where((np.abs(y) < 0.3) & (x > 3.0) & (sweep.points[:, 2] > -1.2), x, np.inf)))
    share = (chosen // ring_count) / pattern.columns
    at = begin + share * 12.0
    ahead = float(load_parameters()[0]["geometry"]["mass_ahead_m"])
    places = track["vehicle"]["body"]["x"] - ahead
    expected = float(np.interp(at, track["step"], places)) - 0.457 - start.x - float(pattern.mount.xyz_m[0])
    assert places[begin + 11] - places[begin - 1] > 0.4, "it moves half a metre in a sweep"
    assert x[chosen] == pytest.approx(expected, abs=0.1)


def test_a_vehicle_that_is_put_elsewhere_has_been_there_throughout(make_fleet: Callable[..., Rig], yard: World) -> None:
    start = replace(beside(yard)[0], yaw=0.0, gear="P")
    rig = make_fleet(yard, start, replace(start, x=start.x + 12.0), scanning=True, pattern=LidarPattern.helios())
    rig.step(18)
    motion = vehicle_motion(rig.environments[1])
    x, y, z = motion.position
    put_vehicle(rig.environments[1], motion._replace(position=(x + 5.0, y, z + 0.05)))
    rig.step(22)
    sweep = rig.logs[0].sweeps[0]
    assert sweep.step < 18 < sweep.step + 12
    assert nearest_ahead(sweep) == pytest.approx(17.0 - 0.457 - 1.6, abs=0.1)


def test_vehicles_that_touch_name_each_other(make_fleet: Callable[..., Rig], yard: World) -> None:
    start = replace(beside(yard)[0], yaw=0.0, gear="N")
    rig = make_fleet(yard, replace(start, speed=3.0), replace(start, x=start.x + 4.5), replace(start, y=start.y + 9.0))
    rig.step(60)
    touched = [log.all["vehicle"]["collision"] for log in rig.logs]
    assert touched[0][0] == touched[1][0] == -1
    assert touched[0][-1] == 1 and touched[1][-1] == 0 and (touched[2] == -1).all()
    begin = int(np.argmax(touched[0] >= 0))
    assert begin == int(np.argmax(touched[1] >= 0))
    gap = np.subtract(*(log.all["vehicle"]["body"]["x"][[begin - 1, begin]] for log in (rig.logs[1], rig.logs[0])))
    assert gap[1] <= 3.8 < gap[0]
    names = [[e.text for e in each.take_events() if e.code == "ACRES_COLLISION"] for each in rig.environments]
    assert names[0][0].startswith("touches agent_1 ") and names[1][0].startswith("touches polaris ")
    assert names[2] == []
    assert WorldFacts.of(rig.environments[0]).obstacle(1) == "agent_1"


def test_a_first_vehicle_with_a_name_of_its_own_has_it_everywhere(make_fleet: Callable[..., Rig], yard: World) -> None:
    start = replace(beside(yard)[0], yaw=0.0, gear="N")
    rig = make_fleet(yard, replace(start, speed=3.0), replace(start, x=start.x + 4.5), first_name="alpha")
    rig.step(60)
    words = [event.text for event in rig.environments[1].take_events() if event.code == "ACRES_COLLISION"]
    assert words[0].startswith("touches alpha ")
    assert rig.entities.names()[:2] == ["alpha", "agent_1"]
    assert [member.name for member in rig.simulation.snapshot().vehicles] == ["alpha", "agent_1"]
    assert rig.simulation.fleet.agents[0].name == "", "its commands have nothing before them in a step request"


def test_outlines_meet_where_no_axis_keeps_them_apart() -> None:
    flat = Outline(0.0, 0.0, (1.0, 0.0), 2.0, 1.0, 0.0, 2.0)
    turn = (math.sqrt(0.5), math.sqrt(0.5))
    reach = 1.0 + 3.0 * math.sqrt(0.5)
    for y, expected in ((reach - 1e-6, True), (reach + 1e-6, False)):
        assert outlines_meet(flat, flat._replace(y=y, forward=turn)) is expected
        assert outlines_meet(flat._replace(y=y, forward=turn), flat) is expected
    assert not outlines_meet(flat, flat._replace(low=2.1, high=4.0))
    assert outlines_meet(flat, flat._replace(low=1.9, high=4.0))
