"""`acres world`: build, show and list; and the map that it draws."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from matplotlib import pyplot
from PIL import Image

from acres_ros.cli import main as cli
from acres_ros.tools import world_layers, world_picture
from acres_ros.tools.world_layers import Canvas
from acres_ros.world import World

SEED = "11"


@pytest.fixture(scope="module")
def farm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("worlds") / "farm"
    assert cli.main(["world", "build", "--seed", SEED, "--output", str(folder)]) == 0
    return folder


@pytest.fixture(scope="module")
def world(farm: Path) -> World:
    return World.load(farm)


def colour(image: np.ndarray, canvas: Canvas, x: float, y: float) -> tuple[float, ...]:
    row, column = np.searchsorted(canvas.y, y), np.searchsorted(canvas.x, x)
    return tuple(image[row, column])


def rgb(text: str) -> tuple[float, ...]:
    return tuple(int(text[k : k + 2], 16) / 255.0 for k in (1, 3, 5))


def test_build_writes_the_seed_that_it_is_given(farm: Path) -> None:
    assert json.loads((farm / "ACRE" / "site.json").read_text())["seed"] == int(SEED)


def test_build_tells_what_it_does_and_where(capsys: pytest.CaptureFixture[str], tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("ACRES_CACHE", str(tmp_path))
    assert cli.main(["world", "build", "--seed", SEED]) == 0
    lines = capsys.readouterr().out.splitlines()
    folder = Path(lines[-1].split(": ")[-1])
    assert len(lines) >= 5 and folder.parent == tmp_path / "acres_ros" / "worlds"
    assert (folder / "acre_scene.json").is_file()
    assert cli.main(["world", "list"]) == 0
    listed = capsys.readouterr().out
    assert str(folder) in listed and all(f"\n{name} " in f"\n{listed}" for name in ("flat", "yard", "farm"))


def test_build_writes_over_nothing(farm: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["world", "build", "--output", str(farm)]) == 2
    assert f"{farm} is not empty" in capsys.readouterr().err


def test_build_refuses_a_seed_that_is_none(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert cli.main(["world", "build", "--seed", "-1", "--output", str(tmp_path)]) == 2
    assert "seed of a tile is -1" in capsys.readouterr().err


def test_build_tells_where_it_cannot_write(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["world", "build", "--output", "/dev/null/farm"]) == 1
    assert "/dev/null/farm cannot be written" in capsys.readouterr().err


def test_show_draws_the_farm_and_tells_its_figures(farm: Path, capsys, tmp_path: Path) -> None:
    picture = tmp_path / "new" / "map.png"
    assert cli.main(["world", "show", "--world", str(farm), "--picture", str(picture)]) == 0
    text = capsys.readouterr().out
    assert "63 buildings, 26 bins, 6984 trees" in text
    assert "place spawn-icsc-garage: x -38.71, y -140.513 m (ICSC garage)" in text
    assert picture.stat().st_size < 600_000
    with Image.open(picture) as image:
        shares = np.array(image.convert("RGB")).reshape(-1, 3) / 255.0
    for shown in ("#2c5a33", "#c2185b", "#a8443a"):  # trees, places and buildings
        assert np.any(np.abs(shares - rgb(shown)).max(axis=1) < 0.01), shown


@pytest.mark.parametrize("name", ["yard", "flat"])
def test_show_draws_worlds_without_a_farm(name: str, capsys, tmp_path: Path) -> None:
    picture = tmp_path / "map.png"
    assert cli.main(["world", "show", "--world", name, "--picture", str(picture)]) == 0
    assert f"{name}: x " in capsys.readouterr().out
    assert picture.stat().st_size > 5_000


@pytest.mark.parametrize(
    ("layers", "words"),
    [
        ("crops,soils", "2 of them cover the ground"),
        ("relief,trees", "0 of them cover the ground"),
        ("crops,roofs", "no layer 'roofs'"),
    ],
)
def test_show_refuses_layers_that_make_no_map(layers: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["world", "show", "--world", "yard", "--layers", layers]) == 2
    assert words in capsys.readouterr().err


def test_show_tells_where_it_cannot_write(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["world", "show", "--world", "yard", "--picture", "/dev/null/map.png"]) == 1
    assert "cannot be written" in capsys.readouterr().err


@pytest.mark.parametrize("layer", ["crops", "fields"])
def test_the_legend_of_a_world_without_a_list_of_fields_names_each_colour_once(layer: str) -> None:
    world = World.yard()
    image, legend = world_layers.paint(world, Canvas.of(world), layer)
    assert [text for _, text in legend] == ["grass", "field", "gravel"]
    shown = {tuple(colour) for colour in np.round(image.reshape(-1, 3), 6)}
    assert shown == {tuple(np.round(rgb(colour), 6)) for colour, _ in legend}


def test_the_labels_of_fields_stand_upright_and_fit(
    world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    drawn: list[pyplot.Figure] = []
    monkeypatch.setattr(pyplot, "close", drawn.append)
    world_picture.draw_world(world, world_picture.Shapes(), tmp_path / "map.png", ("crops", "labels"))
    plan = drawn[0].axes[0]
    labels = {text.get_text().split("\n")[0]: text for text in plan.texts if text.get_text()[0].isdigit()}
    narrow = 0
    for number, field in world.fields.items():
        label = labels[str(number)]
        (west, south), (east, north) = plan.transData.inverted().transform(label.get_window_extent())
        assert label.get_rotation() == 0.0
        crop = "\n" in label.get_text()
        narrow += not crop
        assert not crop or east - west < np.ptp(field.polygon[:, 0]), label.get_text()
    assert 0 < narrow < 10


def test_the_crops_are_painted_where_they_stand(world: World) -> None:
    canvas = Canvas.of(world)
    image, legend = world_layers.paint(world, canvas, "crops")
    assert image.shape == (1524, 1524, 3)
    assert colour(image, canvas, 0.0, -142.0) == pytest.approx(rgb("#d8ccb6"))  # the lot: gravel
    assert colour(image, canvas, 700.0, 300.0) == pytest.approx(rgb("#5f6268"))  # the county road: asphalt
    for x, y in ((200.0, 230.0), (0.0, 0.0)):  # fields 24 and 48, with rows 4 % lighter or darker
        assert colour(image, canvas, x, y) == pytest.approx(rgb("#3d7f38"), rel=0.04)
    corn = next(text for _, text in legend if text.startswith("corn"))
    patches = np.count_nonzero(world.ground.patches["crop"] == 1)
    assert float(corn.split()[1]) == pytest.approx(patches / 1e4, rel=0.01)


@pytest.mark.parametrize("layer", ["surface", "fields", "soils", "zones"])
def test_every_cover_paints_with_the_colours_of_its_legend(world: World, layer: str) -> None:
    canvas = Canvas.of(world)
    image, legend = world_layers.paint(world, canvas, layer)
    used = {tuple(pixel) for pixel in np.round(image[::40, ::40].reshape(-1, 3) * 255).astype(int)}
    named = {tuple(int(part * 255 + 0.5) for part in rgb(shown)) for shown, _ in legend}
    if layer == "fields":  # neighbours differ; the numbers on the map tell which is which
        assert len(used - named) >= 5
    else:
        assert used <= named


def test_light_comes_from_the_north_west() -> None:
    slope = np.add.outer(np.zeros(60), np.arange(60.0)) * 0.02  # rises to the east by 2 %
    lit = world_layers.shade(*_with_canvas(slope))
    dark = world_layers.shade(*_with_canvas(slope[:, ::-1]))
    level = world_layers.shade(*_with_canvas(np.zeros((60, 60))))
    assert level == pytest.approx(1.0)
    assert lit[500, 500] > 1.05 and dark[500, 500] < 0.95


def _with_canvas(heights: np.ndarray) -> tuple[World, Canvas]:
    world = World.height_field(heights, x0=0.0, y0=0.0, cell=1.0)
    return world, Canvas.of(world)
