"""The one base of every error that acres_ros raises on purpose, and how a wrong value is shown in one."""

from __future__ import annotations

import reprlib


class AcresError(Exception):
    """Say what was given, what was wanted and what to do about it."""


class UsageError(AcresError):
    """What was asked for does not exist or cannot be: at a command line, the line is wrong and not the work."""


class _Shown(reprlib.Repr):
    """A value in an error text: short, however long or deep the value is."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 3
        self.maxlist = self.maxtuple = 12
        self.maxstring = self.maxother = self.maxlong = 80

    def repr_int(self, value: int, level: int) -> str:
        """Return the digits, or how many bits there are: Python does not spell numbers of thousands of digits."""
        return repr(value) if value.bit_length() <= 256 else f"(a number of {value.bit_length()} bits)"


shown = _Shown().repr
