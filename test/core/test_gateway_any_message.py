"""Messages of any content in any order: every number stays finite, and all repeats to the bit (acceptance C8)."""

from __future__ import annotations

import numpy as np
from gateway_rig import INF, NAN, Rig
from hypothesis import given, settings
from hypothesis import strategies as st

from acres_ros.core import messages
from acres_ros.core.gateway_policy import NO_LIMIT, RefusedMessageError
from acres_ros.core.messages import (
    BrakeCmd,
    DriverInput,
    Enable,
    GearCmd,
    HardwareShifts,
    SteeringCmd,
    ThrottleCmd,
    UlcCmd,
)

BYTES = st.integers(0, 255)
NUMBERS = st.one_of(
    st.floats(width=64),
    st.sampled_from([NAN, INF, -INF, 1e308, -1e308, 5e-324, 3.4e38, 0.0, -0.0]),
)
FLAGS = st.booleans()
MESSAGES = st.one_of(
    st.builds(SteeringCmd, NUMBERS, NUMBERS, NUMBERS, BYTES, FLAGS, FLAGS, FLAGS),
    st.builds(BrakeCmd, NUMBERS, NUMBERS, NUMBERS, BYTES, FLAGS, FLAGS, FLAGS, BYTES),
    st.builds(ThrottleCmd, NUMBERS, NUMBERS, NUMBERS, BYTES, FLAGS, FLAGS, FLAGS),
    st.builds(UlcCmd, NUMBERS, NUMBERS, NUMBERS, NUMBERS, NUMBERS, BYTES, FLAGS, FLAGS, FLAGS, FLAGS, FLAGS),
    st.builds(SteeringCmd, NUMBERS, NUMBERS, NUMBERS, st.sampled_from([2, 3, 4, 14]), FLAGS),
    st.builds(UlcCmd, NUMBERS, NUMBERS, NUMBERS, NUMBERS, NUMBERS, st.sampled_from([1, 2]), FLAGS),
    st.builds(GearCmd, BYTES, BYTES, FLAGS),
    st.builds(messages.TurnSignalCmd, BYTES),
    st.builds(messages.DriveModeCmd, BYTES, BYTES, BYTES, BYTES, BYTES),
    st.builds(messages.MiscCmd, BYTES, BYTES, BYTES),
    st.builds(DriverInput, FLAGS, NUMBERS, NUMBERS, NUMBERS, BYTES, FLAGS, FLAGS),
    st.builds(HardwareShifts, NUMBERS, NUMBERS, NUMBERS, NUMBERS),
    st.builds(messages.DriveMode, st.sampled_from(["awd", "2wd", "turf", "", "AWD"])),
    st.sampled_from([Enable(), messages.Disable(), messages.ClientLost()]),
)
OPTIONS = st.fixed_dictionaries(
    {
        "system_sync_mode": st.sampled_from(["none", "disengages", "all_or_none", "all_or_none_with_btn", "partial"]),
        "latched_overrides": FLAGS,
        "nan_policy": st.sampled_from(["refuse", "zero"]),
        "watchdog": st.sampled_from(["double", "single"]),
    }
)


def numbers_of(rig: Rig) -> np.ndarray:
    views = [view for view in rig._command.values() if view.dtype == np.float64]
    return np.array([view[0] for view in views])


@settings(max_examples=150, deadline=None)
@given(OPTIONS, st.lists(st.lists(MESSAGES, max_size=4), max_size=20))
def test_no_message_makes_a_number_that_is_not_finite_or_an_exception(options, batches):
    rig = Rig(**options)
    for batch in batches:
        for message in batch:
            try:
                rig.inbox = rig.inbox.post(message)
            except RefusedMessageError:
                assert isinstance(message, HardwareShifts | messages.DriveMode)
        rig.gateway.step(rig.inbox, rig.vehicle)
        assert np.isfinite(numbers_of(rig)).all()
        assert rig.command("steering.type") in (0, 2, 3, 4, 14)
        assert rig.command("brake.type") in (0, 1, 14)
        assert rig.command("throttle.type") in (0, 13, 14)
        assert rig.command("ulc.type") in (0, 1, 2)
        assert rig.command("gear") in range(6)
        assert rig.command("driver.gear") in range(1, 6)
        assert rig.command("system_enable") == rig.report("dbw_enabled")
        for limit in ("steering.rate_deg", "brake.rate_decrease", "throttle.rate_increase", "ulc.limit_acceleration"):
            assert 0.0 <= rig.command(limit) <= NO_LIMIT


@settings(max_examples=30, deadline=None)
@given(OPTIONS, st.lists(st.lists(MESSAGES, max_size=3), max_size=15))
def test_the_same_messages_give_the_same_bits_and_words_after_a_reset(options, batches):
    rig, fresh = Rig(**options), Rig(**options)
    outcomes = []
    for gateway in (rig.gateway, rig.gateway, fresh.gateway):
        gateway.reset()
        inbox, bits = Rig().inbox, []
        for batch in batches:
            for message in batch:
                if not isinstance(message, HardwareShifts | messages.DriveMode):
                    inbox = inbox.post(message)
            gateway.step(inbox, rig.vehicle)
            bits.append(gateway.command.tobytes() + gateway.report.tobytes())
        outcomes.append((bits, repr(gateway.take_events())))
    assert outcomes[0] == outcomes[1] == outcomes[2]
