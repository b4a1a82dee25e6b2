# ruff: noqa: S608  (statements are put together of our own words only; values are parameters)
"""The tables of the journal. What was said is never changed; the database itself sees to it.

journal_calls      what was said before a call
journal_ends       what became of it: said once by who made the call, and once by the rotation where nobody did
journal_archives   what has gone into files; only such rows can be deleted
"""

from typing import Final

from handrail.storage.database import Dialect

__all__ = ["SCHEMA", "statements"]

SCHEMA: Final = 1
"""Grows with each change of the tables."""

_TABLES: Final = ("journal_calls", "journal_ends", "journal_archives")
_NEVER_CHANGED: Final = "what the journal says is never changed"
_NOT_ARCHIVED: Final = "this row of the journal is in no archive yet"
_UP_TO: Final = "(SELECT coalesce(max(up_to), 0) FROM journal_archives)"


def statements(dialect: Dialect) -> tuple[str, ...]:
    """What makes the tables of `SCHEMA` in an empty database.

    `origin` is the machine and the process that said it, `size` the characters of `said`; `settled` is 1 for an end
    that the rotation wrote, which only counts where there is no other.
    """
    tables = (
        f"""CREATE TABLE journal_calls (
            seq {dialect.serial},
            journal_id TEXT NOT NULL UNIQUE,
            owner TEXT NOT NULL,
            began_at DOUBLE PRECISION NOT NULL,
            origin TEXT NOT NULL,
            said TEXT NOT NULL,
            size INTEGER NOT NULL
        )""",
        "CREATE INDEX journal_by_owner ON journal_calls (owner, seq, size)",
        """CREATE TABLE journal_ends (
            journal_id TEXT NOT NULL,
            settled INTEGER NOT NULL,
            outcome TEXT NOT NULL,
            status INTEGER,
            digest TEXT,
            ended_at DOUBLE PRECISION NOT NULL,
            PRIMARY KEY (journal_id, settled)
        )""",
        "CREATE TABLE journal_archives (number INTEGER PRIMARY KEY, up_to BIGINT NOT NULL, file TEXT NOT NULL)",
    )
    on_server = dialect.start_lock is not None
    return (*tables, *(_triggers_of_postgres() if on_server else _triggers_of_sqlite()))


def _triggers_of_sqlite() -> tuple[str, ...]:
    def trigger(name: str, event: str, table: str, words: str, when: str = "") -> str:
        return (
            f"CREATE TRIGGER {name} BEFORE {event} ON {table} {when and f'WHEN {when} '}"
            f"BEGIN SELECT RAISE(ABORT, '{words}'); END"
        )

    return (
        *(trigger(f"{table}_stay", "UPDATE", table, _NEVER_CHANGED) for table in _TABLES),
        trigger("journal_archives_remain", "DELETE", "journal_archives", _NEVER_CHANGED),
        trigger("journal_calls_remain", "DELETE", "journal_calls", _NOT_ARCHIVED, f"OLD.seq > {_UP_TO}"),
        trigger(
            "journal_ends_remain",
            "DELETE",
            "journal_ends",
            _NOT_ARCHIVED,
            f"NOT EXISTS (SELECT 1 FROM journal_calls WHERE journal_id = OLD.journal_id AND seq <= {_UP_TO})",
        ),
    )


def _triggers_of_postgres() -> tuple[str, ...]:
    def function(name: str, words: str, unless: str = "false") -> str:
        return (
            f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF {unless} THEN RETURN OLD; "
            f"END IF; RAISE EXCEPTION '{words}'; END $$"
        )

    def trigger(name: str, event: str, table: str, act: str, each: str = "ROW") -> str:
        return f"CREATE TRIGGER {name} BEFORE {event} ON {table} FOR EACH {each} EXECUTE FUNCTION {act}()"

    found = "SELECT 1 FROM journal_calls WHERE journal_id = OLD.journal_id"
    return (
        function("journal_stays", _NEVER_CHANGED),
        function("journal_calls_remain", _NOT_ARCHIVED, f"OLD.seq <= {_UP_TO}"),
        function("journal_ends_remain", _NOT_ARCHIVED, f"EXISTS ({found} AND seq <= {_UP_TO})"),
        *(trigger(f"{table}_stay", "UPDATE", table, "journal_stays") for table in _TABLES),
        *(trigger(f"{table}_whole", "TRUNCATE", table, "journal_stays", "STATEMENT") for table in _TABLES),
        trigger("journal_archives_remain", "DELETE", "journal_archives", "journal_stays"),
        trigger("journal_calls_remain", "DELETE", "journal_calls", "journal_calls_remain"),
        trigger("journal_ends_remain", "DELETE", "journal_ends", "journal_ends_remain"),
    )
