"""What a LiDAR makes of a hit: is the echo strong enough, which distance and intensity does it report?

The echo of a diffuse surface of reflectivity rho, met at an angle of incidence i, is proportional to rho cos(i) / R^2.
The range at which a target of known reflectivity, met straight on, is just seen fixes the limit of all others:
R_max = R_0 sqrt(rho cos(i) / rho_0).
"""

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


@kernel
def _is_seen(optics, distance, strength):
    """Return whether an echo of a strength (reflectivity times cosine of the incidence) is seen from a distance (m)."""
    seen = strength * optics.limit_m * optics.limit_m >= optics.limit_reflectivity * distance * distance
    return seen and strength > 0.0


@kernel
def _round_up(value, step):
    """Return a positive value rounded to a whole number of steps."""
    return step * int(value / step + 0.5)


@kernel
def echo(optics, noisy, word, near, far, distance, brightness, blur):
    """Return the distance (m) and the intensity that are reported for a hit; a distance of 0 is no echo.

    Args:
        optics: OPTICS record.
        noisy: whether distance and strength have noise, echoes are lost and distances have their resolution.
        word: hash of the beam.
        near, far: its two standard normal deviates.
        distance: of the hit, m.
        brightness: reflectivity times the cosine of the incidence.
        blur: standard deviation of the distance that rain and dust add, m.
    """
    if not optics.nearest_m <= distance <= optics.farthest_m:
        return 0.0, 0.0
    strength, reported = brightness, distance
    if noisy:
        strength = brightness * (1.0 + optics.signal_sigma * far)
        sigma = optics.sigma_m[2]
        for part in range(2):
            if distance <= optics.sigma_to_m[1 - part]:
                sigma = optics.sigma_m[1 - part]
        if blur > 0.0:
            sigma = sqrt(sigma * sigma + blur * blur)
        reported = max(distance + sigma * near, optics.nearest_m)
        if optics.step_m > 0.0:
            reported = _round_up(reported, optics.step_m)
        if hash_uniform(numbered_hash(word, DROP_OUT_DRAW)) < optics.drop_out:
            return 0.0, 0.0
    if not _is_seen(optics, distance, strength):
        return 0.0, 0.0
    return reported, min(strength, 1.0) * optics.full_intensity
