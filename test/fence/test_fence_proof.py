"""The proof, both ways, and what `acres check fence` says of it."""

from __future__ import annotations

import argparse
import socket
import struct
import sys
from collections import Counter

import pytest

from acres_ros.cli import check
from acres_ros.cli.check_fence import programs
from acres_ros.fence import ACCEPTANCE, ProofImpossibleError, override_from_arguments
from acres_ros.fence.proof import Program, Proof, isolation, prove, require_tools
from acres_ros.fence.trace import Endpoint, Trace
from acres_ros.fence.witness import describe_frame


@pytest.fixture
def permitted(base: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Return the base environment where the proof can be carried out; skip, in words, elsewhere."""
    try:
        require_tools()
        isolation()
    except ProofImpossibleError as error:
        pytest.skip(str(error))
    for name in ("ACRES_DOMAIN_ID", "RMW_IMPLEMENTATION"):
        monkeypatch.setenv(name, base[name])
    return base


def command_line(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    check.add_arguments(parser)
    return check.run(parser.parse_args(arguments))


def script(text: str, **options: object) -> Program:
    return Program("script", (sys.executable, "-S", "-c", text), client=True, **options)


def test_the_proof_passes_with_the_fence_and_catches_the_same_programs_without(
    permitted: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command_line("fence", "--probe") == check.PASSED
    said = capsys.readouterr().out
    assert "127.0.0.1" in said and "0  frames out of the second interface" in said
    assert "leak: sendto 239.255.0.1:" in said, "the second run, with the fence off"
    assert "IP_ADD_MEMBERSHIP" in said and "reachable from other machines" in said
    assert "PASSED" in said


def test_without_the_fence_the_check_fails(permitted: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line("fence", "--probe", "--no-fence") == check.FAILED
    said = capsys.readouterr().out
    assert "leak: sendto 239.255.0.1:" in said and "frames seen on the second interface" in said


def test_programs_that_do_not_do_their_work_prove_nothing(
    permitted: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command_line("fence", "--quick", "--client", "false") == check.NOT_CHECKED
    assert "program1 ended with 1" in capsys.readouterr().err


def test_programs_that_send_nothing_prove_nothing(
    permitted: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command_line("fence", "--quick", "--client", "true") == check.NOT_CHECKED
    assert "no network traffic" in capsys.readouterr().err


DATAGRAM = "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(b'x', ('{}', 7400))"


@pytest.mark.parametrize("address", ["10.77.0.2", "8.8.8.8", "239.255.0.1"])
def test_one_datagram_is_enough_and_both_witnesses_see_it(permitted: dict[str, str], address: str) -> None:
    proof = prove([script(DATAGRAM.format(address))], base=permitted)
    assert proof.trace.escapes == [(Endpoint("sendto", "AF_INET", address, 7400), 1)]
    assert proof.frames == 1 and proof.frame_kinds == {f"UDP to {address}:7400": 1}


def test_a_process_that_a_program_starts_is_traced_too(permitted: dict[str, str]) -> None:
    child = DATAGRAM.format("10.77.0.2")
    parent = script(f'import subprocess, sys; subprocess.run([sys.executable, "-S", "-c", "{child}"])')
    proof = prove([parent], base=permitted)
    assert [endpoint.address for endpoint, _ in proof.trace.escapes] == ["10.77.0.2"]


def test_the_witness_sees_what_the_tracer_is_not_told(permitted: dict[str, str]) -> None:
    """A packet socket names no IP destination; its kind, its binding and its frame each count."""
    text = "from socket import *; s = socket(AF_PACKET, SOCK_RAW, 0); s.bind(('acres0', 0)); s.send(bytes(60))"
    proof = prove([script(text)], base=permitted)
    assert proof.trace.foreign_sockets == ["AF_PACKET"] and proof.frames == 1
    assert len(proof.leaks) == 3


def test_a_program_that_refuses_without_the_fence_gets_its_argument(permitted: dict[str, str]) -> None:
    text = "import sys; sys.exit(0 if sys.argv[1:] == ['open'] else 4)"
    assert prove([script(text, open_arguments=("open",))], fenced=False, base=permitted).failed == ""
    assert "ended with 4" in prove([script(text, open_arguments=("open",))], base=permitted).failed


def test_a_program_that_hangs_is_ended(permitted: dict[str, str]) -> None:
    hanging = script("import signal, time; signal.signal(signal.SIGINT, signal.SIG_IGN); time.sleep(60)")
    assert "not done after 1 s" in prove([hanging], base=permitted, timeout_s=1.0).failed


def test_missing_tools_are_named_with_their_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(ProofImpossibleError, match="apt-get install strace iproute2"):
        prove()


def _proof(**values: object) -> Proof:
    trace = Trace(destinations=Counter({Endpoint("sendto", "AF_INET", "127.0.0.1", 9): 3}))
    return Proof(**{"fenced": True, "trace": trace, "frames": 0, "frame_kinds": {}, **values})


def test_each_kind_of_leak_fails() -> None:
    assert _proof().leaks == [] and _proof().blind == ""
    assert len(_proof(frames=2, frame_kinds={"UDP to 10.0.0.1:9": 2}).leaks) == 1
    bound = Trace(binds=Counter({Endpoint("bind", "AF_INET", "0.0.0.0", 7410): 1}))
    assert len(_proof(trace=bound).leaks) == 1
    assert _proof(trace=bound, accepts_any_address=True).leaks == []
    assert len(_proof(trace=Trace(memberships=["setsockopt(...)"]), accepts_any_address=True).leaks) == 1


def test_an_unreadable_call_is_no_proof() -> None:
    trace = _proof().trace
    trace.unreadable.append("sendmmsg(3, [...], 40, 0) = 40")
    assert "could not be read" in _proof(trace=trace).blind


def test_frames_are_described() -> None:
    ethernet = bytes(12)
    ipv4 = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 28, 0, 0, 1, 17, 0, bytes(4), socket.inet_aton("239.255.0.1"))
    assert describe_frame(ethernet + b"\x08\x00" + ipv4 + struct.pack("!HH", 1, 7400)) == "UDP to 239.255.0.1:7400"
    ipv6 = struct.pack("!IHBB16s16s", 6 << 28, 8, 17, 1, bytes(16), socket.inet_pton(socket.AF_INET6, "ff02::1"))
    assert describe_frame(ethernet + b"\x86\xdd" + ipv6 + struct.pack("!HH", 1, 9)) == "UDP to [ff02::1]:9"
    assert describe_frame(ethernet + b"\x08\x06" + bytes(20)) == "Ethernet type 0x0806"
    assert describe_frame(b"") == "Ethernet type 0x0000"


def test_the_default_programs_are_the_stand_in_and_a_client_that_may_run_without_the_fence(
    base: dict[str, str],
) -> None:
    parser = argparse.ArgumentParser()
    check.add_arguments(parser)
    chosen = programs(parser.parse_args(["fence"]))
    assert [(p.name, p.client) for p in chosen] == [
        ("acres_physics", False),
        ("acres_vehicle", False),
        ("client", True),
    ]
    for node in chosen[:2]:
        assert "--ros-args" in node.command
        assert override_from_arguments([*node.command, *node.open_arguments]) == ACCEPTANCE
