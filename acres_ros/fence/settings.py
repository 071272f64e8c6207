"""The environment of a process inside the loopback fence.

The same list of settings serves `environment()` (a whole environment for a child process), `apply()` (this process)
and `variables()` (set and unset actions of a launch file).
Source: spec, Design Choices, section The DDS Loopback Fence.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, MutableMapping
from pathlib import Path

from acres_ros.fence.errors import DomainError, MiddlewareError, ProfileError

DEFAULT_DOMAIN = 77
HIGHEST_DOMAIN = 101
DOMAIN_VARIABLE = "ACRES_DOMAIN_ID"
DEFAULT_MIDDLEWARE = "rmw_fastrtps_cpp"
FAST_DDS = ("rmw_fastrtps_cpp", "rmw_fastrtps_dynamic_cpp")
CYCLONE_DDS = "rmw_cyclonedds_cpp"
ZENOH = "rmw_zenoh_cpp"
MIDDLEWARES = (*FAST_DDS, CYCLONE_DDS, ZENOH)

FAST_DDS_PROFILE = Path(__file__).resolve().parent / "fastdds.xml"
CYCLONE_DDS_SETTINGS = Path(__file__).resolve().parent / "cyclonedds.xml"

# Fast DDS 2 reads the first name, Fast DDS 3 the second.
PROFILE_VARIABLES = ("FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE")

# Each of these can add a transport, a peer or a server beside the fence's own, or replace its settings.
REMOVED = (
    "ROS_LOCALHOST_ONLY",
    "ROS_STATIC_PEERS",
    "ROS_DISCOVERY_SERVER",
    "ROS_SUPER_CLIENT",
    "FASTDDS_BUILTIN_TRANSPORTS",
    "FASTDDS_ENVIRONMENT_FILE",
    "RMW_FASTRTPS_USE_QOS_FROM_XML",
    "ZENOH_SESSION_CONFIG_URI",
    "ZENOH_ROUTER_CONFIG_URI",
)


def domain_id(value: object, source: str) -> int:
    """Return a domain identifier as a number.

    Args:
        value: a whole number, or its decimal digits.
        source: where it came from, for the message.

    Raises:
        DomainError: it is not a whole number from 0 to 101 (above, the ports meet those that Linux gives out).
    """
    number = value if isinstance(value, int) and not isinstance(value, bool) else None
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,4}", value.strip()):
        number = int(value)
    if number is None or not 0 <= number <= HIGHEST_DOMAIN:
        raise DomainError(value, source)
    return number


def chosen_domain(base: Mapping[str, str], domain: int | str | None = None) -> int:
    """Return the domain: the caller's, else ACRES_DOMAIN_ID of `base`, else 77.

    ROS_DOMAIN_ID of `base` is not asked, because on a workstation it can be the real vehicle's.
    """
    if domain is not None:
        return domain_id(domain, "The domain")
    if base.get(DOMAIN_VARIABLE, "").strip():
        return domain_id(base[DOMAIN_VARIABLE], DOMAIN_VARIABLE)
    return DEFAULT_DOMAIN


def chosen_middleware(base: Mapping[str, str], rmw: str | None = None) -> str:
    """Return the RMW implementation: the caller's, else RMW_IMPLEMENTATION of `base`, else Fast DDS.

    Raises:
        MiddlewareError: the fence has no settings for it.
    """
    name = rmw or base.get("RMW_IMPLEMENTATION", "").strip() or DEFAULT_MIDDLEWARE
    if name not in MIDDLEWARES:
        raise MiddlewareError(name, MIDDLEWARES)
    return name


def read_settings(path: Path) -> str:
    """Return the text of a settings file.

    Raises:
        ProfileError: it is missing, unreadable or empty.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ProfileError(path, getattr(error, "strerror", None) or str(error)) from error
    if not text.strip():
        raise ProfileError(path, "it is empty")
    return text


def cyclone_uri(path: Path = CYCLONE_DDS_SETTINGS) -> str:
    """Return the Cyclone DDS settings on one line, without comments, as CYCLONEDDS_URI takes them."""
    text = re.sub(r"<!--.*?-->", "", read_settings(path), flags=re.DOTALL)
    return re.sub(r">\s+<", "><", text).strip()


def zenoh_port(domain: int) -> int:
    """Return the TCP port of the fence's Zenoh router.

    Each domain has its own, off the well-known 7447, where a router of another machine's graph may already answer.
    """
    return 7500 + domain


def zenoh_override(domain: int, *, router: bool = False) -> str:
    """Return ZENOH_CONFIG_OVERRIDE for the nodes, or for `rmw_zenohd` itself.

    Args:
        domain: domain identifier.
        router: True for the router, which listens where the nodes connect to.
    """
    door = f'["tcp/127.0.0.1:{zenoh_port(domain)}"]'
    ends = (
        f"connect/endpoints=[];listen/endpoints={door}"
        if router
        else f'connect/endpoints={door};listen/endpoints=["tcp/127.0.0.1:0"]'
    )
    return f"{ends};scouting/multicast/enabled=false"


def variables(
    base: Mapping[str, str] | None = None,
    *,
    domain: int | str | None = None,
    rmw: str | None = None,
    zenoh_router: bool = False,
    profile: Path = FAST_DDS_PROFILE,
) -> list[tuple[str, str | None]]:
    """Return the variables of the fence in order; a value of None means that the variable is unset.

    Settings for every known middleware are there whichever is chosen, so that a change of RMW_IMPLEMENTATION inside a
    fenced shell stays inside.

    Args:
        base: environment that the choices are read from; this process's by default.
        domain: domain identifier, 0 to 101.
        rmw: RMW implementation.
        zenoh_router: True for the environment of `rmw_zenohd`.
        profile: Fast DDS profile.

    Raises:
        FenceError: a domain, middleware or settings file that cannot be used.
    """
    base = os.environ if base is None else base
    number = chosen_domain(base, domain)
    read_settings(profile)
    return [
        (DOMAIN_VARIABLE, str(number)),
        ("ROS_DOMAIN_ID", str(number)),
        ("RMW_IMPLEMENTATION", chosen_middleware(base, rmw)),
        # Any other range makes the RMW add transports or peers of its own beside the profile's.
        ("ROS_AUTOMATIC_DISCOVERY_RANGE", "SYSTEM_DEFAULT"),
        *((name, str(profile)) for name in PROFILE_VARIABLES),
        # A DEFAULT_FASTRTPS_PROFILES.xml in the working directory would replace the fence's default profile.
        ("SKIP_DEFAULT_XML_FILE", "1"),
        ("CYCLONEDDS_URI", cyclone_uri()),
        ("ZENOH_CONFIG_OVERRIDE", zenoh_override(number, router=zenoh_router)),
        *((name, None) for name in REMOVED),
    ]


def environment(
    base: Mapping[str, str] | None = None,
    *,
    domain: int | str | None = None,
    rmw: str | None = None,
    zenoh_router: bool = False,
    profile: Path = FAST_DDS_PROFILE,
) -> dict[str, str]:
    """Return `base` with the fence's variables set and unset: the environment of a fenced process.

    Arguments and errors are those of `variables`.
    """
    result = dict(os.environ if base is None else base)
    apply(result, domain=domain, rmw=rmw, zenoh_router=zenoh_router, profile=profile)
    return result


def apply(
    target: MutableMapping[str, str] | None = None,
    *,
    domain: int | str | None = None,
    rmw: str | None = None,
    zenoh_router: bool = False,
    profile: Path = FAST_DDS_PROFILE,
) -> None:
    """Put the fence's variables into `target` (this process's environment by default, before rclpy.init)."""
    target = os.environ if target is None else target
    for name, value in variables(target, domain=domain, rmw=rmw, zenoh_router=zenoh_router, profile=profile):
        if value is None:
            target.pop(name, None)
        else:
            target[name] = value


def without_fence(base: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return `base` with every variable of the fence taken out and the domain kept: the middleware's own defaults.

    The proof uses it inside a network of its own, to show that the same programs are caught without the fence.
    """
    base = os.environ if base is None else base
    result = {**base, "ROS_DOMAIN_ID": str(chosen_domain(base))}
    rmw = chosen_middleware(base)
    for name, _ in variables(base):
        if name != "ROS_DOMAIN_ID":
            result.pop(name, None)
    result["RMW_IMPLEMENTATION"] = rmw
    return result


def problems(environ: Mapping[str, str] | None = None, directory: Path | None = None) -> list[str]:
    """Return what keeps an environment from being the fence's, in words; an empty list means that it is.

    Args:
        environ: environment of the process.
        directory: its working directory.
    """
    environ = os.environ if environ is None else environ
    directory = Path.cwd() if directory is None else directory
    found = []
    given = environ.get("ROS_DOMAIN_ID", "")
    try:
        number = domain_id(given, "ROS_DOMAIN_ID")
    except DomainError:
        found.append(f"ROS_DOMAIN_ID is {given!r}: a domain from 0 to 101 must be named")
        number = DEFAULT_DOMAIN
    for name in REMOVED:
        if environ.get(name, "") != "":
            found.append(f"{name} is {environ[name]!r}: it must not be set")
    try:
        rmw = chosen_middleware(environ)
    except MiddlewareError as error:
        return [*found, str(error)]
    if rmw == ZENOH:
        accepted = [zenoh_override(number), zenoh_override(number, router=True)]
        if environ.get("ZENOH_CONFIG_OVERRIDE") not in accepted:
            found.append(f"ZENOH_CONFIG_OVERRIDE is not the fence's: {accepted[0]}")
        return found
    if environ.get("ROS_AUTOMATIC_DISCOVERY_RANGE") != "SYSTEM_DEFAULT":
        found.append(
            f"ROS_AUTOMATIC_DISCOVERY_RANGE is {environ.get('ROS_AUTOMATIC_DISCOVERY_RANGE', 'not set')!r}: it must be "
            "'SYSTEM_DEFAULT', so that the settings below decide"
        )
    if rmw == CYCLONE_DDS:
        if environ.get("CYCLONEDDS_URI") != cyclone_uri():
            found.append("CYCLONEDDS_URI does not hold the fence's settings")
        return found
    return found + _profile_problems(environ, directory)


def _profile_problems(environ: Mapping[str, str], directory: Path) -> list[str]:
    """Return what is wrong with the Fast DDS profile; it is compared by content, as installs may have copies."""
    found = []
    wanted = read_settings(FAST_DDS_PROFILE)
    for name in PROFILE_VARIABLES:
        if not environ.get(name):
            found.append(f"{name} is not set: it must name the fence's profile")
            continue
        try:
            if read_settings(Path(environ[name])) != wanted:
                found.append(f"{name} names {environ[name]}, which is not the fence's profile")
        except ProfileError as error:
            found.append(f"{name}: {error}")
    if environ.get("SKIP_DEFAULT_XML_FILE") != "1":
        for name in ("DEFAULT_FASTRTPS_PROFILES.xml", "DEFAULT_FASTDDS_PROFILES.xml"):
            if (directory / name).exists():
                found.append(f"{directory / name} would replace the fence's profile: set SKIP_DEFAULT_XML_FILE=1")
    return found
