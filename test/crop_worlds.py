"""Worlds with crop made by hand, and what a test of every sample and every cell says of a drive in them."""

from __future__ import annotations

import dataclasses

import numpy as np

from acres_ros.models.ground import LAND, PATCH
from acres_ros.world import World

CORN_M = 2.4
LAND_CELL_M = 4.0
SAMPLES = np.array([(row, column) for row in range(-1, 2) for column in range(-1, 2)]) / 3.0
"""Offsets north and east of the samples of a patch, in the order of their bits, m."""


def crop_world(patches: np.ndarray | None = None, *, half: int = 60, height: float = CORN_M, **options) -> World:
    """Return a level square field from -half to half, planted in patches of a metre, or as it is told.

    Args:
        patches: PATCH records in any order.
        half: half of the side, m, a multiple of 4.
        height: of the crop where `patches` is not given; 0 plants nothing.
        options: `surface` or `classes` of the world; `zones` and its `zone_cell`; `growth`.
    """
    zones, zone_cell, growth = options.pop("zones", None), options.pop("zone_cell", 4.0), options.pop("growth", 1.0)
    options = {"surface": "field", **options}
    world = World.height_field(np.zeros((2, 2)), x0=-half, y0=-half, cell=2.0 * half, **options)
    if patches is None:
        x, y = (axis.ravel() for axis in np.meshgrid(np.arange(-half, half), np.arange(-half, half)))
        patches = np.zeros(len(x) if height > 0.0 else 0, PATCH)
        if len(patches):
            patches["x"], patches["y"], patches["height"], patches["growth"] = x, y, height, growth
            patches["field"], patches["crop"] = 24, 1
    cells = round(2 * half / LAND_CELL_M)
    column = np.clip((patches["x"] + half) // LAND_CELL_M, 0, cells - 1).astype(int)
    row = np.clip((patches["y"] + half) // LAND_CELL_M, 0, cells - 1).astype(int)
    number = row * cells + column
    order = np.argsort(number, kind="stable")
    bins = np.searchsorted(number[order], np.arange(cells * cells + 1)).astype(np.int32)
    grid = world.ground.grid.copy()
    for axis in "xy":
        grid[f"land_{axis}0"] = grid[f"zone_{axis}0"] = -half
    grid["land_cell"], grid["zone_cell"] = LAND_CELL_M, zone_cell
    land = np.zeros((cells, cells), LAND)
    land["field"] = 24
    zones = np.zeros((1, 1), np.uint8) if zones is None else zones
    ground = world.ground._replace(grid=grid, land=land, bins=bins, patches=patches[order], zones=zones)
    return dataclasses.replace(world, ground=ground)


def mixed_world(seed: int, *, dense: bool = False) -> World:
    """Return a world of many surfaces and zones with crops of all heights, here in rows and there anywhere."""
    rng = np.random.default_rng(seed)
    half = 24
    if dense:
        x, y = rng.uniform(-8.0, 8.0, (2, 4000))
    else:
        x, y = (axis.ravel() for axis in np.meshgrid(np.arange(-half, half), np.arange(-half, half)))
        kept = rng.random(len(x)) < 0.8
        moved = np.where(rng.random(len(x)) < 0.3, 1.0, 0.0)
        x, y = (np.clip(v + moved * rng.uniform(-0.4, 0.4, len(v)), 0.5 - half, half - 0.5)[kept] for v in (x, y))
    patches = np.zeros(len(x), PATCH)
    patches["x"], patches["y"] = x, y
    patches["growth"] = rng.choice([0.1, 0.5, 1.0], len(x))
    patches["height"] = rng.choice([0.0, 0.2, 0.5, 2.4], len(x))
    patches["field"], patches["crop"] = rng.choice([3, 24, 59, 255], len(x)), 1
    classes = rng.integers(1, 8, (12, 12))
    zones = rng.integers(0, 8, (10, 10)).astype(np.uint8)
    return crop_world(patches, half=half, classes=classes, class_cell=4.0, zones=zones, zone_cell=5.0)


class EveryPlace:
    """Marks by a test of every sample of the crop and every cell of the ground, in each step.

    Args:
        world: a world of this module.
        parameters: one PARAMETERS record.
    """

    def __init__(self, world: World, parameters: np.ndarray) -> None:
        self.ground, self.p = world.ground, parameters[0]
        patches = self.ground.patches
        self.x = patches["x"].astype(float)[:, None] + SAMPLES[:, 1]
        self.y = patches["y"].astype(float)[:, None] + SAMPLES[:, 0]
        self.crushed = np.zeros(self.x.shape, bool)
        west, south, east, north = world.bounds
        centres = np.arange(west, east, 0.25) + 0.125, np.arange(south, north, 0.25) + 0.125
        self.cell_x, self.cell_y = np.meshgrid(*centres)
        self.ruts = np.zeros(self.cell_x.shape, np.float32)
        grid, classes = self.ground.grid[0], self.ground.classes
        column = ((self.cell_x - grid["class_x0"]) / grid["class_cell"]).astype(int).clip(0, classes.shape[1] - 1)
        row = ((self.cell_y - grid["class_y0"]) / grid["class_cell"]).astype(int).clip(0, classes.shape[0] - 1)
        self.soil = self.ground.surfaces["soil"][classes[row, column]] == 1

    def step(self, body: np.record, wheels: np.ndarray) -> tuple[int, float]:
        """Stamp one step: body before it, wheels after it; return new samples, and the growth of those of the body."""
        before = self.crushed.copy()
        height = self.ground.patches["height"][:, None].astype(float)
        for index, wheel in enumerate(wheels):
            if wheel["surface"] < 0:
                continue
            width = self.p["tyre"]["front_width_m" if index < 2 else "rear_width_m"]
            shape = (wheel["contact_x"], wheel["contact_y"], wheel["heading_x"], wheel["heading_y"])
            half = 0.5 * wheel["relaxation"], 0.5 * width
            self.crushed |= inside(self.x, self.y, *shape, *half) & (height > 0.0)
            if self.ground.surfaces["soil"][wheel["surface"]] == 1:
                covered = inside(self.cell_x, self.cell_y, *shape, *half)
                covered |= (np.abs(self.cell_x - shape[0]) <= 0.125) & (np.abs(self.cell_y - shape[1]) <= 0.125)
                depth = np.where(covered & self.soil, np.float32(0.7 * wheel["sinkage"]), np.float32(0.0))
                self.ruts = np.maximum(self.ruts, depth)
        w, qx, qy, qz = (body[name] for name in ("qw", "qx", "qy", "qz"))
        ahead = np.array([1.0 - 2.0 * (qy * qy + qz * qz), 2.0 * (qx * qy + w * qz)])
        ahead /= np.hypot(*ahead)
        geometry = self.p["geometry"]
        middle = 0.5 * (geometry["body_front_m"] - geometry["body_rear_m"])
        half = 0.5 * (geometry["body_front_m"] + geometry["body_rear_m"]), geometry["body_half_width_m"]
        clearance = geometry["mass_height_m"] - geometry["body_below_m"]
        below = inside(self.x, self.y, *(np.array([body["x"], body["y"]]) + middle * ahead), *ahead, *half)
        below &= height > clearance
        growth = float(np.sum((below & ~before) * self.ground.patches["growth"][:, None].astype(float)))
        self.crushed |= below
        return int(self.crushed.sum() - before.sum()), growth

    def by(self, number: np.ndarray, count: int) -> np.ndarray:
        """Return the crushed samples by a number of their patch."""
        return np.bincount(number, self.crushed.sum(axis=1), minlength=count)[:count].astype(int)

    def zone(self) -> np.ndarray:
        """Return the zone of each patch."""
        grid, patches = self.ground.grid[0], self.ground.patches
        column = ((patches["x"].astype(float) - grid["zone_x0"]) / grid["zone_cell"]).astype(int)
        row = ((patches["y"].astype(float) - grid["zone_y0"]) / grid["zone_cell"]).astype(int)
        return self.ground.zones[row, column]


def inside(x, y, centre_x, centre_y, ahead_x, ahead_y, half_length, half_width):
    """Return which points lie in a rectangle."""
    length = np.hypot(ahead_x, ahead_y)
    east, north = x - centre_x, y - centre_y
    along, across = (east * ahead_x + north * ahead_y) / length, (north * ahead_x - east * ahead_y) / length
    return (np.abs(along) <= half_length) & (np.abs(across) <= half_width)
