"""A second witness beside strace: every frame that goes out of one network interface, seen at the interface itself."""

from __future__ import annotations

import contextlib
import socket
import struct
from collections import Counter
from types import TracebackType

_ETH_P_ALL = 0x0003
_SOL_PACKET = 263
_PACKET_STATISTICS = 6
_BUFFER_BYTES = 4 << 20
_PROTOCOLS = {1: "ICMP", 2: "IGMP", 6: "TCP", 17: "UDP", 58: "ICMPv6"}


class Witness:
    """A raw socket on one interface that counts every frame the kernel hands it."""

    def __init__(self, interface: str) -> None:
        """Open the socket.

        Args:
            interface: name of the interface.

        Raises:
            OSError: no permission, or no such interface.
        """
        self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(_ETH_P_ALL))
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _BUFFER_BYTES)
        self._socket.bind((interface, _ETH_P_ALL))
        self._socket.setblocking(False)
        self.take()

    def __enter__(self) -> Witness:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the socket."""
        self._socket.close()

    def take(self) -> tuple[int, dict[str, int]]:
        """Return how many frames passed since the last call, and what they were, as far as they fit the buffer.

        The number comes from the kernel's own counter, so it is whole even where the buffer overflowed.
        """
        kinds: Counter[str] = Counter()
        with contextlib.suppress(BlockingIOError):
            while True:
                kinds[describe_frame(self._socket.recv(128))] += 1
        passed, _dropped = struct.unpack("=II", self._socket.getsockopt(_SOL_PACKET, _PACKET_STATISTICS, 8))
        return passed, dict(sorted(kinds.items()))


def describe_frame(frame: bytes) -> str:
    """Return protocol, destination and port of an Ethernet frame as text."""
    kind = struct.unpack_from("!H", frame, 12)[0] if len(frame) >= 14 else 0
    if kind == 0x0800 and len(frame) >= 34:
        protocol, start = frame[23], 14 + 4 * (frame[14] & 0x0F)
        host = socket.inet_ntop(socket.AF_INET, frame[30:34])
    elif kind == 0x86DD and len(frame) >= 54:
        protocol, start = frame[20], 54
        host = f"[{socket.inet_ntop(socket.AF_INET6, frame[38:54])}]"
    else:
        return f"Ethernet type 0x{kind:04x}"
    name = _PROTOCOLS.get(protocol, f"IP protocol {protocol}")
    if protocol in (6, 17) and len(frame) >= start + 4:
        return f"{name} to {host}:{struct.unpack_from('!H', frame, start + 2)[0]}"
    return f"{name} to {host}"
