"""Which addresses stay on this machine."""

from __future__ import annotations

import ipaddress


def is_loopback(address: str) -> bool:
    """Return True for 127.0.0.0/8, for ::1 and for their IPv4-mapped forms; False for everything else."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    mapped = getattr(parsed, "ipv4_mapped", None)
    return (mapped or parsed).is_loopback
