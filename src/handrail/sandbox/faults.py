"""Misbehaviour on demand: what a client must withstand, asked for by a test or by a header."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum

__all__ = ["Fault", "FaultKind", "Faults"]


class FaultKind(StrEnum):
    """What happens instead of the true answer."""

    HTML = "html"
    NO_CONTENT = "no_content"
    EMPTY = "empty"
    HALF_BODY = "half_body"
    NOT_JSON = "not_json"
    HANG = "hang"
    DROP_BEFORE = "drop_before"
    DROP_AFTER = "drop_after"
    RATE_LIMIT = "rate_limit"
    SERVER_ERROR = "server_error"
    REDIRECT = "redirect"

    @property
    def applies_first(self) -> bool:
        """Whether the request does its work before the answer is spoiled, unless the fault says otherwise."""
        return self in {
            FaultKind.NO_CONTENT,
            FaultKind.EMPTY,
            FaultKind.HALF_BODY,
            FaultKind.NOT_JSON,
            FaultKind.DROP_AFTER,
        }


@dataclass(frozen=True, slots=True)
class Fault:
    """One misbehaviour.

    Attributes:
        kind: what happens.
        times: how many matching requests it spoils; None means all of them.
        method: only requests with this HTTP method, or None for any.
        path: only requests whose path (after `/v1`) begins with this.
        applied: whether the request does its work first; None means as the kind has it.
        retry_after_s: seconds in `Retry-After` of a rate limit.
        location: where a redirect points.
    """

    kind: FaultKind
    times: int | None = 1
    method: str | None = None
    path: str = ""
    applied: bool | None = None
    retry_after_s: int = 1
    location: str = "http://elsewhere.invalid/v1/"

    @property
    def does_work(self) -> bool:
        """Whether the request reaches the state."""
        return self.kind.applies_first if self.applied is None else self.applied

    def matches(self, method: str, path: str) -> bool:
        """Whether this fault spoils such a request."""
        return (self.method is None or self.method.upper() == method) and path.startswith(self.path)


@dataclass(slots=True)
class Faults:
    """The faults that wait for requests, first come first taken.

    Attributes:
        header_enabled: whether a request may ask for a fault itself, with `X-Sandbox-Fault: <kind>`.
    """

    header_enabled: bool = False
    _waiting: list[Fault] = field(default_factory=list)

    def add(self, fault: Fault) -> None:
        """Let `fault` spoil the next requests that match it."""
        self._waiting.append(fault)

    def clear(self) -> None:
        """Behave again."""
        self._waiting.clear()

    @contextmanager
    def during(self, fault: Fault) -> Iterator[None]:
        """Every matching request inside the block meets `fault`; afterwards no request does."""
        endless = replace(fault, times=None)
        self._waiting.append(endless)
        try:
            yield
        finally:
            self._waiting = [waiting for waiting in self._waiting if waiting is not endless]

    def take(self, method: str, path: str, asked: str | None = None) -> Fault | None:
        """The fault that this request meets, which is used up by it.

        Args:
            method: HTTP method in capitals.
            path: the path after `/v1`.
            asked: the value of the control header, ignored unless `header_enabled` and a known kind.
        """
        wanted = next((kind for kind in FaultKind if kind == asked), None) if self.header_enabled else None
        if wanted is not None:
            return Fault(wanted)
        for place, fault in enumerate(self._waiting):
            if fault.matches(method, path):
                self._use_up(place, fault)
                return fault
        return None

    def _use_up(self, place: int, fault: Fault) -> None:
        if fault.times is None:
            return
        if fault.times > 1:
            self._waiting[place] = replace(fault, times=fault.times - 1)
        else:
            del self._waiting[place]
