"""`handrail docs sync`: builds the index, and shows how far it is."""

import sys
from dataclasses import replace
from functools import partial
from typing import Final

import anyio

from handrail.appwrite.catalog import load_catalogs
from handrail.appwrite.docs_labels import ToolLabeller
from handrail.appwrite.docs_names import page_names
from handrail.cli.output import Colour, paint, print_json, print_line, print_note, status_line
from handrail.cli.signals import ending_cleanly
from handrail.cli.terminal import knows_escapes
from handrail.docs import docs_folder
from handrail.docs.sync import Stage, SyncReport, SyncRequest, sync_docs
from handrail.encoder import load_encoder
from handrail.home import home_folder
from handrail.settings import load_settings

__all__ = ["sync"]

_BAR: Final = 24  # characters
_STEPS: Final = 4  # lines of a stage in a pipe


def sync(request: SyncRequest, *, as_json: bool) -> None:
    """Build the index of a source and print what is in it.

    Raises:
        HandrailError: the source does not give its pages, or another process is at it; the old index stays.
    """
    with ending_cleanly():
        report = anyio.run(_sync, request)
    if as_json:
        print_json(report.as_json())
        return
    print_line(f"{paint('ready', Colour.GOOD)}: {report.pages} pages in {report.sections} sections.")
    for what, pages in (("left out", report.left_out), ("old or missing, as they did not come now", report.failed)):
        if pages:
            address, reason = next(iter(pages.items()))
            print_line(paint(f"{len(pages)} pages {what}, such as {address}: {reason}.", Colour.CARE))
    print_line("Ask it: handrail docs search 'how do I ...'")


async def _sync(request: SyncRequest) -> SyncReport:
    home = home_folder(load_settings())
    request = replace(request, names=page_names())
    catalog = await anyio.to_thread.run_sync(partial(load_catalogs, home))
    labeller = await anyio.to_thread.run_sync(ToolLabeller, catalog)
    return await sync_docs(docs_folder(home), request, encoder=load_encoder, labeller=labeller, report=_Progress().show)


class _Progress:
    """A bar on a terminal; a few lines for each stage in a pipe."""

    def __init__(self) -> None:
        self._told = (Stage.READ, -1)

    def show(self, stage: Stage, done: int, whole: int) -> None:
        """Show how much of a stage is done."""
        if knows_escapes(sys.stderr):
            filled = _BAR * done // max(whole, 1)
            status_line(
                f"{stage.value:<18} [{'#' * filled}{'.' * (_BAR - filled)}] {done}/{whole}", final=done >= whole
            )
            return
        step = (stage, _STEPS * done // max(whole, 1))
        if step != self._told:
            self._told = step
            print_note(f"{stage.value}: {done} of {whole}")
