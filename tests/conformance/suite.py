"""Runs the official conformance suite against a server, and reads the verdict that it writes as JSON."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.conformance.referees import Referees

__all__ = ["Check", "Verdict", "judge", "required_scenarios"]

_SECONDS: Final = 120
_RESULT: Final = re.compile(r"server-(?P<scenario>.+)-\d{4}-\d\d-\d\dT[\d-]+Z")
_ENTRY: Final = re.compile(r"  - (?P<scenario>\S+)")


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that the suite looked at; `status` is SUCCESS, FAILURE, WARNING, SKIPPED or INFO."""

    scenario: str
    id: str
    status: str
    why: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """All that a run of the suite looked at."""

    exit_code: int
    checks: tuple[Check, ...]

    @property
    def scenarios(self) -> frozenset[str]:
        """Those that looked at anything at all."""
        return frozenset(check.scenario for check in self.checks)

    def of(self, status: str, *, among: Iterable[str] | None = None) -> list[Check]:
        """The checks of a status, in all scenarios or in some."""
        wanted = self.scenarios if among is None else frozenset(among)
        return [check for check in self.checks if check.status == status and check.scenario in wanted]

    def __str__(self) -> str:
        passed, failed = len(self.of("SUCCESS")), len(self.of("FAILURE"))
        rest = [f"{check.status.lower()} {check.id}: {check.why}" for check in self.of("SKIPPED") + self.of("WARNING")]
        return "; ".join([f"{len(self.scenarios)} scenarios, {passed} checks passed, {failed} failed", *rest])


async def judge(referees: Referees, url: str, folder: Path, *options: str) -> Verdict:
    """Let the suite judge the server at an address.

    Args:
        referees: where the suite is installed.
        url: the server's endpoint.
        folder: where the suite writes.
        options: what it shall judge, as on its command line.
    """
    suite = referees.package("conformance") / "dist" / "index.js"
    told = ("server", "--url", url, "--output-dir", str(folder))
    ended = await referees.run(suite, *told, *options, home=folder, seconds=_SECONDS)
    checks = _read(folder)
    assert checks, f"the suite judged nothing: {ended.out[-1000:]} {ended.err[-1000:]}"
    return Verdict(ended.code, tuple(checks))


def required_scenarios(referees: Referees, revision: str) -> frozenset[str]:
    """What the suite itself says that a server of a revision must pass."""
    text = (referees.package("conformance") / "requirements" / f"{revision}.yaml").read_text(encoding="utf-8")
    _, _, section = text.partition("\nserver:\n")
    lines = section.partition("\n\n")[0].splitlines()
    return frozenset(found["scenario"] for line in lines if (found := _ENTRY.fullmatch(line)))


def _read(folder: Path) -> list[Check]:
    return [check for path in sorted(folder.glob("server-*/checks.json")) for check in _checks(path)]


def _checks(path: Path) -> list[Check]:
    found = _RESULT.fullmatch(path.parent.name)
    assert found, f"a result of no scenario: {path}"
    return [
        Check(found["scenario"], item["id"], item["status"], _why(item))
        for item in json.loads(path.read_text(encoding="utf-8"))
    ]


def _why(item: dict[str, object]) -> str:
    details = item.get("details")
    note = details.get("note") if isinstance(details, dict) else None
    return str(item.get("errorMessage") or note or "")
