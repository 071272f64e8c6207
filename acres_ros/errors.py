"""The one base of every error that acres_ros raises on purpose."""

from __future__ import annotations


class AcresError(Exception):
    """Say what was given, what was wanted and what to do about it."""
