"""What the appwrite toolset has to read beside its tools: answers that are kept, and the journal."""

from typing import TYPE_CHECKING

from handrail.journal import Journal, journal_text
from handrail.lazy import Lazy
from handrail.protocol.resource_source import ResourceContent, ResourceSource

if TYPE_CHECKING:
    from handrail.appwrite.results.shaper import ResultShaper

__all__ = ["journal_resource", "result_resources"]


def journal_resource(journal: Journal) -> ResourceSource:
    """The caller's own newest rows of the journal."""

    async def read(_rest: str, owner: str) -> ResourceContent:
        return ResourceContent("application/json", await journal_text(journal, owner))

    return ResourceSource(
        prefix="handrail://journal",
        name="journal",
        title="The journal",
        description="What was asked of Appwrite that could change something, who agreed, and what became of it.",
        mime_type="application/json",
        read=read,
    )


def result_resources(shaper: "Lazy[ResultShaper]") -> ResourceSource:
    """Answers that were too long to be given at once, by their ids."""

    async def read(result_id: str, owner: str) -> ResourceContent:
        kept = await (await shaper.get()).read(result_id, owner)
        kind = kept.about.content_type
        is_text = kind == "application/json" or kind.startswith("text/")
        return ResourceContent(kind, kept.content.decode(errors="replace") if is_text else kept.content)

    return ResourceSource(
        prefix="handrail://results/",
        name="result",
        title="A long answer",
        description="The whole of an answer of which a call showed a page.",
        mime_type=None,
        read=read,
        variable="id",
    )
