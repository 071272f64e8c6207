"""Compile and link the generated sources of one package: five libraries and one Python extension."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from .errors import CompileFailed, ToolMissing
from .generate import TYPE_SUPPORTS, Sources
from .package import Prefixes

C = ("gcc", "-std=gnu11")
CXX = ("g++", "-std=c++17")
COMPILE_FLAGS = ("-O1", "-fPIC", "-w")
RUNTIME_LIBRARIES = ("rosidl_runtime_c", "rcutils")


def check_tools() -> None:
    """Raise `ToolMissing` unless gcc, g++ and the Python headers are here."""
    for tool in ("gcc", "g++"):
        if shutil.which(tool) is None:
            raise ToolMissing(f"the compiler {tool}", tool)
    header = Path(sysconfig.get_paths()["include"]) / "Python.h"
    if not header.is_file():
        raise ToolMissing(f"the Python header {header}", f"python{sysconfig.get_python_version()}-dev")


@dataclass
class Compiler:
    """Run gcc on the sources of one package.

    Attributes:
        sources: generated files.
        prefixes: where headers and libraries are.
        output: folder that gets the libraries.
        jobs: compilers that run at once.
    """

    sources: Sources
    prefixes: Prefixes
    output: Path
    jobs: int
    _objects: dict[str, list[Path]] = field(default_factory=dict)

    def compile(self) -> int:
        """Compile every source; return how many compilers ran."""
        folder = self.sources.root / "objects"
        folder.mkdir()
        of, name = self.sources.of, self.sources.package.name
        c_files = sorted(of("rosidl_generator_c").glob("*/detail/*.c"))
        # The descriptions define static names that clash when they are put in one file.
        descriptions = [path for path in c_files if path.name.endswith("__description.c")]
        functions = [path for path in c_files if path not in descriptions]
        fastrtps = of("rosidl_typesupport_fastrtps_c").glob("*/detail/*.cpp")
        introspection = of("rosidl_typesupport_introspection_c").glob("*/detail/*.c")
        python = of("rosidl_generator_py").glob("*/_*_s.c")
        entry = of("rosidl_generator_py") / f"_{name}_s.ep.rosidl_typesupport_c.c"
        pieces = max(2, self.jobs)
        commands = [
            *self._united("rosidl_typesupport_fastrtps_c", fastrtps, pieces),
            *self._united("rosidl_generator_py", python, pieces),
            *self._united("rosidl_generator_c", functions, 1),
            *self._united("rosidl_typesupport_introspection_c", introspection, 1),
            *self._united("rosidl_typesupport_c", of("rosidl_typesupport_c").glob("*/*.cpp"), 1),
            *(self._object("rosidl_generator_c", path) for path in descriptions),
            self._object("extension", entry),
        ]
        with ThreadPoolExecutor(self.jobs) as pool:
            list(pool.map(_run, commands))
        return len(commands)

    def _united(self, library: str, files: Iterable[Path], pieces: int) -> list[list[str]]:
        """Return commands that compile the files as a few large ones, which saves reading the headers again."""
        ordered = sorted(files)
        commands = []
        for piece in range(min(pieces, len(ordered))):
            part = ordered[piece::pieces]
            united = self.sources.root / "objects" / f"{library}_{piece}{part[0].suffix}"
            united.write_text("".join(f'#include "{path}"\n' for path in part))
            commands.append(self._object(library, united))
        return commands

    def _object(self, library: str, source: Path) -> list[str]:
        folder = self.sources.root / "objects"
        output = folder / f"{library}__{source.parent.parent.name}_{source.name}.o"
        self._objects.setdefault(library, []).append(output)
        compiler = CXX if source.suffix == ".cpp" else C
        return [*compiler, *COMPILE_FLAGS, *self._include_flags(), "-o", str(output), "-c", str(source)]

    def _include_flags(self) -> list[str]:
        if not hasattr(self, "_flags"):
            import numpy

            generators = ("rosidl_generator_c", *TYPE_SUPPORTS, "rosidl_typesupport_c", "rosidl_generator_py")
            folders = [self.sources.root / generator for generator in generators]
            folders += [*self.prefixes.includes(), Path(sysconfig.get_paths()["include"]), Path(numpy.get_include())]
            self._flags = [f"-I{folder}" for folder in folders]
        return self._flags

    def link(self) -> Path:
        """Link the five libraries into the output folder and return the path of the Python extension beside them."""
        name = self.sources.package.name
        own = f"-l{name}__"
        fastrtps, introspection = TYPE_SUPPORTS
        types = [f"{own}rosidl_generator_c"]
        c_types = self._of_depends("rosidl_generator_c")
        runtime = [f"-l{library}" for library in RUNTIME_LIBRARIES]
        self._link("rosidl_generator_c", [*c_types, *runtime])
        fastrtps_needs = ["-lrosidl_typesupport_fastrtps_cpp", "-lrosidl_typesupport_fastrtps_c", "-lfastcdr", "-lrmw"]
        self._link(fastrtps, [*types, *self._of_depends(fastrtps), *c_types, *fastrtps_needs, *runtime])
        self._link(
            introspection,
            [*types, *self._of_depends(introspection), *c_types, f"-l{introspection}", *runtime],
        )
        supports = [f"{own}{support}" for support in TYPE_SUPPORTS]
        self._link("rosidl_typesupport_c", [*types, *supports, "-lrosidl_typesupport_c", *runtime])
        python = [*types, f"{own}rosidl_typesupport_c", *self._of_depends("rosidl_generator_py"), *c_types, *runtime]
        self._link("rosidl_generator_py", python)
        # rosidl opens the two type supports by name: linked to the extension, they are loaded by then.
        return self._link(
            "extension",
            ["-Wl,--no-as-needed", "-Wl,-rpath,$ORIGIN/../../..", *supports, f"{own}rosidl_generator_py"]
            + [f"{own}rosidl_typesupport_c", *types, *self._of_depends("rosidl_typesupport_c"), *runtime],
            file_name=f"{name}_s__rosidl_typesupport_c.so",
        )

    def _of_depends(self, library: str) -> list[str]:
        folders = [prefix / "lib" for prefix in self.prefixes.all()]
        names = [f"{name}__{library}" for name in self.sources.shares]
        return [f"-l{name}" for name in names if any((folder / f"lib{name}.so").exists() for folder in folders)]

    def _link(self, library: str, needs: list[str], file_name: str = "") -> Path:
        file_name = file_name or f"lib{self.sources.package.name}__{library}.so"
        output = self.output / file_name
        folders = [self.output, *(prefix / "lib" for prefix in self.prefixes.all())]
        paths = [f"-L{folder}" for folder in folders]
        # Read-only prefixes get a fixed path; our own are found beside the library.
        paths += ["-Wl,-rpath,$ORIGIN", *(f"-Wl,-rpath,{prefix / 'lib'}" for prefix in self.prefixes.others)]
        objects = [str(path) for path in self._objects[library]]
        _run([CXX[0], "-shared", f"-Wl,-soname,{file_name}", *objects, *paths, *needs, "-o", str(output)])
        return output


def _run(command: list[str]) -> None:
    """Run a compiler, away from the libraries of the Python environment."""
    environment = {key: value for key, value in os.environ.items() if key != "LD_LIBRARY_PATH"}
    result = subprocess.run(command, env=environment, capture_output=True, text=True)
    if result.returncode:
        raise CompileFailed(command, result.stderr or result.stdout)
