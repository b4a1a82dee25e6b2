"""The commands and their options. Each command's work is in its own module, loaded when it runs."""

from pathlib import Path
from typing import Annotated

import typer

from handrail import __version__
from handrail.toolset import Toolset

__all__ = ["app"]

app = typer.Typer(
    name="handrail",
    help="An MCP server for the whole Appwrite API and for long-running agents, with safety hints that are true.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
hints_app = typer.Typer(help="What each method may do, and the evidence for it.", rich_markup_mode=None)
runs_app = typer.Typer(help="The runs that are kept in the home folder.", rich_markup_mode=None)
app.add_typer(hints_app, name="hints")
app.add_typer(runs_app, name="runs")

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
Sandbox = Annotated[bool, typer.Option("--sandbox", help="Use the local stand-in for Appwrite, with data to look at.")]
Toolsets = Annotated[
    list[Toolset] | None, typer.Option("--toolset", help="Only this toolset; may be given twice. Both by default.")
]
Expose = Annotated[
    list[str] | None,
    typer.Option(
        "--expose",
        help="List Appwrite's methods as tools of their own: services and tools with commas between them, or all; may "
        "be given twice. Takes the place of HANDRAIL_EXPOSE.",
    ),
]


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"handrail {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    _version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    pass


@app.command()
def serve(sandbox: Sandbox = False, toolset: Toolsets = None, expose: Expose = None) -> None:
    """Serve MCP over standard input and output."""
    from handrail.cli.serve import serve as run

    run(sandbox=sandbox, toolsets=toolset, expose=expose or None)


@app.command()
def sandbox(
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")] = 0,
    state: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Write its data as JSON to this file, after each change.")
    ] = None,
) -> None:
    """Serve the local stand-in for Appwrite until interrupted."""
    from handrail.cli.serve import serve_stand_in

    serve_stand_in(port, state)


@app.command()
def demo() -> None:
    """Show the main job: a real server, a real client, and nothing else needed."""
    from handrail.cli.demo import demo as run

    run()


@app.command()
def tools(as_json: AsJson = False, toolset: Toolsets = None, expose: Expose = None) -> None:
    """List the tools that a host sees, with their hints."""
    from handrail.cli.listing import list_tools

    list_tools(as_json=as_json, toolsets=toolset, expose=expose or None)


@app.command()
def search(
    query: Annotated[str, typer.Argument(help="What you want to do, in plain words, or a tool's name.")],
    limit: Annotated[int, typer.Option(min=1, max=25, help="How many tools at most.")] = 8,
    service: Annotated[list[str] | None, typer.Option(help="Only of this service; may be given twice.")] = None,
    as_json: AsJson = False,
) -> None:
    """Find the Appwrite method for a job."""
    from handrail.cli.listing import search_tools

    search_tools(query, limit=limit, services=service or [], as_json=as_json)


@app.command()
def call(
    tool: Annotated[str, typer.Argument(help="A tool's name, such as tables_db_list_rows.")],
    arguments: Annotated[str, typer.Argument(help="Its arguments as a JSON object.")] = "{}",
    confirm_write: Annotated[
        bool, typer.Option("--confirm-write", help="Do it, although it changes something.")
    ] = False,
    sandbox: Sandbox = False,
    as_json: AsJson = False,
) -> None:
    """Call one Appwrite method."""
    from handrail.cli.calling import call_tool

    raise typer.Exit(call_tool(tool, arguments, confirm_write=confirm_write, sandbox=sandbox, as_json=as_json))


@app.command()
def worker(
    show: Annotated[bool, typer.Option("--show", help="Only tell where the worker of this home stands.")] = False,
    drain: Annotated[
        bool, typer.Option("--drain", help="Have it begin no other run, and end when those at work have.")
    ] = False,
    stop: Annotated[
        bool, typer.Option("--stop", help="Have it end now: what can be resumed waits for the next one.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Do the runs of the home folder, or talk to the worker that does. A server starts one by itself."""
    from handrail.cli.worker import order_worker, work
    from handrail.runs.worker import OrderKind

    if show or drain or stop:
        kind = OrderKind.STOP if stop else OrderKind.DRAIN if drain else None
        raise typer.Exit(order_worker(kind, as_json=as_json))
    raise typer.Exit(work())


@app.command()
def agents(as_json: AsJson = False) -> None:
    """List the agents with their parameters, and the decision models."""
    from handrail.cli.listing import list_agents

    list_agents(as_json=as_json)


@app.command()
def run(
    agent: Annotated[str, typer.Argument(help="An agent's name: `handrail agents` lists them.")],
    params: Annotated[
        str, typer.Option(help="The agent's parameters as a JSON object; `handrail agents` lists them.")
    ] = "{}",
    model: Annotated[str | None, typer.Option(help="The decision model; `handrail agents` lists them.")] = None,
    episodes: Annotated[int | None, typer.Option(min=1, help="How many episodes.")] = None,
    seed: Annotated[int | None, typer.Option(help="The seed of the first episode.")] = None,
    as_json: AsJson = False,
) -> None:
    """Run an agent here and now, and wait for it."""
    from handrail.cli.running import run_agent

    given = {"model": model, "episodes": episodes, "seed": seed}
    raise typer.Exit(run_agent(agent, params, {k: v for k, v in given.items() if v is not None}, as_json=as_json))


@runs_app.callback(invoke_without_command=True)
def runs(context: typer.Context, as_json: AsJson = False) -> None:
    """The runs that are kept in the home folder, newest first."""
    from handrail.cli.running import list_runs

    if context.invoked_subcommand is None:
        list_runs(as_json=as_json)


@runs_app.command("list")
def runs_list(as_json: AsJson = False) -> None:
    """The runs, newest first."""
    from handrail.cli.running import list_runs

    list_runs(as_json=as_json)


@runs_app.command("show")
def runs_show(
    run_id: Annotated[str, typer.Argument(help="A run's id, or how it begins.")], as_json: AsJson = False
) -> None:
    """One run."""
    from handrail.cli.running import show_run

    show_run(run_id, as_json=as_json)


@hints_app.callback(invoke_without_command=True)
def hints(
    context: typer.Context,
    as_json: AsJson = False,
    check: Annotated[
        bool, typer.Option("--check", help="Find what nobody has looked at, what changed, what contradicts itself.")
    ] = False,
) -> None:
    """Every method of every installed SDK with its hints."""
    from handrail.cli.hints import check_hints, list_hints

    if check and context.invoked_subcommand is None:
        raise typer.Exit(check_hints(as_json=as_json))
    if context.invoked_subcommand is None:
        list_hints(as_json=as_json)


@hints_app.command("explain")
def hints_explain(
    tool: Annotated[str, typer.Argument(help="A tool's name, such as tables_db_delete_rows.")], as_json: AsJson = False
) -> None:
    """Why a method has the hints that it has."""
    from handrail.cli.hints import explain

    explain(tool, as_json=as_json)


@hints_app.command("lint", context_settings={"allow_interspersed_args": False})
def hints_lint(
    command: Annotated[
        list[str] | None, typer.Argument(help="Starts an MCP server over standard input and output; put it after `--`.")
    ] = None,
    openapi: Annotated[Path | None, typer.Option(help="Look at an API instead: its OpenAPI document, in JSON.")] = None,
    timeout: Annotated[float, typer.Option(min=0.1, max=600, help="Seconds that the server may take in all.")] = 30,
    as_json: AsJson = False,
) -> None:
    """What is wrong with the hints of another MCP server, or with what an API declares. No tool is called."""
    from handrail.cli.lint import lint

    raise typer.Exit(lint(command or [], openapi=openapi, timeout_s=timeout, as_json=as_json))


@app.command()
def settings(as_json: AsJson = False) -> None:
    """Every setting with its environment name."""
    from handrail.cli.listing import list_settings

    list_settings(as_json=as_json)
