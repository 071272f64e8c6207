"""The frames in which poses are asked for: those of the world."""

from __future__ import annotations

from acres_ros.errors import AcresError, shown

WORLD_FRAMES = ("", "map", "world")


class FrameError(AcresError):
    """A frame that states are not given in."""

    def __init__(self, frame: str) -> None:
        super().__init__(f"header.frame_id {shown(frame)} is not supported: leave it empty, or map, for the world")


def checked_frame(frame: str) -> None:
    """Raise `FrameError` for a frame that is not that of the world."""
    if frame not in WORLD_FRAMES:
        raise FrameError(frame)
