"""The gate of `appwrite/calls.py` as it was before `Gate`. It goes once that file asks `Gate`."""

from dataclasses import dataclass

from handrail.approvals.levels import Agreement
from handrail.hints import Effect

__all__ = ["Verdict", "decide"]


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
