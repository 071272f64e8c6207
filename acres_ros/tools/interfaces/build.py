"""Build a set of interface packages, those that are up to date excepted."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from .compile import Compiler, check_tools
from .generate import generate
from .install import install
from .package import InterfacePackage, Prefixes

Report = Callable[[str], None]


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0))


def build_packages(
    packages: Sequence[InterfacePackage],
    prefixes: Prefixes,
    *,
    jobs: int | None = None,
    report: Report = print,
) -> list[str]:
    """Build the packages that the target lacks or holds in an older form.

    A package that one of the read-only prefixes provides, such as a sourced ROS 2, is left alone.

    Args:
        packages: what to build; a package comes after those that it refers to.
        prefixes: where to install, and what is there already.
        jobs: compilers at once; all processors by default.
        report: gets one line for each stage.

    Returns:
        names of the packages that were built.

    Raises:
        ToolMissing: no compiler or no Python headers.
        DependencyMissing: a package that the interfaces refer to is not installed.
        CompileFailed: the compiler refused a file.
    """
    wanted = []
    for package in packages:
        provider = prefixes.provider(package.name)
        if provider is not None:
            report(f"{package.name}: {provider} has it")
        elif not prefixes.is_current(package):
            wanted.append(package)
    if wanted:
        check_tools()
    for number, package in enumerate(wanted, 1):
        _build(package, prefixes, jobs or processors(), f"[{number}/{len(wanted)}] {package.name}", report)
    return [package.name for package in wanted]


def _build(package: InterfacePackage, prefixes: Prefixes, jobs: int, label: str, report: Report) -> None:
    start = time.perf_counter()

    def lap(stage: str) -> None:
        report(f"{label}: {stage} ({time.perf_counter() - start:.1f} s)")

    report(f"{label}: {len(package.files)} interfaces")
    with tempfile.TemporaryDirectory(prefix="acres-interfaces-") as name:
        root = Path(name)
        sources = generate(package, prefixes, root, lap)
        libraries = root / "libraries"
        libraries.mkdir()
        compiler = Compiler(sources, prefixes, libraries, jobs)
        count = compiler.compile()
        lap(f"compiled {count} files")
        extension = compiler.link()
        install(sources, prefixes, libraries, extension)
        lap("installed")
