"""The tables of approvals, and the number of their shape."""

from typing import Final

from handrail.storage import Dialect, Tables

__all__ = ["TABLES"]


def _statements(dialect: Dialect) -> tuple[str, ...]:
    """What makes the tables in an empty database.

    `spent` holds what was handed out once and came back: a row there is the only proof that it did. `rule_uses` counts
    how often a rule has spoken. `pin_guesses` has one row at most.
    """
    return (
        f"""CREATE TABLE approvals (
            seq {dialect.serial},
            approval_id TEXT NOT NULL UNIQUE,
            owner TEXT NOT NULL,
            digest TEXT NOT NULL,
            tool TEXT NOT NULL,
            project TEXT NOT NULL,
            summary TEXT NOT NULL,
            preview TEXT NOT NULL,
            state TEXT NOT NULL,
            created_at DOUBLE PRECISION NOT NULL,
            expires_at DOUBLE PRECISION NOT NULL
        )""",
        "CREATE INDEX approvals_by_owner ON approvals (owner, state, expires_at)",
        "CREATE INDEX approvals_by_end ON approvals (expires_at)",
        "CREATE TABLE spent (nonce TEXT PRIMARY KEY, expires_at DOUBLE PRECISION NOT NULL)",
        "CREATE TABLE rule_uses (rule TEXT PRIMARY KEY, uses INTEGER NOT NULL)",
        """CREATE TABLE pin_guesses (
            id INTEGER PRIMARY KEY,
            wrong INTEGER NOT NULL,
            locked_until DOUBLE PRECISION NOT NULL
        )""",
    )


TABLES: Final = Tables("approvals", 1, _statements)
"""What is kept of approvals. The number grows with each change."""
