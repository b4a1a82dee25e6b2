"""Why a call was not let through.

RefusedError
├── WritesOffError            writes are switched off
├── DeniedByRuleError         a rule of the user's says no
├── ConfirmationMissingError  a plain write without `confirm_write: true`
├── NeedsApprovalError        a person must agree first; `data` says how
├── DeclinedError             a person was asked, and did not agree
└── ApprovalInvalidError      what came along speaks for nothing, or not for this
"""

from enum import StrEnum

from handrail.errors import BusyError, RefusedError, UnavailableError, UsageError

__all__ = [
    "ActionError",
    "ApprovalInvalidError",
    "ApprovalTooLargeError",
    "ApprovalsFullError",
    "ApprovalsUnavailableError",
    "ConfirmationMissingError",
    "DeclinedError",
    "DeniedByRuleError",
    "InvalidKind",
    "NeedsApprovalError",
    "PolicyError",
    "WritesOffError",
]


class InvalidKind(StrEnum):
    """Why something that came with a call speaks for nothing. What is another caller's looks unknown."""

    UNKNOWN = "unknown"
    EXPIRED = "expired"
    USED = "used"
    ALTERED = "altered"
    DECLINED = "declined"


class WritesOffError(RefusedError):
    """Writes are switched off. `data` holds the hints and why the call is no read."""

    type = "writes_off"


class DeniedByRuleError(RefusedError):
    """A rule of the user's policy refuses the call. `data["rule"]` names it."""

    type = "denied_by_rule"


class ConfirmationMissingError(RefusedError):
    """A write came without its confirmation. `data` holds the method's hints and why it has them."""

    type = "confirmation_required"


class NeedsApprovalError(RefusedError):
    """A person must agree first. `data` holds `approval` (its id), `state`, `expires_at`, `why` and `preview`."""

    type = "needs_approval"


class DeclinedError(RefusedError):
    """A person was asked and did not agree, or not in time. `data["answer"]` holds what came back."""

    type = "declined"


class ApprovalInvalidError(RefusedError):
    """An approval, a token or a state that came along does not speak for this call. `data["kind"]` says why."""

    type = "approval_invalid"

    def __init__(self, kind: InvalidKind, message: str, *, next_step: str) -> None:
        super().__init__(message, next_step=next_step, kind=kind.value)
        self.kind = kind


class ApprovalsFullError(BusyError):
    """Too many approvals of one caller wait for a person. `data["limit"]` holds how many may."""

    type = "approvals_full"


class ApprovalTooLargeError(RefusedError):
    """There is more to look at than a person can approve. `data["limit"]` holds how many characters may be."""

    type = "approval_too_large"


class ApprovalsUnavailableError(UnavailableError):
    """Approvals cannot be kept here, so what needs one is not done. `data["cause"]` holds the error beneath."""

    type = "approvals_unavailable"


class ActionError(UsageError):
    """A call cannot be approved, because what it says can be read in more than one way. `data["problem"]`: which."""

    type = "action_unusable"


class PolicyError(UsageError):
    """The policy file cannot be used as it is. `data` holds `path`, and `line` where it is known."""

    type = "policy_invalid"
