"""How long an answer asks to be left alone."""

import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Final

from handrail.appwrite.results.failures import rate_limit

__all__ = ["asked_wait"]

_LONGEST_NUMBER: Final = 15  # digits


def asked_wait(headers: Mapping[str, str]) -> float | None:
    """Seconds that the server asks to wait for, or until its limit is reset; None where it says neither.

    Args:
        headers: of the answer, names in lower case.
    """
    after = _retry_after(headers.get("retry-after", "").strip())
    if after is not None:
        return after
    reset = (rate_limit(headers) or {}).get("reset")
    ahead = reset - time.time() if isinstance(reset, int) else 0
    return ahead if ahead > 0 else None


def _retry_after(text: str) -> float | None:
    """Seconds of a number or a moment; None where it is neither."""
    if text.isascii() and text.isdigit() and len(text) <= _LONGEST_NUMBER:
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except (ValueError, OverflowError):
        return None
