"""What the drive-by-wire gateway remembers from step to step, for snapshots."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from acres_ros.core.gateway_auxiliary import AuxiliaryState
from acres_ros.core.gateway_enable import EnableState
from acres_ros.core.gateway_events import LogState
from acres_ros.core.gateway_modules import ModulesState
from acres_ros.core.gateway_state import GATEWAY
from acres_ros.core.gateway_streams import OverridesState, StreamsState
from acres_ros.core.gateway_watch import Seen
from acres_ros.core.messages import DriverInput, GearReject
from acres_ros.core.plain_state import Rows
from acres_ros.models.dbw.command import COMMAND


class DriverWritten(NamedTuple):
    """What of the driver the model got last: the input, and whether it is ignored on steering, brake, throttle."""

    driver: DriverInput
    ignored: tuple[bool, bool, bool]


class GatewayState(NamedTuple):
    """What a gateway remembers, but for the inbox that it took last, which is one of the environment's."""

    steps: int
    log: LogState
    command: Annotated[np.ndarray, Rows(COMMAND.dtype, (1,))]
    report: Annotated[np.ndarray, Rows(GATEWAY.dtype, (1,))]
    streams: StreamsState
    overrides: OverridesState
    enable: EnableState
    modules: ModulesState
    seen: Seen | None
    auxiliaries: tuple[AuxiliaryState, AuxiliaryState, AuxiliaryState]
    driver: DriverInput
    default_driver: bool
    held_deg: float | None
    driver_written: DriverWritten | None
    gear: int
    gear_unsupported: bool
    gear_reject: GearReject
    changes_published: int
    expiring: tuple[bool, bool, bool, bool]
    deadline: int
