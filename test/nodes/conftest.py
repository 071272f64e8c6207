"""A ROS context inside the fence, in a domain of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import rclpy
from rclpy.context import Context as RosContext

from acres_ros import fence


@pytest.fixture
def ros(monkeypatch: pytest.MonkeyPatch, domain: int) -> Iterator[RosContext]:
    """Return an initialised ROS context; nodes that a test makes are destroyed by the test."""
    for name, value in fence.variables(domain=domain):
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)
    context = RosContext()
    rclpy.init(context=context, domain_id=domain)
    yield context
    context.try_shutdown()
