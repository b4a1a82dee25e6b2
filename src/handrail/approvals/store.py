# ruff: noqa: S608  (statements are put together of our own words only; values are parameters)
"""What is approved, used up and counted, in one database for all processes of a home.

Whatever may happen once is decided by one statement that changes a row only where it still may be changed.
"""

import json
import secrets
from typing import Final

from handrail.approvals.errors import ApprovalsFullError, ApprovalTooLargeError, InvalidKind
from handrail.approvals.records import LIFETIME_S, Approval, ApprovalState, Asked, Redeemed, document_text, iso
from handrail.storage import Database, Row, Sql, Value

__all__ = ["MAX_PENDING", "ApprovalStore"]

MAX_PENDING: Final = 100
"""How many approvals of one caller may wait for a person at once."""
_ID_BYTES: Final = 16
_MOST_SHOWN: Final = 1024 * 1024  # characters of a preview, beyond which nobody reads it anyway
_KEPT_S: Final = 24 * 3600.0  # how long what is over can still be told from what never was
_COLUMNS: Final = "approval_id, owner, digest, tool, project, summary, preview, state, created_at, expires_at"
_OPEN: Final = f"state IN ('{ApprovalState.PENDING}', '{ApprovalState.APPROVED}')"


class ApprovalStore:
    """The approvals of one home. Blocks the thread. Times are in seconds since 1970.

    Args:
        database: holds the tables of `schema`.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()

    def create(self, asked: Asked, now: float) -> Approval:
        """Ask for an approval; what the same caller asks already for the same deed is not asked twice.

        Raises:
            ApprovalsFullError: too many of this caller's wait already.
            ApprovalTooLargeError: there is more to look at than a person can.
        """
        shown = document_text(asked.preview)
        if len(shown) > _MOST_SHOWN:
            raise ApprovalTooLargeError(
                f"What a person would have to look at has {len(shown)} characters, and {_MOST_SHOWN} is the most.",
                next_step="Do it in smaller parts.",
                limit=_MOST_SHOWN,
            )
        approval = Approval(secrets.token_hex(_ID_BYTES), asked, ApprovalState.PENDING, now, now + LIFETIME_S)
        with self._database.write() as sql:
            _sweep(sql, now)
            same = self._pending_of(sql, asked, now)
            if same is not None:
                return same
            _require_room(sql, asked.owner)
            sql(
                f"INSERT INTO approvals ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    approval.approval_id,
                    asked.owner,
                    asked.digest,
                    asked.tool,
                    asked.project,
                    asked.summary,
                    shown,
                    approval.state.value,
                    approval.created_at,
                    approval.expires_at,
                ),
            )
        return approval

    def pending(self, owner: str, digest: str, now: float) -> Approval | None:
        """What this caller asks already for this deed."""
        rows = self._database.read(_PENDING, (owner, digest, now))
        return _approval(rows[0], now) if rows else None

    def get(self, approval_id: str, now: float) -> Approval | None:
        """The approval of that id, whoever asked for it."""
        rows = self._database.read(f"SELECT {_COLUMNS} FROM approvals WHERE approval_id = ?", (approval_id,))
        return _approval(rows[0], now) if rows else None

    def beginning(self, start: str, now: float) -> list[Approval]:
        """Those whose id begins so; two at most, as more mean no more than two do."""
        rows = self._database.read(
            f"SELECT {_COLUMNS} FROM approvals WHERE substr(approval_id, 1, ?) = ? ORDER BY seq LIMIT 2",
            (len(start), start),
        )
        return [_approval(row, now) for row in rows]

    def waiting(self, now: float) -> list[Approval]:
        """Those that wait for a person, oldest first."""
        rows = self._database.read(
            f"SELECT {_COLUMNS} FROM approvals WHERE state = ? AND expires_at > ? ORDER BY seq",
            (ApprovalState.PENDING.value, now),
        )
        return [_approval(row, now) for row in rows]

    def approve(self, approval_id: str, now: float) -> bool:
        """A person agrees. False where it does not wait for that any more."""
        return self._change(
            "UPDATE approvals SET state = ? WHERE approval_id = ? AND state = ? AND expires_at > ? RETURNING seq",
            (ApprovalState.APPROVED.value, approval_id, ApprovalState.PENDING.value, now),
        )

    def decline(self, approval_id: str, now: float) -> bool:
        """A person says no, also after a yes that was not used yet. False where it is over already."""
        return self._change(
            f"UPDATE approvals SET state = ? WHERE approval_id = ? AND {_OPEN} AND expires_at > ? RETURNING seq",
            (ApprovalState.DECLINED.value, approval_id, now),
        )

    def redeem(self, approval_id: str, *, owner: str, digest: str, now: float) -> InvalidKind | Redeemed:
        """Use an approval up, once in all processes.

        Returns:
            `DONE` where this very call used it; `NOT_YET` where nobody has agreed; else why it speaks for nothing.
        """
        used = self._change(
            "UPDATE approvals SET state = ? WHERE approval_id = ? AND owner = ? AND digest = ? AND state = ? "
            "AND expires_at > ? RETURNING seq",
            (ApprovalState.USED.value, approval_id, owner, digest, ApprovalState.APPROVED.value, now),
        )
        if used:
            return Redeemed.DONE
        found = self.get(approval_id, now)
        if found is None or found.asked.owner != owner:
            return InvalidKind.UNKNOWN
        if found.asked.digest != digest:
            return InvalidKind.ALTERED
        # One that was agreed to in between the two looks is as good as pending: the next call uses it.
        return found.refusal or Redeemed.NOT_YET

    def spend(self, nonce: str, expires_at: float) -> bool:
        """Use up what was handed out once. False where it was used before."""
        return self._change(
            "INSERT INTO spent (nonce, expires_at) VALUES (?, ?) ON CONFLICT (nonce) DO NOTHING RETURNING nonce",
            (nonce, expires_at),
        )

    def use_rule(self, rule: str, times: int) -> bool:
        """Count one use of a rule. False where it has spoken as often as it may."""
        return self._change(
            "INSERT INTO rule_uses (rule, uses) VALUES (?, 1) ON CONFLICT (rule) DO UPDATE "
            "SET uses = rule_uses.uses + 1 WHERE rule_uses.uses < ? RETURNING uses",
            (rule, times),
        )

    def begin_guess(self, now: float, *, most: int, lock_s: float) -> float | None:
        """Count a guess at the PIN before it is looked at, so that guesses at the same time count as well.

        Returns:
            None where it may be looked at, else until when no guess is.
        """
        with self._database.write() as sql:
            sql("INSERT INTO pin_guesses (id, wrong, locked_until) VALUES (1, 0, 0) ON CONFLICT (id) DO NOTHING")
            begun = sql(
                "UPDATE pin_guesses SET wrong = CASE WHEN wrong + 1 >= ? THEN 0 ELSE wrong + 1 END, "
                "locked_until = CASE WHEN wrong + 1 >= ? THEN ? ELSE 0 END "
                "WHERE id = 1 AND locked_until <= ? RETURNING id",
                (most, most, now + lock_s, now),
            )
            return None if begun else float(sql("SELECT locked_until FROM pin_guesses WHERE id = 1")[0][0] or 0)

    def forget_guesses(self) -> None:
        """The PIN was right: wrong guesses count from nothing."""
        self._change("DELETE FROM pin_guesses WHERE id = 1 RETURNING id", ())

    def _change(self, statement: str, parameters: tuple[Value, ...]) -> bool:
        with self._database.write() as sql:
            return bool(sql(statement, parameters))

    @staticmethod
    def _pending_of(sql: Sql, asked: Asked, now: float) -> Approval | None:
        rows = sql(_PENDING, (asked.owner, asked.digest, now))
        return _approval(rows[0], now) if rows else None


_PENDING: Final = (
    f"SELECT {_COLUMNS} FROM approvals WHERE owner = ? AND digest = ? AND state = '{ApprovalState.PENDING}' "
    "AND expires_at > ? ORDER BY seq DESC LIMIT 1"
)


def _sweep(sql: Sql, now: float) -> None:
    """End what has run out of time, and forget what has been over for long."""
    sql(f"UPDATE approvals SET state = ? WHERE {_OPEN} AND expires_at <= ?", (ApprovalState.EXPIRED.value, now))
    sql("DELETE FROM approvals WHERE expires_at <= ?", (now - _KEPT_S,))
    sql("DELETE FROM spent WHERE expires_at <= ?", (now - _KEPT_S,))


def _require_room(sql: Sql, owner: str) -> None:
    found = sql(
        "SELECT count(*), min(expires_at) FROM approvals WHERE owner = ? AND state = ?",
        (owner, ApprovalState.PENDING.value),
    )[0]
    if int(found[0] or 0) >= MAX_PENDING:
        raise ApprovalsFullError(
            f"{MAX_PENDING} approvals wait for a person already, and no more may.",
            next_step="Have a person look at them (`handrail approvals`), or wait: the oldest ends at "
            f"{iso(float(found[1] or 0))}.",
            limit=MAX_PENDING,
        )


def _approval(row: Row, now: float) -> Approval:
    approval_id, owner, digest, tool, project, summary, preview, state, created_at, expires_at = row
    shown = json.loads(str(preview))
    asked = Asked(str(owner), str(digest), str(tool), str(project), str(summary), shown)
    stands = ApprovalState(str(state))
    if stands in {ApprovalState.PENDING, ApprovalState.APPROVED} and float(expires_at or 0) <= now:
        stands = ApprovalState.EXPIRED
    return Approval(str(approval_id), asked, stands, float(created_at or 0), float(expires_at or 0))
