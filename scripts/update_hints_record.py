"""Write the record of decided hints anew, on purpose: look at the diff before it is committed.

    .venv/bin/python scripts/update_hints_record.py

It refuses while anything but new, changed and gone methods is found: those are mended in the rules or the exceptions.
"""

import sys
import tempfile
from pathlib import Path

import handrail.appwrite
from handrail.appwrite.catalog import Sdk, find_sdk, load_catalog
from handrail.appwrite.evidence import reviewed
from handrail.appwrite.review import RECORD_FILE, review, shipped_record, source_texts, subjects_of
from handrail.hints.check import FindingKind, record_of
from handrail.hints.record import write_record

ACCEPTED = {FindingKind.NEW, FindingKind.CHANGED, FindingKind.GONE}


def main() -> int:
    """Write the record; 1 where it must not be written."""
    path = Path(handrail.appwrite.__file__).with_name(RECORD_FILE)
    with tempfile.TemporaryDirectory() as home:
        pairs = [(load_catalog(Path(home), sdk), source_texts(find_sdk(sdk))) for sdk in Sdk]
    findings = review(pairs, shipped_record() if path.exists() else {})
    for finding in findings:
        print(f"{finding.kind}: {finding.tool}: {finding.message}")
    if not {finding.kind for finding in findings} <= ACCEPTED:
        print("Not written: mend what is neither new, changed nor gone first.")
        return 1
    judged_by = reviewed()
    subjects = [subject for catalog, texts in pairs for subject in subjects_of(catalog, texts, judged_by)]
    path.write_text(write_record(record_of(subjects, judged_by.judge).values()), encoding="utf-8")
    print(f"{len(findings)} differences accepted; {path.name} is written. Look at its diff.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
