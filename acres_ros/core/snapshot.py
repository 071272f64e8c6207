"""Snapshots: the whole state of an environment, or of a simulation, in memory or in one file.

What a start decides (model, world, parameters, sensors, options, first seed, number of the agent) is not in the state:
a snapshot says for which it was taken, and is taken up by what was started alike. The layout of the file is in
`core/snapshot_file.py`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np

import acres_ros
from acres_ros.core.collision_watch import CollisionState
from acres_ros.core.farm import FarmMarks
from acres_ros.core.faults import FaultsState
from acres_ros.core.gateway_events import Event
from acres_ros.core.gateway_snapshot import GatewayState
from acres_ros.core.inbox import Inbox
from acres_ros.core.map_watch import MapState
from acres_ros.core.navigation import NavigationState
from acres_ros.core.plain_state import Rows, SnapshotError, from_plain, to_plain
from acres_ros.core.sample import SAMPLE
from acres_ros.core.snapshot_file import SnapshotFile, write_file
from acres_ros.core.spawned import VEHICLE_NUMBERS, Spawned
from acres_ros.core.start import Start
from acres_ros.core.step_commands import Came
from acres_ros.locations import PACKAGE
from acres_ros.models.state import VEHICLE

FORMAT = "acres-snapshot"
VERSION = 2
MODEL_LAYERS = ("models", "core")
"""The sources that decide what follows from a state."""

Overrides = dict[str, float | tuple[float, ...]]
Samples = Annotated[np.ndarray, Rows(SAMPLE, (None,))]


class Queued(NamedTuple):
    """An entry of the timed queue: its time, s, None for the next step; and the number of its inbox."""

    due: float | None
    inbox: int


class EnvironmentState(NamedTuple):
    """What an environment remembers.

    Attributes:
        step_count, epoch, epoch_step, put_step, start: as of `Environment`.
        seed: one number, that of the last reset.
        in_effect: changes of the first parameters that are in effect.
        overrides: those from the next reset on.
        vehicle: one VEHICLE record.
        recent: samples of the last two steps, or fewer.
        inboxes: each inbox that something below names.
        posted: number of the one that the next message goes into.
        taken: number of the one that a step took last.
        queue: what waits for its step.
        gateway, navigation, faults, farm, collisions, map: the parts.
        spawned: obstacles that were spawned.
        events: what nobody has taken yet, beside those of the parts.
    """

    step_count: int
    epoch: int
    epoch_step: int
    put_step: int
    start: Start
    seed: Annotated[np.ndarray, Rows(np.dtype(np.uint64), (1,))]
    in_effect: Overrides
    overrides: Overrides
    vehicle: Annotated[np.ndarray, Rows(VEHICLE.dtype, (1,))]
    recent: Samples
    inboxes: tuple[Inbox, ...]
    posted: int
    taken: int
    queue: tuple[Queued, ...]
    gateway: GatewayState
    navigation: NavigationState
    faults: FaultsState
    farm: FarmMarks
    collisions: CollisionState
    map: MapState
    spawned: Spawned
    events: tuple[Event, ...]


class Pending(NamedTuple):
    """A sweep that has ended and not left: episode steps of its begin and its message, and its points (beams, 4)."""

    begin: int
    leaves: int
    points: Annotated[np.ndarray, Rows(np.dtype(np.float32), (None, 4), finite=False)]


class SweepsState(NamedTuple):
    """What the sweeps of a LiDAR remember, beside the samples.

    Attributes:
        pattern: digest of the beams.
        begun: episode steps of the sweeps that have begun and not ended.
        pending: those that have ended and not left.
        dropped: as of `Sweeps`.
    """

    pattern: str
    begun: tuple[int, ...]
    pending: tuple[Pending, ...]
    dropped: int


class Told(NamedTuple):
    """What a client told of an entity: its name; category, description and tags."""

    name: str
    category: int
    description: str
    tags: tuple[str, ...]


class SimulationState(NamedTuple):
    """What a simulation remembers beside its environment.

    Attributes:
        history: samples of the last second, or longer where sensors are on their way longer, of this epoch: from them
            acres_vehicle makes again what it has not sent yet.
        sweeps: of the LiDAR; None where there is none.
        told: of the entities.
        came: commands since the last step.
    """

    history: Samples
    sweeps: SweepsState | None
    told: tuple[Told, ...]
    came: tuple[Came, ...]


class Member(NamedTuple):
    """A vehicle of a simulation.

    Attributes:
        name: what it is called.
        number: among the vehicles of the simulation.
        spawned: whether it came later, so that a restore may make or remove it.
    """

    name: str
    number: int
    spawned: bool


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A state, and what it is of. Nothing in it changes, and it shares nothing with what it was taken of.

    Attributes:
        origin: what was started, as JSON values.
        environment: state of the environment.
        simulation: state of what was around it; None for an environment alone.
        source: what to call the snapshot in an error.
        others: the same of each further vehicle.
        vehicles: the vehicles, in their order; empty for an environment alone.
    """

    origin: Mapping[str, Any]
    environment: EnvironmentState
    simulation: SimulationState | None = None
    source: object = "the snapshot"
    others: tuple[Snapshot, ...] = ()
    vehicles: tuple[Member, ...] = ()

    def save(self, path: str | Path, *, replace: bool = True) -> None:
        """Write the snapshot into one file; whoever looks sees the whole of it or nothing.

        Args:
            path: the file; its folder is there.
            replace: whether a file that is there already is replaced.

        Raises:
            SnapshotFileError: the file is there already, or the system refuses.
        """
        arrays: dict[str, np.ndarray] = {}
        manifest = {
            "format": FORMAT,
            "version": VERSION,
            "acres_ros": acres_ros.__version__,
            "model": model_hash(),
            **self._to_plain(arrays, ""),
            "vehicles": to_plain(tuple[Member, ...], self.vehicles, arrays, "vehicles"),
            "others": [other._to_plain(arrays, f"others.{index}.") for index, other in enumerate(self.others)],
        }
        write_file(Path(path), manifest, arrays, replace=replace)

    @classmethod
    def load(cls, path: str | Path) -> Snapshot:
        """Return the snapshot of a file.

        Raises:
            SnapshotFileError: the system refuses.
            SnapshotError: a file that is no whole snapshot, or is one of another version or another model.
        """
        with SnapshotFile(Path(path)) as file:
            manifest = file.manifest
            for key, wanted in (("format", FORMAT), ("version", VERSION)):
                if manifest.get(key) != wanted:
                    raise SnapshotError(path, key, manifest.get(key), f"{wanted!r}")
            if manifest.get("model") != model_hash():
                raise SnapshotError(
                    path,
                    "model",
                    manifest.get("model"),
                    f"{model_hash()}: it was taken with another model (acres_ros {manifest.get('acres_ros')}, here "
                    f"{acres_ros.__version__}), under which the run would go on differently",
                )
            vehicles = from_plain(tuple[Member, ...], manifest.get("vehicles"), file.take, path, "vehicles")
            others = manifest.get("others")
            if not isinstance(others, list) or not all(isinstance(other, dict) for other in others):
                raise SnapshotError(path, "others", others, "the further vehicles, a list")
            if len(others) >= VEHICLE_NUMBERS:
                raise SnapshotError(path, "others", len(others), f"{VEHICLE_NUMBERS - 1} further vehicles at most")
            states = [cls._of(other, file, path, f"others.{index}.") for index, other in enumerate(others)]
            return cls._of(manifest, file, path, "", tuple(states), vehicles)

    def _to_plain(self, arrays: dict[str, np.ndarray], prefix: str) -> dict[str, Any]:
        return {
            "origin": self.origin,
            "environment": to_plain(EnvironmentState, self.environment, arrays, f"{prefix}environment"),
            "simulation": to_plain(SimulationState | None, self.simulation, arrays, f"{prefix}simulation"),
        }

    @classmethod
    def _of(
        cls,
        values: Mapping[str, Any],
        file: SnapshotFile,
        path: str | Path,
        prefix: str,
        others: tuple[Snapshot, ...] = (),
        vehicles: tuple[Member, ...] = (),
    ) -> Snapshot:
        parts = []
        for key, kind in (("environment", EnvironmentState), ("simulation", SimulationState | None)):
            parts.append(from_plain(kind, values.get(key), file.take, path, f"{prefix}{key}"))
        return cls(values.get("origin", {}), parts[0], parts[1], path, others, vehicles)

    def require_origin(self, own: Mapping[str, Any]) -> None:
        """Refuse the snapshot where something else was started: raises `SnapshotError`.

        Args:
            own: what was started here.
        """
        for key, given, wanted in _differences(self.origin, own):
            raise SnapshotError(
                self.source, key, given, f"{wanted!r}, as this simulation was started; start one alike to take it up"
            )


def _differences(given: Any, own: Any, key: str = "") -> Any:
    """Yield what differs: key, value of the snapshot, value here."""
    if isinstance(given, Mapping) and isinstance(own, Mapping):
        for name in [*own, *(name for name in given if name not in own)]:
            yield from _differences(given.get(name), own.get(name), f"{key}.{name}" if key else name)
    elif given != own:
        yield key, given, own


@cache
def model_hash() -> str:
    """Return 16 hex digits that change with any source of the model and of what commands it."""
    total = hashlib.sha256()
    for layer in MODEL_LAYERS:
        for path in sorted((PACKAGE / layer).rglob("*.py")):
            total.update(path.relative_to(PACKAGE).as_posix().encode())
            total.update(path.read_bytes())
    return total.hexdigest()[:16]
