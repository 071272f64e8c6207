"""One stand-in that many tests share, each from a reset on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from acres_interfaces.srv import SetHardwareShifts, SetRate
from system_rig import OK, PAUSED, SHARED_DOMAIN, START_S, STOPPED, Shared, User, joined

from acres_ros.cli.up import started


@pytest.fixture(scope="session")
def shared() -> Iterator[Shared]:
    with started({"paused": True, "world": "yard"}, domain=SHARED_DOMAIN) as stand_in:
        stand_in.wait_ready(START_S)
        with joined(SHARED_DOMAIN) as ros:
            user = User(ros)
            user.settle()
            yield Shared(stand_in, user, {topic: len(rows) for topic, rows in user.recorder.rows.items()})


@pytest.fixture
def user(shared: Shared) -> User:
    """Give the user of the shared stand-in: paused, reset to step 0, nothing received."""
    user, stand_in = shared.user, shared.stand_in
    dead = [name for name, process in stand_in.processes.items() if process.poll() is not None]
    assert not dead, "\n".join([f"{dead} ended", *stand_in.output[-20:]])
    # A test that has failed may have left a step request that runs or waits; it must not fail the next one too.
    user.set_state(STOPPED)
    user.set_state(PAUSED)
    assert user.call(SetRate, "/acres/set_rate", rate=1.0).success
    assert user.call(SetHardwareShifts, "/acres/set_hardware_shifts").success
    assert user.reset().result == OK
    user.forget()
    return user
