"""Touches told by a reader of the farm reports."""

from __future__ import annotations

from acres_interfaces.msg import FarmReport

from acres_ros.nodes.touch_watch import TouchWatch


def test_each_touch_is_told_once_by_name() -> None:
    watch = TouchWatch()
    for name in ("", "bin-1", "bin-1", "", "bin-1", "building-4", ""):
        watch.take(FarmReport(collision=bool(name), obstacle_name=name))
    assert watch.names == ["bin-1", "bin-1", "building-4"]
