"""The commands of `handrail runs` and their options. Each one's work is loaded when it runs."""

from typing import Annotated

import typer

__all__ = ["runs_app"]

runs_app = typer.Typer(help="The runs of the home folder: look at them, follow, answer, cancel.", rich_markup_mode=None)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
RunId = Annotated[str, typer.Argument(help="A run's id, or how it begins.")]
Limit = Annotated[int, typer.Option("--limit", min=1, help="How many at most.")]

_LIMIT = 50


@runs_app.callback(invoke_without_command=True)
def runs(context: typer.Context, as_json: AsJson = False, limit: Limit = _LIMIT) -> None:
    """The runs of the home folder, newest first."""
    from handrail.cli.runs.looking import list_runs

    if context.invoked_subcommand is None:
        list_runs(limit=limit, as_json=as_json)


@runs_app.command("list")
def runs_list(as_json: AsJson = False, limit: Limit = _LIMIT) -> None:
    """The runs, newest first."""
    from handrail.cli.runs.looking import list_runs

    list_runs(limit=limit, as_json=as_json)


@runs_app.command("show")
def runs_show(run_id: RunId, as_json: AsJson = False) -> None:
    """One run: where it stands, what it asks, where its record is."""
    from handrail.cli.runs.looking import show_run

    show_run(run_id, as_json=as_json)


@runs_app.command("watch")
def runs_watch(
    run_id: RunId,
    as_json: Annotated[bool, typer.Option("--json", help="Print a line of JSON for each change.")] = False,
) -> None:
    """Follow a run to its end. Ctrl-C stops the watching, never the run."""
    from handrail.cli.runs.watching import watch_run

    raise typer.Exit(watch_run(run_id, as_json=as_json))


@runs_app.command("cancel")
def runs_cancel(run_id: RunId, as_json: AsJson = False) -> None:
    """End a run. One that has ended stays as it is, which is exit code 1."""
    from handrail.cli.runs.acting import cancel_run

    raise typer.Exit(cancel_run(run_id, as_json=as_json))


@runs_app.command("result")
def runs_result(
    run_id: RunId, as_json: Annotated[bool, typer.Option("--json", help="On one line, for machines.")] = False
) -> None:
    """The whole result of a run, as JSON."""
    from handrail.cli.runs.looking import show_result

    show_result(run_id, as_json=as_json)


@runs_app.command("keep")
def runs_keep(
    run_id: RunId,
    no_longer: Annotated[bool, typer.Option("--not", help="No longer than every other run.")] = False,
    as_json: AsJson = False,
) -> None:
    """Keep a run and its record for ever."""
    from handrail.cli.runs.acting import keep_run

    keep_run(run_id, kept=not no_longer, as_json=as_json)


@runs_app.command("answer")
def runs_answer(
    run_id: RunId,
    values: Annotated[
        list[str] | None,
        typer.Argument(help="NAME=VALUE, more than once, or one JSON object. Without any, you are asked."),
    ] = None,
    decline: Annotated[bool, typer.Option("--decline", help="Nobody will answer what it asks.")] = False,
    as_json: AsJson = False,
) -> None:
    """Give a run the values that it asks for."""
    from handrail.cli.runs.answering import answer_run

    answer_run(run_id, values or [], decline=decline, as_json=as_json)


@runs_app.command("log")
def runs_log(
    run_id: RunId, as_json: Annotated[bool, typer.Option("--json", help="Print a JSON document a line.")] = False
) -> None:
    """What a run said of where it stands, line by line."""
    from handrail.cli.runs.looking import show_log

    show_log(run_id, as_json=as_json)
