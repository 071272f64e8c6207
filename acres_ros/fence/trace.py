"""Read what strace wrote about a program's network calls: every destination, and whether it stays on loopback.

Fail closed: a call of a traced kind whose addresses cannot be read is kept as unreadable, and no proof passes with one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from acres_ros.fence._addresses import is_loopback

SENDING_CALLS = ("sendto", "sendmsg", "sendmmsg", "connect")
# io_uring_setup: requests of a ring don't pass through system calls, so nothing could be said about such a program.
TRACED_CALLS = (*SENDING_CALLS, "bind", "setsockopt", "socket", "io_uring_setup")

# -v and -s 0: long lists of addresses are written out in full, payloads are left out. --seccomp-bpf: only the calls
# that are traced stop the program, so it keeps its speed.
STRACE_OPTIONS = tuple(f"-f -qq -v -s 0 --seccomp-bpf -e signal=none -e trace={','.join(TRACED_CALLS)}".split())

LOCAL_FAMILIES = ("AF_UNIX", "AF_LOCAL", "AF_NETLINK")
INTERNET_FAMILIES = ("AF_INET", "AF_INET6")
# connect() with it takes a socket's peer away; nothing is sent.
NO_FAMILY = "AF_UNSPEC"

_LINE = re.compile(r"^(?:\[pid\s+)?(?P<pid>\d+)?\]?\s*(?P<call>[a-z_0-9]+)\((?P<rest>.*)$")
_RESUMED = re.compile(r"^(?:\[pid\s+)?(?P<pid>\d+)?\]?\s*<\.\.\. (?P<call>[a-z_0-9]+) resumed>(?P<rest>.*)$")
_UNFINISHED = re.compile(r"\s*<unfinished \.\.\.>\s*$")
_ADDRESS_TEXT = re.compile(r'(inet_addr\(|inet_pton\(AF_INET6, )"([0-9A-Fa-f.:%]+)"')
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"(?:\.\.\.)?')
_SOCKET_ADDRESS = re.compile(r"\{sa_family=(?P<family>\w+)(?P<body>[^{}]*)\}")
_IPV4 = re.compile(r"sin_addr=inet_addr\(<([0-9.]+)>")
_IPV6 = re.compile(r"inet_pton\(AF_INET6, <([0-9A-Fa-f.:%]+)>")
_PORT = re.compile(r"sin6?_port=htons\((\d+)\)")
_MEMBERSHIPS = ("IP_ADD_MEMBERSHIP", "IP_ADD_SOURCE_MEMBERSHIP", "IPV6_ADD_MEMBERSHIP", "MCAST_JOIN_")


@dataclass(frozen=True, order=True)
class Endpoint:
    """One address that a system call named.

    Attributes:
        call: name of the system call.
        family: address family, for example AF_INET.
        address: IP address as text; empty for other families, `connected` where the call left it to connect().
        port: port, 0 where there is none.
    """

    call: str
    family: str
    address: str = ""
    port: int = 0

    @property
    def stays_local(self) -> bool:
        """Return True where nothing can leave the machine through this address."""
        if self.family in LOCAL_FAMILIES or self.family == NO_FAMILY or self.address == "connected":
            return True
        return self.family in INTERNET_FAMILIES and is_loopback(self.address)

    def __str__(self) -> str:
        """Return the endpoint as people write it."""
        if not self.address or self.address == "connected":
            return f"{self.call} {self.address or self.family}"
        host = f"[{self.address}]" if ":" in self.address else self.address
        return f"{self.call} {host}:{self.port}"


@dataclass
class Trace:
    """Everything that the traces of one run said.

    Attributes:
        destinations: how often each destination was named by a sending call, whether or not the call succeeded.
        binds: how often each local address was bound.
        memberships: multicast groups joined on an interface other than loopback, as strace wrote them.
        sockets: families of the sockets that were opened.
        unreadable: traced calls whose addresses could not be read.
    """

    destinations: Counter[Endpoint] = field(default_factory=Counter)
    binds: Counter[Endpoint] = field(default_factory=Counter)
    memberships: list[str] = field(default_factory=list)
    sockets: Counter[str] = field(default_factory=Counter)
    unreadable: list[str] = field(default_factory=list)

    def read(self, lines: Iterable[str]) -> Trace:
        """Add the lines of one strace output and return this trace."""
        for call, arguments in whole_calls(lines):
            self._add(call, arguments)
        return self

    def _add(self, call: str, arguments: str) -> None:
        """Add one call, given its name and everything behind the opening parenthesis."""
        text = _readable(arguments)
        if call == "socket":
            self._add_socket(arguments, text)
        elif call == "setsockopt":
            self._add_option(arguments, text)
        elif call == "io_uring_setup":
            self.unreadable.append(f"{call}({arguments}")
        elif call == "bind":
            found = list(_endpoints(call, text))
            self.binds.update(found)
            if len(found) != 1:
                self.unreadable.append(f"{call}({arguments}")
        elif call in SENDING_CALLS:
            found = list(_endpoints(call, text))
            if len(found) != _expected(call, text):
                self.unreadable.append(f"{call}({arguments}")
            self.destinations.update(found)

    def _add_socket(self, arguments: str, text: str) -> None:
        """Count the family of a new socket; a raw internet socket or an unnamed family counts as unreadable."""
        family, _, kind = text.partition(",")
        raw = family in INTERNET_FAMILIES and "SOCK_RAW" in kind
        self.sockets[f"{family} SOCK_RAW" if raw else family.strip()] += 1
        if not family.startswith("AF_"):
            self.unreadable.append(f"socket({arguments}")

    def _add_option(self, arguments: str, text: str) -> None:
        """Keep a multicast membership on an interface that is not, or may not be, loopback."""
        if not any(name in text for name in _MEMBERSHIPS):
            return
        named = re.search(r'if_nametoindex\("([^"]*)"\)', arguments)
        address = re.search(r'imr_interface=inet_addr\("([^"]*)"\)', arguments)
        if named and named.group(1) == "lo" or address and is_loopback(address.group(1)):
            return
        self.memberships.append(f"setsockopt({arguments}")

    @property
    def escapes(self) -> list[tuple[Endpoint, int]]:
        """Return the destinations that are not on this machine, with their counts."""
        return sorted((endpoint, count) for endpoint, count in self.destinations.items() if not endpoint.stays_local)

    @property
    def open_binds(self) -> list[tuple[Endpoint, int]]:
        """Return the bound addresses that other machines could reach, with their counts."""
        return sorted((endpoint, count) for endpoint, count in self.binds.items() if not endpoint.stays_local)

    @property
    def foreign_sockets(self) -> list[str]:
        """Return kinds of sockets that can send past the IP addresses judged here (packet, raw, CAN, VSOCK, ...)."""
        return sorted(set(self.sockets) - {*LOCAL_FAMILIES, *INTERNET_FAMILIES})

    @property
    def loopback_sends(self) -> int:
        """Return how many times an internet address on loopback was a destination: the proof must have seen some."""
        return sum(n for e, n in self.destinations.items() if e.family in INTERNET_FAMILIES and is_loopback(e.address))


def whole_calls(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield (name, text behind the opening parenthesis) of each call, with unfinished and resumed halves joined.

    A call that never resumed, because its thread ended or was killed, is yielded with what is there of it.
    """
    waiting: dict[str, tuple[str, str]] = {}
    for line in lines:
        line = line.rstrip("\n")
        resumed = _RESUMED.match(line)
        if resumed:
            call, head = waiting.pop(resumed["pid"] or "", (resumed["call"], ""))
            yield call, head + resumed["rest"]
            continue
        match = _LINE.match(line)
        if match is None or match["call"] not in TRACED_CALLS:
            continue
        if _UNFINISHED.search(match["rest"]):
            waiting[match["pid"] or ""] = (match["call"], _UNFINISHED.sub("", match["rest"]))
        else:
            yield match["call"], match["rest"]
    yield from waiting.values()


def _readable(arguments: str) -> str:
    """Return the arguments with quoted text blanked, so that a payload or a path is never taken for an address."""
    return _QUOTED.sub('""', _ADDRESS_TEXT.sub(r"\1<\2>", arguments))


def _endpoints(call: str, text: str) -> Iterator[Endpoint]:
    """Yield the socket addresses of one call; without an address the peer is the one that connect() named."""
    for match in _SOCKET_ADDRESS.finditer(text):
        family, body = match["family"], match["body"]
        if family not in INTERNET_FAMILIES:
            yield Endpoint(call, family)
            continue
        address = (_IPV4 if family == "AF_INET" else _IPV6).search(body)
        port = _PORT.search(body)
        if address and port:
            yield Endpoint(call, family, address.group(1), int(port.group(1)))
    if call in ("sendmsg", "sendmmsg"):
        unnamed = len(re.findall(r"msg_name=NULL", text))
        for _ in range(unnamed):
            yield Endpoint(call, "connected", "connected")
    elif call == "sendto" and re.search(r", NULL, 0(\)|$)", text):
        yield Endpoint(call, "connected", "connected")


def _expected(call: str, text: str) -> int:
    """Return how many destinations a call must have; -1 for a sendmmsg whose list is cut short."""
    if call != "sendmmsg":
        return 1
    count = re.search(r"\], (\d+), (?:0|MSG_|0x)", text)
    named = len(re.findall(r"msg_name=", text))
    return named if count and int(count.group(1)) == named else -1
