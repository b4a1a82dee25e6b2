"""Who must have agreed to a call before it is sent, and the keeping of what they agreed to. Knows of no backend.

gate = Gate(ApprovalBook(lambda: home_folder(settings)), mode=Mode.CONFIRM, policy=load_policy(path, required=False))
admission = await gate.admit(action, Consent(confirm_write=...), call, preview)

What a person at a terminal needs stands in modules of its own: `opening` and `pin`.
"""

from handrail.approvals.action import Action, Mode, grave_of
from handrail.approvals.asking import Answer, Asker
from handrail.approvals.errors import (
    ActionError,
    ApprovalInvalidError,
    ApprovalsFullError,
    ApprovalsUnavailableError,
    ApprovalTooLargeError,
    ConfirmationMissingError,
    DeclinedError,
    DeniedByRuleError,
    InvalidKind,
    NeedsApprovalError,
    PolicyError,
    WritesOffError,
)
from handrail.approvals.gate import Gate, Preview
from handrail.approvals.levels import Admission, Agreement, Consent, Need
from handrail.approvals.opening import ApprovalBook
from handrail.approvals.rule_file import load_policy
from handrail.approvals.rules import Policy

__all__ = [
    "Action",
    "ActionError",
    "Admission",
    "Agreement",
    "Answer",
    "ApprovalBook",
    "ApprovalInvalidError",
    "ApprovalTooLargeError",
    "ApprovalsFullError",
    "ApprovalsUnavailableError",
    "Asker",
    "ConfirmationMissingError",
    "Consent",
    "DeclinedError",
    "DeniedByRuleError",
    "Gate",
    "InvalidKind",
    "Mode",
    "Need",
    "NeedsApprovalError",
    "Policy",
    "PolicyError",
    "Preview",
    "WritesOffError",
    "grave_of",
    "load_policy",
]
