"""The farm of one environment: its soil water and the marks of its vehicle, as arrays that the kernels write into."""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from acres_ros.core.conditions import ConditionsError, changed
from acres_ros.core.plain_state import Rows, SnapshotError
from acres_ros.errors import AcresError
from acres_ros.models.farm import (
    ACCOUNT,
    ALL_SAMPLES,
    CONDITIONS,
    PAGE,
    PAGE_M,
    RUT_CELL_M,
    RUT_CELLS,
    SAMPLE_M,
    SAMPLE_M2,
    SEARCH,
    Farm,
)
from acres_ros.models.ground import Ground
from acres_ros.models.marks import stamp_entry
from acres_ros.models.ruts import FARTHEST_M, page_hash

LARGEST_STAMP_M = 20.0
FIRST_PAGES = 1024
"""Pages of ruts for which there is room first: 4 MiB, some 4 km of bends. The system gives memory to what is used."""
STEP_PAGES = 32
"""Pages that the four wheels can open wherever they are, and one more for each further step below 60 m/s.

A contact is smaller than a page, so its box is in four at most, and crossing a line of pages opens two. In n steps of
0.5 m a wheel opens 4 + 2 x 2 (n 0.5 / 8 + 1), four wheels 32 + n.
"""


class StampError(AcresError):
    """A stamp that cannot be."""

    def __init__(self, key: str, given: object, wanted: str) -> None:
        super().__init__(f"{key} of a stamp = {given!r} is refused: wanted {wanted}")


class Ruts(NamedTuple):
    """The cells of 25 cm that have a rut, from south to north and west to east.

    Attributes:
        x, y: centre of the cell, m.
        depth: plastic depth, m.
    """

    x: np.ndarray
    y: np.ndarray
    depth: np.ndarray


class Crushed(NamedTuple):
    """The crushed samples of 1/9 m^2, patch by patch.

    Attributes:
        x, y: centre of the sample, m.
        patch: number of its patch in the ground.
    """

    x: np.ndarray
    y: np.ndarray
    patch: np.ndarray


class FarmMarks(NamedTuple):
    """What a `FarmState` remembers, as long as what was driven over.

    Attributes:
        conditions: one CONDITIONS record.
        account: one ACCOUNT record, its search empty: it saves time, changes no result and is made again.
        pages: ruts.
        touched: patches with crushed crop, in the order of the first.
        masks: crushed samples of each of these.
    """

    conditions: Annotated[np.ndarray, Rows(CONDITIONS.dtype, (1,))]
    account: Annotated[np.ndarray, Rows(ACCOUNT.dtype, (1,))]
    pages: Annotated[np.ndarray, Rows(PAGE, (None,))]
    touched: Annotated[np.ndarray, Rows(np.dtype(np.int32), (None,))]
    masks: Annotated[np.ndarray, Rows(np.dtype(np.uint16), (None,))]


class FarmState:
    """Conditions and marks of one environment.

    Args:
        ground: the world's ground, whose crop the marks belong to.
        marks: whether the vehicle leaves marks.
    """

    def __init__(self, ground: Ground, *, marks: bool = True) -> None:
        self._ground = ground
        self._marks = int(marks)
        patches = len(ground.patches) if marks else 0
        self._account = ACCOUNT.new(1).view(np.ndarray)
        self._account["marks"] = self._marks
        self._account_bytes = self._account.view(np.uint8)
        self._used = self._account["pages"]
        self._farm = Farm(
            CONDITIONS.new(1).view(np.ndarray),
            self._account,
            np.zeros(2 * FIRST_PAGES, np.int32),
            np.zeros(FIRST_PAGES, PAGE),
            np.zeros(patches, np.uint16),
            np.zeros(patches, np.int32),
        )

    @property
    def farm(self) -> Farm:
        """Return the arrays for the kernels, until room is made or taken; they may have no room for another step."""
        return self._farm

    def ensure_room(self, steps: int = 1) -> Farm:
        """Make room for the ruts of some steps and return the arrays for the kernels.

        Args:
            steps: how many; a vehicle below 60 m/s never fills the room.
        """
        wanted = int(self._used[0]) + STEP_PAGES + steps
        if self._marks and wanted > self._farm.pages.size:
            self._grow(wanted)
        return self._farm

    def _grow(self, wanted: int) -> None:
        self._hold(self._farm.pages[: int(self._used[0])], wanted)

    def _hold(self, used: np.ndarray, wanted: int) -> None:
        """Make room for some pages, with those in use in it."""
        size = self._farm.pages.size
        while size < wanted:
            size *= 2
        pages, slots = np.zeros(size, PAGE), np.zeros(2 * size, np.int32)
        pages[: len(used)] = used
        keys = used[["key_x", "key_y"]].tolist()
        for page, (key_x, key_y) in enumerate(keys):
            slot = page_hash(key_x, key_y) & (2 * size - 1)
            while slots[slot]:
                slot = (slot + 1) & (2 * size - 1)
            slots[slot] = page + 1
        self._farm = self._farm._replace(slots=slots, pages=pages)

    def wheel(self, x: float, y: float, yaw: float, *, length: float, width: float, sinkage: float) -> float:
        """Apply one tyre contact: crush the crop below it and make the rut at least so deep.

        Args:
            x, y: middle of the contact, m.
            yaw: heading of the wheel, rad.
            length, width: of the contact, m.
            sinkage: depth of the wheel below the undisturbed ground, m; 70 % of it stays.

        Returns:
            area that was crushed newly, m^2.

        Raises:
            StampError: a number that is not finite or below 0, or a contact that is too large.
        """
        return self._stamp(x, y, yaw, length, width, sinkage, 0.0)

    def body(self, x: float, y: float, yaw: float, *, length: float, width: float, clearance: float) -> float:
        """Apply the body: crush the crop below it that is taller than the clearance (m); the rest as for `wheel`."""
        return self._stamp(x, y, yaw, length, width, 0.0, clearance)

    def _stamp(self, x: float, y: float, yaw: float, *sizes: float) -> float:
        for key, value in zip(("x", "y", "yaw"), (x, y, yaw), strict=True):
            if not math.isfinite(value):
                raise StampError(key, value, "a finite number")
        for key, value in zip(("length", "width", "sinkage", "clearance"), sizes, strict=True):
            if not 0.0 <= value <= LARGEST_STAMP_M:
                raise StampError(key, value, f"0 to {LARGEST_STAMP_M:g} m")
        if not self._marks:
            return 0.0
        before = int(self._account["crushed"][0])
        heading = math.remainder(yaw, 2.0 * math.pi)
        stamp_entry(self._ground, self.ensure_room(1), float(x), float(y), heading, *map(float, sizes))
        return (int(self._account["crushed"][0]) - before) * SAMPLE_M2

    def reset(self) -> None:
        """Remove all marks; the conditions stay, and so does the room. It costs what is in use."""
        farm, used, touched = self._farm, int(self._used[0]), int(self._account["touched"][0])
        if used:
            farm.pages[:used].view(np.uint8)[:] = 0
            farm.slots[:] = 0
        if touched:
            farm.masks[farm.touched[:touched]] = 0
            farm.touched[:touched] = 0
        self._account_bytes[:] = 0
        self._account["marks"] = self._marks

    def snapshot(self) -> FarmMarks:
        """Return the state."""
        farm, account = self._farm, self._account.copy()
        SEARCH.set_defaults(account["search"])
        touched = farm.touched[: int(account["touched"][0])].copy()
        pages = farm.pages[: int(account["pages"][0])].copy()
        return FarmMarks(farm.conditions.copy(), account, pages, touched, farm.masks[touched])

    def check(self, state: FarmMarks, source: object, key: str) -> None:
        """Refuse a state that is none of this farm: raises `SnapshotError`."""
        account, patches = state.account[0], len(self._farm.masks)
        for name, wanted in (
            ("marks", self._marks),
            ("pages", len(state.pages)),
            ("touched", len(state.touched)),
        ):
            if int(account[name]) != wanted:
                raise SnapshotError(source, f"{key}.account.{name}", int(account[name]), str(wanted))
        if len(state.masks) != len(state.touched):
            raise SnapshotError(source, f"{key}.masks", len(state.masks), f"{len(state.touched)} rows")
        if len(state.touched) and not (0 <= state.touched.min() and state.touched.max() < patches):
            raise SnapshotError(source, f"{key}.touched", state.touched, f"numbers of patches, below {patches}")
        if len(np.unique(state.touched)) != len(state.touched):
            raise SnapshotError(source, f"{key}.touched", state.touched, "each patch once")
        if not ((state.masks > 0) & (state.masks <= ALL_SAMPLES)).all():
            raise SnapshotError(source, f"{key}.masks", state.masks, f"masks from 1 to {ALL_SAMPLES}")
        pages = state.pages.view(np.ndarray)
        keys = np.stack([pages["key_x"], pages["key_y"]])
        if (np.abs(keys) > FARTHEST_M / PAGE_M).any() or np.unique(keys, axis=1).shape != keys.shape:
            raise SnapshotError(source, f"{key}.pages", keys.tolist(), "pages of the map, each once")
        row = state.conditions[0]
        try:
            changed(
                CONDITIONS.new(1),
                field_fractions=dict(enumerate(row["field_fraction"].tolist())),
                **{name: float(row[name]) for name in CONDITIONS.dtype.names or () if name != "field_fraction"},
            )
        except ConditionsError as error:
            raise SnapshotError(
                source, f"{key}.conditions", row.tolist(), f"conditions that can be: {error}"
            ) from error

    def restore(self, state: FarmMarks) -> None:
        """Take up a state that was checked."""
        self.reset()
        self._hold(state.pages, len(state.pages))
        farm = self._farm
        farm.conditions[:], self._account[:] = state.conditions, state.account
        farm.touched[: len(state.touched)] = state.touched
        farm.masks[state.touched] = state.masks

    @property
    def crushed_m2(self) -> float:
        """Return the area of crop crushed since the last reset, m^2."""
        return int(self._account["crushed"][0]) * SAMPLE_M2

    @property
    def crushed_by_field_m2(self) -> np.ndarray:
        """Return the same for each of the 60 fields, m^2."""
        return self._account["crushed_by_field"][0] * SAMPLE_M2

    @property
    def crushed_by_zone_m2(self) -> np.ndarray:
        """Return the same for each of the 8 zones, m^2."""
        return self._account["crushed_by_zone"][0] * SAMPLE_M2

    def rut_at(self, x: float, y: float) -> float:
        """Return the rut depth (m) of the 25 cm cell below a point; 0 where there is none."""
        if not (math.isfinite(x) and math.isfinite(y)):
            return 0.0
        pages = self._farm.pages[: int(self._used[0])]
        cell_x, cell_y = math.floor(x / RUT_CELL_M), math.floor(y / RUT_CELL_M)
        page_x, page_y = cell_x // RUT_CELLS, cell_y // RUT_CELLS
        found = pages[(pages["key_x"] == page_x) & (pages["key_y"] == page_y)]
        place = (cell_y - RUT_CELLS * page_y) * RUT_CELLS + cell_x - RUT_CELLS * page_x
        return float(found["ruts"][0, place]) if len(found) else 0.0

    def ruts(self) -> Ruts:
        """Return the ruts as sparse arrays, in an order that does not depend on the drive."""
        pages = self._farm.pages[: int(self._used[0])]
        page, cell = np.nonzero(pages["ruts"])
        x = PAGE_M * pages["key_x"][page] + RUT_CELL_M * (cell % RUT_CELLS + 0.5)
        y = PAGE_M * pages["key_y"][page] + RUT_CELL_M * (cell // RUT_CELLS + 0.5)
        order = np.lexsort((x, y))
        return Ruts(x[order], y[order], pages["ruts"][page, cell][order])

    def crushed(self) -> Crushed:
        """Return the crushed crop as sparse arrays, by patch and sample."""
        used = int(self._account["touched"][0])
        patches = np.sort(self._farm.touched[:used])
        place, bit = np.nonzero(self._farm.masks[patches][:, None] >> np.arange(ALL_SAMPLES.bit_length()) & 1)
        patch = patches[place]
        x = self._ground.patches["x"][patch] + SAMPLE_M * (bit % 3 - 1)
        y = self._ground.patches["y"][patch] + SAMPLE_M * (bit // 3 - 1)
        return Crushed(x, y, patch)
