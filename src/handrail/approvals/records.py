"""One approval: what it is for, and where it stands."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum, StrEnum, auto
from typing import Final

from handrail.approvals.errors import InvalidKind
from handrail.json_types import JsonObject

__all__ = ["LIFETIME_S", "Approval", "ApprovalState", "Asked", "Redeemed", "document_text", "iso"]

LIFETIME_S: Final = 600.0
"""Seconds from its making to the end of an approval, given or not."""


class ApprovalState(StrEnum):
    """Where an approval stands. Only `pending` and `approved` can still change."""

    PENDING = "pending"
    APPROVED = "approved"
    DECLINED = "declined"
    USED = "used"
    EXPIRED = "expired"


class Redeemed(Enum):
    """What became of using an approval that is not refused."""

    DONE = auto()
    NOT_YET = auto()


@dataclass(frozen=True, slots=True)
class Asked:
    """What a person is asked to approve.

    Attributes:
        owner: who called.
        digest: of the action.
        tool: its tool.
        project: where it goes.
        summary: one line for people.
        preview: everything that is known of it beforehand.
    """

    owner: str
    digest: str
    tool: str
    project: str
    summary: str
    preview: JsonObject


@dataclass(frozen=True, slots=True)
class Approval:
    """One approval. Times are in seconds since 1970.

    Attributes:
        approval_id: 128 bits, in hex.
        asked: what it is for.
        state: where it stands, as of the moment at which it was read.
        created_at: when it was asked for.
        expires_at: when it ends, given or not.
    """

    approval_id: str
    asked: Asked
    state: ApprovalState
    created_at: float
    expires_at: float

    @property
    def refusal(self) -> InvalidKind | None:
        """Why it speaks for nothing any more; None where it may still."""
        return _REFUSALS.get(self.state)

    def as_json(self) -> JsonObject:
        """The approval as every face shows it."""
        return {
            "approval": self.approval_id,
            "state": self.state.value,
            "tool": self.asked.tool,
            "project": self.asked.project,
            "owner": self.asked.owner,
            "summary": self.asked.summary,
            "created_at": iso(self.created_at),
            "expires_at": iso(self.expires_at),
            "preview": self.asked.preview,
        }


_REFUSALS: Final = {
    ApprovalState.DECLINED: InvalidKind.DECLINED,
    ApprovalState.USED: InvalidKind.USED,
    ApprovalState.EXPIRED: InvalidKind.EXPIRED,
}


def iso(moment: float) -> str:
    """A moment in seconds since 1970 as text, in UTC."""
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def document_text(document: JsonObject) -> str:
    """A document as it is kept; what is no text in it is written out."""
    return json.dumps(document, ensure_ascii=True, separators=(",", ":"))
