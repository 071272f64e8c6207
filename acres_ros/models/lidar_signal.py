"""What a LiDAR makes of a hit: is the echo strong enough, which distance and intensity does it report?

The echo of a diffuse surface of reflectivity rho, met at an angle of incidence i, is proportional to rho cos(i) / R^2.
The range at which a target of known reflectivity, met straight on, is just seen fixes the limit of all others:
R_max = R_0 sqrt(rho cos(i) / rho_0).
"""

from typing import NamedTuple

from acres_ros._compile import kernel
from acres_ros._record import Field, Record
from acres_ros.models.maths import sqrt
from acres_ros.models.streams import DROP_OUT_DRAW, hash_uniform, numbered_hash

OPTICS = Record(
    "OPTICS",
    (
        Field("nearest_m", "m", 0.1, "blind zone: nothing nearer gives an echo"),
        Field("farthest_m", "m", 150.0, "range: nothing farther is reported"),
        Field("limit_m", "m", 90.0, "distance at which the target below is just seen, straight on"),
        Field("limit_reflectivity", "-", 0.1, "reflectivity of that target"),
        Field("full_intensity", "-", 255.0, "intensity of a reflectivity of 1, straight on; the largest there is"),
        Field("leaf_cosine", "-", 0.5, "cosine of the incidence on leaves, whose mean over all directions is one half"),
        Field("sigma_m", "m", 0.0, "standard deviation of the distance, by distance", float, 3),
        Field("sigma_to_m", "m", 0.0, "distances up to which they hold; the last holds beyond, too", float, 3),
        Field("step_m", "m", 0.0, "resolution of the distance; 0: none"),
        Field("signal_sigma", "-", 0.0, "standard deviation of the strength of an echo, as a share of it"),
        Field("drop_out", "-", 0.0, "share of the echoes that are lost"),
        Field("body_share", "-", 1.0, "share of the beams onto the vehicle's own body that give an echo"),
    ),
)


class Optics(NamedTuple):
    """An OPTICS record as plain numbers: a loop over many beams then has nothing to read anew. Fields as there."""

    nearest_m: float
    farthest_m: float
    limit_m: float
    limit_reflectivity: float
    full_intensity: float
    leaf_cosine: float
    sigma_m: tuple[float, float, float]
    sigma_to_m: tuple[float, float, float]
    step_m: float
    signal_sigma: float
    drop_out: float
    body_share: float


@kernel
def plain_optics(record):
    """Return the `Optics` of an OPTICS record."""
    return Optics(
        record.nearest_m,
        record.farthest_m,
        record.limit_m,
        record.limit_reflectivity,
        record.full_intensity,
        record.leaf_cosine,
        (record.sigma_m[0], record.sigma_m[1], record.sigma_m[2]),
        (record.sigma_to_m[0], record.sigma_to_m[1], record.sigma_to_m[2]),
        record.step_m,
        record.signal_sigma,
        record.drop_out,
        record.body_share,
    )


@kernel
def _is_seen(optics, distance, strength):
    """Return whether an echo of a strength (reflectivity times cosine of the incidence) is seen from a distance (m)."""
    seen = strength * optics.limit_m * optics.limit_m >= optics.limit_reflectivity * distance * distance
    return seen & (strength > 0.0)


@kernel
def _round_up(value, step):
    """Return a positive value rounded to a whole number of steps."""
    return step * int(value / step + 0.5)


@kernel
def echo(optics, noisy, word, near, far, distance, brightness, blur):
    """Return the distance (m) and the intensity that are reported for a hit; a distance of 0 is no echo.

    Args:
        optics: Optics.
        noisy: whether distance and strength have noise, echoes are lost and distances have their resolution.
        word: hash of the beam.
        near, far: its two standard normal deviates.
        distance: of the hit, m.
        brightness: reflectivity times the cosine of the incidence.
        blur: standard deviation of the distance that rain and dust add, m.
    """
    # Without a branch: in a loop many beams run abreast.
    lost = not ((distance >= optics.nearest_m) & (distance <= optics.farthest_m))
    distance = optics.nearest_m if lost else distance
    strength, reported = brightness, distance
    if noisy:
        strength = brightness * (1.0 + optics.signal_sigma * far)
        sigma = optics.sigma_m[1] if distance <= optics.sigma_to_m[1] else optics.sigma_m[2]
        sigma = optics.sigma_m[0] if distance <= optics.sigma_to_m[0] else sigma
        sigma = sqrt(sigma * sigma + blur * blur) if blur > 0.0 else sigma
        reported = max(distance + sigma * near, optics.nearest_m)
        reported = _round_up(reported, optics.step_m) if optics.step_m > 0.0 else reported
        lost = lost | (hash_uniform(numbered_hash(word, DROP_OUT_DRAW)) < optics.drop_out)
    lost = lost | (not _is_seen(optics, distance, strength))
    return (0.0 if lost else reported), (0.0 if lost else min(strength, 1.0) * optics.full_intensity)
