"""Syncs for tests."""

from dataclasses import replace
from pathlib import Path

from handrail.docs.site import SiteRules
from handrail.docs.sync import Stage, SyncReport, SyncRequest, sync_docs
from tests.docs.pages import WordEncoder, no_labels

__all__ = ["RULES", "build"]

RULES = SiteRules(loopback_http=True, connect_s=1, read_s=0.2, document_s=1, whole_s=10)


async def build(
    place: Path,
    source: str | Path,
    *,
    encoder: WordEncoder | None = None,
    stages: list[tuple[Stage, int, int]] | None = None,
    rules: SiteRules = RULES,
    request: SyncRequest | None = None,
) -> SyncReport:
    """Build the index of a source, with the encoder of words."""
    told: list[tuple[Stage, int, int]] = [] if stages is None else stages
    used = encoder or WordEncoder()

    def report(stage: Stage, done: int, whole: int) -> None:
        told.append((stage, done, whole))

    wanted = replace(request, source=str(source)) if request else SyncRequest(str(source), rules=rules)
    return await sync_docs(place, wanted, encoder=lambda: used, labeller=no_labels, report=report)
