"""A server process on its pipes: hostile input, shutdown, and nothing but messages on standard output."""

import json
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from subprocess import PIPE, Popen

import anyio
import anyio.lowlevel
import pytest

from handrail.json_types import JsonObject
from handrail.protocol.stdio import END_SECONDS
from tests.protocol.process import COMMAND, ENVIRONMENT, ServerProcess, request, serving

PING: JsonObject = {"jsonrpc": "2.0", "id": 99, "method": "ping"}
IN_TIME = 2.0

HOSTILE = [
    (b"{not json\n", None, -32700),
    (b'{"jsonrpc":"2.0","id":5,"method":"ping","params":{"a":"\xff"}}\n', None, -32700),
    (b"\x00\x00\x00\n", None, -32700),
    (b"[" * 100_000 + b"\n", None, -32700),
    (b'{"jsonrpc":"2.0","id":5,"method":"ping","params":{"a":1e400}}\n', None, -32700),
    (b'[{"jsonrpc":"2.0","id":5,"method":"ping"}]\n', None, -32600),
    (b'{"jsonrpc":"2.0","id":null,"method":"ping"}\n', None, -32600),
    (b'{"jsonrpc":"2.0","id":5,"method":7}\n', 5, -32600),
    (b'{"jsonrpc":"2.0","id":5,"method":"no/such"}\n', 5, -32601),
    (b'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{}}\n', 5, -32602),
    (b'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":[]}\n', 5, -32602),
]


@pytest.mark.parametrize("greet", [ServerProcess.greet, None], ids=["after the handshake", "before it"])
@pytest.mark.promise("bad-input-costs-one-message")
async def test_bad_input_costs_that_message_only(
    tmp_path: Path, greet: Callable[[ServerProcess], Awaitable[None]] | None
) -> None:
    async with serving(tmp_path) as server:
        if greet:
            await greet(server)
        for line, request_id, code in HOSTILE:
            await server.send(line)
            answer = await server.receive()
            await server.send(b"\n \r\n", PING)

            assert answer["id"] == request_id
            assert isinstance(answer["error"], dict)
            assert answer["error"]["code"] == code
            assert (await server.receive())["result"] == {}


@pytest.mark.promise("message-size-bounded")
async def test_a_message_that_is_too_long_is_refused_and_the_next_one_answered(tmp_path: Path) -> None:
    async with serving(tmp_path, "--max-bytes", "100000") as server:
        await server.greet()

        for size in (90_000, 200_000, 10_000_000):
            await server.call(size, "echo", value="x" * size)
            answer = await server.receive()
            assert answer["id"] == size
            assert ("result" in answer) == (size < 100_000)
        await server.send(PING)

        assert (await server.receive())["id"] == 99


async def test_a_large_answer_arrives_whole(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        await server.greet()
        await server.call(1, "big", size=10_000_000)

        result = (await server.receive())["result"]

        assert isinstance(result, dict)
        assert isinstance(result["structuredContent"], dict)
        assert len(str(result["structuredContent"]["text"])) == 10_000_000


async def stuck_in(server: ServerProcess, tool: str) -> None:
    """Return when the server is in the middle of a call."""
    await server.greet()
    call = request(1, tool)
    assert isinstance(call["params"], dict)
    await server.send({**call, "params": {**call["params"], "_meta": {"progressToken": "t"}}})
    assert (await server.receive())["method"] == "notifications/progress"


@pytest.mark.parametrize("tool", ["slow", "stuck_thread", "stuck_loop"])
@pytest.mark.promise("ends-with-its-client")
async def test_the_process_ends_with_its_input_whatever_a_handler_does(tmp_path: Path, tool: str) -> None:
    async with serving(tmp_path) as server:
        await stuck_in(server, tool)

        await server.close_input()

        assert await server.end(IN_TIME) == 0
        assert [message["id"] for message in await server.rest()] in ([], [1])


@pytest.mark.parametrize(
    ("number", "tool"),
    [
        (signal.SIGTERM, "slow"),
        (signal.SIGINT, "slow"),
        (signal.SIGHUP, "slow"),
        (signal.SIGTERM, "stuck_thread"),
        (signal.SIGINT, "stuck_loop"),
    ],
)
@pytest.mark.promise("ends-with-its-client")
async def test_a_signal_ends_the_process_cleanly(tmp_path: Path, number: signal.Signals, tool: str) -> None:
    async with serving(tmp_path) as server:
        await stuck_in(server, tool)

        server.process.send_signal(number)

        assert await server.end(IN_TIME) == 0
        await server.rest()
        assert "Traceback" not in server.said()


@pytest.mark.promise("ends-with-its-client")
async def test_a_signal_ends_an_idle_process_at_once(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        await server.greet()

        server.process.terminate()

        assert await server.end(IN_TIME) == 0
        assert await server.rest() == []


async def test_a_signal_in_the_middle_of_a_long_answer_leaves_no_half_line(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        await server.greet()
        await server.call(1, "big", size=3_000_000)
        first = await server._out.receive(100)

        server.process.send_signal(signal.SIGTERM)
        rest = first + b"".join([chunk async for chunk in server._out])

        assert rest.endswith(b"\n")
        assert await server.end(IN_TIME) == 0


@pytest.mark.promise("ends-with-its-client")
def test_a_client_that_stops_reading_ends_the_process_quietly() -> None:
    with Popen(COMMAND, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=ENVIRONMENT) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        line = json.dumps(PING).encode() + b"\n"
        process.stdin.write(line)
        process.stdin.flush()
        process.stdout.readline()

        process.stdout.close()
        process.stdin.write(line)
        process.stdin.flush()

        assert process.wait(IN_TIME) == 0
        assert process.stderr.read() == b""


async def test_a_client_that_stops_reading_without_closing_cannot_hold_the_process(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        await server.greet()
        await server.call(1, "big", size=3_000_000)
        await server._out.receive(100)

        await server.close_input()

        assert await server.end(IN_TIME) == 0


async def test_what_was_asked_before_the_end_of_input_is_still_answered(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        await server.greet()
        await server.send(*(request(number, "echo", value=number) for number in range(1, 51)))
        await server.close_input()

        messages = await server.rest()

        assert sorted(int(str(message["id"])) for message in messages if "result" in message) == list(range(1, 51))
        assert await server.end(IN_TIME) == 0


async def test_a_last_line_without_a_line_feed_is_read(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        await server.greet()
        await server.send(b'{"jsonrpc":"2.0","id":1,"method":"ping"}')
        await server.close_input()

        assert [message["id"] for message in await server.rest()] == [1]


@pytest.mark.promise("stdout-only-json-rpc")
async def test_nothing_that_is_printed_reaches_the_wire_not_even_at_the_end(tmp_path: Path) -> None:
    async with serving(tmp_path, "--print-early") as server:
        await server.greet()
        await server.call(1, "print", value="printed by a tool")
        assert (await server.receive())["id"] == 1
        await server.close_input()

        assert await server.rest() == []
        assert await server.end(IN_TIME) == 0

    said = server.said()
    assert "printed before anything was served" in said
    assert "printed by a tool" in said
    assert "printed after everything was served" in said


@pytest.mark.promise("stdout-only-json-rpc")
async def test_a_child_of_a_handler_finds_neither_our_input_nor_our_output(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        await server.greet()
        await server.call(1, "shell", command="cat; echo from a child; ls -l /proc/self/fd | wc -l")
        answer = await server.receive()
        await server.close_input()

        assert "result" in answer
        assert await server.rest() == []


async def test_a_cancelled_call_is_not_answered_at_shutdown_either(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        await server.greet()
        await server.call(1, "slow")
        await server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}, PING)
        assert (await server.receive())["id"] == 99
        await server.close_input()

        assert await server.rest() == []
        assert await server.end(END_SECONDS) == 0


async def test_files_will_do_as_input_and_output(tmp_path: Path) -> None:
    async with serving(tmp_path) as pattern:
        await pattern.close_input()
    source, sink = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text("".join(f'{{"jsonrpc":"2.0","id":{number},"method":"ping"}}\n' for number in range(3)))
    script = f"exec {' '.join(COMMAND)} < {source} > {sink}"

    async with serving(tmp_path, command=("/bin/sh", "-c", script)) as server:
        assert await server.end(10) == 0

    assert sink.read_text() == "".join(f'{{"jsonrpc":"2.0","id":{number},"result":{{}}}}\n' for number in range(3))


@pytest.mark.promise("ends-with-its-client")
async def test_the_process_ends_after_its_parent_was_killed_though_its_input_stays_open(tmp_path: Path) -> None:
    script = f"exec 3<&0; {' '.join(COMMAND)} <&3 & exec sleep 1000"
    async with serving(tmp_path, command=("/bin/sh", "-c", script)) as shell:
        await shell.greet()

        shell.process.kill()

        assert await shell.rest() == []  # the end of the output is the end of whoever holds it


@pytest.mark.promise("ends-with-its-client")
async def test_the_process_ends_though_its_parent_was_killed_before_it_had_loaded(tmp_path: Path) -> None:
    script = f"exec 3<&0; {' '.join(COMMAND)} --load-until-orphaned <&3 & exec sleep 1000"
    async with serving(tmp_path, command=("/bin/sh", "-c", script)) as shell:
        with anyio.fail_after(10):
            while "loading" not in shell.said():
                await anyio.lowlevel.checkpoint()

        shell.process.kill()

        assert await shell.rest() == []


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
async def test_a_process_without_its_standard_streams_ends_quietly(tmp_path: Path, closed: str) -> None:
    script = f"{' '.join(COMMAND)} {closed}; echo $? > {tmp_path / 'code'}"
    async with serving(tmp_path, command=("/bin/sh", "-c", script)) as shell:
        await shell.send(PING)
        await shell.close_input()

        await shell.end(10)

    assert (tmp_path / "code").read_text() == "0\n"
    assert "Traceback" not in shell.said()
