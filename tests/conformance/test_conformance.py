"""The official conformance suite finds nothing wrong: both generations, and every task scenario that it can run."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from handrail.protocol import HandrailServer
from tests.conformance.referees import Referees
from tests.conformance.suite import Verdict, judge, required_scenarios
from tests.protocol.http_server import listening

# The suite wants logging and sampling of the handshake generation, which the SDK calls deprecated since the newer one.
pytestmark = pytest.mark.filterwarnings("ignore:The (logging|sampling) capability is deprecated")

Record = Callable[[str, object], None]
TASK_SCENARIOS: Final = {
    "tasks-capability-negotiation": 4,
    "tasks-dispatch-and-envelope": 8,
    "tasks-lifecycle": 8,
    "tasks-mrtr-composition": 1,
    "tasks-mrtr-input": 3,
    "tasks-request-headers": 4,
    "tasks-request-state-removal": 2,
    "tasks-required-task-error": 2,
    "tasks-wire-fields": 3,
}
"""Each with the number of its own checks."""
ALWAYS_SKIPPED: Final = "tasks-status-notifications"
"""It says that it would have to be rewritten to run it; `tests/protocol/test_subscriptions.py` holds what it means."""
NOT_PROMISED: Final = {f"sep-2575-server-sends-{what}-list-changed-on-subscription" for what in ("tools", "prompts")}
"""What the suite looks at only where a server promises to tell of changes; what ours offers never changes."""


async def _verdict(referees: Referees, server: HandrailServer, folder: Path, *options: str) -> Verdict:
    async with listening(server.streamable_http_app()) as url:
        return await judge(referees, url, folder / "verdict", *options)


@pytest.mark.promise("conformance-required")
@pytest.mark.parametrize(("revision", "number", "checks"), [("2025-11-25", 30, 81), ("2026-07-28", 37, 194)])
async def test_every_required_scenario_of_a_revision_passes(
    referees: Referees,
    judged: HandrailServer,
    tmp_path: Path,
    record_property: Record,
    revision: str,
    number: int,
    checks: int,
) -> None:
    required = required_scenarios(referees, revision)

    verdict = await _verdict(referees, judged, tmp_path, "--requirements", revision)

    record_property("figures", str(verdict))
    assert (verdict.exit_code, verdict.of("FAILURE")) == (0, [])
    assert len(required) == number
    assert {check.scenario for check in verdict.of("SUCCESS")} >= required
    assert verdict.of("WARNING", among=required) == []
    assert {check.id for check in verdict.of("SKIPPED", among=required)} <= NOT_PROMISED
    assert len(verdict.of("SUCCESS")) >= checks


@pytest.mark.promise("conformance-tasks")
@pytest.mark.parametrize("scenario", TASK_SCENARIOS)
async def test_every_task_scenario_passes(
    referees: Referees, judged: HandrailServer, tmp_path: Path, record_property: Record, scenario: str
) -> None:
    verdict = await _verdict(referees, judged, tmp_path, "--scenario", scenario)

    record_property("figures", str(verdict))
    assert verdict.exit_code == 0
    assert verdict.scenarios == {scenario}
    assert {check.status for check in verdict.checks} == {"SUCCESS"}
    wire = [check for check in verdict.checks if check.id.startswith("wire-schema")]
    assert [check.id for check in wire] == ["wire-schema-valid"]
    assert len(verdict.checks) - len(wire) == TASK_SCENARIOS[scenario]


async def test_the_one_task_scenario_that_is_not_run_is_skipped_by_the_suite_itself(
    referees: Referees, judged: HandrailServer, tmp_path: Path, record_property: Record
) -> None:
    verdict = await _verdict(referees, judged, tmp_path, "--scenario", ALWAYS_SKIPPED)

    record_property("figures", str(verdict))
    assert [check.status for check in verdict.checks] == ["SKIPPED"]
    assert "harness needs a rewrite" in verdict.checks[0].why
