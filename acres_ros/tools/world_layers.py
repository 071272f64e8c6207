"""Layers of a map of a world, painted pixel by pixel: what covers the ground, and the light on its relief."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import fill
from typing import NamedTuple

import numpy as np

from acres_ros.models.ground import NO_FIELD
from acres_ros.world import SurfaceClass, World
from acres_ros.world.tile import shapes

PIXELS = 1524
"""Pixels along the longer side of the map; a metre each for a tile."""

LEGEND_WIDTH = 28
"""Letters in a line of the legend."""

SURFACE_COLOURS = {
    SurfaceClass.OFF_MAP: "#000000",
    SurfaceClass.ASPHALT: "#5f6268",
    SurfaceClass.GRAVEL: "#d8ccb6",
    SurfaceClass.GRASS: "#adc486",
    SurfaceClass.BARE: "#b0875b",
    SurfaceClass.FIELD: "#4f8a3a",
    SurfaceClass.MUD: "#77644f",
    SurfaceClass.CONCRETE: "#f0eee8",
}
CROP_COLOURS = {
    "corn": "#3d7f38",
    "soybean": "#8fb03c",
    "potato": "#7f8f6f",
    "sod": "#86c48c",
    "grass": "#cbd592",
    "none": "#b0875b",
}
CROP_TEXTS = {"none": "tilled, bare", "grass": "hay, grass"}
ZONES = (
    ("other", "#b9a892"),
    ("crop", "#4f8a3a"),
    ("headland", "#a6c34c"),
    ("grass", "#d3dfb2"),
    ("road", "#5f6268"),
    ("yard", "#d8ccb6"),
    ("waterway or ditch", "#5b97c4"),
    ("wood", "#37603c"),
)
SOIL_COLOURS = ("#5d6f8a", "#7fa3b8", "#c9b98c", "#a9b77c", "#b9774a", "#8a6f95", "#6b8f71", "#c79fa6")
BUILT = (SurfaceClass.ASPHALT, SurfaceClass.GRAVEL, SurfaceClass.CONCRETE)
"""Surfaces that the layers of the land show too, so that one finds one's way."""


class Canvas(NamedTuple):
    """The pixels of a map.

    Attributes:
        x: east of the columns, m.
        y: north of the rows, the southern one first, m.
        size: size of a pixel, m.
    """

    x: np.ndarray
    y: np.ndarray
    size: float

    @classmethod
    def of(cls, world: World) -> Canvas:
        """Return the pixels that cover a world."""
        west, south, east, north = world.bounds
        size = max(east - west, north - south) / PIXELS
        return cls(np.arange(west + 0.5 * size, east, size), np.arange(south + 0.5 * size, north, size), size)


Painted = tuple[np.ndarray, list[tuple[str, str]]]
"""A picture (rows, columns, 3), 0 to 1, and its legend: colour and text."""


def paint(world: World, canvas: Canvas, layer: str) -> Painted:
    """Return what covers the ground.

    Args:
        world: the world.
        canvas: the pixels.
        layer: a name of `COVERS`.
    """
    image, legend = COVERS[layer](world, canvas)
    if layer in ("surface", "zones"):
        return image, legend
    classes = _raster(world, canvas, "class", world.ground.classes)
    for surface in BUILT:
        if (classes == surface).any():
            image[classes == surface] = _rgb(SURFACE_COLOURS[surface])
            legend.append((SURFACE_COLOURS[surface], surface.name.lower()))
    return image, legend


def shade(world: World, canvas: Canvas, *, exaggeration: float = 6.0) -> np.ndarray:
    """Return the light (rows, columns) on the relief from the north-west, 1 on level ground.

    Args:
        world: the world.
        canvas: the pixels.
        exaggeration: how much steeper than it is the relief is lit.
    """
    heights = moving_mean(world.ground.heights, 1)  # without the noise of the survey
    cell = float(world.ground.grid["cell"][0])
    rows = np.diff(heights, axis=0, append=heights[-1:]) / cell
    columns = np.diff(heights, axis=1, append=heights[:, -1:]) / cell
    north, east = (_corners(world, canvas, slope) for slope in (rows, columns))
    sun = np.array([-0.5, 0.5, 0.7071])
    lit = (sun[2] - exaggeration * (sun[0] * east + sun[1] * north)) / np.sqrt(
        1.0 + exaggeration**2 * (east**2 + north**2)
    )
    return np.clip(lit / sun[2], 0.5, 1.3)


def moving_mean(values: np.ndarray, half: int) -> np.ndarray:
    """Return the mean over 2 half + 1 values in both directions; the border goes on beyond the edges."""
    width = 2 * half + 1
    for axis in (0, 1):
        padding = [(half + 1, half) if side == axis else (0, 0) for side in (0, 1)]
        total = np.cumsum(np.pad(values, padding, mode="edge"), axis=axis)
        count = values.shape[axis]
        values = (np.take(total, range(width, width + count), axis) - np.take(total, range(count), axis)) / width
    return values


def _surface(world: World, canvas: Canvas) -> Painted:
    classes = _raster(world, canvas, "class", world.ground.classes)
    table = np.array([_rgb(SURFACE_COLOURS[surface]) for surface in SurfaceClass])
    used = [surface for surface in SurfaceClass if (classes == surface).any()]
    return table[classes], [(SURFACE_COLOURS[s], s.name.lower()) for s in used]


def _crops(world: World, canvas: Canvas) -> Painted:
    image, _ = _surface(world, canvas)
    field = _raster(world, canvas, "land", world.ground.land["field"])
    legend = []
    for crop, colour in CROP_COLOURS.items():
        numbers = [number for number, f in world.fields.items() if f.crop == crop]
        if not numbers:
            continue
        area = sum(shapes.area(_outline(world, number)) for number in numbers)
        legend.append((colour, f"{CROP_TEXTS.get(crop, crop)}, {area / 1e4:.1f} ha"))
        for number in numbers:
            here = _inside(world, canvas, number, field)
            image[here] = _rgb(colour)
            _rows(image, canvas, here, world.fields[number].row_heading_deg)
    return image, [*legend, *_rest(world, canvas, field)]


def _rest(world: World, canvas: Canvas, field: np.ndarray) -> list[tuple[str, str]]:
    """Return the legend of what is no field of the world's list, nor shown by every layer of the land."""
    texts = {SurfaceClass.GRASS: "mown grass, wood floor", SurfaceClass.MUD: "mud"}
    if not world.fields:
        texts |= {SurfaceClass.GRASS: "grass", SurfaceClass.FIELD: "field", SurfaceClass.BARE: "bare soil"}
    used = set(np.unique(_raster(world, canvas, "class", world.ground.classes)[field == NO_FIELD]))
    return [(SURFACE_COLOURS[s], text) for s, text in texts.items() if s in used]


def _fields(world: World, canvas: Canvas) -> Painted:
    image, _ = _surface(world, canvas)
    field = _raster(world, canvas, "land", world.ground.land["field"])
    palette = ("#a6cee3", "#b2df8a", "#fb9a99", "#fdbf6f", "#cab2d6", "#ffff99", "#8dd3c7")
    for place, number in enumerate(world.fields):
        image[_inside(world, canvas, number, field)] = _rgb(palette[place % len(palette)])
    return image, _rest(world, canvas, field)


def _soils(world: World, canvas: Canvas) -> Painted:
    soil = _raster(world, canvas, "land", world.ground.land["soil"])
    colours = [SOIL_COLOURS[k % len(SOIL_COLOURS)] for k in range(len(world.soils))]
    legend = []
    for number, (colour, unit) in enumerate(zip(colours, world.soils, strict=True)):
        share = float(np.mean(soil == number))
        text = fill(f"{unit.symbol}, {unit.name.split(',')[0]}, {100.0 * share:.0f} %", LEGEND_WIDTH)
        legend.append((colour, text))
    return np.array([_rgb(colour) for colour in colours])[soil], legend


def _zones(world: World, canvas: Canvas) -> Painted:
    zone = _raster(world, canvas, "zone", world.ground.zones)
    table = np.array([_rgb(colour) for _, colour in ZONES])
    return table[zone], [(colour, f"{n} {text}") for n, (text, colour) in enumerate(ZONES) if (zone == n).any()]


COVERS: dict[str, Callable[[World, Canvas], Painted]] = {
    "crops": _crops,
    "surface": _surface,
    "fields": _fields,
    "soils": _soils,
    "zones": _zones,
}
"""Layers that cover the ground; a map has one of them."""


def _raster(world: World, canvas: Canvas, name: str, values: np.ndarray) -> np.ndarray:
    """Return the values of a raster of the ground at the pixels."""
    grid = world.ground.grid[0]
    row, column = (
        np.clip((axis - grid[f"{name}_{first}"]) / grid[f"{name}_cell"], 0, count - 1).astype(int)
        for axis, first, count in ((canvas.y, "y0", values.shape[0]), (canvas.x, "x0", values.shape[1]))
    )
    return values[np.ix_(row, column)]


def _corners(world: World, canvas: Canvas, values: np.ndarray) -> np.ndarray:
    grid = world.ground.grid[0]
    row, column = (
        np.clip((axis - grid[first]) / grid["cell"], 0, count - 1).astype(int)
        for axis, first, count in ((canvas.y, "y0", values.shape[0]), (canvas.x, "x0", values.shape[1]))
    )
    return values[np.ix_(row, column)]


def _outline(world: World, number: int) -> shapes.Polygon:
    return tuple((x, y) for x, y in world.fields[number].polygon.tolist())


def _inside(world: World, canvas: Canvas, number: int, field: np.ndarray) -> np.ndarray:
    """Return the pixels of a field: those of its polygon, which is finer than the raster."""
    mask = np.zeros(field.shape, bool)
    shapes.paint(mask, True, _outline(world, number), canvas.x, canvas.y)
    return mask


def _rows(image: np.ndarray, canvas: Canvas, here: np.ndarray, heading_deg: float) -> None:
    """Draw the direction of the rows: light and dark stripes of eight rows, one pass of a planter."""
    across = -np.sin(np.radians(heading_deg)) * canvas.x[None, :] + np.cos(np.radians(heading_deg)) * canvas.y[:, None]
    stripe = np.where(np.floor(across / 6.1) % 2 == 0, 1.035, 0.965)
    image[here] = np.clip(image[here] * stripe[here][:, None], 0.0, 1.0)


def _rgb(colour: str) -> tuple[float, ...]:
    return tuple(int(colour[k : k + 2], 16) / 255.0 for k in (1, 3, 5))
