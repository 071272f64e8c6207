"""Interface packages on disk: the sources, the installed ones, and the hash that says whether one is up to date."""

from __future__ import annotations

import hashlib
import os
import platform
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from .errors import DependencyMissing, PackageUnreadable

KINDS = ("msg", "srv", "action")
DEPEND_TAGS = ("depend", "build_depend", "exec_depend", "build_export_depend")
STAMP = "acres_build_hash"
BUILDER_FILES = ("generate.py", "compile.py", "install.py")
GENERATORS = (
    "rosidl_adapter",
    "rosidl_generator_c",
    "rosidl_generator_py",
    "rosidl_generator_type_description",
    "rosidl_typesupport_c",
    "rosidl_typesupport_fastrtps_c",
    "rosidl_typesupport_introspection_c",
)


def _depends(package_xml: Path) -> list[str]:
    root = ElementTree.parse(package_xml).getroot()
    return [str(tag.text).strip() for tag in root if tag.tag in DEPEND_TAGS]


@dataclass(frozen=True)
class InterfacePackage:
    """A source folder with package.xml and .msg, .srv and .action files.

    Attributes:
        folder: where it is.
        name: name of the package.
        version: version in its package.xml.
        depends: packages that its interfaces refer to, the ones behind services and actions included.
        files: interface files, sorted.
    """

    folder: Path
    name: str
    version: str
    depends: tuple[str, ...]
    files: tuple[Path, ...]

    @classmethod
    def read(cls, folder: Path) -> InterfacePackage:
        """Read the package in `folder`; `PackageUnreadable` where there is none."""
        package_xml = folder / "package.xml"
        if not package_xml.is_file():
            raise PackageUnreadable(folder, "it has no package.xml")
        root = ElementTree.parse(package_xml).getroot()
        name, version = root.findtext("name"), root.findtext("version")
        if not name or not version:
            raise PackageUnreadable(folder, "its package.xml names no package or no version")
        files = tuple(sorted(path for kind in KINDS for path in folder.rglob(f"*.{kind}")))
        if not files:
            raise PackageUnreadable(folder, "it has no .msg, .srv or .action file")
        kinds = {path.suffix[1:] for path in files}
        depends = [tag for tag in _depends(package_xml) if tag != "rosidl_default_runtime"]
        if kinds & {"srv", "action"}:
            depends.append("service_msgs")
        if "action" in kinds:
            depends += ["action_msgs", "unique_identifier_msgs"]
        return cls(folder, name.strip(), version.strip(), tuple(dict.fromkeys(depends)), files)

    def input_hash(self) -> str:
        """Return a hash of everything that the built package depends on: definitions, builder, generators, Python."""
        digest = hashlib.sha256()
        builder = [Path(__file__).parent / name for name in BUILDER_FILES]
        for path in [self.folder / "package.xml", *self.files, *builder]:
            digest.update(path.name.encode())
            digest.update(path.read_bytes())
        digest.update(f"{sys.version_info[:2]} {platform.machine()}".encode())
        for generator in GENERATORS:
            digest.update(f"{generator} {_version(generator)}".encode())
        return digest.hexdigest()


def _version(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return "unknown"


@dataclass(frozen=True)
class Prefixes:
    """Where packages are installed.

    Attributes:
        target: prefix that the build installs into.
        others: prefixes that are only read, the nearest first: those of a sourced ROS 2, then the Python environment.
    """

    target: Path
    others: tuple[Path, ...]

    @classmethod
    def of_environment(cls, target: Path | None = None) -> Prefixes:
        """Return the prefixes of this process; the target defaults to the Python environment."""
        target = (target or Path(sys.prefix)).resolve()
        sourced = [Path(part).resolve() for part in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep) if part]
        others = dict.fromkeys([*sourced, Path(sys.prefix).resolve()])
        return cls(target, tuple(prefix for prefix in others if prefix != target))

    def all(self) -> list[Path]:
        """Return every prefix, the target first."""
        return [self.target, *self.others]

    def provider(self, package: str) -> Path | None:
        """Return the read-only prefix that already has this interface package, or None."""
        share = self._share(package, self.others)
        return share.parents[1] if share else None

    def _share(self, package: str, prefixes: Sequence[Path] | None = None) -> Path | None:
        """Return the share folder of an installed interface package, or None."""
        shares = (prefix / "share" / package for prefix in (self.all() if prefixes is None else prefixes))
        return next((share for share in shares if any(share.glob("*/*.idl"))), None)

    def interface_shares(self, package: InterfacePackage) -> dict[str, Path]:
        """Return the share folder of every package that the interfaces refer to, directly or not."""
        shares: dict[str, Path] = {}
        queue = [(name, package.name) for name in package.depends]
        while queue:
            name, needed_by = queue.pop(0)
            if name in shares:
                continue
            share = self._share(name)
            if share is None:
                if name in package.depends:
                    raise DependencyMissing(name, needed_by, self.all())
                continue
            shares[name] = share
            queue += [(other, name) for other in _depends(share / "package.xml")]
        return shares

    def resource(self, generator: str) -> Path:
        """Return the template folder of a rosidl generator."""
        for prefix in self.all():
            folder = prefix / "share" / generator / "resource"
            if folder.is_dir():
                return folder
        raise DependencyMissing(generator, "the interface builder", self.all())

    def includes(self) -> Iterator[Path]:
        """Yield every header folder: `include` itself and one level below, as ROS 2 packages install them."""
        for prefix in self.all():
            include = prefix / "include"
            if include.is_dir():
                yield include
                yield from sorted(folder for folder in include.iterdir() if folder.is_dir())

    def is_current(self, package: InterfacePackage) -> bool:
        """Return whether the target holds this package as its present inputs would make it."""
        stamp = self.target / "share" / package.name / STAMP
        return stamp.is_file() and stamp.read_text().strip() == package.input_hash()


def find_packages(folder: Path) -> list[InterfacePackage]:
    """Return the interface packages below `folder`, sorted by name."""
    packages = [InterfacePackage.read(path.parent) for path in folder.glob("*/package.xml")]
    return sorted(packages, key=lambda package: package.name)
