"""What all tests share: a ROS domain, the order of the files, and that in CI nothing is left out for want of rights."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest
from ros_domain import reserve

IN_CI = os.environ.get("CI", "").lower() in ("true", "1")

# A shell script starts what it leaves in the background deaf to Ctrl-C, and so would be every program of the tests.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def domain() -> int:
    """Return a ROS domain for this run of the tests."""
    return reserve()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the files with a slow test begin first: where files run side by side, a short one is then the last to end."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Let a test that skips while it runs, for something that the machine lacks, fail in CI.

    What is left out by a mark is chosen by the kind of the environment, and stays so.
    """
    report = yield
    marked = any(item.iter_markers("skipif")) or any(item.iter_markers("skip"))
    if IN_CI and report.skipped and not hasattr(report, "wasxfail") and not marked:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome, report.longrepr = "failed", f"in CI nothing is skipped: {reason}"
    return report
