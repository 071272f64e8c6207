"""The world of a folder: all files together, every function of a point, and what is refused."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from farm_folder import rasters, tables, write_farm, write_json

from acres_ros.models.farm import CONDITIONS
from acres_ros.models.ground import NO_FIELD
from acres_ros.world import (
    Origin,
    SurfaceClass,
    TextureGroup,
    UnknownNameError,
    World,
    WorldError,
    WorldFileError,
    load_world,
)
from acres_ros.world.surfaces import default_surfaces


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_farm(tmp_path / "farm")


@pytest.fixture
def world(folder: Path) -> World:
    return World.load(folder)


def test_the_map_and_its_rasters(world: World):
    assert world.name == "hand"
    assert world.bounds == (-10.0, -10.0, 10.0, 10.0)
    assert world.ground.heights[10, 3] == pytest.approx(1.13)  # row 0 south, 11 corners a row
    assert world.terrain.height_at(-9.0, -10.0) == pytest.approx(0.005)  # between 0.00 and 0.01 m
    assert world.terrain.bounds == world.bounds
    assert world.surface_class_at(1.5, -2.5) is SurfaceClass.GRAVEL
    assert world.surface_class_at(-1.5, -2.5) is SurfaceClass.GRASS
    assert world.surface_class_at(math.nan, 99.0) is SurfaceClass.GRASS
    assert (world.field_at(-2.01, -2.01), world.field_at(-1.99, -2.01)) == (3, NO_FIELD)
    assert world.field_at(-99.0, -99.0) == 3  # the border cell goes on
    # the raster knows cells of 4 m, the polygon its edges
    assert (world.field_at(5.9, 5.9), world.field_polygon_at(5.9, 5.9)) == (7, NO_FIELD)
    assert (world.field_at(1.0, 1.0), world.field_polygon_at(1.0, 1.0)) == (NO_FIELD, 7)
    assert world.soil_texture_at(-9.0, 9.0) is TextureGroup.MEDIUM
    assert world.soil_texture_at(9.0, 9.0) is TextureGroup.MODERATELY_FINE


def test_patches_by_land_cell(world: World):
    patches, bins = world.ground.patches, world.ground.bins
    assert len(patches) == bins[-1] == 64 + 36
    begin, end = world.patch_bin(0, 1)
    cell = patches[begin:end]
    assert {(p["x"], p["y"]) for p in cell} == {(x, y) for x in range(-10, -6) for y in range(-6, -2)}
    assert world.patch_bin(4, 0)[0] == world.patch_bin(4, 0)[1]
    for column in range(5):
        for row in range(5):
            begin, end = world.patch_bin(column, row)
            for patch in patches[begin:end]:
                assert world.land_cell_at(float(patch["x"]), float(patch["y"])) == 5 * row + column
    assert world.patch_bin(5, 0) == world.patch_bin(0, -1) == (0, 0)
    assert (world.field_growth(3), world.field_growth(7), world.field_growth(8)) == (0.5, 1.0, 0.0)
    with pytest.raises(WorldError, match="field is 60"):
        world.field_growth(60)


def test_soil_water_of_a_cell(world: World):
    conditions = CONDITIONS.new(1)
    corn, meadow, raub = (world.land_cell_at(*point) for point in ((-9.0, -9.0), (9.0, -9.0), (-9.0, 9.0)))
    assert (corn, meadow, raub) == (0, 4, 20)
    # wilting point + fraction x (saturation - wilting point)
    assert world.cell_theta(corn, conditions[0]) == pytest.approx(0.19 + 0.55 * 0.31)
    assert world.cell_theta(raub, conditions[0]) == pytest.approx(0.15 + 0.55 * 0.32)
    conditions.field_fraction[0, 3] = 1.0
    assert world.cell_theta(corn, conditions) == pytest.approx(0.5)
    assert world.cell_theta(meadow, conditions) == pytest.approx(0.19 + 0.55 * 0.31)
    conditions.global_fraction = 0.0
    assert world.cell_theta(meadow, conditions) == pytest.approx(0.19)
    for cell in (-1, 25):
        with pytest.raises(WorldError, match="land cell"):
            world.cell_theta(cell, conditions)


def test_mud_never_dries_below_its_floor():
    conditions = CONDITIONS.new(1)
    for surface, fraction in (("mud", 0.9), ("grass", 0.3), ("asphalt", 0.3)):
        conditions.global_fraction = 0.3
        world = World.height_field(np.zeros((2, 2)), x0=0.0, y0=0.0, cell=4.0, surface=surface)
        assert world.cell_theta(0, conditions) == pytest.approx(0.15 + fraction * 0.32)
        if surface != "asphalt":
            assert world.surface_at(1.0, 1.0, conditions).moisture == world.cell_theta(0, conditions)


def test_the_margin_of_the_site_is_that_of_the_ground(world: World):
    assert world.site is not None
    assert world.ground.grid["margin"][0] == world.site.off_map_margin_m == 10.0


def test_what_a_wheel_feels_follows_the_soil_water(folder: Path, world: World):
    conditions = CONDITIONS.new(1)
    corn = (-9.0, -9.0)
    gravel = world.surface_at(1.5, -2.5, conditions)
    assert (gravel.surface, gravel.field, gravel.sinkage) == (SurfaceClass.GRAVEL, NO_FIELD, 0.0)
    states = []
    for fraction in (0.3, 0.6, 1.0):
        conditions.field_fraction[0, 3] = fraction
        states.append(world.surface_at(*corn, conditions))
        assert states[-1].moisture == pytest.approx(world.cell_theta(world.land_cell_at(*corn), conditions))
        assert (states[-1].surface, states[-1].field, states[-1].soil_unit) == (SurfaceClass.GRASS, 3, 0)
    dry, moist, wet = states
    assert dry.friction > moist.friction > wet.friction
    assert dry.sinkage < moist.sinkage < wet.sinkage
    assert world.surface_at(*corn, conditions, 0.02).sinkage > wet.sinkage
    # without it the wheels feel the numbers of the surface, however wet the farm is
    plain = World.load(folder, farm_water=False)
    grass = default_surfaces()[SurfaceClass.GRASS]
    for fraction in (0.0, 1.0):
        conditions.field_fraction[0, 3] = fraction
        state = plain.surface_at(*corn, conditions)
        for name in ("resistance", "friction", "cohesion", "shear_modulus", "relaxation"):
            assert getattr(state, name) == pytest.approx(getattr(grass, name), rel=1e-12)
        assert state.cone_index_kpa == grass.soil.cone_index_kpa


def test_inside_the_map_with_a_margin(world: World):
    assert world.inside(10.0, -10.0)
    assert not world.inside(10.001, 0.0)
    assert world.inside(8.0, 0.0, 2.0)
    assert not world.inside(8.001, 0.0, 2.0)
    assert not world.inside(math.nan, 0.0)


def test_the_origin_is_that_of_the_site(folder: Path, world: World):
    assert world.origin == Origin(40.5, -87.2, 200.0, 16)
    content = {name: value for name, value in tables()["site.json"].items() if name != "longitude_deg"}
    write_json(folder / "ACRE" / "site.json", content)
    assert World.load(folder).origin is None
    assert World.flat().origin is None


def test_zones_are_a_raster_of_their_own(world: World):
    assert world.zone_at(3.0, 3.0) == 0
    zones = np.array([[1, 2], [3, 7]], np.uint8)
    zoned = world.with_zones(zones, x0=0.0, y0=-2.0, cell=1.0)
    assert (zoned.zone_at(0.5, -1.5), zoned.zone_at(1.5, -1.5), zoned.zone_at(0.5, -0.5)) == (1, 2, 3)
    assert zoned.zone_at(9.0, 9.0) == 7
    assert world.zone_at(9.0, 9.0) == 0 and zoned.field_at(-9.0, -9.0) == 3
    for wrong in (np.array([[8]]), np.array([[-1]]), np.array([[0.5]]), np.zeros(3, int), np.zeros((0, 0), int)):
        with pytest.raises(WorldError, match="zone"):
            world.with_zones(wrong, x0=0.0, y0=0.0, cell=1.0)
    with pytest.raises(WorldError, match="cell above 0"):
        world.with_zones(zones, x0=0.0, y0=0.0, cell=0.0)


def test_the_zones_of_a_scouting_map(folder: Path):
    zones = np.zeros((5, 5), np.uint8)
    zones[1, 4] = 6
    scouting = folder / "ACRE" / "Scouting"
    scouting.mkdir()
    (scouting / "ground_classes.u8").write_bytes(zones.tobytes())
    assert World.load(folder).zone_at(9.0, -3.0) == 6
    assert World.load(folder, ground_classes_file=None).zone_at(9.0, -3.0) == 0
    zones[0, 0] = 8
    other = folder / "other.u8"
    other.write_bytes(zones.tobytes())
    with pytest.raises(WorldFileError, match=r"other\.u8: \[0, 0\] = 8: wanted a zone, 0 to 7"):
        World.load(folder, ground_classes_file=other)
    with pytest.raises(WorldFileError, match="no such file"):
        World.load(folder, ground_classes_file=folder / "none.u8")


def test_the_obstacles_of_a_scene_and_of_a_scouting_map(folder: Path):
    assert World.load(folder).scene is None
    box = {"id": "shed", "polygon": [[4, -8], [8, -8], [8, -4], [4, -4]], "z_min": 0, "z_max": 3}
    scene = {
        "schema": "acres-core-scene-1",
        "materials": [{"name": "trunk", "reflectivity": 0.3, "transmission_per_m": 0}],
        "triangles": [],
        "cylinders": [[0, -5, 5, 0, 0.5, 4]],
        "ellipsoids": [],
        "outlines": [box],
    }
    write_json(folder / "acre_scene.json", scene)
    world = World.load(folder)
    assert world.scene is not None
    assert world.scene.obstacle_name(world.scene.overlaps((6.0, -6.0), 0.0, 1.0, 1.0, 0.3, 2.0)) == "shed"
    assert world.ground.obstacles is world.scene.obstacles
    hit = world.scene.ray_cast((0.0, 5.0, 2.0), (-1.0, 0.0, 0.0))
    assert hit is not None and hit.t == pytest.approx(4.5)
    # the map of a scouting flight has other obstacles, 2 m above the ground that they stand on
    scouted = {"id": "tree", "kind": "tree", "circle": [0, 9, 0.5], "height_m": 2}
    path = write_json(
        folder / "ACRE" / "Scouting" / "obstacles.json", {"schema": "acres-obstacles-1", "obstacles": [scouted]}
    )
    world = World.load(folder)
    assert world.scene is not None
    assert [outline.name for outline in world.scene.outlines] == ["tree"]
    assert world.scene.outlines[0].z_max == pytest.approx(world.terrain.height_at(0.0, 9.5) + 2.0)
    world = World.load(folder, obstacles_file=None)
    assert world.scene is not None and world.scene.obstacle_name(0) == "shed"
    bare = World.load(folder, scene_file=None)
    assert bare.scene is None and len(bare.ground.obstacles.outlines) == 0
    with pytest.raises(WorldError, match="there is no scene"):
        World.load(folder, scene_file=None, obstacles_file=path)
    with pytest.raises(WorldFileError, match="no such file"):
        World.load(folder, obstacles_file=folder / "none.json")


def test_options_of_the_crops(folder: Path):
    low = World.load(folder, growth=0.5, crop_heights=(2.0, 0.6, 0.5))
    begin, _ = low.patch_bin(0, 0)
    assert low.ground.patches[begin]["height"] == pytest.approx(0.25 * 2.0)
    assert len(World.load(folder, generated_crops=False).ground.patches) == 0
    assert World.load(folder, season="legacy").ground.patches[begin]["crop"] == 3
    with pytest.raises(UnknownNameError, match="'1999': the names are 2026, legacy"):
        World.load(folder, season="1999")
    with pytest.raises(WorldError, match="growth"):
        World.load(folder, growth=2.0)


@pytest.mark.parametrize("name", sorted({*tables(), *rasters()} - {"crops_2026.json"}))
def test_every_file_is_needed(folder: Path, name: str):
    (folder / "ACRE" / name).unlink()
    with pytest.raises(WorldFileError, match=f"{name}: no such file"):
        World.load(folder)


def test_a_season_needs_its_plan(folder: Path):
    (folder / "ACRE" / "crops_2026.json").unlink()
    with pytest.raises(UnknownNameError, match="'2026': the names are legacy"):
        World.load(folder)


@pytest.mark.parametrize("name", rasters())
def test_every_raster_has_its_size(folder: Path, name: str):
    path = folder / "ACRE" / name
    content = path.read_bytes()
    for wrong in (content[:-1], content + b"\0"):
        path.write_bytes(wrong)
        with pytest.raises(WorldFileError, match=rf"{name}: .*: wanted \d+ rows of \d+ elements"):
            World.load(folder)


@pytest.mark.parametrize("wrong", [math.nan, math.inf])
def test_a_height_that_is_none_is_refused(folder: Path, wrong: float):
    heights = rasters()["heights.f32"]
    heights[4, 7] = wrong
    (folder / "ACRE" / "heights.f32").write_bytes(heights.tobytes())
    with pytest.raises(WorldFileError, match=r"heights\.f32: .*4.*7.* = (nan|inf): wanted"):
        World.load(folder)


def test_a_class_without_a_surface_is_refused(folder: Path):
    classes = rasters()["surface.u8"]
    classes[9, 0] = 8
    (folder / "ACRE" / "surface.u8").write_bytes(classes.tobytes())
    with pytest.raises(WorldFileError, match=r"surface\.u8: \[9, 0\] = 8: wanted a surface class, below 8"):
        World.load(folder)


def test_a_place_off_the_map_is_refused(folder: Path):
    content = tables()["places.json"]
    content["places"][1]["x"] = 10.5
    write_json(folder / "ACRE" / "places.json", content)
    with pytest.raises(WorldFileError, match=r"places\[1\] = \[10.5, 9.0\]: wanted a place on the map"):
        World.load(folder)


def test_the_land_rasters_cover_a_map_that_is_no_multiple_of_their_cell(folder: Path):
    acre = folder / "ACRE"
    write_json(acre / "site.json", {**tables()["site.json"], "land_cell_m": 3.0})
    fields = np.full((7, 7), 255, np.uint8)
    fields[6, 6] = 7
    (acre / "fields.u8").write_bytes(fields.tobytes())
    (acre / "soils.u8").write_bytes(bytes(49))
    world = World.load(folder)
    assert (world.field_at(7.9, 9.0), world.field_at(8.1, 9.0)) == (NO_FIELD, 7)
    assert world.ground.bins.shape == (50,)
    write_json(acre / "site.json", {**tables()["site.json"], "land_cell_m": 1e-4})
    with pytest.raises(WorldFileError, match="land_cell_m = 0.0001: wanted at most"):
        World.load(folder)


def test_arrays_are_those_the_kernels_are_compiled_for(world: World):
    for one, other in zip(world.ground, World.flat().ground, strict=True):
        if isinstance(one, np.ndarray):
            assert one.dtype == other.dtype and one.ndim == other.ndim
            assert one.flags.c_contiguous and one.flags.writeable and one.flags.aligned


def test_worlds_by_name(folder: Path, monkeypatch: pytest.MonkeyPatch):
    assert load_world(str(folder)).name == "hand"
    monkeypatch.chdir(folder.parent)
    assert load_world("farm/").name == "hand"
    assert load_world(str(folder), season="legacy").field_growth(3) == 1.0
    with pytest.raises(UnknownNameError, match="'mars': the names are flat, yard, farm, or the path of a folder"):
        load_world("mars")
    with pytest.raises(WorldFileError, match=r"nowhere/ACRE/site\.json: no such file"):
        load_world("/nowhere")
    assert load_world("flat", z=2.0).ground.heights[0, 0] == 2.0


def test_land_cells_beyond_counting_are_refused(tmp_path: Path) -> None:
    acre = write_farm(tmp_path) / "ACRE"
    write_json(acre / "site.json", {**tables()["site.json"], "land_cell_m": 1e-320})
    with pytest.raises(WorldFileError, match="at most .* land cells"):
        World.load(tmp_path)
