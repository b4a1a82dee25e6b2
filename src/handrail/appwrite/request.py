"""One call as it comes in, whichever face it came through."""

from dataclasses import dataclass, field

from handrail.approvals import Consent
from handrail.json_types import JsonMapping

__all__ = ["CallRequest"]


@dataclass(frozen=True, slots=True)
class CallRequest:
    """A method, its arguments, and what came along with them. All of it was written by the caller.

    Attributes:
        tool: the method's tool name.
        arguments: by their SDK names.
        surface: the face: a public tool's name, `direct` or `cli`.
        reads_only: refuse whatever is not proven to be a read.
        consent: what may speak for it.
        every: whether a bulk call that nothing narrows is meant so; counts only when it is exactly true.
        reveal: whether secrets are to be shown; counts only when it is exactly true.
        project: the name of a profile; None: the default one.
        page: which page of a long answer, from 1.
        pick: a JMESPath expression of what is wanted of the answer.
        save_as: the name of a file below the download root that takes the answer.
    """

    tool: str
    arguments: JsonMapping
    surface: str
    reads_only: bool = False
    consent: Consent = field(default_factory=Consent)
    every: object = None
    reveal: object = None
    project: str | None = None
    page: int = 1
    pick: str | None = None
    save_as: str | None = None
