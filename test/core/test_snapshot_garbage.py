"""Whatever was sent, and whenever the snapshot was taken: what follows a restore is what followed it (B7)."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import pytest
from snapshot_rig import corn_with_a_post, environment, reloaded, whole

from acres_ros.core import messages as m
from acres_ros.core.environment import Environment
from acres_ros.core.fault_table import FAULTS
from acres_ros.core.gateway import GatewayOptions
from acres_ros.world import World

MODES = ("none", "disengages", "all_or_none_with_btn", "partial", "partial_with_btn")
TRIALS = 40


@pytest.fixture(scope="module")
def world() -> World:
    return corn_with_a_post()


def message(rng: random.Random) -> m.Message:
    """Return any message, often one that acts."""

    def number(most: float) -> float:
        return rng.choice([rng.uniform(-0.2 * most, most), 0.0, 1.0, rng.uniform(0.0, most), math.nan, math.inf])

    enable, clear, ignore = rng.random() < 0.8, rng.random() < 0.2, rng.random() < 0.2
    flags = {"enable": enable, "clear": clear}
    makers: tuple[Any, ...] = (
        m.Enable,
        m.Enable,
        m.Disable,
        m.ClientLost,
        lambda: m.SteeringCmd(number(500.0), number(300.0), 0.0, rng.choice([0, 1, 2, 3, 4, 14, 99]), **flags),
        lambda: m.BrakeCmd(number(60.0), number(90.0), number(90.0), rng.choice([0, 1, 2, 14]), **flags, ignore=ignore),
        lambda: m.ThrottleCmd(number(90.0), number(90.0), 0.0, rng.choice([0, 3, 13, 14]), **flags, ignore=ignore),
        lambda: m.UlcCmd(number(5.0), number(3.0), number(3.0), 0.0, 0.0, rng.choice([0, 1, 1, 1, 2, 9]), **flags),
        lambda: m.GearCmd(rng.choice([0, 1, 2, 3, 4, 5, 5, 5, 6, 77])),
        lambda: m.TurnSignalCmd(rng.randrange(5)),
        lambda: m.DriveModeCmd(*(rng.randrange(6) for _ in range(5))),
        lambda: m.MiscCmd(rng.randrange(4), rng.randrange(20), rng.randrange(4)),
        lambda: m.DriverInput(
            clear, number(90.0), 5.0 * ignore, 2.0 * clear, rng.choice([0, 0, 2, 5]), rng.random() < 0.3, not enable
        ),
        lambda: m.DriveMode(rng.choice(["awd", "2wd", "turf"])),
        lambda: m.HardwareShifts(rng.uniform(-5.0, 5.0), rng.uniform(-0.2, 0.2), 0.0, 1.0),
    )
    return rng.choice(makers)()


def disturb(vehicle: Environment, rng: random.Random) -> None:
    """Do now and then what a service does."""
    act = rng.randrange(100)
    if act < 2:
        vehicle.set_gnss(rng.choice(["none", "single", "fixed"]), duration_s=rng.choice([None, 0.5]), jump_m=(1, 0, 0))
    elif act == 3:
        vehicle.reset(occupants=rng.choice([None, 1, 4]), restart_time=rng.random() < 0.3)
    elif act == 4:
        vehicle.restart_time()
    elif act == 5:
        vehicle.set_parameters({"dbw.ulc.kp": rng.uniform(0.2, 1.0)})
    elif act == 6:
        vehicle.set_conditions(global_fraction=rng.random(), surface_film=rng.random())
    elif act == 7:
        place = rng.uniform(-55.0, 55.0), rng.uniform(-55.0, 55.0)
        vehicle.put((*place, 0.5, 0.0, 0.0, 0.0, 1.0), (rng.uniform(-3.0, 3.0), 0.0, 0.0, 0.0, 0.0, 0.3))
    elif act < 20:
        fault = rng.choice(FAULTS)
        values = [float(round(rng.uniform(fault.low, min(fault.high, 60.0)))) for _ in fault.values]
        vehicle.set_fault(fault.name, values=values, duration_s=rng.choice([0.0, 0.1, 0.5]))
    elif act < 24:
        vehicle.set_fault(rng.choice(FAULTS).name, on=False)


def run(vehicle: Environment, rng: random.Random, rounds: int) -> list[bytes]:
    """Send anything, run, and return what comes of it."""
    content = []
    for _ in range(rounds):
        for _ in range(rng.randrange(4)):
            vehicle.post(message(rng), None if rng.random() < 0.5 else vehicle.time_s + rng.uniform(-0.02, 0.4))
        disturb(vehicle, rng)
        content.append(vehicle.step(rng.randrange(1, 9)).tobytes())
        if rng.random() < 0.3:
            content.append(repr(vehicle.take_events()).encode())
    return content


@pytest.mark.parametrize("trial", range(TRIALS))
def test_any_moment_of_any_run_can_be_taken_up(trial: int, world: World, tmp_path: Path) -> None:
    rng = random.Random(trial)
    options = GatewayOptions(
        system_sync_mode=MODES[trial % len(MODES)],
        latched_overrides=rng.random() < 0.5,
        nan_policy=rng.choice(["refuse", "zero"]),
        watchdog=rng.choice(["double", "single"]),
    )
    vehicle, fresh = (environment(world, options=options) for _ in range(2))
    run(vehicle, rng, rng.randrange(150))
    snapshot, seed = reloaded(vehicle.snapshot(), tmp_path / "state"), rng.random()
    first = run(vehicle, random.Random(seed), 80)
    fresh.restore(snapshot)
    for part, (here, there) in enumerate(zip(first, run(fresh, random.Random(seed), 80), strict=True)):
        assert here == there, f"part {part}"
    assert whole(fresh) == whole(vehicle)
