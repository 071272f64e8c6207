"""States and scopes of the simulation, and why a request of its control is refused.

They are those of the ROS standard for simulators (`simulation_interfaces` 1.5.1, messages SimulationState and
ResetSimulation).
"""

from __future__ import annotations

from enum import IntEnum, IntFlag

from acres_ros.core.step_request import StepRequest
from acres_ros.errors import AcresError


class State(IntEnum):
    """States of `simulation_interfaces/msg/SimulationState`."""

    STOPPED = 0
    PLAYING = 1
    PAUSED = 2
    QUITTING = 3


class Scope(IntFlag):
    """Scopes of `simulation_interfaces/srv/ResetSimulation`; a bit field."""

    TIME = 1
    STATE = 2
    SPAWNED = 4


class NotPausedError(AcresError):
    """A step request while the simulation is not paused."""

    def __init__(self, state: State) -> None:
        super().__init__(
            f"the simulation is {state.name}: steps need it PAUSED; ./acres step --pause "
            "pauses it first, as /set_simulation_state with state 2 does"
        )


class NotPlayingError(AcresError):
    """A halt of the clock while no wall time drives it."""

    def __init__(self, state: State) -> None:
        super().__init__(
            f"the simulation is {state.name}: only the free run has a clock that can halt; set PLAYING first"
        )


class BusyError(AcresError):
    """A request while a step request is running, or waits for its commands."""

    def __init__(self, wanted: str, request: StepRequest) -> None:
        if request.begun:
            text = f"a step request is running with {request.left} steps left; wait, cancel "
            text += "the action, or call /set_simulation_state with state 0 (STOPPED), which ends it and resets"
        else:
            text = (
                f"a step request waits for {', '.join(request.missing)}, at most {request.patience_s:.1f} s more of "
                "wall time; let them come, wait, or call /set_simulation_state with state 0 (set STOPPED), which "
                "ends it and resets"
            )
        super().__init__(f"{wanted} is refused: {text}")


class NoOutputError(AcresError):
    """A step request while nobody publishes the steps."""

    def __init__(self) -> None:
        super().__init__("acres_vehicle has not joined, so the steps would not be published; start it first")


class StepCountError(AcresError):
    """A step count that cannot be run."""

    def __init__(self, steps: int, most: int) -> None:
        super().__init__(f"steps = {steps}: wanted 1 to {most}; send several requests for more")


class WorldInUseError(AcresError):
    """Another world is asked for while the simulation is playing."""

    def __init__(self, state: State) -> None:
        super().__init__(
            f"the simulation is {state.name}: another world is loaded while STOPPED or PAUSED; set that state first"
        )


class TransitionError(AcresError):
    """A change of state that the rules do not allow."""

    def __init__(self, now: State, wanted: State) -> None:
        super().__init__(f"{now.name} to {wanted.name} is not a transition that this simulator has")


class StoppedError(AcresError):
    """A state is to be taken up while the simulation is stopped."""

    def __init__(self) -> None:
        super().__init__("the simulation is STOPPED, at its beginning: set it PAUSED or PLAYING to restore a snapshot")
