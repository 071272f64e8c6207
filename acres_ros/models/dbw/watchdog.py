"""Which subsystem the drive-by-wire controls. Source: spec, Drive-by-Wire and ULC, section Watchdog."""

from acres_ros._compile import kernel

TIMEOUT_REPORT_END_S = 1.0


@kernel
def watch(ageing, system_enable, accepted, command, timeout, state):
    """Advance the age of a subsystem's last message and return whether the message has control.

    Args:
        ageing: what a step without a message adds to the age, s.
        system_enable: 1 while the system is enabled.
        accepted: whether the model knows the type of the command; type 0 is no command.
        command: the subsystem's command record; reads `fresh` and `enable`.
        timeout: largest age that keeps control, s.
        state: the subsystem's state record; `age` and `timeout` are written.
    """
    if command.fresh != 0:
        state.age = 0.0
    else:
        state.age = state.age + ageing
    age = state.age
    state.timeout = 1 if timeout < age < TIMEOUT_REPORT_END_S else 0
    return accepted and system_enable != 0 and command.enable != 0 and age <= timeout


@kernel
def hold(ageing, in_control, seconds, state):
    """Return whether the pedals follow the ULC: while it has control, and for some seconds after it lost it.

    The first step without control counts: 0.087 s are 10 steps of 1/120 s.

    Args:
        ageing: what a step adds to an age, s.
        in_control: whether the ULC has control in this step.
        seconds: how long the pedals keep its last output.
        state: ULC state; `hold` is written.
    """
    if in_control:
        state.hold = seconds
    elif state.hold >= 0.0:
        state.hold = state.hold - ageing
    return in_control or state.hold >= 0.0
