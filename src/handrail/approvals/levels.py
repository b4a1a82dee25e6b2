"""How far up somebody agreed to a call, and how far up somebody must have. Pure.

Levels: none < model < client < person.
"""

from dataclasses import dataclass
from enum import IntEnum

__all__ = ["Admission", "Agreement", "Consent", "Need"]


class Agreement(IntEnum):
    """How far up somebody agreed to a call."""

    NONE = 0
    MODEL = 1
    CLIENT = 2
    PERSON = 3


@dataclass(frozen=True, slots=True)
class Consent:
    """What came with a call that may speak for it. All of it was written by the model.

    Attributes:
        confirm_write: counts only when it is exactly true.
        approval: the id of an approval that a person may have given.
        token: of a preview.
    """

    confirm_write: object = None
    approval: object = None
    token: object = None


@dataclass(frozen=True, slots=True)
class Admission:
    """That a call may be sent.

    Attributes:
        level: how far up somebody agreed.
        by: who and by what: `model: confirm_write`, `client: elicitation`, `person: handrail approve <id>`,
            `person: rule <name>`, `person: at the terminal`, `switch: writes=allow`, `read`.
    """

    level: Agreement
    by: str


@dataclass(frozen=True, slots=True)
class Need:
    """What a call needs before it may be sent.

    Attributes:
        level: how far up somebody must agree.
        why: in plain words; one entry a reason, none where nobody needs to agree.
        by_rule: whether a rule of the user's may stand for a person.
        by_token: whether the token of a preview may do, where the setting lets it.
        by_switch: whether `--writes allow` has spoken for it already.
    """

    level: Agreement
    why: tuple[str, ...] = ()
    by_rule: bool = True
    by_token: bool = False
    by_switch: bool = False
