"""What a run leaves behind, without what differs from run to run: times and ids."""

import json
import re
from pathlib import Path
from typing import Final

from handrail.json_types import Json, JsonObject

__all__ = ["record_of", "timeless"]

_DIFFERS: Final = frozenset({
    "created_at", "decision_ms", "elapsed_s", "finished_at", "job_dir", "mean_elapsed_s", "median_decision_ms", "ms",
    "process", "revision", "started_at", "total_s", "ttl_ms", "updated_at",
})  # fmt: skip
_DIGEST: Final = re.compile(r"__[0-9a-f]{7}\b")


def timeless(document: Json) -> Json:
    """The document without times, and without where and how it was kept."""
    if isinstance(document, dict):
        return {name: timeless(value) for name, value in document.items() if name not in _DIFFERS}
    return [timeless(item) for item in document] if isinstance(document, list) else document


def record_of(job: Path) -> JsonObject:
    """All documents of a run's folder by their names, lines as a list; timeless, and without the run's id.

    Without the log of messages: which of them it holds depends on how much time lay between them.
    """
    files = (path for path in sorted(job.rglob("*")) if path.is_file() and path.name != "log.jsonl")
    return {_anonymous(str(path.relative_to(job)), job.name): timeless(_read(path, job.name)) for path in files}


def _read(path: Path, run_id: str) -> Json:
    text = _anonymous(path.read_text(encoding="utf-8"), run_id)
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in text.splitlines()]
    document: Json = json.loads(text)
    return document


def _anonymous(text: str, run_id: str) -> str:
    return _DIGEST.sub("__", text.replace(run_id, "RUN"))
