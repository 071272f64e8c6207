"""Run the rosidl generators of one package in this process, with one parse of each file."""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import GeneratorFailed
from .package import InterfacePackage, Prefixes

TYPE_SUPPORTS = ("rosidl_typesupport_fastrtps_c", "rosidl_typesupport_introspection_c")
_PARSING_MODULES = (
    "rosidl_pycommon",
    "rosidl_generator_type_description",
    "rosidl_generator_py.generate_py_impl",
)


@dataclass(frozen=True)
class Sources:
    """Generated files of one package.

    Attributes:
        package: the package.
        root: build folder; each generator writes into `root/<generator>/<package>`.
        idl: the IDL file of each interface file, in the order of `package.files`.
        shares: share folders of the packages that it refers to.
    """

    package: InterfacePackage
    root: Path
    idl: tuple[Path, ...]
    shares: dict[str, Path]

    def of(self, generator: str) -> Path:
        """Return the output folder of one generator."""
        return self.root / generator / self.package.name

    def type_description(self, idl: Path) -> Path:
        """Return the JSON file with the type description and the hash of one interface."""
        return self.of("rosidl_generator_type_description") / idl.parent.name / f"{idl.stem}.json"


@contextlib.contextmanager
def _one_parse_for_all() -> Iterator[Callable[..., Any]]:
    """Let all generators share one parse of each IDL file; parsing is most of their time."""
    parser = importlib.import_module("rosidl_parser.parser")
    original = parser.parse_idl_file
    parsed: dict[str, Any] = {}

    def parse(locator: Any, *_ignored: Any, **_options: Any) -> Any:
        key = str(locator.get_absolute_path())
        if key not in parsed:
            parsed[key] = original(locator)
        return parsed[key]

    modules = [parser, *(importlib.import_module(name) for name in _PARSING_MODULES)]
    for module in modules:
        module.parse_idl_file = parse  # type: ignore[attr-defined]
    try:
        yield parse
    finally:
        for module in modules:
            module.parse_idl_file = original  # type: ignore[attr-defined]


def _to_idl(package: InterfacePackage, root: Path) -> tuple[Path, ...]:
    """Write the IDL file of each interface file; the file's own folder does not count, only its kind."""
    from rosidl_adapter import convert_to_idl

    output = root / "idl" / package.name
    output.mkdir(parents=True)
    with contextlib.redirect_stdout(io.StringIO()):
        return tuple(
            Path(convert_to_idl(package.folder, package.name, path.relative_to(package.folder), output))
            for path in package.files
        )


def _in_children(package: InterfacePackage, jobs: list[Callable[[], None]]) -> None:
    """Run the jobs in forked children, which share what is parsed; `GeneratorFailed` if one ends badly."""
    sys.stdout.flush()
    children = []
    for job in jobs:
        child = os.fork()
        if child == 0:
            code = 1
            try:
                job()
                code = 0
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stderr.flush()
                os._exit(code)
        children.append(child)
    if any([os.waitpid(child, 0)[1] for child in children]):
        raise GeneratorFailed(package.name)


def _write_visibility_header(sources: Sources, prefixes: Prefixes, generator: str) -> None:
    """Write the export macros of one generator's library; CMake would do it from the same template."""
    name = f"{generator}__visibility_control.h"
    text = (prefixes.resource(generator) / f"{name}.in").read_text()
    package = sources.package.name
    text = text.replace("@PROJECT_NAME_UPPER@", package.upper()).replace("@PROJECT_NAME@", package)
    header = sources.of(generator) / "msg" / name
    header.parent.mkdir(parents=True, exist_ok=True)
    header.write_text(text)


def generate(package: InterfacePackage, prefixes: Prefixes, root: Path, lap: Callable[[str], None]) -> Sources:
    """Generate the C and Python sources of a package.

    Args:
        package: what to generate.
        prefixes: where the packages are that it refers to, and the generators' templates.
        root: empty folder for the output.
        lap: called with the name of each finished stage.

    Returns:
        the generated files.
    """
    sources = Sources(package, root, _to_idl(package, root), prefixes.interface_shares(package))
    tuples = [f"{root}/idl/{package.name}:{idl.parent.name}/{idl.name}" for idl in sources.idl]

    def arguments(generator: str, template: bool = True, **more: Any) -> str:
        values = {
            "package_name": package.name,
            "output_dir": str(sources.of(generator)),
            "idl_tuples": tuples,
            "ros_interface_dependencies": [
                f"{name}:{idl}" for name, share in sources.shares.items() for idl in sorted(share.glob("*/*.idl"))
            ],
            "target_dependencies": [],
            **more,
        }
        if template:
            values["template_dir"] = str(prefixes.resource(generator))
        path = root / f"{generator}.arguments.json"
        path.write_text(json.dumps(values))
        return str(path)

    with _one_parse_for_all() as parse:
        from rosidl_generator_c import generate_c
        from rosidl_generator_py.generate_py_impl import generate_py
        from rosidl_generator_type_description import generate_type_hash
        from rosidl_parser.definition import IdlLocator
        from rosidl_typesupport_c import generate_c as generate_typesupport
        from rosidl_typesupport_fastrtps_c import generate_typesupport_fastrtps_c
        from rosidl_typesupport_introspection_c import generate_c as generate_introspection

        for pair in tuples:
            parse(IdlLocator(*pair.rsplit(":", 1)))
        lap("parsed")
        includes = [f"{name}:{share}" for name, share in sources.shares.items()]
        generate_type_hash(arguments("rosidl_generator_type_description", template=False, include_paths=includes))
        descriptions = [f"{idl.parent.name}/{idl.name}:{sources.type_description(idl)}" for idl in sources.idl]

        def c_types() -> None:
            generate_c(
                arguments(
                    "rosidl_generator_c",
                    type_description_tuples=descriptions,
                    ros_interface_files=[str(path) for path in package.files],
                )
            )

        def supports_and_python() -> None:
            generate_typesupport_fastrtps_c(arguments("rosidl_typesupport_fastrtps_c"))
            generate_introspection(arguments("rosidl_typesupport_introspection_c"))
            generate_typesupport(arguments("rosidl_typesupport_c"), list(TYPE_SUPPORTS))
            generate_py(arguments("rosidl_generator_py"), ["rosidl_typesupport_c"])

        _in_children(package, [c_types, supports_and_python])
    for generator in ("rosidl_generator_c", *TYPE_SUPPORTS):
        _write_visibility_header(sources, prefixes, generator)
    lap("generated")
    return sources
