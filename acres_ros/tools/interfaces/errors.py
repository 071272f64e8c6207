"""What can go wrong while interface packages are built."""

from __future__ import annotations

from pathlib import Path

from acres_ros.errors import AcresError


class InterfaceError(AcresError):
    """Base of the errors of the interface builder."""


class ToolMissing(InterfaceError):
    """A program or header that the build needs is not on this machine.

    Attributes:
        tool: what is missing.
        package: Debian package that brings it.
    """

    def __init__(self, tool: str, package: str) -> None:
        self.tool = tool
        self.package = package
        super().__init__(f"{tool} is missing, but the interface packages are compiled; apt-get install {package}")


class DependencyMissing(InterfaceError):
    """A package that the interfaces refer to is in none of the prefixes."""

    def __init__(self, package: str, needed_by: str, prefixes: list[Path]) -> None:
        places = ", ".join(str(prefix) for prefix in prefixes)
        super().__init__(f"{needed_by} needs the package {package}, which is not in {places}; install it there")


class PackageUnreadable(InterfaceError):
    """A folder given as an interface package is not one."""

    def __init__(self, folder: Path, reason: str) -> None:
        super().__init__(f"{folder} is not an interface package: {reason}")


class CompileFailed(InterfaceError):
    """The compiler refused a generated file."""

    def __init__(self, command: list[str], output: str) -> None:
        super().__init__(f"the compiler failed ({' '.join(command[:2])} ... {command[-1]}):\n{output.strip()[:3000]}")


class GeneratorFailed(InterfaceError):
    """A rosidl generator ended with an error, which it has printed."""

    def __init__(self, package: str) -> None:
        super().__init__(f"a rosidl generator failed on {package}; its error is printed above")
