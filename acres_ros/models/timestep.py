"""The physics step, defined once (spec, Time Stepping and Determinism, section Symbols)."""

STEPS_PER_SECOND = 120
"""Physics steps in one second of simulation time."""

STEP_S = 1 / STEPS_PER_SECOND
"""The physics step h, s."""
