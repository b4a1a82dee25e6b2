"""A PostgreSQL that does not answer, refuses, goes away or is not ours: said in words, never with the password."""

import builtins
import logging
import os
import signal
import socket
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from handrail.runs import RunStatus
from handrail.runs.store import Database, StoreError, StoreProblem, open_store
from handrail.runs.store.opening import TABLES
from handrail.runs.store.schema import SCHEMA
from handrail.storage.database import closing
from handrail.storage.postgres import open_postgres
from tests.runs.store.places import CANCELLED, NOW, OWNER, Place, ledger_of, request, started
from tests.runs.store.processes import output_of
from tests.runs.store.servers import PASSWORD, PostgresServer

SECRET = "canary-p4ss"


def _problem(url: str, home: Path = Path()) -> StoreError:
    with pytest.raises(StoreError) as caught:
        open_store(home, url)
    assert caught.value.next_step
    return caught.value


def _everything(error: BaseException) -> str:
    """All that a log, an answer or a traceback could show of it."""
    shown = error.as_json() if isinstance(error, StoreError) else ""
    return f"{error!r} {shown} {''.join(traceback.format_exception(error))}"


@pytest.fixture
def silent() -> Iterator[int]:
    """A port that takes connections and never says a word."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(5)
        yield int(listening.getsockname()[1])


def test_a_port_where_nothing_listens_is_unreachable() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        error = _problem(f"postgresql://me:{SECRET}@127.0.0.1:{taken.getsockname()[1]}/mine")

    assert (error.problem, error.problem.may_pass) == (StoreProblem.UNREACHABLE, True)
    assert error.message == "The store of runs mine at 127.0.0.1 cannot be used: nothing listens there."
    assert SECRET not in _everything(error)


def test_a_server_that_never_answers_is_unreachable_within_a_bound(silent: int) -> None:
    begin = time.monotonic()
    with pytest.raises(StoreError) as caught:
        open_postgres(f"postgresql://me:{SECRET}@127.0.0.1:{silent}/mine", TABLES, connect_seconds=2)

    assert caught.value.problem is StoreProblem.UNREACHABLE
    assert "does not answer" in caught.value.message
    assert SECRET not in _everything(caught.value)
    assert time.monotonic() - begin < 10


def test_a_wrong_password_is_refused_and_not_shown(postgres: PostgresServer) -> None:
    error = _problem(postgres.tcp_url(SECRET))

    assert error.problem is StoreProblem.UNREACHABLE
    assert "refuses this user or password" in error.message
    assert SECRET not in _everything(error)


def test_the_right_password_is_taken_whatever_characters_it_has(postgres: PostgresServer, schema: str) -> None:
    url = f"{postgres.tcp_url(PASSWORD)}?options={quote(f'-csearch_path={schema}')}"

    with closing(open_store(Path(), url)) as database:
        assert started(database).status is RunStatus.WORKING


@pytest.mark.promise("store-address-stays-secret")
@pytest.mark.parametrize(
    "url",
    [
        f"postgres//me:{SECRET}@127.0.0.1/db",
        f"postgresql://me:{SECRET}@127.0.0.1:1/db",
        f"postgresql://me:a/{SECRET}@127.0.0.1:1/db",
        f"postgresql://me:{SECRET}/b@127.0.0.1:1/db",
        f"postgresql://me:a@{SECRET}@127.0.0.1:1/db",
        f"postgresql://me:{SECRET}?b@127.0.0.1:1/db",
        f"postgresql://me:a?{SECRET}@127.0.0.1:1/db",
        f"postgresql://me:a%{SECRET}@127.0.0.1:1/db",
        f"postgresql://me:a#{SECRET}@127.0.0.1:1/db",
        f"postgresql://me:a {SECRET}@127.0.0.1:1/db",
        f"postgresql://127.0.0.1:1/db?password={SECRET}",
        f"postgresql://127.0.0.1:1/db?passwort={SECRET}",
        f"postgresql://127.0.0.1:{SECRET}/db",
        f"host=127.0.0.1 port=1 password={SECRET}",
        f"host=127.0.0.1 port=1 password='{SECRET}",
        f"{SECRET}",
        f"mysql://me:{SECRET}@127.0.0.1/db",
    ],
    ids=lambda url: url.replace(SECRET, "X"),
)
def test_nothing_of_a_password_is_ever_shown_however_the_address_is_mistyped(
    caplog: pytest.LogCaptureFixture, url: str
) -> None:
    caplog.set_level(logging.DEBUG)

    error = _problem(url)

    assert SECRET not in _everything(error)
    assert SECRET not in caplog.text
    assert error.problem in {StoreProblem.UNREACHABLE, StoreProblem.UNUSABLE}


def _cut(postgres: PostgresServer, database: Database) -> None:
    """End the connection from the server's side."""
    pid = database.read("SELECT pg_backend_pid()")[0][0]
    postgres.execute(f"SELECT pg_terminate_backend({pid}, 5000)")


def test_a_connection_that_was_cut_between_two_calls_is_made_anew(
    postgres: PostgresServer, postgres_place: Place
) -> None:
    with closing(postgres_place.open()) as database:
        run = started(database)
        _cut(postgres, database)
        assert ledger_of(database).get(run.run_id, OWNER, NOW) == run
        _cut(postgres, database)
        with database.write() as sql:
            assert sql("SELECT count(*) FROM runs") == [(1,)]
        _cut(postgres, database)
        second = started(database)
        assert ledger_of(database).known([run.run_id, second.run_id]) == {run.run_id, second.run_id}


def _problem_within(postgres: PostgresServer, database: Database, *more: str) -> StoreProblem | None:
    """What becomes of a transaction whose connection is cut before it says more."""
    try:
        with database.write() as sql:
            sql("UPDATE runs SET message = 'lost'")
            _cut(postgres, database)
            for statement in more:
                sql(statement)
    except StoreError as error:
        return error.problem
    return None


def test_a_connection_that_was_cut_within_a_transaction_loses_all_of_it_and_the_next_call_works(
    postgres: PostgresServer, postgres_place: Place
) -> None:
    with closing(postgres_place.open()) as database:
        run = started(database)
        assert _problem_within(postgres, database, "UPDATE runs SET message = 'lost too'") is StoreProblem.UNREACHABLE
        assert ledger_of(database).get(run.run_id, OWNER, NOW) == run
        assert ledger_of(database).end(run.run_id, OWNER, CANCELLED, NOW).status is RunStatus.CANCELLED


def test_a_connection_that_was_cut_before_its_commit_keeps_nothing(
    postgres: PostgresServer, postgres_place: Place
) -> None:
    with closing(postgres_place.open()) as database:
        run = started(database)
        assert _problem_within(postgres, database) is StoreProblem.UNREACHABLE
        assert ledger_of(database).get(run.run_id, OWNER, NOW) == run


@pytest.mark.parametrize("within", [False, True], ids=["read", "transaction"])
def test_a_server_that_stops_answering_is_unreachable_within_a_bound_and_the_next_call_works(
    postgres_place: Place, *, within: bool
) -> None:
    with closing(open_postgres(postgres_place.url, TABLES, answer_seconds=0.3)) as database:
        run = started(database)
        pid = int(database.read("SELECT pg_backend_pid()")[0][0] or 0)
        os.kill(pid, signal.SIGSTOP)
        try:
            with pytest.raises(StoreError) as caught:
                ledger_of(database).add(request(), NOW, limit=9) if within else database.read("SELECT 1")
        finally:
            os.kill(pid, signal.SIGCONT)

        assert caught.value.problem is StoreProblem.UNREACHABLE
        assert ledger_of(database).page(OWNER, NOW, limit=9, cursor=None).runs == (run,)


def test_a_store_of_a_newer_shape_is_left_alone(postgres: PostgresServer, postgres_place: Place, schema: str) -> None:
    with closing(postgres_place.open()) as database:
        started(database)
    postgres.execute("UPDATE runs_schema SET version = version + 1", schema=schema)

    error = _problem(postgres_place.url)

    assert error.problem is StoreProblem.NEWER
    assert postgres.execute("SELECT version FROM runs_schema", schema=schema) == [(SCHEMA + 1,)]
    assert postgres.execute("SELECT count(*) FROM runs", schema=schema) == [(1,)]


def _user(postgres: PostgresServer, name: str) -> None:
    if (name,) not in postgres.execute("SELECT rolname FROM pg_roles"):
        postgres.execute(f"CREATE ROLE {name} LOGIN")


def test_a_user_who_may_make_no_tables_is_told_so(postgres: PostgresServer, schema: str) -> None:
    _user(postgres, "reader")
    postgres.execute(f"GRANT USAGE ON SCHEMA {schema} TO reader")

    error = _problem(postgres.url(schema=schema, user="reader"))

    assert error.problem is StoreProblem.READ_ONLY
    assert "make tables" in str(error.next_step)


def test_a_user_who_may_make_no_tables_uses_those_that_there_are(
    postgres: PostgresServer, postgres_place: Place, schema: str
) -> None:
    postgres_place.open().close()
    _user(postgres, "writer")
    postgres.execute(f"GRANT USAGE ON SCHEMA {schema} TO writer")
    postgres.execute(f"GRANT ALL ON ALL TABLES IN SCHEMA {schema} TO writer")
    postgres.execute(f"GRANT ALL ON ALL SEQUENCES IN SCHEMA {schema} TO writer")

    with closing(open_store(Path(), postgres.url(schema=schema, user="writer"))) as database:
        assert started(database).status is RunStatus.WORKING


def test_tables_of_somebody_else_are_left_alone(postgres: PostgresServer, postgres_place: Place, schema: str) -> None:
    postgres.execute(f"CREATE TABLE {schema}.runs (marathon TEXT)")

    error = _problem(postgres_place.url)

    assert error.problem is StoreProblem.UNUSABLE
    assert "a database of its own" in str(error.next_step)
    assert postgres.execute(f"SELECT to_regclass('{schema}.runs_schema')") == [(None,)]


@pytest.mark.parametrize(("encoding", "fits"), [("LATIN1", False), ("SQL_ASCII", True), ("UTF8", True)])
def test_a_database_that_cannot_keep_every_character_is_refused(
    postgres: PostgresServer, encoding: str, *, fits: bool
) -> None:
    name = f"in_{encoding.lower()}"
    postgres.execute(f"CREATE DATABASE {name} ENCODING '{encoding}' TEMPLATE template0")

    if fits:
        with closing(open_store(Path(), postgres.url(database=name))) as database:
            asked = request(run_key="😀", text="😀 ü")
            assert started(database, asked) == started(database, asked)
            assert started(database, asked).arguments == asked.arguments
    else:
        assert "keeps text as LATIN1" in _problem(postgres.url(database=name)).message


def test_a_database_that_writes_only_for_some_is_read_only(postgres_place: Place) -> None:
    with closing(postgres_place.open()) as database:
        database.read("SET default_transaction_read_only = on")

        with pytest.raises(StoreError) as caught:
            started(database)

        assert caught.value.problem is StoreProblem.READ_ONLY


def test_without_its_driver_the_command_that_installs_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def without(name: str, *rest: object) -> object:
        if name.split(".", maxsplit=1)[0] == "psycopg":
            raise ImportError(f"No module named {name!r}")
        return real(name, *rest)  # type: ignore[arg-type]  # handed on as they came

    for name in [name for name in sys.modules if name.startswith(("psycopg", "handrail.storage.postgres"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", without)

    error = _problem(f"postgresql://me:{SECRET}@127.0.0.1/db", tmp_path)

    assert error.problem is StoreProblem.DRIVER_MISSING
    assert error.next_step == "Install it: pip install 'handrail[postgres]'."
    assert SECRET not in _everything(error)
    assert list(tmp_path.iterdir()) == []


def test_a_database_is_loaded_when_it_is_opened_and_never_the_other_one(tmp_path: Path) -> None:
    look = "print([name for name in ('sqlite3', 'psycopg') if name in sys.modules])"
    said = output_of(
        f"import sys; from pathlib import Path; from handrail.runs.store import open_store; {look}; "
        f"open_store(Path({str(tmp_path)!r})).close(); {look}"
    )
    assert said == "[]\n['sqlite3']\n"
