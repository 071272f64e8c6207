"""Maps of worlds, as PNG files: relief, land, roads, what stands on it, and the places with names."""

from __future__ import annotations

import io
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("Agg")
from matplotlib import patheffects, pyplot
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import EllipseCollection, PolyCollection
from matplotlib.colors import to_rgb
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from PIL import Image

from acres_ros.errors import UsageError
from acres_ros.tools.world_layers import COVERS, CROP_TEXTS, Canvas, moving_mean, paint, shade
from acres_ros.world import Place, World
from acres_ros.world.scene_file import read_scene

OVERLAYS = ("relief", "contours", "trees", "buildings", "labels", "places")
LAYERS = (*COVERS, *OVERLAYS)
DEFAULT_LAYERS = ("crops", *OVERLAYS)
CONTOUR_M = 1.0
DPI = 104
LETTER = 0.0062
"""Width of a letter of a field's label, as a share of the map's."""
COLOURS = {"building": "#a8443a", "bin": "#dfe3e6", "tree": "#2c5a33", "place": "#c2185b"}
_HALO = [patheffects.withStroke(linewidth=2.6, foreground="white", alpha=0.85)]


class LayerError(UsageError):
    """A layer that no map has, or two that cover each other."""

    def __init__(self, given: Collection[str], why: str) -> None:
        covers, overlays = ", ".join(COVERS), ", ".join(OVERLAYS)
        super().__init__(
            f"the layers are {', '.join(given) or 'none'}: {why}; wanted one of {covers}, and any of {overlays}"
        )


@dataclass(frozen=True, eq=False)
class Shapes:
    """What stands on the ground, seen from above.

    Attributes:
        buildings: corners (n, 2) of each, m.
        bins: middle and radius (n, 3), m.
        crowns: middle and radius (n, 3), m.
    """

    buildings: list[np.ndarray] = field(default_factory=list)
    bins: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))
    crowns: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))


def load_shapes(path: str | Path) -> Shapes:
    """Return the shapes of an obstacle scene.

    Args:
        path: a file of schema `acres-core-scene-1`.

    Raises:
        WorldFileError: a file that is missing or not right.
    """
    scene = read_scene(path)
    names = [material.name for material in scene.materials]
    buildings = [outline.polygon for outline in scene.outlines if outline.polygon is not None]
    bins = scene.cylinders[scene.cylinders[:, 0] == (names.index("bin") if "bin" in names else -1)]
    return Shapes(buildings, bins[:, [1, 2, 4]], scene.ellipsoids[:, [1, 2, 4]])


def check_layers(layers: Collection[str]) -> str:
    """Return the layer that covers the ground; raise `LayerError`."""
    for name in layers:
        if name not in LAYERS:
            raise LayerError(layers, f"there is no layer {name!r}")
    covers = [name for name in layers if name in COVERS]
    if len(covers) != 1:
        raise LayerError(layers, f"{len(covers)} of them cover the ground")
    return covers[0]


def draw_world(world: World, shapes: Shapes, path: Path, layers: Collection[str] = DEFAULT_LAYERS) -> None:
    """Draw a map of a world.

    Args:
        world: the world.
        shapes: what stands on it.
        path: file to write, a PNG of at most 256 colours.
        layers: names of `LAYERS`; one of them covers the ground.

    Raises:
        LayerError: a layer that is not known, or not one cover.
    """
    cover = check_layers(layers)
    canvas = Canvas.of(world)
    image, legend = paint(world, canvas, cover)
    if "relief" in layers:
        image = image * shade(world, canvas)[:, :, None]
    west, south, east, north = world.bounds
    figure = pyplot.figure(figsize=(13.2, 10.6))
    plan = figure.add_axes((0.055, 0.05, 0.735, 0.915))
    plan.imshow(
        np.clip(image, 0.0, 1.0), origin="lower", extent=(west, east, south, north), interpolation="antialiased"
    )
    plan.set(xlim=(west, east), ylim=(south, north), xlabel="x, east (m)", ylabel="y, north (m)")
    plan.set_aspect("equal")
    handles: list[Artist] = [
        Patch(facecolor=colour, edgecolor="#555555", linewidth=0.4, label=text) for colour, text in legend
    ]
    if "contours" in layers:
        handles += _contours(plan, world)
    if "trees" in layers:
        handles += _trees(plan, shapes)
    if "buildings" in layers:
        handles += _buildings(plan, shapes)
    if "labels" in layers:
        _labels(plan, world)
    if "places" in layers:
        handles += _places(plan, world)
    figure.legend(
        handles=handles,
        loc="upper left",
        bbox_to_anchor=(0.80, 0.972),
        frameon=False,
        fontsize=9.5,
        title=_title(world),
        title_fontproperties={"size": 11, "weight": "bold"},
        alignment="left",
        labelspacing=0.55,
    )
    _north_arrow(figure.add_axes((0.825, 0.10, 0.05, 0.09)))
    _scale_bar(plan, world)
    figure.text(0.805, 0.055, _facts(world), fontsize=8.5, va="bottom", color="#333333")
    _save(figure, path, {*(colour for colour, _ in legend), *COLOURS.values(), "#ffffff"})
    pyplot.close(figure)


def _title(world: World) -> str:
    west, south, east, north = world.bounds
    return f"{world.name}: {east - west:.0f} m x {north - south:.0f} m"


def _facts(world: World) -> str:
    heights, origin = world.ground.heights, world.origin
    low, high = f"{heights.min():.1f}", f"{heights.max():.1f}"
    lines = [f"height {low} m, level" if low == high else f"heights {low} to {high} m"]
    if origin is not None:
        lines.append(f"(0, 0) at {origin.latitude_deg:.4f} N, {-origin.longitude_deg:.4f} W")
    return "\n".join(lines)


def _contours(plan: Axes, world: World) -> list[Line2D]:
    heights, grid = world.ground.heights, world.ground.grid[0]
    low, high = np.floor(heights.min() / CONTOUR_M), np.ceil(heights.max() / CONTOUR_M)
    if min(heights.shape) < 50 or high - low < 2:
        return []
    rows, columns = heights.shape
    # Every fourth corner of a moving mean: ditches and furrows would only make the lines ragged.
    smooth = moving_mean(heights, 7)
    x, y = (grid[first] + grid["cell"] * np.arange(0, n, 4) for first, n in (("x0", columns), ("y0", rows)))
    levels = CONTOUR_M * np.arange(low, high + 1)
    lines = plan.contour(x, y, smooth[::4, ::4], levels=levels, colors="#4a3b2a", linewidths=0.55, alpha=0.6)
    plan.clabel(lines, fontsize=6, fmt="%g", inline_spacing=2)
    return [Line2D([], [], color="#4a3b2a", linewidth=0.7, label=f"contour, every {CONTOUR_M:g} m")]


def _discs(plan: Axes, circles: np.ndarray, offset: float, **style: object) -> None:
    if len(circles):
        size = 2.0 * circles[:, 2]
        spots = circles[:, :2] + offset * np.array([1.0, -1.0])
        discs = EllipseCollection(
            size, size, np.zeros(len(circles)), units="xy", offsets=spots, offset_transform=plan.transData, **style
        )
        plan.add_collection(discs, autolim=False)


def _trees(plan: Axes, shapes: Shapes) -> list[Line2D]:
    if not len(shapes.crowns):
        return []
    _discs(plan, shapes.crowns, 1.8, facecolors="#1b2a1c", alpha=0.45, linewidths=0)
    _discs(plan, shapes.crowns, 0.0, facecolors=COLOURS["tree"], edgecolors="#46794a", linewidths=0.25)
    return [_marker("o", COLOURS["tree"], 6, f"tree ({len(shapes.crowns)})")]


def _buildings(plan: Axes, shapes: Shapes) -> list[Line2D]:
    handles = []
    if shapes.buildings:
        shadow = [corners + (2.2, -2.2) for corners in shapes.buildings]
        plan.add_collection(PolyCollection(shadow, facecolors="black", alpha=0.35, linewidths=0), autolim=False)
        walls = PolyCollection(shapes.buildings, facecolors=COLOURS["building"], edgecolors="#4d1a15", linewidths=0.5)
        plan.add_collection(walls, autolim=False)
        handles.append(_marker("s", COLOURS["building"], 7, f"building ({len(shapes.buildings)})"))
    if len(shapes.bins):
        _discs(plan, shapes.bins, 1.8, facecolors="black", alpha=0.35, linewidths=0)
        _discs(plan, shapes.bins, 0.0, facecolors=COLOURS["bin"], edgecolors="#50585e", linewidths=0.6)
        handles.append(_marker("o", COLOURS["bin"], 7, f"grain bin ({len(shapes.bins)})"))
    return handles


def _marker(shape: str, colour: str, size: float, text: str) -> Line2D:
    return Line2D(
        [],
        [],
        linestyle="",
        marker=shape,
        markersize=size,
        markerfacecolor=colour,
        markeredgecolor="#333333",
        markeredgewidth=0.5,
        label=text,
    )


def _labels(plan: Axes, world: World) -> None:
    for number, one in world.fields.items():
        (west, south), (east, north) = one.polygon.min(axis=0), one.polygon.max(axis=0)
        x, y = _middle(one.polygon)
        if any(np.hypot(place.x - x, place.y - y) < 40.0 for place in world.places):
            x -= 0.3 * (east - west)
        crop = CROP_TEXTS.get(one.crop, one.crop).split(",")[0]
        fits = east - west > LETTER * len(crop) * (world.bounds[2] - world.bounds[0]) and north - south >= 40.0
        text = f"{number}\n{crop}" if fits else f"{number}"
        plan.text(
            x,
            y,
            text,
            ha="center",
            va="center",
            fontsize=7.5,
            linespacing=0.95,
            color="#1c1c1c",
            path_effects=[patheffects.withStroke(linewidth=1.8, foreground="white", alpha=0.55)],
        )


def _middle(corners: np.ndarray) -> np.ndarray:
    """Return the centroid of a polygon."""
    following = np.roll(corners, -1, axis=0)
    cross = corners[:, 0] * following[:, 1] - following[:, 0] * corners[:, 1]
    return ((corners + following) * cross[:, None]).sum(axis=0) / (3.0 * cross.sum())


def _places(plan: Axes, world: World) -> list[Line2D]:
    west, south, east, north = world.bounds
    for place in world.places:
        ahead = 0.016 * (east - west) * np.array([np.cos(place.yaw), np.sin(place.yaw)])
        plan.annotate(
            "",
            (place.x + ahead[0], place.y + ahead[1]),
            (place.x, place.y),
            arrowprops={"arrowstyle": "-|>", "color": COLOURS["place"], "linewidth": 1.6},
            zorder=6,
        )
        plan.plot(place.x, place.y, "o", color=COLOURS["place"], markeredgecolor="white", markersize=6, zorder=7)
        xytext, side = _beside(world, place)
        plan.annotate(
            place.id,
            (place.x, place.y),
            xytext=xytext,
            textcoords="offset points",
            ha=side,
            va="center",
            fontsize=8.5,
            weight="bold",
            color=COLOURS["place"],
            path_effects=_HALO,
            zorder=8,
        )
    return [_marker("o", COLOURS["place"], 6, "place and its heading")] if world.places else []


def _beside(world: World, place: Place) -> tuple[tuple[int, int], str]:
    """Return where the name of a place goes, points from its dot, and its alignment: beyond the tip of its arrow."""
    west, _, east, _ = world.bounds
    if place.x > west + 0.85 * (east - west):
        return (-9, 0), "right"
    if abs(np.cos(place.yaw)) > 0.7:
        return ((20, 0), "left") if np.cos(place.yaw) > 0.0 else ((-20, 0), "right")
    crowded = any(0.0 < np.hypot(one.x - place.x, one.y - place.y) < 80.0 for one in world.places)
    return (0, -11 if crowded else 24), "center"


def _scale_bar(plan: Axes, world: World) -> None:
    west, south, east, north = world.bounds
    width = east - west
    length = next(step for step in (10.0**k * m for k in range(9) for m in (1, 2, 5)) if step >= width / 8.0)
    x, y, thick = west + 0.03 * width, south + 0.025 * width, 0.006 * width
    plan.add_patch(
        Rectangle(
            (x - 0.015 * width, y - 0.012 * width),
            length + 0.04 * width,
            0.047 * width,
            color="white",
            alpha=0.75,
            zorder=9,
        )
    )
    for part, colour in enumerate(("black", "white", "black", "white")):
        plan.add_patch(
            Rectangle(
                (x + part * length / 4, y),
                length / 4,
                thick,
                facecolor=colour,
                edgecolor="black",
                linewidth=0.6,
                zorder=10,
            )
        )
    for share in (0.0, 0.5, 1.0):
        unit = " m" if share == 1.0 else ""
        plan.text(
            x + share * length,
            y + 1.6 * thick,
            f"{share * length:g}{unit}",
            ha="center",
            va="bottom",
            fontsize=8,
            zorder=10,
        )


def _north_arrow(axes: Axes) -> None:
    axes.set(xlim=(-1.0, 1.0), ylim=(-1.0, 1.6))
    axes.set_axis_off()
    axes.fill([0.0, -0.5, 0.0], [1.0, -0.8, -0.4], color="black")
    axes.fill([0.0, 0.5, 0.0], [1.0, -0.8, -0.4], facecolor="white", edgecolor="black", linewidth=0.8)
    axes.text(0.0, 1.1, "N", ha="center", va="bottom", fontsize=12, weight="bold")


def _save(figure: pyplot.Figure, path: Path, legend: Collection[str]) -> None:
    """Write a figure with a palette of 256 colours: a third of the size. The colours of the legend are among them."""
    memory = io.BytesIO()
    figure.savefig(memory, dpi=DPI, format="png")
    memory.seek(0)
    kept = [int(part * 255.0 + 0.5) for colour in legend for part in to_rgb(colour)]
    with Image.open(memory) as picture:
        colours = picture.convert("RGB")
        common = colours.quantize(200, Image.Quantize.MEDIANCUT).getpalette() or []
        rare = colours.quantize(56 - len(legend), Image.Quantize.MAXCOVERAGE).getpalette() or []
        palette = Image.new("P", (1, 1))
        palette.putpalette([*common[:600], *rare[: 3 * (56 - len(legend))], *kept])
        colours.quantize(palette=palette, dither=Image.Dither.NONE).save(path, format="PNG", optimize=True)
