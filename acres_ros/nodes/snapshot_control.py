"""Snapshots by ROS: the state of the simulation into one file, and back."""

from __future__ import annotations

from pathlib import Path

from acres_interfaces.srv import RestoreSnapshot, SaveSnapshot
from rclpy.node import Node

from acres_ros.core.simulation import Simulation
from acres_ros.core.snapshot import Snapshot
from acres_ros.core.snapshot_file import SnapshotFileError
from acres_ros.errors import AcresError, shown
from acres_ros.nodes.service import Service, answered, served
from acres_ros.nodes.vehicles import Vehicles

SERVICES = (
    Service(SaveSnapshot, "/acres/save_snapshot", "write the whole state into one file"),
    Service(RestoreSnapshot, "/acres/restore_snapshot", "take up the state of a file: what follows repeats to the bit"),
)
SUFFIX = ".npz"


class SnapshotNameError(AcresError):
    """A name that is none of a snapshot."""

    def __init__(self, name: str, wanted: str) -> None:
        super().__init__(f"file {shown(name)} is refused: wanted {wanted}")


class SnapshotControl:
    """The services of one simulation.

    Args:
        node: the node that serves them.
        simulation: whose state it is.
        vehicles: its vehicles.
        folder: where files without an absolute path are; it is made with the first of them.
    """

    def __init__(self, node: Node, simulation: Simulation, vehicles: Vehicles, folder: str) -> None:
        self._node = node
        self._simulation = simulation
        self._vehicles = vehicles
        self._folder = folder
        callbacks = {"/acres/save_snapshot": self._save, "/acres/restore_snapshot": self._restore}
        for service in SERVICES:
            served(node, service, callbacks[service.name])

    def _save(self, request: SaveSnapshot.Request, response: SaveSnapshot.Response) -> SaveSnapshot.Response:
        def act() -> None:
            path = snapshot_path(request.file, self._folder)
            snapshot = self._simulation.snapshot()
            if not Path(request.file).is_absolute():
                _make_folder(path.parent)
            snapshot.save(path, replace=request.overwrite)
            response.file, response.step = str(path), snapshot.environment.step_count
            self._node.get_logger().info(f"saved the state of step {response.step} in {path}")

        return answered(act, response)

    def _restore(
        self, request: RestoreSnapshot.Request, response: RestoreSnapshot.Response
    ) -> RestoreSnapshot.Response:
        def act() -> None:
            path = snapshot_path(request.file, self._folder)
            snapshot = Snapshot.load(path)
            self._vehicles.restore(snapshot)
            response.file, response.step = str(path), snapshot.environment.step_count
            self._node.get_logger().info(f"restored the state of step {response.step} from {path}")

        return answered(act, response)


def snapshot_path(name: str, folder: str) -> Path:
    """Return the absolute path of a snapshot.

    Args:
        name: absolute path, or a name below the folder.
        folder: as of `SnapshotControl`.

    Raises:
        SnapshotNameError: no name, one of another kind of file, or one that leaves the folder.
    """
    if name.rpartition("/")[2] in ("", ".", ".."):
        raise SnapshotNameError(name, "the name of a file")
    path = Path(name)
    if path.suffix != SUFFIX:
        path = path.with_name(path.name + SUFFIX)
    if not path.is_absolute():
        if ".." in path.parts:
            raise SnapshotNameError(name, "a name below the folder of the snapshots, or an absolute path")
        path = Path(folder) / path
    return path.absolute()


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SnapshotFileError(folder, "made", error.strerror or error) from error
