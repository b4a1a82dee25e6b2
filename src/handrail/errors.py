"""Errors that a person or a model can act on.

    HandrailError
    ├── UsageError            the call itself is wrong: mend it and call again
    │   └── ArgumentError     one argument is wrong, missing or unknown
    ├── NotFoundError         the name or id means nothing here
    ├── RefusedError          understood, and not done: a gate said no
    ├── BusyError             understood, not now: a queue or a slot is full
    └── UnavailableError      something needed is missing or does not answer

Every error carries a machine-readable `type`, a sentence, the next step, and its data. Nobody parses the sentence.
Rooms derive their own classes from these.
"""

from typing import ClassVar

from handrail.json_types import Json, JsonObject

__all__ = [
    "ArgumentError",
    "BusyError",
    "HandrailError",
    "NotFoundError",
    "RefusedError",
    "UnavailableError",
    "UsageError",
]


class HandrailError(Exception):
    """Base of all errors that Handrail raises on purpose.

    Attributes:
        type: a stable word for programs, such as `argument_invalid`.
        message: one sentence for people.
        next_step: what to do about it, or None.
        data: what the sentence was made of.
    """

    type: ClassVar[str] = "error"

    def __init__(self, message: str, *, next_step: str | None = None, **data: Json) -> None:
        super().__init__(message)
        self.message = message
        self.next_step = next_step
        self.data: JsonObject = data

    def as_json(self) -> JsonObject:
        """The error as every face shows it: `{type, code, message, next}`, and `data` where there is some."""
        shown: JsonObject = {"type": self.type, "code": None, "message": self.message, "next": self.next_step}
        return {**shown, "data": self.data} if self.data else shown


class UsageError(HandrailError):
    """The call is wrong; the same call will never work."""

    type = "usage"


class ArgumentError(UsageError):
    """One argument is of a wrong type, missing, or unknown. `argument` names it."""

    type = "argument_invalid"

    def __init__(self, message: str, *, argument: str, next_step: str | None = None, **data: Json) -> None:
        super().__init__(message, next_step=next_step, argument=argument, **data)
        self.argument = argument


class NotFoundError(HandrailError):
    """A name or an id means nothing here, or belongs to somebody else."""

    type = "not_found"


class RefusedError(HandrailError):
    """The call was understood and is not done: a switch or a missing confirmation says no."""

    type = "refused"


class BusyError(HandrailError):
    """Everything is in use; the same call may work later."""

    type = "busy"


class UnavailableError(HandrailError):
    """Something that the call needs is missing, broken or does not answer."""

    type = "unavailable"
