"""What a run's `run.json` holds."""

import json
from pathlib import Path

from handrail.json_types import JsonObject
from handrail.runs import Run
from handrail.runs.record import RUN_FILE, run_document
from handrail.storage.process import this_process

__all__ = ["document_of", "recorded", "recorded_runs"]


def recorded(records: Path, run_id: str) -> JsonObject:
    """What the record of a run says."""
    return dict(json.loads((records / run_id / RUN_FILE).read_text()))


def recorded_runs(records: Path) -> set[str]:
    """The runs that have a record."""
    return {path.parent.name for path in records.glob(f"*/{RUN_FILE}")}


def document_of(run: Run) -> JsonObject:
    """What the record of a run of this process has to say."""
    return dict(json.loads(json.dumps(run_document(run, this_process()))))
