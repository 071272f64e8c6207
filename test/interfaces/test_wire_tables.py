"""The built interfaces have the fields and constants of the wire tables: names, types, order, values."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from wire_tables import PACKAGES, Section, sections, table

SOURCES = Path(__file__).resolve().parents[2] / "msg"
# Counts of the real packages: ds_dbw_msgs 2.3.11, simulation_interfaces 1.5.1, tf2_msgs of Jazzy.
COUNTS = {
    "acres_interfaces": {"msg": 6, "srv": 13},
    "ds_dbw_msgs": {"msg": 72},
    "simulation_interfaces": {"msg": 15, "srv": 22, "action": 1},
    "tf2_msgs": {"msg": 2, "srv": 1, "action": 1},
}
ALL = pytest.mark.parametrize("section", sections(), ids=str)


@ALL
def test_fields(section: Section) -> None:
    wanted = [(name, section.python_type(kind)) for kind, name, _ in section.fields]
    assert list(section.built().get_fields_and_field_types().items()) == wanted


@ALL
def test_constants(section: Section) -> None:
    built = section.built()
    metaclass = type(built)
    constants = getattr(metaclass, f"_{metaclass.__name__}__constants")
    assert list(constants.items()) == list(section.constants)
    assert {name: getattr(built, name) for name, _ in section.constants} == dict(section.constants)


@ALL
def test_defaults(section: Section) -> None:
    message = section.built()()
    for kind, name, default in section.fields:
        value = getattr(message, name)
        if default is not None:
            assert value == float(default)
        elif kind in ("bool", "string") or kind.endswith("[]"):
            assert not value
        elif kind.endswith("]"):
            assert not any(value)
        elif kind[0].islower() and "/" not in kind:
            assert value == 0


@pytest.mark.parametrize("package", PACKAGES)
def test_every_interface_is_there_and_no_other(package: str) -> None:
    wanted = set(table(package)["types"])
    counts = {kind: sum(key.startswith(f"{kind}/") for key in wanted) for kind in COUNTS[package]}
    assert counts == COUNTS[package]
    assert len(wanted) == sum(counts.values())
    sources = {
        f"{path.suffix[1:]}/{path.stem}" for path in (SOURCES / package).rglob("*.*") if path.suffix[1:] in counts
    }
    assert sources == wanted
    listed = {line.strip() for line in (SOURCES / package / "CMakeLists.txt").read_text().splitlines()}
    files = [path for path in (SOURCES / package).rglob("*.*") if path.suffix[1:] in counts]
    assert {f'"{path.relative_to(SOURCES / package)}"' for path in files} <= listed


def test_the_field_messages_are_in_a_folder_of_their_own() -> None:
    """The real package keeps the 27 one-value messages in msg/fields; their types are those of msg all the same."""
    fields = sorted((SOURCES / "ds_dbw_msgs/msg/fields").glob("*.msg"))
    assert len(fields) == 27
    assert all(
        table("ds_dbw_msgs")["types"][f"msg/{path.stem}"]["message"]["fields"] == ["uint8 value"] for path in fields
    )


@pytest.mark.parametrize("package", PACKAGES)
def test_versions(package: str) -> None:
    root = ElementTree.parse(SOURCES / package / "package.xml").getroot()
    assert root.findtext("name") == package
    assert root.findtext("version") == table(package)["version"]
    assert root.findtext("export/build_type") == "ament_cmake"
    assert root.findtext("member_of_group") == "rosidl_interface_packages"


@pytest.mark.parametrize("package", PACKAGES)
def test_the_ament_index_lists_the_interfaces(package: str) -> None:
    from ament_index_python import get_resource

    content, prefix = get_resource("rosidl_interfaces", package)
    names = {name for name in content.splitlines() if not name.endswith(".idl")}
    wanted = {f"{key}.{key.split('/')[0]}" for key in table(package)["types"]}
    assert names == wanted
    assert all((Path(prefix) / "share" / package / name).is_file() for name in names)
