"""The address of a PostgreSQL database: what of it is used, and what of it may be shown."""

from typing import Final, TypeAlias

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

__all__ = ["completed_address", "shown_address"]

Options: TypeAlias = dict[str, str | int]

_UNTOLD: Final = "of HANDRAIL_DATABASE_URL"

# A peer that is gone without a word is noticed after a quarter of a minute, and not after the system's hours.
_DEAD_PEER: Final[Options] = {
    "keepalives": 1,
    "keepalives_idle": 5,
    "keepalives_interval": 3,
    "keepalives_count": 3,
    "tcp_user_timeout": 15_000,
}


def completed_address(url: str, *, connect_seconds: float) -> str | None:
    """The address with everything that it leaves open, or None where it is none."""
    asked = _parts(url)
    if asked is None:
        return None
    ours: Options = {"connect_timeout": round(connect_seconds), "application_name": "handrail", **_DEAD_PEER}
    left_open = {name: value for name, value in ours.items() if name not in asked}
    return make_conninfo(url, **left_open, client_encoding="utf-8")


def shown_address(url: str) -> str:
    """The database and its host, for people; nothing of an address in which a part of a password may stand there.

    A password with a character that should have been percent-encoded (`@`, `/`, `?`) is taken for other parts.
    """
    parts = _parts(url)
    if not parts or not parts.get("port", "0").replace(",", "").isdigit():
        return _UNTOLD
    name, host = parts.get("dbname", ""), parts.get("host", "")
    if any(sign in name for sign in "@/:?") or any(sign in host for sign in "@?"):
        return _UNTOLD
    return f"{name or 'of the user'} at {host or 'the local socket'}"


def _parts(url: str) -> dict[str, str] | None:
    try:
        return {name: str(value) for name, value in conninfo_to_dict(url).items()}
    except (psycopg.Error, UnicodeError):  # the latter for `%` before what is no code of a character
        return None
