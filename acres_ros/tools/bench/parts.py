"""Where the time of a step goes: each part of it repeated alone, from the same state of a drive."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from acres_ros._compile import entry
from acres_ros.models.body import rotation_matrix, step_body
from acres_ros.models.collision import step_collision
from acres_ros.models.dbw.step import step_dbw
from acres_ros.models.driveline import solve_driveline
from acres_ros.models.energy.ledger import book_step, close_step
from acres_ros.models.forces import sum_forces
from acres_ros.models.polaris import step_contacts, step_farm, step_powertrain, step_vehicle
from acres_ros.models.steering import step_steering
from acres_ros.models.timestep import STEP_S

PARTS = (
    "copy of the state",
    "drive-by-wire, steering, engine and belt",
    "contacts of four wheels with their soil",
    "driveline solve",
    "marks of wheels and body",
    "sum of the forces",
    "rigid body",
    "energy ledger",
    "collisions",
    "whole step",
)
COPY, CONTROLS, CONTACTS, DRIVELINE, MARKS, FORCES, BODY, ENERGY, COLLISION, WHOLE = range(len(PARTS))
REPEATS = 2000
UPWARD = (0.0, 0.0, 13000.0)  # N, about the weight
NO_MOMENT = (0.0, 0.0, 0.0)


@entry
def repeat_part(part, vehicles, commands, parameters, ground, farm, count):
    """Run one part of a step some times, each from the state of vehicle 0, in vehicle 1."""
    h, p, command = STEP_S, parameters[0], commands[0]
    for _ in range(count):
        vehicles[1] = vehicles[0]
        vehicle = vehicles[1]
        body = vehicle.body
        r = rotation_matrix(body)
        if part == CONTROLS:
            step_dbw(h, command, p, vehicle)
            step_steering(command, p, vehicle)
            step_powertrain(h, p, vehicle)
        elif part == CONTACTS:
            step_contacts(h, r, ground, farm, p, vehicle)
        elif part == DRIVELINE:
            solve_driveline(h, p, vehicle)
        elif part == MARKS:
            step_farm(r, ground, farm, p, vehicle)
        elif part == FORCES:
            force, moment = sum_forces(r, ground, p, vehicle)
            body.ax, body.ay = force[0] + force[1] + force[2], moment[0] + moment[1] + moment[2]
        elif part == BODY:
            step_body(h, UPWARD, NO_MOMENT, p, body)
        elif part == ENERGY:
            book_step(h, r, UPWARD, NO_MOMENT, ground, p, vehicle)
            close_step(h, p, vehicle)
        elif part == COLLISION:
            step_collision(h, ground.obstacles, p, vehicle)
        elif part == WHOLE:
            step_vehicle(h, command, ground, farm, p, vehicle)


def part_times(vehicles, commands, parameters, ground, farm, *, repeats: int) -> Iterator[tuple[str, float]]:
    """Yield name and seconds of each part of a step; the best of some repeats, without the copy.

    Args:
        vehicles: one VEHICLE record in mid drive.
        commands: COMMAND record of it.
        parameters: one PARAMETERS record.
        ground: Ground.
        farm: Farm, with room for many steps.
        repeats: measurements of each part.
    """
    pair = np.concatenate([vehicles, vehicles])
    best = dict.fromkeys(range(len(PARTS)), float("inf"))
    for part in best:
        repeat_part(part, pair, commands, parameters, ground, farm, 1)
    for _ in range(repeats):
        for part in best:
            begin = time.thread_time()
            repeat_part(part, pair, commands, parameters, ground, farm, REPEATS)
            best[part] = min(best[part], (time.thread_time() - begin) / REPEATS)
    for part in range(1, len(PARTS)):
        yield PARTS[part], max(0.0, best[part] - best[COPY])
