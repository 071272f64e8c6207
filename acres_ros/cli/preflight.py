"""What a start refuses: seen from the files before a process is started, so that the answer comes at once.

The nodes refuse the same; here it does not take their start to learn of it.
"""

from __future__ import annotations

from collections.abc import Mapping

import yaml

from acres_ros.cli.description import PARAMETER_FILE
from acres_ros.errors import AcresError
from acres_ros.locations import shared_folder
from acres_ros.nodes.parameter_table import Value

_OF_VEHICLE = {"occupants", "vehicle_file"}
_OF_CROPS = {"crop_season", "growth"}
_OF_TOPICS = {"topics_file", "sensors_file"}
_OF_WORLD = {"world", "place", "crop_season"}
_WITHOUT_CROPS = ("flat", "yard")


class NoCropsError(AcresError):
    """Crops are asked for where none can stand."""

    def __init__(self, name: str, world: str) -> None:
        super().__init__(f"the world {world} has no crops, so {name} would have no effect there: leave it out")


def check_start(given: Mapping[str, Value]) -> None:
    """Refuse what no start can have.

    Args:
        given: the node parameters that were asked for.

    Raises:
        AcresError: what is wrong, and what is there.
    """
    file = yaml.safe_load((shared_folder("config") / PARAMETER_FILE).read_text())
    values: dict[str, Value] = {**file["/**/acres_physics"]["ros__parameters"], **given}
    if values["world"] in _WITHOUT_CROPS:
        for name in sorted(_OF_CROPS & given.keys()):
            raise NoCropsError(name, str(values["world"]))
    if _OF_VEHICLE & given.keys():
        _check_vehicle(values)
    if _OF_TOPICS & given.keys():
        _check_topics(str(given.get("topics_file", "")), str(values["sensors_file"]))
    if _OF_WORLD & given.keys():
        _check_world(str(values["world"]), str(values["place"]), str(values["crop_season"]))


def _check_vehicle(values: Mapping[str, Value]) -> None:
    from acres_ros.core.parameters import load_parameters

    load_parameters(str(values["vehicle_file"]) or None, occupants=int(values["occupants"]))


def _check_topics(file: str, sensors_file: str) -> None:
    from acres_ros.core.sensors import Sensors
    from acres_ros.nodes.topics_config import check_rates, load_topics_config

    check_rates(load_topics_config(file), Sensors.from_file(sensors_file).navigation.ins.hz, file)


def _check_world(name: str, place: str, season: str) -> None:
    if name in _WITHOUT_CROPS and not place:
        return
    from acres_ros.core.world_catalog import world_folder
    from acres_ros.world import load_world
    from acres_ros.world.content import ACRE
    from acres_ros.world.crops import check_season
    from acres_ros.world.places import load_places, place_named
    from acres_ros.world.tile.build import tile_path

    if name in _WITHOUT_CROPS:
        places = load_world(name).places
    else:
        folder = tile_path() if name == "farm" else world_folder(name)
        if not folder.is_dir():  # the farm, which the first start builds
            return
        acre = folder / ACRE
        check_season(acre, season)
        places = load_places(acre / "places.json")
    if place:
        place_named(places, place)
