"""`handrail runs answer`: the values that a run asks for."""

from collections.abc import Sequence
from functools import partial

from handrail.cli.output import print_json, print_line, print_note
from handrail.cli.runs.answers import answers_of
from handrail.cli.runs.asking import Asker, is_a_person_there
from handrail.cli.runs.opened import OWNER, whole_id, with_runs
from handrail.cli.runs.shown import answer_command, state_words
from handrail.errors import RefusedError, UsageError
from handrail.json_types import Json
from handrail.runs import Run, RunEngine, run_view

__all__ = ["NothingAskedError", "UnansweredError", "answer_run"]


class NothingAskedError(RefusedError):
    """The run asks nothing now. `data` holds `run_id` and `status`."""

    type = "nothing_asked"


class UnansweredError(UsageError):
    """No answer was given, and nobody is there who could be asked. `data["questions"]` lists what is asked."""

    type = "unanswered"


def answer_run(start: str, given: Sequence[str], *, decline: bool, as_json: bool) -> None:
    """Answer what a run asks, and print how it stands. Without values a person at the terminal is asked.

    Args:
        start: the run's id, or what no other run's id begins with.
        given: the values: see `answers_of`.
        decline: say of everything that it asks that nobody will answer it.
        as_json: print JSON.

    Raises:
        NothingAskedError: it asks nothing now.
        UnansweredError: there are no values, and no person.
        UsageError: values and `decline` at once, or a value that does not fit.
        RunNotFoundError: there is no such run.
        StoreError: the store of runs cannot be used.
    """
    if given and decline:
        raise UsageError("Values and --decline exclude each other.", next_step="Give one of them.")
    run = with_runs(partial(_answer, start=start, given=given, decline=decline))
    if as_json:
        print_json(run_view(run))
    else:
        print_line(state_words(run))


async def _answer(engine: RunEngine, *, start: str, given: Sequence[str], decline: bool) -> Run:
    run = await engine.get(await whole_id(engine, start), OWNER)
    if not run.questions:
        raise NothingAskedError(
            f"Run {run.run_id} asks nothing: it is {run.status.value}.",
            next_step=f"`handrail runs show {run.run_id}` shows it.",
            run_id=run.run_id,
            status=run.status.value,
        )
    if decline:
        return await engine.decline(run.run_id, OWNER, [question.key for question in run.questions])
    if given:
        return await engine.answer(run.run_id, OWNER, answers_of(run.questions, given))
    if not is_a_person_there():
        raise _unanswered(run)
    return await _ask(engine, run)


async def _ask(engine: RunEngine, run: Run) -> Run:
    asker = Asker(engine)
    for question in run.questions:
        answered = await asker.ask(run, question)
        if answered is None:
            print_note("Left open.")
            break
        run = answered
    return run


def _unanswered(run: Run) -> UnansweredError:
    asked: list[Json] = [{"key": one.key, "message": one.message, "schema": one.schema} for one in run.questions]
    first = run.questions[0]
    return UnansweredError(
        f"The run asks: {first.message}", next_step=f"{answer_command(run, first)}, or --decline.", questions=asked
    )
