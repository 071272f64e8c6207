"""Gateways whose three modules obey commands, and the ways in which such a system can decide."""

from __future__ import annotations

from gateway_rig import Rig, brake, steering, throttle

from acres_ros.core.messages import Enable

FIRMWARE = [{"system_sync_mode": mode} for mode in ("all_or_none", "all_or_none_with_btn", "partial")]
NODE = [{}, {"system_sync_mode": "disengages"}, {"latched_overrides": True}]


def commands() -> tuple:
    return steering(), brake(), throttle()


def enabled_rig(*messages, **options) -> Rig:
    rig = Rig(**options)
    messages = messages or commands()
    rig.step(Enable(), *messages)
    rig.run_to_tick(*messages)
    assert rig.report("dbw_enabled") == 1
    rig.codes()
    return rig
