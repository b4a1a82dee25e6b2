"""The commands of `handrail docs` and their options."""

from typing import Annotated

import typer

__all__ = ["docs_app"]

docs_app = typer.Typer(help="Documentation on this machine: build its index, search it.", rich_markup_mode=None)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]


@docs_app.callback(invoke_without_command=True)
def docs(context: typer.Context, as_json: AsJson = False) -> None:
    """Documentation on this machine; alone: what the index holds."""
    from handrail.cli.docs.searching import show_index

    if context.invoked_subcommand is None:
        show_index(as_json=as_json)


@docs_app.command("sync")
def docs_sync(
    source: Annotated[
        str, typer.Argument(help="A folder of Markdown, a tarball of one, or a site: https://appwrite.io/llms.txt.")
    ],
    site: Annotated[
        str, typer.Option(help="What the paths of a folder's pages are put behind to make links.")
    ] = "https://appwrite.io",
    under: Annotated[str, typer.Option(help="Only the pages at this path and below it, such as /docs.")] = "",
    no_encoder: Annotated[
        bool, typer.Option("--no-encoder", help="Index words only: seconds instead of minutes, and worse answers.")
    ] = False,
    loopback_http: Annotated[
        bool, typer.Option("--loopback-http", help="Take http:// too, where the host is this machine.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Build the index of a source. The old one stays in use until the new one is whole; an interrupted one goes on."""
    from handrail.cli.docs.syncing import sync
    from handrail.docs.site import SiteRules
    from handrail.docs.sync import SyncRequest

    rules = SiteRules(loopback_http=loopback_http)
    sync(SyncRequest(source, site=site, under=under, encode=not no_encoder, rules=rules), as_json=as_json)


@docs_app.command("search")
def docs_search(
    query: Annotated[str, typer.Argument(help="The question, in plain words.")],
    limit: Annotated[int, typer.Option(min=1, max=10, help="How many sections at most.")] = 4,
    page: Annotated[str, typer.Option(help="Only sections of the page with this path.")] = "",
    as_json: AsJson = False,
) -> None:
    """Find the sections that answer a question, and the methods that belong to them."""
    from handrail.cli.docs.searching import search

    search(query, limit=limit, page=page, as_json=as_json)
