"""The options of the gateway: what is refused, and how long a command keeps control."""

from __future__ import annotations

import math

import pytest

from acres_ros.core.gateway_options import GatewayOptionError, GatewayOptions


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("system_sync_mode", "None"),
        ("nan_policy", "keep"),
        ("command_timeout_s", math.nan),
        ("command_timeout_s", 0.0),
        ("watchdog", "float"),
        ("override_throttle_pct", -1.0),
        ("override_throttle_pct", math.nan),
        ("override_brake_bar", 200.5),
    ],
)
def test_an_unknown_option_is_an_error_that_names_it(name: str, value):
    with pytest.raises(GatewayOptionError, match=f"{name} is {value!r}"):
        GatewayOptions(**{name: value})


@pytest.mark.parametrize(
    ("timeout_s", "watchdog", "steps"),
    [(0.1, "double", 12), (0.1, "single", 11), (0.05, "double", 6), (1 / 120, "double", 1)],
    ids=["spec", "the game's single precision", "shorter", "one step"],
)
def test_control_lasts_as_many_steps_as_the_summed_age_allows(timeout_s: float, watchdog: str, steps: int):
    assert GatewayOptions(command_timeout_s=timeout_s, watchdog=watchdog).control_steps == steps
