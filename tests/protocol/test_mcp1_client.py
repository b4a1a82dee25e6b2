"""The official client of the 1.x series as a referee of the tasks of 2025-11-25."""

import json
import subprocess
from pathlib import Path

import pytest

from handrail.json_types import Json, JsonObject
from tests.protocol.mcp1 import NoInterpreterError, interpreter
from tests.protocol.peer import document
from tests.protocol.process import COMMAND, ENVIRONMENT


@pytest.fixture(scope="module")
def seen() -> JsonObject:
    """What the client saw."""
    try:
        python = interpreter()
    except NoInterpreterError as error:
        pytest.skip(f"no interpreter with mcp 1.30: {error}")
    driver = Path(__file__).with_name("mcp1_driver.py")
    driven = subprocess.run(
        [str(python), str(driver), *COMMAND],
        input=json.dumps(ENVIRONMENT) + "\n",
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={},
    )
    assert driven.returncode == 0, driven.stderr[-3000:]
    found: JsonObject = json.loads(driven.stdout)
    return found


def at(seen: JsonObject, *names: str) -> Json:
    """One value of what was seen."""
    value: Json = seen
    for name in names:
        assert isinstance(value, dict)
        value = value[name]
    return value


def test_it_is_greeted_with_the_tasks_of_its_generation(seen: JsonObject) -> None:
    assert at(seen, "hello", "protocolVersion") == "2025-11-25"
    assert at(seen, "hello", "capabilities", "tasks") == {
        "list": {},
        "cancel": {},
        "requests": {"tools": {"call": {}}},
    }


def test_it_sees_which_tool_may_be_a_task(seen: JsonObject) -> None:
    tools = at(seen, "tools")

    assert isinstance(tools, dict)
    assert {name for name, execution in tools.items() if execution} == {"walk"}
    assert tools["walk"] == {"taskSupport": "optional"}


@pytest.mark.promise("tasks-2025-11-25")
def test_a_task_gives_the_summary_of_the_plain_call(seen: JsonObject) -> None:
    plain, result = at(seen, "plain"), at(seen, "result")

    assert isinstance(plain, dict)
    assert isinstance(result, dict)
    shown, wanted = document(result), document(plain)
    assert shown["status"] == wanted["status"] == "completed"
    assert isinstance(shown["result"], dict)
    assert shown["result"] == {"ok": True, "steps": 3, "asked": "None"}
    assert at(seen, "result", "_meta", "io.modelcontextprotocol/related-task") == {
        "taskId": at(seen, "created", "task", "taskId")
    }


def test_it_polls_to_the_end(seen: JsonObject) -> None:
    polled = at(seen, "polled")

    assert isinstance(polled, list)
    assert [task["status"] for task in polled if isinstance(task, dict)][-1] == "completed"
    assert int(str(at(seen, "created", "task", "ttl"))) >= 3_600_000


def test_it_lists_and_cancels(seen: JsonObject) -> None:
    tasks = at(seen, "listed", "tasks")

    assert isinstance(tasks, list)
    assert len(tasks) == 3
    assert at(seen, "cancelled", "status") == "cancelled"
    assert at(seen, "cancelled_result", "structuredContent", "status") == "cancelled"


@pytest.mark.parametrize(("what", "code"), [("cancelled_again", -32602), ("unknown", -32602), ("not_offered", -32601)])
def test_its_mistakes_get_the_errors_of_the_specification(seen: JsonObject, what: str, code: int) -> None:
    assert at(seen, what, "code") == code


@pytest.mark.promise("elicitation-2025-11-25")
def test_it_is_asked_what_a_run_asks_while_it_waits_for_the_result(seen: JsonObject) -> None:
    assert at(seen, "asked", "message") == "Who walks?"
    assert at(seen, "asked", "_meta", "io.modelcontextprotocol/related-task") == {
        "taskId": at(seen, "answered", "_meta", "io.modelcontextprotocol/related-task", "taskId")
    }
    assert "Ada" in str(at(seen, "answered", "structuredContent", "result", "asked"))


def test_what_the_plain_call_would_refuse_ends_the_task(seen: JsonObject) -> None:
    assert at(seen, "refused", "task", "status") == "failed"
    assert at(seen, "refused_result", "isError") is True
    assert at(seen, "refused_result", "structuredContent", "error", "message") == "13 steps bring bad luck."


def test_it_understands_every_message(seen: JsonObject) -> None:
    notifications = at(seen, "notifications")

    assert isinstance(notifications, list)
    assert ["TaskStatusNotification", "completed"] in notifications
    assert {str(note[0]) for note in notifications if isinstance(note, list)} == {"TaskStatusNotification"}
