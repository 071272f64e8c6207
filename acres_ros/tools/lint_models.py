"""Check that the models use only arithmetic whose bits are the same on every machine.

In `acres_ros/models`, elementary functions come from `maths.py`, which is made of + - * / and sqrt. The C library's and
numpy's own differ from machine to machine, and `**` calls them. `math` is allowed in `maths.py` alone.
Source: spec, Time Stepping and Determinism.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MODELS = Path(__file__).resolve().parents[1] / "models"
OWNER = "maths.py"
LIBRARIES = {"math", "cmath"}
NUMPY = {"np", "numpy"}
# fmt: off
TRANSCENDENTAL = {
    "sin", "cos", "tan", "arcsin", "arccos", "arctan", "arctan2", "asin", "acos", "atan", "atan2",
    "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh", "asinh", "acosh", "atanh",
    "exp", "exp2", "expm1", "log", "log2", "log10", "log1p",
    "logaddexp", "logaddexp2", "power", "pow", "float_power", "cbrt", "hypot", "sinc", "i0", "deg2rad", "rad2deg",
    "dot", "matmul", "einsum", "linalg", "fft", "random", "sum", "mean", "cumsum", "interp", "polyval", "convolve",
}
# fmt: on


@dataclass(frozen=True)
class Finding:
    """One broken rule.

    Attributes:
        path: source file.
        line: line number.
        text: what is there and what to do.
    """

    path: Path
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.text}"


def _library_of(node: ast.expr) -> str:
    """Return the first name of a dotted expression, such as `np` of `np.linalg.norm`."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def check_source(text: str, path: Path) -> Iterator[Finding]:
    """Yield what breaks the rules in one source text.

    Args:
        text: Python source.
        path: its file; the file that owns the elementary functions may use `math`.
    """
    owner = path.name == OWNER
    for node in ast.walk(ast.parse(text, str(path))):
        if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Pow):
            yield Finding(path, node.lineno, "`**` calls the C library: multiply, or use maths.pow")
        elif isinstance(node, ast.Import) and not owner:
            for name in node.names:
                if name.name.split(".")[0] in LIBRARIES:
                    yield Finding(path, node.lineno, f"`import {name.name}`: use acres_ros.models.maths")
        elif isinstance(node, ast.ImportFrom):
            library = (node.module or "").split(".")[0]
            names = {name.name for name in node.names}
            if library in LIBRARIES and not owner:
                yield Finding(path, node.lineno, f"`from {node.module} import`: use acres_ros.models.maths")
            elif library in NUMPY and names & TRANSCENDENTAL:
                yield Finding(path, node.lineno, f"numpy's {', '.join(sorted(names & TRANSCENDENTAL))}: use maths")
        elif isinstance(node, ast.Attribute) and _library_of(node) in NUMPY and node.attr in TRANSCENDENTAL:
            yield Finding(path, node.lineno, f"numpy's {node.attr}: use acres_ros.models.maths, or a plain loop")
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "pow" and not owner:
            if not _imports_name(text, "pow"):
                yield Finding(path, node.lineno, "Python's pow calls the C library: use maths.pow")


def _imports_name(text: str, name: str) -> bool:
    return any(
        isinstance(node, ast.ImportFrom) and name in {alias.asname or alias.name for alias in node.names}
        for node in ast.walk(ast.parse(text))
    )


def check_folder(folder: Path = MODELS) -> list[Finding]:
    """Return what breaks the rules in all sources of a folder, in order."""
    return [finding for path in sorted(folder.rglob("*.py")) for finding in check_source(path.read_text(), path)]


def main() -> int:
    """Print the findings; return 1 if there are any."""
    findings = check_folder()
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
