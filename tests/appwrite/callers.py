"""What calls are made with in tests of this room: the real gate, journal and shaper, in a home of the test's own."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio

from handrail.approvals import ApprovalBook, Consent, Gate, Mode
from handrail.appwrite import CallResult, Calls, Transport
from handrail.appwrite.calls import CallParts
from handrail.appwrite.catalog import Catalog
from handrail.appwrite.preview import ReadTwins
from handrail.appwrite.request import CallRequest
from handrail.appwrite.results.shaper import result_shaper
from handrail.appwrite.sending import Sender
from handrail.appwrite.targets import Target
from handrail.journal import Journal, open_journal
from handrail.json_types import Json, JsonMapping, JsonObject
from handrail.lazy import Lazy
from handrail.protocol import Client

__all__ = ["Caller", "Here", "Places", "open_places"]


class Here:
    """Who calls: a client that cannot be asked."""

    client = Client(name="tests", version="1")
    owner = "local"
    request_state = None

    async def progress(self, message: str, done: float, total: float | None = None) -> None:
        """Nobody follows."""

    async def elicit(self, key: str, message: str, schema: JsonObject, *, state: str, seconds: float) -> None:
        """It cannot be asked."""


@dataclass(frozen=True, slots=True)
class Places:
    """The parts of calls, and what a test looks at beside them."""

    parts: CallParts
    book: ApprovalBook
    journal: Journal


class OneTarget:
    """The targets of a process that knows one project; every name is taken for it."""

    def __init__(self, target: Target) -> None:
        self._target = target

    async def get(self, name: str | None) -> Target:
        del name
        return self._target


@asynccontextmanager
async def open_places(
    transport: Transport, catalog: Lazy[Catalog], home: Path, *, mode: Mode = Mode.CONFIRM
) -> AsyncIterator[Places]:
    """The parts of calls to one project, until the end of the context.

    Args:
        transport: reaches the project.
        catalog: the methods.
        home: where approvals, journal and results are kept.
        mode: the switch for writes.
    """
    await anyio.Path(home).mkdir(mode=0o700, exist_ok=True)
    twins = catalog.then(ReadTwins)
    with ApprovalBook(lambda: home) as book:
        async with open_journal(lambda: home) as journal:
            target = Target("", transport, Sender(transport, twins))
            gate = Gate(book, mode=mode)
            yield Places(
                CallParts(catalog, OneTarget(target), gate, journal, Lazy.of(lambda: result_shaper(home)), twins),
                book,
                journal,
            )


@dataclass(frozen=True, slots=True)
class Caller:
    """Calls methods as a model does whose client cannot be asked."""

    calls: Calls

    async def read(self, tool: str, arguments: JsonMapping) -> CallResult:
        """As the read tool does."""
        return await self.calls.call(CallRequest(tool, arguments, "tests", reads_only=True), Here())

    async def call(
        self,
        tool: str,
        arguments: JsonMapping,
        *,
        confirmed: Json = None,
        approval: str | None = None,
        every: Json = None,
    ) -> CallResult:
        """As the call tool does."""
        consent = Consent(confirm_write=confirmed, approval=approval)
        return await self.calls.call(CallRequest(tool, arguments, "tests", consent=consent, every=every), Here())
