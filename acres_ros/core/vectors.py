"""Triples and quaternions of plain numbers, for what is asked for once in a while; the kernels have their own."""

from __future__ import annotations

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
"""x, y, z, w, as in ROS messages."""


def added(a: Vector, b: Vector) -> Vector:
    """Return the sum."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def cross(a: Vector, b: Vector) -> Vector:
    """Return the vector product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def turned(q: Quaternion, v: Vector) -> Vector:
    """Return a vector turned by a unit quaternion."""
    axis = (q[0], q[1], q[2])
    tx, ty, tz = cross(axis, v)
    twice = (2.0 * tx, 2.0 * ty, 2.0 * tz)
    px, py, pz = cross(axis, twice)
    return v[0] + q[3] * twice[0] + px, v[1] + q[3] * twice[1] + py, v[2] + q[3] * twice[2] + pz


def turned_back(q: Quaternion, v: Vector) -> Vector:
    """Return a vector turned by the inverse of a unit quaternion."""
    return turned((-q[0], -q[1], -q[2], q[3]), v)
