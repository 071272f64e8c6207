"""The process of a node: the fence before anything else, one way to end, one line for an error."""

from __future__ import annotations

import contextlib
import gc
import pickle
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import FrameType

import rclpy
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from acres_ros import fence
from acres_ros.errors import AcresError
from acres_ros.nodes.parameter_reading import read_parameters
from acres_ros.nodes.parameter_table import NodeParameter, Value

EXIT_OK = 0
EXIT_REFUSED = 1


class RosArgumentsError(AcresError):
    """ROS arguments that ROS cannot read."""

    def __init__(self, arguments: Sequence[str], reason: object) -> None:
        text = " ".join(str(reason).split())
        wanted = "-p NODE:NAME:=VALUE or --params-file FILE"
        super().__init__(f"ROS refuses the arguments {' '.join(arguments)!r}: {text}; wanted {wanted}")


class LogFolderError(AcresError):
    """ROS has no place for its log files."""

    def __init__(self, error: Exception) -> None:
        super().__init__(
            f"ROS cannot write its log files: set HOME or ROS_LOG_DIR to a folder that can be written ({error})"
        )


class CompiledCodeError(AcresError):
    """Compiled code that cannot be loaded, such as files that a full disk has cut."""

    def __init__(self, error: Exception) -> None:
        from acres_ros import _compile

        super().__init__(
            f"the compiled code in {_compile.cache_folder()} is damaged ({error}): remove this folder, and the next "
            "start makes it again"
        )


class Stop:
    """Whether SIGINT or SIGTERM asked the process to end.

    A loop that asks is never interrupted, so a step is published whole; before the first question, while the node is
    made, a signal ends the process at once.
    """

    def __init__(self) -> None:
        self._asked = self._wanted = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._on_signal)

    def __call__(self) -> bool:
        """Tell whether the process is to end."""
        self._asked = True
        return self._wanted

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if not self._asked and not self._wanted:
            self._wanted = True
            raise KeyboardInterrupt
        self._wanted = True


@dataclass(frozen=True)
class Joined:
    """A node that is in the graph, in which nothing has been created yet.

    Attributes:
        node: the node.
        options: values of its parameters.
        stop: asked before each round of its loop.
        since: monotonic time at which it was there, s; from then on discovery goes on beside whatever is loaded.
    """

    node: Node
    options: Mapping[str, Value]
    stop: Stop
    since: float


def run_node(
    name: str,
    table: Iterable[NodeParameter],
    load: Callable[[Joined], Callable[[], None]],
    arguments: Sequence[str] | None = None,
) -> int:
    """Run a node in this process and return the exit code: 0 when it was told to end, 1 when it refused.

    Args:
        name: name of the node.
        table: its parameters.
        load: makes all that the node needs, and returns its loop.
        arguments: command line; that of the process by default.
    """
    try:
        return _run(name, table, load, list(sys.argv if arguments is None else arguments), Stop())
    except KeyboardInterrupt:
        return EXIT_OK


def _run(
    name: str,
    table: Iterable[NodeParameter],
    load: Callable[[Joined], Callable[[], None]],
    arguments: Sequence[str],
    stop: Stop,
) -> int:
    node: Node | None = None
    try:
        override = fence.override_from_arguments(arguments)
        fence.require_fence(override=override)
        # rclpy's own handlers would shut the context down in the middle of a step, whose messages then fail.
        try:
            rclpy.init(args=arguments, signal_handler_options=SignalHandlerOptions.NO)
        except RuntimeError as error:  # the base of every error of rcl
            if "logging" in str(error):
                raise LogFolderError(error) from None
            raise RosArgumentsError(arguments[1:], error) from None
        node = Node(name)
        since = time.monotonic()
        options = read_parameters(node, table)
        warning = fence.require_fence(node, override=override)
        node.get_logger().info(warning or fence.describe())
        with _loading():
            loop = load(Joined(node, options, stop, since))
        loop()
    except AcresError as error:
        stop()  # the refusal is said whole
        print(f"{name}: {error}", file=sys.stderr)
        return EXIT_REFUSED
    finally:
        stop()
        if node is not None:
            node.destroy_node()  # says goodbye; a node that only ends stays in the graph of the others for a while
        rclpy.try_shutdown()
    return EXIT_OK


@contextlib.contextmanager
def _loading() -> Iterator[None]:
    """Load without what nobody needs.

    A start makes hundreds of thousands of objects that stay. To look for garbage among them takes 60 ms each time, so
    nobody looks meanwhile, and later looks leave them out.

    numba loads the linear algebra of scipy where that is installed, to offer numpy's `dot`: 140 ms and 13 MB, for what
    no model may use (`acres_ros.tools.lint_models`).

    Raises `CompiledCodeError` where the cache of numba, whose index is a pickle, is damaged.
    """
    gc.disable()
    hidden = "scipy.linalg"
    if hidden not in sys.modules:
        sys.modules[hidden] = None  # type: ignore[assignment]
    try:
        yield
    except (pickle.UnpicklingError, EOFError) as error:
        raise CompiledCodeError(error) from error
    finally:
        if sys.modules[hidden] is None:
            del sys.modules[hidden]
        gc.freeze()
        gc.enable()
