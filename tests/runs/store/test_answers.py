"""Questions of a run, their answers, and what the run reads of them."""

import pytest

from handrail.errors import ArgumentError
from handrail.json_types import JsonObject
from handrail.runs import Run, RunStatus
from handrail.runs.store import Database, RunAttempt
from tests.runs.store.places import CANCELLED, DONE, HERE, NOW, OWNER, Place, all_at_once, claimed, ledger_of, request

NUMBER: JsonObject = {"type": "integer", "minimum": 1}
TEXT: JsonObject = {"type": "string"}


def _asking(database: Database) -> tuple[Run, RunAttempt]:
    """A run that asks for a number (q1) and for a text (q2)."""
    _, attempt, _ = claimed(database)
    asked = [attempt.ask("how many?", NUMBER, NOW), attempt.ask("which?", TEXT, NOW)]
    assert [found and found[0] for found in asked] == ["q1", "q2"]
    assert asked[-1] is not None
    return asked[-1][1], attempt


def test_a_run_that_asks_waits_for_input_and_shows_its_questions(database: Database) -> None:
    run, _ = _asking(database)

    assert run.status is RunStatus.INPUT_REQUIRED
    assert [(question.key, question.message, question.schema) for question in run.questions] == [
        ("q1", "how many?", NUMBER),
        ("q2", "which?", TEXT),
    ]
    assert ledger_of(database).get(run.run_id, OWNER, NOW) == run


def test_answers_come_one_by_one_and_the_run_works_on_after_the_last(database: Database) -> None:
    run, attempt = _asking(database)
    ledger = ledger_of(database)

    first = ledger.answer(run.run_id, OWNER, {"q2": "this"}, NOW)
    assert (first.status, [question.key for question in first.questions]) == (RunStatus.INPUT_REQUIRED, ["q1"])
    assert attempt.answers() == {"q2": {"value": "this"}}
    second = ledger.answer(run.run_id, OWNER, {"q1": 3}, NOW)

    assert (second.status, second.questions) == (RunStatus.WORKING, ())
    assert attempt.answers() == {"q1": {"value": 3}, "q2": {"value": "this"}}


def test_an_answer_that_is_taken_is_gone(database: Database) -> None:
    run, attempt = _asking(database)
    ledger_of(database).answer(run.run_id, OWNER, {"q1": 3, "q2": "this"}, NOW)

    left = attempt.withdraw("q1", NOW)

    assert left is not None
    assert left.status is RunStatus.WORKING
    assert attempt.answers() == {"q2": {"value": "this"}}


def test_a_question_that_is_withdrawn_cannot_be_answered_any_more(database: Database) -> None:
    run, attempt = _asking(database)
    attempt.withdraw("q1", NOW)

    found = ledger_of(database).answer(run.run_id, OWNER, {"q1": 3}, NOW)

    assert (found.status, [question.key for question in found.questions]) == (RunStatus.INPUT_REQUIRED, ["q2"])
    assert attempt.answers() == {}


@pytest.mark.parametrize("answers", [{"q1": 0, "q2": "this"}, {"q2": 5}, {"q1": "3"}, {"q1": 3, "q2": None}])
def test_answers_of_which_one_does_not_fit_are_not_taken_at_all(database: Database, answers: JsonObject) -> None:
    run, attempt = _asking(database)

    with pytest.raises(ArgumentError):
        ledger_of(database).answer(run.run_id, OWNER, answers, NOW)

    assert ledger_of(database).get(run.run_id, OWNER, NOW) == run
    assert attempt.answers() == {}


def test_unknown_keys_are_ignored(database: Database) -> None:
    run, attempt = _asking(database)
    ledger = ledger_of(database)

    assert ledger.answer(run.run_id, OWNER, {"q9": 1, "": 2, "\ud800": 3}, NOW) == run
    assert ledger.decline(run.run_id, OWNER, ["q9"], NOW) == run
    found = ledger.answer(run.run_id, OWNER, {"q9": 1, "q1": 2}, NOW)
    assert [question.key for question in found.questions] == ["q2"]
    assert attempt.answers() == {"q1": {"value": 2}}


def test_a_second_answer_to_the_same_question_changes_nothing(database: Database) -> None:
    run, attempt = _asking(database)
    ledger = ledger_of(database)
    first = ledger.answer(run.run_id, OWNER, {"q1": 1}, NOW)

    assert ledger.answer(run.run_id, OWNER, {"q1": 2}, NOW) == first
    assert ledger.decline(run.run_id, OWNER, ["q1"], NOW) == first
    assert attempt.answers() == {"q1": {"value": 1}}


def test_of_many_answers_at_once_one_is_taken(place: Place, database: Database) -> None:
    run, attempt = _asking(database)

    found = all_at_once(place, 8, lambda own, n: ledger_of(own).answer(run.run_id, OWNER, {"q1": n + 1}, NOW))

    assert len([item for item in found if isinstance(item, Run)]) == 8
    assert ledger_of(database).get(run.run_id, OWNER, NOW).revision == run.revision + 1
    answers = attempt.answers()
    assert answers is not None
    assert list(answers) == ["q1"]


def test_a_declined_question_is_settled(database: Database) -> None:
    run, attempt = _asking(database)

    found = ledger_of(database).decline(run.run_id, OWNER, ["q1", "q2"], NOW)

    assert (found.status, found.questions) == (RunStatus.WORKING, ())
    assert attempt.answers() == {"q1": {"declined": True}, "q2": {"declined": True}}


def test_keys_are_never_given_twice(database: Database) -> None:
    run, attempt = _asking(database)
    attempt.withdraw("q1", NOW)
    ledger_of(database).answer(run.run_id, OWNER, {"q2": "this"}, NOW)

    asked = attempt.ask("again?", TEXT, NOW)

    assert asked is not None
    assert asked[0] == "q3"


def test_the_next_attempt_asks_anew_under_other_keys(database: Database) -> None:
    run, attempt, queue = claimed(database, request(resumable=True))
    attempt.ask("how many?", NUMBER, NOW)
    ledger_of(database).answer(run.run_id, OWNER, {"q1": 1}, NOW)
    queue.give_up(run, HERE, "crashed", NOW)
    queue.claim(NOW, handed=[])
    second = RunAttempt(database, run.run_id, 2)

    assert second.answers() == {}
    asked = second.ask("how many?", NUMBER, NOW)
    assert asked is not None
    assert asked[0] == "q2"


def test_an_answer_after_the_end_changes_nothing(database: Database) -> None:
    run, attempt = _asking(database)
    end = attempt.end(DONE, NOW)

    assert ledger_of(database).answer(run.run_id, OWNER, {"q1": "wrong"}, NOW) == end
    assert attempt.answers() is None
    assert attempt.ask("still there?", TEXT, NOW) is None


def test_a_cancelled_run_has_no_answers_to_read(database: Database) -> None:
    run, attempt = _asking(database)
    ledger_of(database).answer(run.run_id, OWNER, {"q1": 1}, NOW)
    ledger_of(database).end(run.run_id, OWNER, CANCELLED, NOW)

    assert attempt.answers() is None
    assert "value" not in str(database.read("SELECT answers FROM runs"))
