"""Reading strace: recorded lines of strace 6.1, and what must not be mistaken for an address."""

from __future__ import annotations

import pytest

from acres_ros.fence.trace import Endpoint, Trace, whole_calls

IN = '{sa_family=AF_INET, sin_port=htons(%d), sin_addr=inet_addr("%s")}'
IN6 = (
    '{sa_family=AF_INET6, sin6_port=htons(%d), sin6_flowinfo=htonl(0), inet_pton(AF_INET6, "%s", &sin6_addr), '
    "sin6_scope_id=0}"
)


def read(*lines: str) -> Trace:
    return Trace().read(lines)


@pytest.mark.parametrize("address", ["127.0.0.1", "127.255.255.254"])
def test_loopback_datagram(address: str) -> None:
    trace = read(f'8109  sendto(3, ""..., 21, 0, {IN % (12900, address)}, 16) = 21')
    assert trace.destinations == {Endpoint("sendto", "AF_INET", address, 12900): 1}
    assert trace.escapes == [] and trace.unreadable == [] and trace.loopback_sends == 1


@pytest.mark.parametrize("address", ["10.77.0.2", "239.255.0.1", "255.255.255.255", "0.0.0.0", "128.0.0.1"])
@pytest.mark.parametrize("outcome", ["= 21", "= -1 EINVAL (Invalid argument)", "= -1 ENETUNREACH (x)"])
def test_datagram_to_elsewhere_counts_even_when_it_failed(address: str, outcome: str) -> None:
    trace = read(f'8109  sendto(3, ""..., 21, MSG_NOSIGNAL, {IN % (7400, address)}, 16) {outcome}')
    assert trace.escapes == [(Endpoint("sendto", "AF_INET", address, 7400), 1)]


@pytest.mark.parametrize(
    ("address", "local"),
    [("::1", True), ("::ffff:127.0.0.1", True), ("2001:db8::1", False), ("::ffff:10.0.0.1", False), ("ff02::1", False)],
)
def test_ipv6(address: str, local: bool) -> None:
    trace = read(f'8109  sendto(4, ""..., 1, 0, {IN6 % (9, address)}, 28) = 1')
    assert (trace.escapes == []) is local
    assert trace.destinations == {Endpoint("sendto", "AF_INET6", address, 9): 1}


def test_sendmsg_and_a_connected_peer() -> None:
    trace = read(
        f'1 sendmsg(3, {{msg_name={IN % (9, "10.0.0.9")}, msg_namelen=16, msg_iov=[{{iov_base=""..., iov_len=1}}, '
        '{iov_base=""..., iov_len=1}], msg_iovlen=2, msg_controllen=0, msg_flags=0}, 0) = 2',
        '1 sendmsg(3, {msg_name=NULL, msg_namelen=0, msg_iov=[{iov_base=""..., iov_len=1}], msg_iovlen=1, '
        "msg_controllen=0, msg_flags=0}, 0) = 1",
        '1 sendto(3, ""..., 1, 0, NULL, 0)   = 1',
    )
    assert [endpoint.address for endpoint, _ in trace.escapes] == ["10.0.0.9"]
    assert trace.destinations[Endpoint("sendmsg", "connected", "connected")] == 1
    assert trace.destinations[Endpoint("sendto", "connected", "connected")] == 1
    assert trace.unreadable == []


def _message(address: str) -> str:
    return (
        f'{{msg_hdr={{msg_name={IN % (9000, address)}, msg_namelen=16, msg_iov=[{{iov_base=""..., iov_len=10}}], '
        "msg_iovlen=1, msg_controllen=0, msg_flags=0}, msg_len=10}"
    )


def test_sendmmsg_names_every_destination() -> None:
    messages = ", ".join(_message(address) for address in ("127.0.0.1", "10.77.0.9", "127.0.0.2", "10.77.0.9"))
    trace = read(f"8109  sendmmsg(3, [{messages}], 4, 0) = 4")
    assert trace.escapes == [(Endpoint("sendmmsg", "AF_INET", "10.77.0.9", 9000), 2)]
    assert sum(trace.destinations.values()) == 4 and trace.unreadable == []


@pytest.mark.parametrize(
    "line",
    [
        "1 sendmmsg(3, [...], 40, 0)         = 40",
        f"1 sendmmsg(3, [{_message('127.0.0.1')}, ...], 40, 0) = 40",
        '1 sendto(3, ""..., 21, 0, 0x7ffd1000, 16) = -1 EFAULT (Bad address)',
        "1 sendmsg(3, 0x7ffd1000, 0) = -1 EFAULT (Bad address)",
        "1 connect(3, 0x7ffd1000, 16) = -1 EFAULT (Bad address)",
        "1 io_uring_setup(8, {flags=0}) = 5",
        "1 bind(3, 0x7ffd1000, 16) = -1 EFAULT (Bad address)",
    ],
)
def test_what_cannot_be_read_is_never_passed_over(line: str) -> None:
    assert len(read(line).unreadable) == 1


def test_unix_and_netlink_are_local_and_their_text_is_no_address() -> None:
    trace = read(
        '8109  connect(6, {sa_family=AF_UNIX, sun_path=@"acres {sa_family=AF_INET, \\"} x"}, 33) = 0',
        '8109  connect(14, {sa_family=AF_UNIX, sun_path="/var/run/nscd/socket"}, 110) = -1 ENOENT (No such file)',
        "8109  sendto(7, {nlmsg_len=0, nlmsg_type=0 /* NLMSG_??? */, nlmsg_flags=0, nlmsg_seq=0, nlmsg_pid=0}, 20, 0, "
        "{sa_family=AF_NETLINK, nl_pad=0x8e82, nl_pid=0, nl_groups=00000000}, 12) = 20",
    )
    assert trace.destinations == {Endpoint("connect", "AF_UNIX"): 2, Endpoint("sendto", "AF_NETLINK"): 1}
    assert trace.escapes == [] and trace.unreadable == [] and trace.loopback_sends == 0


def test_a_payload_is_no_address() -> None:
    payload = '"{sa_family=AF_INET, sin_port=htons(1), sin_addr=inet_addr(\\"10.0.0.1\\")}"'
    trace = read(f"1 sendto(3, {payload}, 70, 0, {IN % (9, '127.0.0.1')}, 16) = 70")
    assert trace.escapes == [] and trace.unreadable == []


def test_other_families_are_not_local() -> None:
    trace = read(
        "8109  socket(AF_PACKET, SOCK_RAW|SOCK_CLOEXEC, htons(0 /* ETH_P_??? */)) = 9",
        "1 socket(AF_INET, SOCK_RAW, IPPROTO_UDP) = 9",
        "1 socket(AF_CAN, SOCK_RAW, CAN_RAW) = 9",
        "1 socket(AF_INET, SOCK_DGRAM|SOCK_CLOEXEC, IPPROTO_IP) = 3",
        '8109  sendto(9, ""..., 60, 0, {sa_family=AF_PACKET, sll_protocol=htons(ETH_P_IP), '
        'sll_ifindex=if_nametoindex("lo"), sll_hatype=ARPHRD_NETROM, sll_pkttype=PACKET_HOST, sll_halen=0}, 20) = 60',
    )
    assert trace.foreign_sockets == ["AF_CAN", "AF_INET SOCK_RAW", "AF_PACKET"]
    assert trace.escapes == [(Endpoint("sendto", "AF_PACKET"), 1)]


def test_disconnecting_a_socket_sends_nothing() -> None:
    trace = read('1 connect(3, {sa_family=AF_UNSPEC, sa_data="\\0\\0"}, 16) = 0')
    assert trace.escapes == [] and trace.unreadable == []


def test_bound_addresses() -> None:
    trace = read(f"1 bind(3, {IN % (0, '127.0.0.1')}, 16) = 0", f"1 bind(4, {IN % (7400, '0.0.0.0')}, 16) = 0")
    assert trace.open_binds == [(Endpoint("bind", "AF_INET", "0.0.0.0", 7400), 1)]


@pytest.mark.parametrize(
    ("option", "joined"),
    [
        ('IP_ADD_MEMBERSHIP, {imr_multiaddr=inet_addr("239.255.0.1"), imr_interface=inet_addr("10.77.0.1")}, 8', 1),
        ('IP_ADD_MEMBERSHIP, {imr_multiaddr=inet_addr("239.255.0.1"), imr_interface=inet_addr("0.0.0.0")}, 12', 1),
        ('IP_ADD_MEMBERSHIP, {imr_multiaddr=inet_addr("239.255.0.1"), imr_interface=inet_addr("127.0.0.1")}, 8', 0),
        (
            'IPV6_ADD_MEMBERSHIP, {inet_pton(AF_INET6, "ff02::99", &ipv6mr_multiaddr), '
            'ipv6mr_interface=if_nametoindex("lo")}, 20',
            0,
        ),
        (
            'IPV6_ADD_MEMBERSHIP, {inet_pton(AF_INET6, "ff02::99", &ipv6mr_multiaddr), '
            'ipv6mr_interface=if_nametoindex("eth0")}, 20',
            1,
        ),
        (
            'MCAST_JOIN_GROUP, {gr_interface=if_nametoindex("eth0"), gr_group={sa_family=AF_INET, sin_port=htons(0), '
            'sin_addr=inet_addr("239.255.0.3")}}, 136',
            1,
        ),
        ("SO_REUSEADDR, [1], 4", 0),
    ],
)
def test_multicast_memberships(option: str, joined: int) -> None:
    assert len(read(f"8109  setsockopt(8, SOL_IP, {option}) = 0").memberships) == joined


def test_calls_of_threads_that_interrupt_each_other_are_joined() -> None:
    lines = [
        f'10 sendto(3, ""..., 21, 0, {IN % (9, "10.0.0.9")}, 16 <unfinished ...>',
        '11 sendto(4, ""..., 21, 0,  <unfinished ...>',
        "10 <... sendto resumed>) = 21",
        f"11 <... sendto resumed>{IN % (9, '127.0.0.1')}, 16) = 21",
        f"12 connect(5, {IN % (80, '10.0.0.8')}, 16 <unfinished ...>",
        "12 +++ killed by SIGKILL +++",
        "10 --- SIGCHLD {si_signo=SIGCHLD} ---",
    ]
    assert [call for call, _ in whole_calls(lines)] == ["sendto", "sendto", "connect"]
    trace = read(*lines)
    assert [endpoint.address for endpoint, _ in trace.escapes] == ["10.0.0.8", "10.0.0.9"]
    assert trace.unreadable == []


def test_lines_with_the_pid_in_brackets_or_without_one() -> None:
    trace = read(
        f'[pid   912] sendto(3, ""..., 1, 0, {IN % (9, "10.0.0.9")}, 16) = 1',
        f'sendto(3, ""..., 1, 0, {IN % (9, "10.0.0.9")}, 16) = 1',
    )
    assert trace.escapes == [(Endpoint("sendto", "AF_INET", "10.0.0.9", 9), 2)]
