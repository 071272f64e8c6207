"""The network endpoints that a process holds, asked of the kernel and not of the middleware."""

from __future__ import annotations

import ctypes
import ipaddress
import os
import socket
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from acres_ros.fence._addresses import is_loopback
from acres_ros.fence.errors import SocketsUnreadableError

_TABLES = ("udp", "udp6", "udplite", "udplite6", "tcp", "tcp6", "raw", "raw6", "icmp", "icmp6")
_LOCAL_FAMILIES = (socket.AF_UNIX, socket.AF_NETLINK)
_MCAST_MSFILTER = 48

Group = ipaddress.IPv4Address | ipaddress.IPv6Address


@dataclass(frozen=True, order=True)
class Held:
    """One socket that reaches, or could reach, beyond the process.

    Attributes:
        protocol: `udp`, `tcp6`, ... or the family's name.
        address: local address; empty where the family has no IP address.
        port: local port; 0 where the socket is not bound.
        peer: connected address, or empty.
    """

    protocol: str
    address: str
    port: int
    peer: str = ""

    @property
    def stays_local(self) -> bool:
        """Return True on loopback, and for a socket that is bound and connected to nothing yet."""
        if not self.address:
            return False
        idle = self.port == 0 and not self.peer and self.protocol.startswith(("udp", "tcp"))
        here = is_loopback(self.address) or (idle and ipaddress.ip_address(self.address).is_unspecified)
        return here and (not self.peer or is_loopback(self.peer))

    @property
    def any_address(self) -> bool:
        """Return True for a UDP socket that receives on every interface and is connected to nothing."""
        unspecified = bool(self.address) and ipaddress.ip_address(self.address).is_unspecified
        return self.protocol.startswith("udp") and unspecified and not self.peer

    def __str__(self) -> str:
        """Return the socket in words."""
        where = f"{self.address} port {self.port}" if self.address else "no IP address"
        return f"{self.protocol} socket on {where}" + (f", connected to {self.peer}" if self.peer else "")


def held_sockets(pid: int | str = "self") -> list[Held]:
    """Return the sockets of a process other than Unix and netlink ones, in order.

    Args:
        pid: process number, or `self`. This process's own descriptors are asked directly; another's are looked up in
            the tables of its network namespace, where sockets that are not bound yet don't appear.

    Raises:
        SocketsUnreadableError: the descriptors or the tables cannot be read.
    """
    try:
        own = str(pid) in ("self", str(os.getpid()))
        return sorted(_own_sockets() if own else _sockets_of(int(pid)))
    except (OSError, ValueError) as error:
        raise SocketsUnreadableError(pid, str(error)) from error


def _own_descriptors() -> Iterator[socket.socket]:
    """Yield a duplicate of each socket of this process; it is closed again afterwards."""
    for name in os.listdir("/proc/self/fd"):
        try:
            descriptor = os.dup(int(name))
        except OSError:
            continue  # the descriptor of the listing itself, or one that was closed meanwhile
        try:
            duplicate = socket.socket(fileno=descriptor)
        except OSError:
            os.close(descriptor)  # not a socket
            continue
        with duplicate:
            yield duplicate


def _own_sockets() -> Iterator[Held]:
    """Yield the sockets of this process."""
    for item in _own_descriptors():
        if item.family in _LOCAL_FAMILIES:
            continue
        if item.family not in (socket.AF_INET, socket.AF_INET6):
            yield Held(getattr(item.family, "name", f"family {item.family}"), "", 0)
            continue
        kinds = {socket.SOCK_DGRAM: "udp", socket.SOCK_STREAM: "tcp"}
        name = kinds.get(item.type, "raw") + ("6" if item.family == socket.AF_INET6 else "")
        address, port = item.getsockname()[:2]
        try:
            peer = item.getpeername()[0]
        except OSError:
            peer = ""  # not connected
        yield Held(name, address.partition("%")[0], port, peer.partition("%")[0])


def _sockets_of(pid: int) -> Iterator[Held]:
    """Yield the sockets of another process, from /proc."""
    process = Path("/proc") / str(pid)
    wanted = set()
    for entry in (process / "fd").iterdir():
        try:
            link = os.readlink(entry)
        except FileNotFoundError:
            continue  # closed meanwhile
        if link.startswith("socket:["):
            wanted.add(link[8:-1])
    for table in _TABLES:
        path = process / "net" / table
        if not path.exists():
            continue  # a kernel without this protocol has no such sockets either
        for line in path.read_text().splitlines()[1:]:
            columns = line.split()
            if columns[9] in wanted:
                address, _, port = columns[1].partition(":")
                peer = _kernel_address(columns[2].partition(":")[0])
                unconnected = ipaddress.ip_address(peer).is_unspecified
                yield Held(table, _kernel_address(address), int(port, 16), "" if unconnected else peer)
    packets = process / "net" / "packet"
    if packets.exists() and wanted & {line.split()[-1] for line in packets.read_text().splitlines()[1:]}:
        yield Held("AF_PACKET", "", 0)


def _kernel_address(digits: str) -> str:
    """Return an address of /proc/net as text; the kernel writes it as 32-bit words in the machine's byte order."""
    words = struct.unpack(f">{len(digits) // 8}I", bytes.fromhex(digits))
    return str(ipaddress.ip_address(struct.pack(f"={len(words)}I", *words)))


def joined_groups() -> list[str]:
    """Return the multicast groups that this process's sockets joined on an interface other than loopback.

    The kernel lists memberships for a network namespace, not for a process, so each socket is asked for each of them.
    """
    candidates = list(_listed_groups())
    found = set()
    library = ctypes.CDLL(None, use_errno=True)
    for item in _own_descriptors():
        for device, index, group in candidates:
            if item.family == (socket.AF_INET if group.version == 4 else socket.AF_INET6) and _is_member(
                library, item, index, group
            ):
                found.add(f"multicast group {group} joined on interface {device}")
    return sorted(found)


def _listed_groups() -> Iterator[tuple[str, int, Group]]:
    """Yield (interface, index, group) for every membership of this network namespace outside loopback."""
    device, index = "", 0
    for line in _lines("/proc/self/net/igmp")[1:]:
        columns = line.split()
        if not line.startswith("\t"):
            index, device = int(columns[0]), columns[1]
        elif device != "lo":
            yield device, index, ipaddress.IPv4Address(_kernel_address(columns[0]))
    for line in _lines("/proc/self/net/igmp6"):
        columns = line.split()
        if columns[1] != "lo":
            yield columns[1], int(columns[0]), ipaddress.IPv6Address(bytes.fromhex(columns[2]))


def _lines(path: str) -> list[str]:
    """Return the lines of a kernel table; a kernel without that protocol has none."""
    try:
        return Path(path).read_text().splitlines()
    except FileNotFoundError:
        return []


def _is_member(library: ctypes.CDLL, item: socket.socket, index: int, group: Group) -> bool:
    """Return True where the socket has joined the group on the interface (struct group_filter of linux/in.h)."""
    if group.version == 4:
        level, address = socket.IPPROTO_IP, struct.pack("=HH4s", socket.AF_INET, 0, group.packed)
    else:
        level, address = socket.IPPROTO_IPV6, struct.pack("=HHI16sI", socket.AF_INET6, 0, 0, group.packed, 0)
    question = ctypes.create_string_buffer(struct.pack("@I4x128sII", index, address, 0, 0))
    length = ctypes.c_uint32(ctypes.sizeof(question) - 1)
    return library.getsockopt(item.fileno(), level, _MCAST_MSFILTER, question, ctypes.byref(length)) == 0


def loopback_multicast() -> bool:
    """Return True where the loopback interface has multicast switched on. The fence works either way."""
    try:
        flags = int(Path("/sys/class/net/lo/flags").read_text(), 16)
    except (OSError, ValueError):
        return False
    return bool(flags & 0x1000)
