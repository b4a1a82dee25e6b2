"""Whatever text, size or number a run comes with: it is kept, or changed in a way that can be seen."""

import pytest

from handrail.json_types import Json
from handrail.runs import RunStatus, StartRequest
from handrail.runs.outcome import Outcome
from handrail.runs.store import Database
from tests.runs.store.places import LIMIT, NOW, OWNER, Place, claimed, ledger_of, started

MANY = 10 * 1024 * 1024
ODD = [
    ("plain", "plain"),
    ("😀 ünïcödé \u202e", "😀 ünïcödé \u202e"),
    ("a\0b", "a\\x00b"),
    ("\ud800x", "\\ud800x"),
    ("'; DROP TABLE runs; -- % ? %s", "'; DROP TABLE runs; -- % ? %s"),
    ("\r\n\t\x1b[31m", "\r\n\t\x1b[31m"),
    ("x" * 1_000_000, "x" * 1_000_000),
]


@pytest.mark.parametrize(("text", "kept"), ODD, ids=lambda text: repr(text[:12]))
def test_a_message_is_kept_whatever_is_in_it(database: Database, text: str, kept: str) -> None:
    run, attempt, _ = claimed(database)

    reported = attempt.report(text, NOW)
    assert reported is not None
    assert reported.message == kept
    end = attempt.end(Outcome(RunStatus.COMPLETED, text, result={"ok": True}), NOW)
    assert end is not None
    assert end.message == kept
    assert ledger_of(database).get(run.run_id, OWNER, NOW) == end


@pytest.mark.parametrize(("text", "kept"), ODD[:-1], ids=lambda text: repr(text[:12]))
def test_every_other_text_of_a_start_is_kept_and_found_again(database: Database, text: str, kept: str) -> None:
    ledger = ledger_of(database)
    asked = StartRequest(text, {text: text}, text, run_key=text, started_by=text)

    run = ledger.add(asked, NOW, limit=LIMIT)

    assert (run.agent, run.owner, run.run_key, run.started_by) == (kept, kept, kept, kept)
    assert ledger.get(run.run_id, text, NOW) == run
    assert ledger.add(asked, NOW, limit=LIMIT) == run
    assert [found.run_id for found in ledger.page(text, NOW, limit=5, cursor=None).runs] == [run.run_id]


@pytest.mark.parametrize("odd", ["a\0b", "😀", "\r\n", "x" * 1000, "\\x00", '"'])
def test_a_document_is_kept_to_the_letter(database: Database, odd: str) -> None:
    _, attempt, _ = claimed(database)
    document: Json = {odd: [odd, {"deep": odd}], "n": [0, -1, 2**70, 1e300, 0.1, True, None]}

    attempt.save(odd.replace("\0", ""), document)
    end = attempt.end(Outcome(RunStatus.COMPLETED, "done", result={"document": document}), NOW)

    assert end is not None
    assert end.result == {"document": document}
    assert attempt.saved() == {odd.replace("\0", ""): document}


def test_what_is_no_unicode_in_a_document_is_replaced(database: Database) -> None:
    _, attempt, _ = claimed(database)

    end = attempt.end(Outcome(RunStatus.COMPLETED, "done", result={"\ud800": ["\udfff"]}), NOW)

    assert end is not None
    assert end.result == {"?": ["?"]}


@pytest.mark.parametrize("character", ["x", "😀"])
def test_a_result_of_ten_megabytes_is_kept(place: Place, database: Database, character: str) -> None:
    run, attempt, _ = claimed(database)
    text = character * (MANY // len(character.encode()))

    attempt.end(Outcome(RunStatus.COMPLETED, "done", result={"text": text}), NOW)

    other = place.open()
    assert ledger_of(other).get(run.run_id, OWNER, NOW).result == {"text": text}
    other.close()


@pytest.mark.parametrize(("ttl", "kept"), [(None, None), (0, 0), (3_600_000, 3_600_000), (10**30, 2**63 - 1)])
def test_a_time_to_live_is_kept_up_to_what_the_database_can_hold(
    database: Database, ttl: int | None, kept: int | None
) -> None:
    assert started(database, StartRequest("agent", {}, OWNER, ttl_ms=ttl)).ttl_ms == kept
