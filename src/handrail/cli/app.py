"""The commands and their options. Each command's work is in its own module, loaded when it runs."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from handrail import __version__
from handrail.cli.docs.app import docs_app
from handrail.cli.runs.app import runs_app
from handrail.json_types import JsonObject
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
app.add_typer(hints_app, name="hints")
app.add_typer(runs_app, name="runs")
app.add_typer(docs_app, name="docs")

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


ReadOnly = Annotated[
    bool | None, typer.Option("--read-only", help="Call only what is proven to be a read. Outranks everything.")
]
Services = Annotated[
    list[str] | None, typer.Option("--services", help="Only methods of these Appwrite services; commas between them.")
]
Tools = Annotated[list[str] | None, typer.Option("--tools", help="Only these Appwrite methods; commas between them.")]
Deny = Annotated[list[str] | None, typer.Option("--deny", help="Appwrite services and methods that are never called.")]
Writes = Annotated[
    Literal["off", "ask", "confirm", "allow"] | None,
    typer.Option(
        "--writes",
        help="What a write needs: none is made, a person, confirm_write (and a person for a grave one), or nothing.",
    ),
]


def _switches(
    read_only: bool | None,
    services: list[str] | None,
    tools: list[str] | None,
    deny: list[str] | None,
    writes: str | None,
) -> dict[str, object]:
    return {
        "read_only": read_only,
        "services": services or None,
        "tools": tools or None,
        "deny": deny or None,
        "writes": writes,
    }


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
def serve(
    sandbox: Sandbox = False,
    toolset: Toolsets = None,
    expose: Expose = None,
    read_only: ReadOnly = None,
    services: Services = None,
    tools: Tools = None,
    deny: Deny = None,
    writes: Writes = None,
    grave: Annotated[
        Literal["person", "token"] | None,
        typer.Option(help="What a grave write needs: a person, or the token of its preview, which proves no consent."),
    ] = None,
    upload_root: Annotated[
        list[str] | None, typer.Option(help="A folder that files may be uploaded from; may be given twice.")
    ] = None,
    download_root: Annotated[Path | None, typer.Option(help="The folder that answers may be saved to.")] = None,
) -> None:
    """Serve MCP over standard input and output. Options take the place of the settings of the same names."""
    from handrail.cli.serve import serve as run

    given = {
        **_switches(read_only, services, tools, deny, writes),
        "expose": expose or None,
        "grave": grave,
        "upload_root": ":".join(upload_root) if upload_root else None,
        "download_root": download_root,
    }
    run(sandbox=sandbox, toolsets=toolset, given=given)


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
def tools(
    as_json: AsJson = False,
    toolset: Toolsets = None,
    expose: Expose = None,
    read_only: ReadOnly = None,
    services: Services = None,
    only_tools: Tools = None,
    deny: Deny = None,
) -> None:
    """List the tools that a host sees, with their hints."""
    from handrail.cli.listing import list_tools

    given = {**_switches(read_only, services, only_tools, deny, None), "expose": expose or None}
    list_tools(as_json=as_json, toolsets=toolset, given=given)


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
    approval: Annotated[str | None, typer.Option(help="The id of an approval: see `handrail approve`.")] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Of a bulk call without queries: every member is meant.")
    ] = False,
    reveal: Annotated[bool, typer.Option("--reveal", help="Show secrets; somebody must agree.")] = False,
    project: Annotated[str | None, typer.Option(help="A profile: see `handrail profile`.")] = None,
    page: Annotated[int, typer.Option(min=1, help="Which page of a long answer.")] = 1,
    pick: Annotated[str | None, typer.Option(help="A JMESPath expression of what is wanted.")] = None,
    save_as: Annotated[str | None, typer.Option(help="A new file in the download folder for the answer.")] = None,
    preview: Annotated[bool, typer.Option("--preview", help="Only show what the call would do.")] = False,
    read_only: ReadOnly = None,
    services: Services = None,
    only_tools: Tools = None,
    deny: Deny = None,
    writes: Writes = None,
    sandbox: Sandbox = False,
    as_json: AsJson = False,
) -> None:
    """Call one Appwrite method."""
    from handrail.cli.calling import CallOptions, call_tool
    from handrail.settings import load_settings

    settings = load_settings(**_switches(read_only, services, only_tools, deny, writes))
    options = CallOptions(confirm_write, approval, every, reveal, project, page, pick, save_as, preview)
    raise typer.Exit(call_tool(tool, arguments, options, settings, sandbox=sandbox, as_json=as_json))


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
    run_key: Annotated[
        str | None, typer.Option(help="The same key gives the same run, also where it has ended already.")
    ] = None,
    detach: Annotated[
        bool, typer.Option("--detach", help="Print its id and leave: it goes on without this terminal.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Run an agent and follow it. Ctrl-C cancels the run, and so does closing the terminal."""
    from handrail.cli.running import RunOptions, run_agent

    given: JsonObject = {"model": model, "episodes": episodes, "seed": seed, "run_key": run_key}
    flags = {name: value for name, value in given.items() if value is not None}
    raise typer.Exit(run_agent(agent, params, flags, RunOptions(detach=detach, as_json=as_json)))


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


journal_app = typer.Typer(help="The record of calls: who asked, who agreed, what it became.", rich_markup_mode=None)
app.add_typer(journal_app, name="journal")


@journal_app.callback(invoke_without_command=True)
def journal(
    context: typer.Context,
    since: Annotated[
        str | None, typer.Option(help="Only since then: an age (30m, 12h, 7d) or a time in UTC (2026-11-30).")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, help="How many at most.")] = 50,
    as_json: AsJson = False,
) -> None:
    """The journal's newest rows, the newest last. Every write is there, and every call that was refused."""
    from handrail.cli.journal import list_journal

    if context.invoked_subcommand is None:
        list_journal(since=since, limit=limit, as_json=as_json)


@journal_app.command("show")
def journal_show(
    journal_id: Annotated[str, typer.Argument(metavar="ID", help="A row's id, or how it begins.")],
    as_json: AsJson = False,
) -> None:
    """Everything of one row, also of one in an archive."""
    from handrail.cli.journal import show_journal

    show_journal(journal_id, as_json=as_json)


approvals_app = typer.Typer(help="The calls that wait for your approval.", rich_markup_mode=None)
app.add_typer(approvals_app, name="approvals")


@approvals_app.callback(invoke_without_command=True)
def approvals(
    context: typer.Context,
    watch: Annotated[bool, typer.Option("--watch", help="Show each new one as it comes, until interrupted.")] = False,
    policy_example: Annotated[
        bool, typer.Option("--policy-example", help="Print a policy.toml with all that rules can say.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """The calls that wait for your approval, oldest first: `handrail approve ID` looks at one and asks."""
    from handrail.cli.approvals import list_approvals, print_policy_example

    if policy_example:
        print_policy_example()
    elif context.invoked_subcommand is None:
        list_approvals(watch=watch, as_json=as_json)


@approvals_app.command("pin")
def approvals_pin(
    remove: Annotated[bool, typer.Option("--remove", help="Take the PIN away.")] = False,
) -> None:
    """Set a PIN that `handrail approve` asks for. It keeps out programs that can open a terminal."""
    from handrail.cli.approvals import change_pin

    raise typer.Exit(change_pin(remove=remove))


ApprovalId = Annotated[str, typer.Argument(metavar="ID", help="An approval's id, or how it begins.")]


@app.command()
def approve(approval_id: ApprovalId) -> None:
    """Look at a call that waits, and let it be made once. Needs a terminal, and the PIN if one is set."""
    from handrail.cli.approvals import approve as run

    raise typer.Exit(run(approval_id))


@app.command()
def decline(approval_id: ApprovalId) -> None:
    """Say no to a call that waits, for good."""
    from handrail.cli.approvals import decline as run

    raise typer.Exit(run(approval_id))


profile_app = typer.Typer(help="Your projects by name. Keys stay in environment variables.", rich_markup_mode=None)
app.add_typer(profile_app, name="profile", no_args_is_help=True)

ProfileName = Annotated[str, typer.Argument(help="The profile's name.")]


@profile_app.command("add")
def profile_add(
    name: Annotated[str, typer.Argument(help="How calls name it: small letters, digits, '-' and '_'.")],
    project: Annotated[str, typer.Option(help="The project's id.")],
    key_variable: Annotated[
        str, typer.Option(metavar="VARIABLE", help="The name of the environment variable that holds its API key.")
    ],
    endpoint: Annotated[
        str | None, typer.Option(metavar="URL", help="The API's address; that of APPWRITE_ENDPOINT by default.")
    ] = None,
) -> None:
    """Add a project."""
    from handrail.cli.profiles import add_profile

    add_profile(name, endpoint=endpoint, project=project, key_variable=key_variable)


@profile_app.command("list")
def profile_list(as_json: AsJson = False) -> None:
    """The projects that you have added, and whether the key of each is set here."""
    from handrail.cli.profiles import list_profiles

    list_profiles(as_json=as_json)


@profile_app.command("remove")
def profile_remove(name: ProfileName) -> None:
    """Forget a project. Nothing changes in Appwrite."""
    from handrail.cli.profiles import remove_profile

    remove_profile(name)


@profile_app.command("default")
def profile_default(
    name: Annotated[str, typer.Argument(help="The profile's name; `environment` for none.")],
) -> None:
    """Say where calls go that name no project, where the environment does not say it."""
    from handrail.cli.profiles import set_default

    set_default(name)
