"""Put the built files of one package where rclpy, the type supports and the ament index look for them."""

from __future__ import annotations

import compileall
import os
import shutil
import sys
from pathlib import Path

from .generate import Sources
from .package import STAMP, Prefixes


def site_packages(prefix: Path) -> Path:
    """Return the folder of Python packages below a prefix."""
    return prefix / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"


def _replace(source: Path, target: Path) -> None:
    """Put a file in its place in one move: a running process keeps the old one."""
    target.parent.mkdir(parents=True, exist_ok=True)
    staged = target.with_name(f".{target.name}.new")
    shutil.copyfile(source, staged)
    shutil.copymode(source, staged)
    os.replace(staged, target)


def _write(text: str, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    staged = target.with_name(f".{target.name}.new")
    staged.write_text(text)
    os.replace(staged, target)


def install(sources: Sources, prefixes: Prefixes, libraries: Path, extension: Path) -> None:
    """Install a built package into the target prefix; the stamp that says it is current is written last.

    Args:
        sources: generated files.
        prefixes: the target is written to.
        libraries: folder of the linked libraries.
        extension: the Python extension.
    """
    package, target = sources.package, prefixes.target
    share = target / "share" / package.name
    (share / STAMP).unlink(missing_ok=True)
    for library in sorted(libraries.glob("lib*.so")):
        _replace(library, target / "lib" / library.name)
    _install_python(sources, site_packages(target) / package.name, extension)
    names = []
    for interface, idl in zip(package.files, sources.idl, strict=True):
        kind = interface.suffix[1:]
        for path in (interface, idl, sources.type_description(idl)):
            _replace(path, share / kind / path.name)
        names += [f"{kind}/{interface.name}", f"{kind}/{idl.name}"]
    _replace(package.folder / "package.xml", share / "package.xml")
    index = target / "share" / "ament_index" / "resource_index"
    _write("", index / "packages" / package.name)
    _write("\n".join(sorted(names)), index / "rosidl_interfaces" / package.name)
    _write(";".join(package.depends), index / "package_run_dependencies" / package.name)
    _write(package.input_hash() + "\n", share / STAMP)


def _install_python(sources: Sources, folder: Path, extension: Path) -> None:
    """Install the Python modules and their byte code; modules of an older build are removed."""
    generated = sources.of("rosidl_generator_py")
    wanted = {path.relative_to(generated) for path in generated.rglob("*.py")}
    wanted |= {path.parent / "__init__.py" for path in wanted} | {Path("__init__.py")}
    for path in sorted(wanted):
        if (generated / path).is_file():
            _replace(generated / path, folder / path)
        else:
            _write("", folder / path)
    _replace(extension, folder / extension.name)
    for path in sorted(folder.rglob("*.py")):
        if path.relative_to(folder) not in wanted:
            path.unlink()
    # As pip does: a process that may not write it would compile the modules at each start.
    compileall.compile_dir(folder, quiet=2)
