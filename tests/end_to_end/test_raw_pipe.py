"""The real server, driven by the bytes on its pipes."""

import signal
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from handrail.json_types import JsonObject
from tests.end_to_end.conftest import COMMAND
from tests.protocol.process import ServerProcess, serving
from tests.runs.worker_home import home_of_runs


def _structured(message: JsonObject) -> JsonObject:
    result = message["result"]
    assert isinstance(result, dict)
    structured = result["structuredContent"]
    assert isinstance(structured, dict)
    return structured


async def _reads(server: ServerProcess, number: int) -> None:
    """The server answers a read, whatever came before."""
    await server.call(number, "appwrite_call_read_tool", tool_name="users_list")
    message = await server.receive()
    assert (message["id"], _structured(message)["outcome"]) == (number, "done")


@pytest.mark.promise("stdout-only-json-rpc")
async def test_a_session_is_json_rpc_to_its_last_byte_and_ends_with_its_input(
    environment: Mapping[str, str], tmp_path: Path
) -> None:
    async with serving(tmp_path, command=COMMAND, environment=environment) as server:
        await server.greet()
        await _reads(server, 1)
        await server.close_input()
        assert await server.rest() == []
        assert await server.end(within=5) == 0

    assert server.said() == ""


@pytest.mark.promise("message-size-bounded")
async def test_ten_megabytes_of_arguments_cost_only_their_own_call(
    environment: Mapping[str, str], tmp_path: Path
) -> None:
    async with serving(tmp_path, command=COMMAND, environment=environment) as server:
        await server.greet()
        await server.call(1, "appwrite_search_tools", query="x" * 10_000_000)
        refusal = await server.receive()
        await _reads(server, 2)

    assert "error" in refusal


@pytest.mark.promise("bad-input-costs-one-message")
@pytest.mark.parametrize(
    "line",
    [
        b"{\n",
        b"[]\n",
        b"nonsense\n",
        b"\xff\xfe\n",
        b'{"jsonrpc":"2.0","id":9,"method":"no/such/method"}\n',
        b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":7}\n',
        b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"nope"}}\n',
    ],
)
async def test_bad_input_is_answered_with_an_error_and_the_server_goes_on(
    environment: Mapping[str, str], tmp_path: Path, line: bytes
) -> None:
    async with serving(tmp_path, command=COMMAND, environment=environment) as server:
        await server.greet()
        await server.send(line)
        answer = await server.receive()
        await _reads(server, 1)

    assert "error" in answer


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A home of the test's own, whose worker ends with the test."""
    with home_of_runs(tmp_path / "home"):
        yield tmp_path / "home"


@pytest.mark.promise("ends-with-its-client")
@pytest.mark.promise("runs-outlive-the-server")
@pytest.mark.parametrize("how", ["eof", "term", "kill"])
async def test_it_ends_in_time_in_the_middle_of_a_run_which_the_next_server_reads(
    environment: Mapping[str, str], tmp_path: Path, home: Path, how: str
) -> None:
    own = {**environment, "HANDRAIL_HOME": str(home)}
    async with serving(tmp_path, command=COMMAND, environment=own) as server:
        await server.greet()
        await server.call(1, "run_agent", agent="counter", params={"steps": 20, "delay_s": 0.1}, wait_seconds=0)
        run_id = _structured(await server.receive())["run_id"]
        if how == "eof":
            await server.close_input()
        else:
            server.process.send_signal(signal.SIGTERM if how == "term" else signal.SIGKILL)
        code = await server.end(within=5)
    async with serving(tmp_path, command=COMMAND, environment=own) as server:
        await server.greet()
        await server.call(1, "get_run", run_id=run_id, wait_seconds=30)
        view = _structured(await server.receive())

    assert code == (-signal.SIGKILL if how == "kill" else 0)
    assert (view["run_id"], view["status"]) == (run_id, "completed")
    assert isinstance(view["result"], dict)
    assert view["result"]["count"] == 20


@pytest.mark.promise("starts-with-nothing")
async def test_it_serves_without_key_project_and_network(environment: Mapping[str, str], tmp_path: Path) -> None:
    async with serving(tmp_path, command=COMMAND[:-1], environment=environment) as server:
        await server.greet()
        await server.call(1, "appwrite_get_context")
        context = _structured(await server.receive())
        await server.call(2, "appwrite_search_tools", query="list users")
        found = _structured(await server.receive())
        await server.call(3, "appwrite_call_read_tool", tool_name="users_list")
        read = _structured(await server.receive())

    assert context["ready"] is False
    assert found["tools"]
    assert isinstance(read["error"], dict)
    assert read["error"]["type"] == "not_configured"
