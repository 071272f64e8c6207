"""The process of a node: the fence before anything else, one way to end, one line for an error."""

from __future__ import annotations

import signal
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import FrameType

import rclpy
from rclpy.executors import Executor, ExternalShutdownException
from rclpy.impl.rcutils_logger import RcutilsLogger
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


def run_node(
    name: str,
    table: Iterable[NodeParameter],
    body: Callable[[Node, Mapping[str, Value], Stop], None],
    arguments: Sequence[str] | None = None,
) -> int:
    """Run a node in this process and return the exit code: 0 when it was told to end, 1 when it refused.

    Args:
        name: name of the node.
        table: its parameters.
        body: gets the node, the values of the parameters and the `Stop` to ask.
        arguments: command line; that of the process by default.
    """
    arguments = list(sys.argv if arguments is None else arguments)
    stop = Stop()
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
        options = read_parameters(node, table)
        warning = fence.require_fence(node, override=override)
        node.get_logger().info(warning or fence.describe())
        body(node, options, stop)
    except AcresError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return EXIT_REFUSED
    except KeyboardInterrupt:
        return EXIT_OK
    finally:
        stop()
        if node is not None:
            node.destroy_node()  # says goodbye; a node that only ends stays in the graph of the others for a while
        rclpy.try_shutdown()
    return EXIT_OK


def spin(executor: Executor, timeout_s: float, logger: RcutilsLogger) -> None:
    """Spin once; what a callback raises is logged and ends nothing: a client's request must not end the simulation."""
    try:
        executor.spin_once(timeout_sec=timeout_s)
    except ExternalShutdownException:
        raise
    except Exception:
        logger.error(f"a request was not served:\n{traceback.format_exc()}")
