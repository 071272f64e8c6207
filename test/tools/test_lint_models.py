"""The lint of the models finds what gives other bits on other machines, and the models are free of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from acres_ros.tools.lint_models import MODELS, check_folder, check_source

FORBIDDEN = [
    "y = x ** 2",
    "y **= 0.5",
    "import math",
    "import math as m",
    "import cmath",
    "from math import sin",
    "import numpy as np\ny = np.sin(x)",
    "import numpy as np\ny = np.linalg.norm(x)",
    "import numpy\ny = numpy.exp(x)",
    "from numpy import arctan2",
    "y = pow(x, 2)",
    "import numpy as np\ny = np.sum(x)",
]
ALLOWED = [
    "from acres_ros.models.maths import exp, pow\ny = exp(x) + pow(x, 2.0)",
    "import numpy as np\ny = np.zeros(3)",
    "y = x * x",
    "def f(*values, **options):\n    return dict(**options)",
    "y = self.power",
]


@pytest.mark.parametrize("source", FORBIDDEN)
def test_forbidden(source: str) -> None:
    findings = list(check_source(source, Path("driveline.py")))
    assert len(findings) == 1
    assert findings[0].line == source.count("\n") + 1
    assert str(findings[0]).startswith(f"driveline.py:{findings[0].line}: ")


@pytest.mark.parametrize("source", ALLOWED)
def test_allowed(source: str) -> None:
    assert list(check_source(source, Path("driveline.py"))) == []


def test_the_owner_of_the_elementary_functions_may_use_math_but_not_powers() -> None:
    assert list(check_source("import math\ny = math.sqrt(x)", Path("maths.py"))) == []
    assert len(list(check_source("y = x ** 2", Path("maths.py")))) == 1


def test_a_folder_is_read_to_its_end(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "a.py").write_text("y = x ** 2\n")
    (tmp_path / "deep" / "b.py").write_text("import math\n")
    assert [finding.path.name for finding in check_folder(tmp_path)] == ["a.py", "b.py"]


def test_the_models_are_clean() -> None:
    assert len(list(MODELS.rglob("*.py"))) > 5
    assert [str(finding) for finding in check_folder()] == []
