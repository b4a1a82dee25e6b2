"""The tables of runs, and the number of their shape."""

from typing import Final

from handrail.storage.database import Dialect

__all__ = ["SCHEMA", "statements"]

SCHEMA: Final = 1
"""Grows with each change of the tables. A store of a higher number belongs to a newer Handrail and is left alone."""

_LIVE: Final = "status IN ('working', 'input_required')"


def statements(dialect: Dialect) -> tuple[str, ...]:
    """What makes the tables of `SCHEMA` in an empty database.

    `seq` orders runs by their start, whatever the clocks say. `worker` is who has taken a run, `child` the process
    that does it, `attempt` counts how often it was begun: what an earlier attempt still says is not taken.
    """
    return (
        f"""CREATE TABLE runs (
            seq {dialect.serial},
            run_id TEXT NOT NULL UNIQUE,
            owner TEXT NOT NULL,
            agent TEXT NOT NULL,
            arguments TEXT NOT NULL,
            run_key TEXT,
            started_by TEXT NOT NULL,
            resumable INTEGER NOT NULL,
            needs_environment INTEGER NOT NULL,
            ttl_ms BIGINT,
            status TEXT NOT NULL,
            reason TEXT,
            message TEXT NOT NULL,
            result TEXT,
            questions TEXT NOT NULL,
            answers TEXT NOT NULL,
            asked INTEGER NOT NULL,
            created_at DOUBLE PRECISION NOT NULL,
            updated_at DOUBLE PRECISION NOT NULL,
            revision INTEGER NOT NULL,
            attempt INTEGER NOT NULL,
            kept INTEGER NOT NULL,
            worker TEXT,
            child TEXT,
            lease_until DOUBLE PRECISION
        )""",
        "CREATE UNIQUE INDEX runs_by_key ON runs (owner, run_key) WHERE run_key IS NOT NULL",
        "CREATE INDEX runs_by_owner ON runs (owner, seq)",
        f"CREATE INDEX runs_live ON runs (seq) WHERE {_LIVE}",
        (
            "CREATE TABLE saved (run_id TEXT NOT NULL, name TEXT NOT NULL, document TEXT NOT NULL, "
            "PRIMARY KEY (run_id, name))"
        ),
    )
