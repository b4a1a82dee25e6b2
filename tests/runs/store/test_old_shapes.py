"""A store that an earlier release wrote is read, and goes on, on both databases."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from handrail.runs import RunReason, RunStatus
from handrail.runs.store import Database, RunAttempt, RunQueue
from handrail.runs.store.schema import SCHEMA
from handrail.storage.database import closing
from tests.runs.store.places import CHILD, DONE, HERE, LIMIT, NOW, OTHER, OWNER, Kind, Place, ledger_of, request

OLD = sorted((Path(__file__).parent / "old").glob("schema_*.sql"))


def _id(number: int) -> str:
    return f"{number:044x}"


def _fill(place: Place, dump: str) -> None:
    if place.kind is Kind.SQLITE:
        connection = sqlite3.connect(place.home / "runs.db")
        connection.executescript(dump)
        connection.close()
        return
    lines = [line for line in dump.splitlines() if "sqlite_sequence" not in line and not line.startswith("PRAGMA")]
    script = "\n".join(lines).replace("INTEGER PRIMARY KEY AUTOINCREMENT", "BIGSERIAL PRIMARY KEY")
    with psycopg.connect(place.url, autocommit=True) as server:
        server.execute("BEGIN")
        server.execute(script.replace("BEGIN TRANSACTION;", "").encode())
        server.execute("SELECT setval('runs_seq_seq', (SELECT max(seq) FROM runs))")
        server.execute("CREATE TABLE runs_schema (version INTEGER NOT NULL)")
        server.execute("INSERT INTO runs_schema VALUES (1)")
        server.execute("COMMIT")


@pytest.fixture(params=OLD, ids=lambda path: path.stem)
def old(place: Place, request: pytest.FixtureRequest) -> Iterator[Database]:
    """A store of an earlier shape, opened by this release."""
    path: Path = request.param
    _fill(place, path.read_text(encoding="utf-8"))
    with closing(place.open()) as database:
        yield database


def test_there_is_a_store_of_every_shape_there_has_been() -> None:
    assert [path.stem for path in OLD] == [f"schema_{number}" for number in range(1, SCHEMA + 1)]


@pytest.mark.promise("store-reads-older-shapes")
def test_every_run_of_an_old_store_is_shown_as_it_was(old: Database) -> None:
    runs = {run.run_id: run for run in ledger_of(old).page(OWNER, NOW, limit=50, cursor=None).runs}

    assert {(int(run_id, 16), run.status, run.reason, run.kept) for run_id, run in runs.items()} == {
        (1, RunStatus.COMPLETED, None, True),
        (2, RunStatus.CANCELLED, RunReason.CANCELLED, False),
        (3, RunStatus.FAILED, RunReason.REJECTED, False),
        (4, RunStatus.INPUT_REQUIRED, None, False),
        (5, RunStatus.FAILED, RunReason.INTERRUPTED, False),
        (6, RunStatus.WORKING, None, False),
        (7, RunStatus.WORKING, None, False),
    }
    done = ledger_of(old).get(_id(1), OWNER, NOW)
    assert (done.arguments, done.result) == ({"n": 1, "text": "ü 😀"}, {"ok": True, "list": [1, 2.5, None]})
    asking = ledger_of(old).get(_id(4), OWNER, NOW)
    assert [(asked.key, asked.message, asked.schema) for asked in asking.questions] == [
        ("q2", "which?", {"type": "string"})
    ]
    assert (runs[_id(7)].ttl_ms, runs[_id(7)].started_by) == (3_600_000, "mark")


def test_an_old_store_goes_on(old: Database) -> None:
    ledger, queue = ledger_of(old), RunQueue(old, OTHER)

    assert ledger.add(request(run_key="key", n=7), NOW, limit=LIMIT).run_id == _id(7)
    new = ledger.add(request(), NOW, limit=LIMIT)
    (held,) = queue.others()
    assert (held.run.run_id, held.worker, held.child) == (_id(4), HERE, CHILD)
    queue.give_up(held.run, HERE, "the release changed", NOW)
    assert RunAttempt(old, _id(4), 2).saved() == {"part": [1]}
    taken = [claim.run.run_id for claim in iter(lambda: queue.claim(NOW, handed=[]), None)]
    assert taken == [_id(4), _id(7), _id(8), new.run_id]
    assert RunAttempt(old, _id(7), 1).end(DONE, NOW) is not None
    assert ledger.page(OWNER, NOW, limit=1, cursor=None).runs[0].run_id == new.run_id
