"""The official client of the 1.x series drives the real server, tasks of 2025-11-25 included."""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.conftest import COMMAND
from tests.protocol.mcp1 import NoInterpreterError, interpreter


def _seen(environment: Mapping[str, str]) -> dict[str, Any]:
    try:
        python = interpreter()
    except NoInterpreterError as error:
        pytest.skip(f"no interpreter with mcp 1.30: {error}")
    driven = subprocess.run(
        [str(python), str(Path(__file__).with_name("mcp1_driver.py")), *COMMAND],
        input=json.dumps(dict(environment)) + "\n",
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={},
    )
    assert driven.returncode == 0, driven.stderr[-3000:]
    return dict(json.loads(driven.stdout))


@pytest.mark.promise("tasks-2025-11-25")
def test_it_reads_runs_a_task_to_its_end_and_cancels_another(environment: Mapping[str, str]) -> None:
    seen = _seen(environment)

    assert {"appwrite_call_tool", "run_agent", "get_run"} < set(seen["tools"])
    assert (seen["read"]["outcome"], seen["read"]["result"]["total"]) == ("done", 2)
    view = seen["task"]["view"]
    assert (view["run_id"], view["status"], view["result"]["count"]) == (seen["task"]["id"], "completed", 4)
    assert seen["polled"]
    assert seen["cancelled"] == "cancelled"
