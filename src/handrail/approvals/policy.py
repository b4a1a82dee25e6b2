"""Who must have agreed to a call before it is sent. Pure.

Levels of agreement: none < model < client < person. A read needs none; everything else needs the model's own
`confirm_write: true`. The higher levels have their words here already; what asks for them comes with the approvals.
"""

from dataclasses import dataclass
from enum import IntEnum

from handrail.hints import Effect

__all__ = ["Agreement", "Verdict", "decide"]


class Agreement(IntEnum):
    """How far up somebody agreed to a call."""

    NONE = 0
    MODEL = 1
    CLIENT = 2
    PERSON = 3


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a call may be sent: what it needs and what it has."""

    needed: Agreement
    reached: Agreement

    @property
    def allowed(self) -> bool:
        """Whether enough agreement was reached."""
        return self.reached >= self.needed


def decide(effect: Effect, *, confirmed: object) -> Verdict:
    """Judge a call by its effect and the confirmation that came with it.

    Args:
        effect: what the call does.
        confirmed: the caller's `confirm_write`. Only the boolean true counts: not 1, not "true".
    """
    needed = Agreement.NONE if effect.is_read else Agreement.MODEL
    return Verdict(needed, Agreement.MODEL if confirmed is True else Agreement.NONE)
