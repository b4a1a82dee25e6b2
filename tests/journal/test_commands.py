"""`handrail journal` and `handrail journal show`."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio
import pytest
from typer.testing import CliRunner, Result

from handrail.cli.app import app
from handrail.cli.journal import moment_of
from handrail.errors import ArgumentError
from handrail.journal import Bounds, JournalError, JournalIdError
from handrail.journal.archives import Archives
from handrail.journal.rotation import Rotation
from handrail.storage import closing
from tests.cli.terminal_process import Stream, at_terminal
from tests.journal.places import Kind, Place, entry

NOW = datetime(2026, 11, 30, 18, 0, tzinfo=UTC)
Invoke = Callable[..., Result]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """The home of the command."""
    monkeypatch.setenv("HANDRAIL_HOME", str(tmp_path))
    return Place(Kind.SQLITE, tmp_path)


@pytest.fixture
def invoke(home: Place) -> Invoke:
    """Runs a command in this process; its errors are raised."""
    assert home.home.is_dir()
    return lambda *arguments: CliRunner().invoke(app, ["journal", *arguments], catch_exceptions=False)


def _filled(place: Place, count: int, *, tool_id: str = "") -> list[str]:
    async def fill() -> list[str]:
        async with place.journal() as journal:
            ids = [await journal.note(entry(number), "done", status=200) for number in range(count)]
            return [*ids, await journal.note(entry(arguments={"row_id": tool_id}), "refused")]

    return anyio.run(fill)


def test_the_newest_row_is_the_last_one(home: Place, invoke: Invoke) -> None:
    ids = _filled(home, 3)

    lines = invoke().stdout.splitlines()

    assert lines[0].split() == ["id", "when", "(UTC)", "tool", "outcome", "status", "agreed", "by", "request"]
    assert [line.split()[0] for line in lines[1:]] == ids
    assert "tables_db_update_row  done     200     model: confirm_write  PUT /v1/rows/1" in lines[1]
    assert "refused" in lines[-1]


def test_the_json_has_every_field_in_the_same_order(home: Place, invoke: Invoke) -> None:
    ids = _filled(home, 3)

    shown = json.loads(invoke("--json", "--limit", "2").stdout)

    assert shown["more"] is True
    assert [row["id"] for row in shown["rows"]] == ids[-2:]
    assert shown["rows"][0]["arguments"] == {"row_id": "2"}


def test_more_rows_than_are_shown_are_pointed_at(home: Place, invoke: Invoke) -> None:
    _filled(home, 3)

    result = invoke("--limit", "2")

    assert len(result.stdout.splitlines()) == 3
    assert "handrail journal --limit 20" in result.stderr


def test_since_leaves_out_what_is_older(home: Place, invoke: Invoke) -> None:
    _filled(home, 2)

    assert len(json.loads(invoke("--json", "--since", "1h").stdout)["rows"]) == 3
    assert json.loads(invoke("--json", "--since", "2999-01-01").stdout) == {"rows": [], "more": False}
    assert "Nothing is in the journal since 2999-01-01" in invoke("--since", "2999-01-01").stderr


def test_an_empty_journal_says_so(invoke: Invoke) -> None:
    result = invoke()

    assert result.stdout == ""
    assert result.stderr == "Nothing is in the journal.\n"


def test_one_row_is_shown_with_all_that_is_known_of_it(home: Place, invoke: Invoke) -> None:
    first, *_ = _filled(home, 1)

    text = invoke("show", first[:20]).stdout

    for part in (first, "tables_db_update_row", "done", "readOnlyHint: False", "bulk, money", "model: confirm_write"):
        assert part in text
    assert '"row_id": "0"' in text
    assert json.loads(invoke("show", first, "--json").stdout)["id"] == first


def test_a_row_that_has_gone_into_an_archive_is_shown(home: Place, invoke: Invoke) -> None:
    ids = _filled(home, 9)
    with closing(home.open()) as database:
        Rotation(home.book(database), Archives(home.home), Bounds(rows=4), lambda: False).run()
    assert ids[0] not in home.ids()

    assert json.loads(invoke("show", ids[0], "--json").stdout)["arguments"] == {"row_id": "0"}
    assert [row["id"] for row in json.loads(invoke("--json").stdout)["rows"]] == ids


def test_a_row_that_is_none_is_named(invoke: Invoke) -> None:
    with pytest.raises(JournalIdError, match="There is no such row") as caught:
        invoke("show", "nothing")

    assert "handrail journal" in str(caught.value.next_step)


def test_a_journal_that_cannot_be_read_says_what_mends_it(home: Place, invoke: Invoke) -> None:
    (home.home / "journal.db").write_bytes(b"no database at all\n" * 500)

    with pytest.raises(JournalError, match="it cannot be read") as caught:
        invoke()

    assert caught.value.next_step


def test_hostile_text_of_a_row_cannot_move_the_cursor(home: Place, invoke: Invoke) -> None:
    hostile = "\x1b[2J\u202eabc\x07\ud800"
    *_, last = _filled(home, 0, tool_id=hostile)

    for output in (invoke().stdout, invoke("show", last).stdout, invoke("--json").stdout):
        assert not {"\x1b", "\u202e", "\x07", "\ud800"} & set(output)


def test_an_outcome_has_a_colour_only_on_a_terminal(home: Place, invoke: Invoke) -> None:
    first, last = _filled(home, 1)

    with at_terminal("journal", home=home.home, streams=(Stream.OUTPUT,)) as terminal:
        screen = terminal.rest()

    assert b"\x1b[32mdone" in screen
    assert b"\x1b[33mrefused" in screen
    assert first[:20].encode() in screen
    assert last.encode() not in screen  # as much as tells it apart
    assert "\x1b" not in invoke().stdout


@pytest.mark.unit
@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("90s", NOW - timedelta(seconds=90)),
        ("30m", NOW - timedelta(minutes=30)),
        ("1h", NOW - timedelta(hours=1)),
        ("7d", NOW - timedelta(days=7)),
        ("2w", NOW - timedelta(days=14)),
        ("2026-11-30", NOW.replace(hour=0)),
        ("2026-11-30T17:30", NOW - timedelta(minutes=30)),
        ("2026-11-30T17:30:00+02:00", NOW - timedelta(hours=2.5)),
        ("2026-11-30 17:30Z", NOW - timedelta(minutes=30)),
    ],
)
def test_since_is_an_age_or_a_time_in_utc(text: str, moment: datetime) -> None:
    assert moment_of(text, NOW) == moment


@pytest.mark.unit
@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "1",
        "h",
        "-1h",
        "1 h",
        "1.5h",
        "1y",
        "٣h",
        "999999d",
        "2026-13-01",
        "0001-01-01T00:00+14:00",
        "\0",
    ],
)
def test_a_since_that_is_no_time_is_refused_with_examples(text: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        moment_of(text, NOW)

    assert caught.value.argument == "since"
    assert "30m" in str(caught.value.next_step)
