"""A gate behind a tool, in both generations: what a client's answer lets through, and how often."""

from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from handrail.approvals import Action, ApprovalBook, Consent, Gate, grave_of
from handrail.hints import Effect, Hints
from handrail.json_types import JsonMapping, JsonObject
from handrail.protocol import Call, HandrailServer, ServerTool, ToolAnswer, create_server
from tests.protocol.peer import TIMEOUT, Era, connected, document
from tests.protocol.sample_tools import GATEWAY, schema
from tests.protocol.test_call_elicitation import ELICIT, FORMS, OLD, accepted, params

pytestmark = pytest.mark.unit

_DELETES = Effect(
    Hints(read_only=False, destructive=True, idempotent=True, open_world=True), frozenset(), "delete.one", "it deletes"
)


class _Row:
    """A row behind the gate."""

    def __init__(self, gate: Gate) -> None:
        self.gate = gate
        self.deletes = 0

    async def delete(self, call: Call, arguments: JsonMapping) -> ToolAnswer:
        action = Action(
            tool="delete_row",
            service="rows",
            arguments={"row": arguments.get("row")},
            project="main",
            owner=call.owner,
            effect=_DELETES,
            grave=grave_of(_DELETES, deletes=True),
            summary="Delete a row",
        )
        admission = await self.gate.admit(action, Consent(approval=arguments.get("approval")), call, _no_preview)
        self.deletes += 1
        return ToolAnswer({"by": admission.by})


async def _no_preview() -> JsonObject:
    return {}


@pytest.fixture
def row(tmp_path: Path) -> Iterator[_Row]:
    with ApprovalBook(lambda: tmp_path) as book:
        yield _Row(Gate(book, ask_s=TIMEOUT))


@pytest.fixture
def gated(row: _Row) -> HandrailServer:
    arguments: JsonObject = {"row": {"type": "string"}, "approval": {"type": "string"}}
    return create_server([ServerTool("delete", "Delete", "Deletes.", schema(arguments), GATEWAY, row.delete)])


async def test_a_gated_call_goes_through_by_two_rounds_and_its_answer_counts_once(
    gated: HandrailServer, row: _Row
) -> None:
    async with connected(gated, Era.MODERN) as peer:
        first = await peer.result("tools/call", params(tool="delete"))
        again = params(tool="delete", requestState=first["requestState"])
        yes: JsonObject = {**again, "inputResponses": {"approval": accepted({"approve": True})}}

        assert document(await peer.result("tools/call", yes)) == {"by": "client: elicitation"}
        replayed = document(await peer.result("tools/call", yes))["error"]

    assert isinstance(replayed, dict)
    assert (replayed["type"], replayed["data"]) == ("approval_invalid", {"kind": "used"})
    assert row.deletes == 1


async def test_a_gated_call_that_was_declined_stays_declined(gated: HandrailServer, row: _Row) -> None:
    async with connected(gated, Era.MODERN) as peer:
        first = await peer.result("tools/call", params(tool="delete"))
        again = params(tool="delete", requestState=first["requestState"])

        answers: list[tuple[JsonObject, str]] = [
            ({"action": "decline"}, "declined"),
            (accepted({"approve": True}), "approval_invalid"),
        ]
        for answer, kind in answers:
            error = document(await peer.result("tools/call", {**again, "inputResponses": {"approval": answer}}))[
                "error"
            ]
            assert isinstance(error, dict)
            assert error["type"] == kind

    assert row.deletes == 0


@OLD
async def test_a_client_that_goes_away_while_it_is_asked_has_agreed_to_nothing(
    gated: HandrailServer, row: _Row, era: Era
) -> None:
    with anyio.fail_after(TIMEOUT):
        async with connected(gated, era, capabilities=FORMS) as peer:
            await peer.ask("tools/call", {"name": "delete", "arguments": {}})
            await peer.asked(ELICIT)

    assert row.deletes == 0
