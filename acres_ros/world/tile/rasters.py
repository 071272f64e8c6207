"""Rasters of the tile: surface classes, field numbers and ground classes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from acres_ros.world.surfaces import SurfaceClass
from acres_ros.world.tile.buildings import PAD_M, Farmstead
from acres_ros.world.tile.fields import Field
from acres_ros.world.tile.frame import CELLS, HALF_M, LAND_CELLS, STEP_M, cell_axis, land_axis
from acres_ros.world.tile.noise import smoothed
from acres_ros.world.tile.roads import Road, road_raster
from acres_ros.world.tile.shapes import Polygon, bounds, edges, inside, paint, rectangle, segment_distance, window
from acres_ros.world.tile.water import BANK_M, HALF_WIDTH_M, Waterway, distance_from

WET_SHARE = 0.004
"""Share of the tile that lies so low in a hollow that water stands on it."""

NO_FIELD = 255
HEADLAND_M = 9.0
"""Width of the end rows of a planted field."""

OTHER, CROP, HEADLAND, GRASS, ROAD, YARD, WATER, WOOD = range(8)


def patch_centres(polygon: Polygon) -> tuple[np.ndarray, np.ndarray]:
    """Return the whole metres (x, y) inside a polygon: the middles of its crop patches."""
    west, south, east, north = bounds(polygon)
    x, y = np.arange(np.ceil(west), east), np.arange(np.ceil(south), north)
    rows, columns = np.nonzero(inside(polygon, x, y))
    return x[columns], y[rows]


def wet_cells(ground: np.ndarray) -> np.ndarray:
    """Return the surface cells (rows, columns) in the deepest hollows."""
    hollow = (smoothed(ground, 40) - smoothed(ground, 3))[:-1, :-1]
    ordered = np.sort(hollow, axis=None)
    return hollow > ordered[int((1.0 - WET_SHARE) * hollow.size)]


def surface_raster(
    roads: Sequence[Road],
    fields: Sequence[Field],
    farms: Sequence[Farmstead],
    waterways: Sequence[Waterway],
    wet: np.ndarray,
) -> np.ndarray:
    """Return the surface class of each cell.

    Args:
        roads: roads and drives.
        fields: fields.
        farms: farmsteads.
        waterways: grass waterways.
        wet: cells (rows, columns) where water stands for long: mud, where grass would be.
    """
    axis = cell_axis()
    raster = np.full((CELLS, CELLS), SurfaceClass.GRASS, np.uint8)
    raster[wet] = SurfaceClass.MUD
    for water in waterways:
        raster[distance_from(water, axis, axis) < BANK_M] = SurfaceClass.GRASS
    for field in fields:
        if field.planted:
            x, y = patch_centres(field.polygon)
            column = np.floor((x + HALF_M) / STEP_M).astype(int)
            row = np.floor((y + HALF_M) / STEP_M).astype(int)
            raster[row, column] = SurfaceClass.FIELD
        paint(raster, _surface_of(field), field.polygon, axis, axis)
    laid = road_raster(roads, axis, axis)
    raster[laid.edge < 0.0] = laid.surface[laid.edge < 0.0]
    for farm in farms:
        paint(raster, SurfaceClass.GRAVEL, farm.gravel, axis, axis)
    for farm in farms:
        for building in farm.buildings:
            west, south, east, north = bounds(building.outline)
            pad = rectangle(west - PAD_M, south - PAD_M, east + PAD_M, north + PAD_M)
            paint(raster, SurfaceClass.CONCRETE, pad, axis, axis)
    return raster


def _surface_of(field: Field) -> SurfaceClass:
    if field.planted:
        return SurfaceClass.FIELD
    return SurfaceClass.BARE if field.crop == "none" else SurfaceClass.GRASS


def field_raster(fields: Sequence[Field]) -> np.ndarray:
    """Return the field number of each land cell, `NO_FIELD` outside the fields."""
    axis = land_axis()
    raster = np.full((LAND_CELLS, LAND_CELLS), NO_FIELD, np.uint8)
    for field in fields:
        paint(raster, field.number, field.polygon, axis, axis)
    return raster


def zone_raster(
    roads: Sequence[Road],
    fields: Sequence[Field],
    farms: Sequence[Farmstead],
    waterways: Sequence[Waterway],
    forest: Sequence[Polygon],
) -> np.ndarray:
    """Return the ground class of each land cell, 0 to 7.

    Args:
        roads: roads and drives.
        fields: fields.
        farms: farmsteads.
        waterways: grass waterways.
        forest: outlines of the woods.
    """
    axis = land_axis()
    raster = np.full((LAND_CELLS, LAND_CELLS), GRASS, np.uint8)
    for outline in forest:
        paint(raster, WOOD, outline, axis, axis)
    for water in waterways:
        raster[distance_from(water, axis, axis) < HALF_WIDTH_M] = WATER
    for field in fields:
        paint(raster, OTHER if field.crop == "none" else GRASS, field.polygon, axis, axis)
        if field.planted:
            _paint_crop(raster, field, axis)
    laid = road_raster(roads, axis, axis)
    raster[laid.ditch > 0.25] = WATER
    for farm in farms:
        paint(raster, YARD, rectangle(*farm.graded.box), axis, axis)
    raster[laid.edge < 0.0] = ROAD
    for farm in farms:
        paint(raster, YARD, farm.gravel, axis, axis)
    return raster


def _paint_crop(raster: np.ndarray, field: Field, axis: np.ndarray) -> None:
    rows, columns = window(axis, axis, bounds(field.polygon))
    x, y = axis[columns], axis[rows]
    within = inside(field.polygon, x, y)
    distance = np.full(within.shape, np.inf)
    for a, b in edges(field.polygon):
        np.minimum(distance, segment_distance(a, b, x, y), out=distance)
    raster[rows, columns] = np.where(within, np.where(distance < HEADLAND_M, HEADLAND, CROP), raster[rows, columns])
