"""The TypeScript SDK's client drives the real server through the tasks of 2025-11-25, over stdio and over HTTP."""

import json
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from mcp_types import INVALID_PARAMS, METHOD_NOT_FOUND

from handrail.composition import open_server
from handrail.settings import load_settings
from tests.conformance.referees import Referees
from tests.end_to_end.conftest import COMMAND
from tests.protocol.http_server import listening

_DRIVER = Path(__file__).with_name("node") / "drive_tasks.mjs"
_SECONDS = 60


@pytest.fixture
async def url() -> AsyncIterator[str]:
    async with open_server(load_settings(), sandbox=True) as server, listening(server.streamable_http_app()) as address:
        yield address


async def _driven(referees: Referees, home: Path, *how: str, feed: str = "") -> dict[str, Any]:
    ended = await referees.run(_DRIVER, referees.folder, *how, home=home, seconds=_SECONDS, feed=feed)
    assert ended.code == 0, ended.err[-3000:]
    return dict(json.loads(ended.out))


def _assert_asked(seen: Mapping[str, Any]) -> None:
    """The client was asked what the run asked, once, as a part of its task; its answer let the run go on."""
    created, run = seen["asking"]["created"], seen["asking"]["result"]["structuredContent"]
    [question] = seen["asked"]
    assert seen["asking"]["statuses"][-1] == "input_required"
    assert question["_meta"] == {"io.modelcontextprotocol/related-task": {"taskId": created["taskId"]}}
    assert (question["mode"], list(question["requestedSchema"]["properties"])) == ("form", ["go_on"])
    assert (run["status"], run["result"]["count"]) == ("completed", 2)


def _assert_task_form(seen: Mapping[str, Any]) -> None:
    """What the SDK saw is a task from beginning to end, and another one that was cancelled."""
    assert seen["capability"] == {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}
    assert {name for name, support in seen["support"].items() if support} == {"run_agent"}
    followed, cancelled = seen["followed"], seen["cancelled"]
    assert (followed["created"]["status"], followed["statuses"][-1]) == ("working", "completed")
    run = followed["result"]["structuredContent"]
    assert (run["run_id"], run["status"], run["result"]["count"]) == (followed["created"]["taskId"], "completed", 4)
    assert seen["again"] == followed["result"]
    assert (cancelled["live"], cancelled["ack"], cancelled["after"]) == ("working", "cancelled", "cancelled")
    assert {cancelled["id"], followed["created"]["taskId"]} <= set(cancelled["listed"])
    assert [followed["created"]["taskId"], "completed"] in seen["pushed"]
    assert followed["progress"]
    assert seen["refusals"] == {
        "cancelTwice": INVALID_PARAMS,
        "unknown": INVALID_PARAMS,
        "notOffered": METHOD_NOT_FOUND,
    }


@pytest.mark.promise("tasks-typescript-sdk")
async def test_it_follows_a_task_answers_one_and_cancels_another_over_stdio(
    referees: Referees, environment: Mapping[str, str], tmp_path: Path
) -> None:
    seen = await _driven(referees, tmp_path, "stdio", *COMMAND, feed=json.dumps(dict(environment)))

    _assert_task_form(seen)
    _assert_asked(seen)


@pytest.mark.promise("tasks-typescript-sdk")
async def test_it_follows_a_task_answers_one_and_cancels_another_over_http(
    referees: Referees, url: str, tmp_path: Path
) -> None:
    seen = await _driven(referees, tmp_path, "http", url)

    _assert_task_form(seen)
    _assert_asked(seen)
