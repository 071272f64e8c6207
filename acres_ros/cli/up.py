"""`acres up`: bring the stand-in up inside the fence, and end it whole."""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from acres_ros import fence
from acres_ros._program import run_by
from acres_ros.cli._usage import as_usage
from acres_ros.cli.description import PARAMETER_FILE, ProcessDescription, launch_parameters, processes
from acres_ros.cli.main import drop_output
from acres_ros.errors import AcresError
from acres_ros.locations import shared_folder
from acres_ros.nodes.parameter_table import READY_TEXT, Value

HELP = "bring the stand-in up inside the loopback fence"
END_GRACE_S = 5.0

DRIVE_HINT = """
The stand-in is up. In another terminal:
  ./acres drive kilometre --attach      a client drives a closed path of one kilometre
  ./acres run python3 my_stack.py       your own program, inside the same fence
  ./acres step 120                      one second of steps, when started with --paused
Ctrl-C ends everything."""


class StandInEndedError(AcresError):
    """A process of the stand-in ended by itself."""

    def __init__(self, name: str, code: int, reason: str, domain: str, *, ready: bool) -> None:
        text = f"the stand-in {'is gone' if ready else 'did not come up'}: {name} ended with exit code {code}"
        text += f": {reason}" if reason else ""
        # The refusals of a domain that is taken name it.
        if f"omain {domain} " in reason:
            fact, _, _ = text.partition(". End it first")  # what the node itself advises
            text = (
                f"{fact}. Use the one that is up (./acres drive kilometre --attach), end it, or choose another domain "
            )
            text += "with ACRES_DOMAIN_ID"
        super().__init__(text)


class NotReadyError(AcresError):
    """The stand-in is not ready in time."""

    def __init__(self, seconds: float) -> None:
        super().__init__(
            f"the stand-in did not come up within {seconds:g} s; nothing of it has ended, so this machine may be busy: "
            "see what ./acres up says"
        )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add one option for each node parameter that the launchers may set."""
    parser.description = (
        f"{HELP}, until Ctrl-C ends it, with exit code 0. It never leaves the fence; docs/fence.md tells how a single "
        "node may."
    )
    for parameter in launch_parameters():
        option = f"--{parameter.name.replace('_', '-')}"
        kind = {"action": argparse.BooleanOptionalAction}
        if not isinstance(parameter.default, bool):
            kind = {"type": type(parameter.default), "choices": parameter.choices or None}
        text = f"{parameter.description} (default: {parameter.default!r})"
        parser.add_argument(option, default=argparse.SUPPRESS, help=text, **kind)


def chosen_values(arguments: argparse.Namespace) -> dict[str, Value]:
    """Return the parameters that were given on the command line."""
    given = vars(arguments)
    return {parameter.name: given[parameter.name] for parameter in launch_parameters() if parameter.name in given}


def run(arguments: argparse.Namespace) -> int:
    """Start the nodes, show what they say, and end them all when one ends or a signal comes."""
    try:
        with started(chosen_values(arguments), echo=True) as stand_in:
            stand_in.on_ready(lambda seconds: _show(f"[acres] ready after {seconds:.1f} s{DRIVE_HINT}"))
            return stand_in.wait()
    except KeyboardInterrupt:
        return 0


def _show(text: str) -> None:
    """Print; where nobody reads any more, or the disk is full, the stand-in goes on in silence."""
    try:
        print(text, flush=True)
    except OSError:
        drop_output()


class StandIn:
    """The running processes of a stand-in.

    Args:
        descriptions: what to start.
        environment: environment of the processes, the fenced one.
        echo: print what the processes print, with their names in front.
    """

    def __init__(self, descriptions: list[ProcessDescription], environment: dict[str, str], *, echo: bool) -> None:
        self._begin = time.monotonic()
        self._domain = environment["ROS_DOMAIN_ID"]
        self._ready = threading.Event()
        self._ready_after = 0.0
        self._echo = echo
        self.output: list[str] = []
        self.processes: dict[str, subprocess.Popen[str]] = {}
        self._readers: dict[str, threading.Thread] = {}
        for description in descriptions:
            command = [sys.executable, "-u", *run_by(description.module), "--ros-args"]
            command += description.ros_arguments(shared_folder("config") / PARAMETER_FILE)
            process = subprocess.Popen(
                tied(command),
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                encoding="utf-8",
                errors="backslashreplace",
                start_new_session=True,
            )
            self.processes[description.name] = process
            reader = threading.Thread(target=self._read, args=(description.name, process), daemon=True)
            reader.start()
            self._readers[description.name] = reader

    def _read(self, name: str, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        with process.stdout as lines:
            for line in lines:
                self.output.append(f"[{name}] {line.rstrip()}")
                if self._echo:
                    _show(self.output[-1])
                if READY_TEXT in line and not self._ready.is_set():
                    self._ready_after = time.monotonic() - self._begin
                    self._ready.set()

    def wait_ready(self, timeout_s: float) -> float:
        """Return the seconds from the start to the first /clock (or to readiness, when paused).

        Raises:
            StandInEndedError: a process ended before.
            NotReadyError: the time ran out before.
        """
        deadline = time.monotonic() + timeout_s
        while not self._ready.wait(0.02):
            for name, process in self.processes.items():
                if process.poll() is not None:
                    raise self._ended(name)
            if time.monotonic() > deadline:
                raise NotReadyError(timeout_s)
        return self._ready_after

    def _ended(self, name: str) -> StandInEndedError:
        """Return what to raise when a process has ended by itself."""
        self._readers[name].join(1.0)
        lines = [line.partition("] ")[2] for line in self.output if line.startswith(f"[{name}] ")]
        # A node that refuses puts its name in front; the rest of a longer text is among what the node printed.
        node, _, _ = name.partition(" ")
        refusals = [line.removeprefix(f"{node}: ") for line in lines if line.startswith(f"{node}: ")]
        reason = (refusals or lines[-1:] or [""])[0].rstrip(":")
        code = self.processes[name].returncode
        return StandInEndedError(name, code, reason, self._domain, ready=self._ready.is_set())

    def on_ready(self, say) -> None:
        """Call `say` with the seconds of the start, once it is ready."""

        def watch() -> None:
            self._ready.wait()
            say(self._ready_after)

        threading.Thread(target=watch, daemon=True).start()

    def wait(self) -> int:
        """Return 0 when a process has ended because it was told to.

        Raises:
            StandInEndedError: a process ended with another exit code.
        """
        while True:
            for name, process in self.processes.items():
                if (code := process.poll()) is not None:
                    if code != 0:
                        raise self._ended(name)
                    return 0
            time.sleep(0.05)

    def end(self) -> None:
        """End every process: by SIGTERM, and what is left after a while by SIGKILL."""
        for process in self.processes.values():
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        deadline = time.monotonic() + END_GRACE_S
        for process in self.processes.values():
            try:
                process.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        for reader in self._readers.values():
            reader.join(1.0)


@contextlib.contextmanager
def started(
    values: dict[str, Value],
    *,
    echo: bool = False,
    domain: int | None = None,
    environment: dict[str, str] | None = None,
) -> Iterator[StandIn]:
    """Start a stand-in, give it, and end it whatever happens.

    Args:
        values: node parameters that differ from the parameter file.
        echo: print what the nodes print.
        domain: DDS domain; the fence's own when it is not given.
        environment: environment to start from; this process's when it is not given.
    """
    from acres_ros.cli.preflight import check_start

    with as_usage():
        check_start(values)
        descriptions = processes(values)
    fenced = fence.environment(os.environ if environment is None else environment, domain=domain)
    with _signals_as_exceptions():
        stand_in = StandIn(descriptions, fenced, echo=echo)
        try:
            yield stand_in
        except AcresError:
            if not echo:
                print("\n".join(["[acres] the last words of the stand-in:", *stand_in.output[-20:]]), file=sys.stderr)
            raise
        finally:
            stand_in.end()


@contextlib.contextmanager
def _signals_as_exceptions() -> Iterator[None]:
    """Let SIGTERM and SIGHUP unwind like Ctrl-C does, so that the processes are ended on the way.

    One that is ignored stays so: `nohup` lets a program go on when its terminal is closed.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    before = {number: handler for number, handler in handlers.items() if handler != signal.SIG_IGN}

    def unwind(number: int, _: object) -> None:
        raise KeyboardInterrupt

    try:
        for number in before:
            signal.signal(number, unwind)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def tied(command: Sequence[str]) -> list[str]:
    """Return a command that the kernel ends when this process is gone, even by SIGKILL."""
    return [sys.executable, "-I", "-S", str(Path(__file__).with_name("tied.py")), str(os.getpid()), *command]
