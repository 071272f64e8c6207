"""The library of surfaces: its file read strictly, its numbers in the table of the kernels."""

from __future__ import annotations

import json

import pytest

from acres_ros.locations import shared_folder
from acres_ros.models.ground import SURFACE
from acres_ros.world import SurfaceClass, WorldFileError, default_surfaces, load_surfaces
from acres_ros.world.surfaces import surface_table

LIBRARY = shared_folder("config") / "surfaces.json"


def changed(tmp_path, change):
    tree = json.loads(LIBRARY.read_text())
    change(tree)
    path = tmp_path / "surfaces.json"
    path.write_text(json.dumps(tree))
    return path


def test_every_class_names_its_source():
    library = default_surfaces()
    assert set(library) == set(SurfaceClass)
    assert all(len(surface.source) > 20 for surface in library.values())
    hard = {number for number, surface in library.items() if surface.soil is None}
    assert hard == {SurfaceClass.ASPHALT, SurfaceClass.GRAVEL, SurfaceClass.CONCRETE}


def test_the_table_holds_what_the_file_says():
    table = surface_table()
    for row in json.loads(LIBRARY.read_text())["surfaces"]:
        record = table[row["class"]]
        assert record["soil"] == ("soil" in row)
        for name in SURFACE.dtype.names[:6]:
            assert record[name] == row[name]
        for name, value in row.get("soil", {}).items():
            name = {"cohesion_kpa": "soil_cohesion_kpa", "friction_deg": "soil_friction_deg"}.get(name, name)
            assert record[name] == value


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda t: t["surfaces"][1].update(friction=-0.1), ["surfaces[1].friction", "-0.1", "0.01 to 2"]),
        (lambda t: t["surfaces"][1].update(friction="wet"), ["surfaces[1].friction", "wet", "number"]),
        (lambda t: t["surfaces"][1].pop("cohesion"), ["surfaces[1].cohesion", "missing"]),
        (lambda t: t["surfaces"][1].update(frictoin=0.5), ["surfaces[1].frictoin", "friction"]),
        (lambda t: t["surfaces"][5]["soil"].update(k_phi=0.0), ["surfaces[5].soil.k_phi", "1 to"]),
        (lambda t: t["surfaces"][5]["soil"].pop("exponent"), ["surfaces[5].soil.exponent", "missing"]),
        (lambda t: t["surfaces"][5]["soil"].update(depth=1), ["surfaces[5].soil.depth"]),
        (lambda t: t["surfaces"][5].update(name="corn"), ["surfaces[5].name", "corn", "field"]),
        (lambda t: t["surfaces"][5].update({"class": 4}), ["surfaces[5].class", "each class once"]),
        (lambda t: t["surfaces"][5].update({"class": 8}), ["surfaces[5].class", "0 to 7"]),
        (lambda t: t["surfaces"].pop(), ["surfaces", "concrete"]),
        (lambda t: t["surfaces"][2].pop("source"), ["surfaces[2].source", "missing"]),
        (lambda t: t.update(schema="acres-surfaces-2"), ["schema", "acres-surfaces-1"]),
        (lambda t: t.update(more=1), ["more"]),
    ],
)
def test_a_wrong_file_is_refused_by_key_and_value(tmp_path, change, words):
    with pytest.raises(WorldFileError) as caught:
        load_surfaces(changed(tmp_path, change))
    for word in ["surfaces.json", *words]:
        assert word in str(caught.value)
