"""The records of runs as resources."""

import base64
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from mcp.client import Client
from mcp_types import TextResourceContents

from handrail.json_types import Json, JsonObject
from handrail.protocol import HandrailServer, create_server
from handrail.runs import MemoryEngine, Run, RunContext, RunEngine, RunRecords, StartRequest
from handrail.runs.reader import MAX_FILE_BYTES
from tests.protocol.peer import TIMEOUT, Era, Peer, connected

pytestmark = pytest.mark.unit

EVERY_ERA = pytest.mark.parametrize("era", list(Era), ids=lambda era: era.value)
OLD_AND_NEW = pytest.mark.parametrize("era", [Era.V2025_11, Era.MODERN], ids=lambda era: era.value)


async def play(ctx: RunContext, request: StartRequest) -> JsonObject:
    """A body that records what a series does."""
    ctx.record("config.json", {"job_name": ctx.run_id})
    for trial in range(2):
        for step in range(2):
            await ctx.report(f"episode {trial + 1}/2, step {step + 1}/2")
            ctx.append(f"play--{trial}__abc/agent/ticks.jsonl", {"step": step})
    if request.arguments.get("hang"):
        await ctx.ask("Go on?", {"type": "object"}, seconds=30)
    ctx.record("summary.json", {"ok": True, "games": 2})
    return {"ok": True, "text": "é" * int(str(request.arguments.get("large", 20_000)))}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "runs"


@pytest.fixture
async def engine(folder: Path) -> AsyncIterator[MemoryEngine]:
    async with MemoryEngine(play, records=folder) as running:
        yield running


@pytest.fixture
def server(engine: RunEngine, folder: Path) -> HandrailServer:
    return create_server([], engine=engine, records=RunRecords(folder), name="fixture", version="1")


async def played(engine: RunEngine, owner: str = "local", **arguments: Json) -> Run:
    """A run that has ended, or that hangs at its question."""
    run = await engine.start(StartRequest("play", arguments, owner))
    return await engine.wait(run.run_id, owner, TIMEOUT)


async def read(peer: Peer, uri: str) -> JsonObject:
    """The one content of a resource."""
    contents = (await peer.result("resources/read", {"uri": uri}))["contents"]
    assert isinstance(contents, list)
    (content,) = contents
    assert isinstance(content, dict)
    assert content["uri"] == uri
    return content


def json_lines(content: JsonObject) -> list[JsonObject]:
    assert content["mimeType"] == "application/jsonl"
    return [json.loads(line) for line in str(content["text"]).splitlines()]


@EVERY_ERA
@pytest.mark.promise("records-are-resources")
async def test_what_a_run_did_can_be_read(peer: Peer, engine: MemoryEngine) -> None:
    run = await played(engine)
    base = f"run://{run.run_id}"

    summary = await read(peer, f"{base}/summary")
    result = await read(peer, f"{base}/result")

    assert (summary["mimeType"], json.loads(str(summary["text"]))) == ("application/json", {"ok": True, "games": 2})
    assert json.loads(str(result["text"])) == run.result
    assert json_lines(await read(peer, f"{base}/steps")) == [
        {"trial": f"play--{trial}__abc", "step": step} for trial in range(2) for step in range(2)
    ]
    assert json_lines(await read(peer, f"{base}/log"))[0]["message"] == "episode 1/2, step 1/2"
    config = await read(peer, f"{base}/files/config.json")
    assert json.loads(str(config["text"])) == {"job_name": run.run_id}


@pytest.mark.parametrize("name", ["play--0__abc/agent/ticks.jsonl", "play--0__abc%2Fagent%2Fticks.jsonl"])
async def test_a_file_is_read_by_its_name_whether_its_slashes_are_encoded_or_not(
    peer: Peer, engine: MemoryEngine, name: str
) -> None:
    run = await played(engine)

    assert json_lines(await read(peer, f"run://{run.run_id}/files/{name}")) == [{"step": 0}, {"step": 1}]


@EVERY_ERA
async def test_what_there_is_of_each_run_is_listed_as_templates(peer: Peer) -> None:
    templates = (await peer.result("resources/templates/list"))["resourceTemplates"]

    assert isinstance(templates, list)
    assert [template["uriTemplate"] for template in templates if isinstance(template, dict)] == [
        "run://{run_id}/summary",
        "run://{run_id}/steps",
        "run://{run_id}/log",
        "run://{run_id}/result",
        "run://{run_id}/files/{+name}",
    ]
    assert (await peer.error("resources/templates/list", {"cursor": "x"}))["code"] == -32602


@OLD_AND_NEW
async def test_ones_own_runs_are_listed_newest_first_in_pages(peer: Peer, engine: MemoryEngine) -> None:
    await played(engine, owner="somebody else")
    started = [(await played(engine)).run_id for _ in range(51)]

    first = await peer.result("resources/list")
    second = await peer.result("resources/list", {"cursor": first["nextCursor"]})

    listed = [first["resources"], second["resources"]]
    assert [len(page) for page in listed if isinstance(page, list)] == [50, 1]
    found = [item for page in listed if isinstance(page, list) for item in page if isinstance(item, dict)]
    assert [item["uri"] for item in found] == [f"run://{run_id}/summary" for run_id in reversed(started)]
    assert found[0]["title"] == "play: completed"
    assert json.loads(str((await read(peer, str(found[0]["uri"])))["text"]))["ok"] is True
    assert (await peer.error("resources/list", {"cursor": "not ours"}))["code"] == -32602


@OLD_AND_NEW
@pytest.mark.promise("records-are-resources")
async def test_a_run_that_works_shows_where_it_stands_and_what_it_did(peer: Peer, engine: MemoryEngine) -> None:
    run = await played(engine, hang=True)

    summary = json.loads(str((await read(peer, f"run://{run.run_id}/summary"))["text"]))

    assert (summary["status"], summary["has_result"]) == ("input_required", False)
    assert len(json_lines(await read(peer, f"run://{run.run_id}/steps"))) == 4
    error = await peer.error("resources/read", {"uri": f"run://{run.run_id}/result"})
    assert "get_run waits" in str(error["data"])


@OLD_AND_NEW
@pytest.mark.promise("records-survive-a-kill")
async def test_the_record_of_a_run_that_was_broken_off_is_readable_up_to_its_last_whole_line(
    folder: Path, era: Era
) -> None:
    async with MemoryEngine(play, records=folder) as ended:
        run = await played(ended, hang=True)
    with (folder / run.run_id / "play--1__abc/agent/ticks.jsonl").open("a") as ticks:
        ticks.write('{"step": 2, "k')  # as a kill leaves it

    async with connected(create_server([], engine=ended, records=RunRecords(folder)), era) as peer:
        summary = json.loads(str((await read(peer, f"run://{run.run_id}/summary"))["text"]))
        steps = json_lines(await read(peer, f"run://{run.run_id}/steps"))

    assert (summary["status"], summary["reason"]) == ("failed", "interrupted")
    assert [step["step"] for step in steps] == [0, 1, 0, 1]


def _uris(run_id: str) -> list[str]:
    return [f"run://{run_id}/{path}" for path in ("summary", "steps", "log", "result", "files/config.json")]


@EVERY_ERA
@pytest.mark.promise("foreign-runs-look-unknown")
async def test_a_foreign_run_looks_like_an_unknown_one(peer: Peer, engine: MemoryEngine) -> None:
    foreign = await played(engine, owner="somebody else")
    unknown = "0" * len(foreign.run_id)

    for known, other in zip(_uris(foreign.run_id), _uris(unknown), strict=True):
        errors = [await peer.error("resources/read", {"uri": uri}) for uri in (known, other)]

        assert str(errors[0]).replace(foreign.run_id, unknown) == str(errors[1])
        assert errors[0]["code"] == (-32602 if peer.era.is_modern else -32002)
        assert errors[0]["message"] == "Resource not found"


@OLD_AND_NEW
@pytest.mark.parametrize(
    "path",
    ["", "/", "/nothing", "/summary/", "/summary?x", "/files/", "/files/nothing.json", "/files/run.json",
     "/files/../../secret", "/files/%2e%2e/%2e%2e/secret", "/files/%00", "/files//etc/passwd", "/files/%ff"],
)  # fmt: skip
async def test_what_there_is_not_is_not_found(peer: Peer, engine: MemoryEngine, folder: Path, path: str) -> None:
    run = await played(engine)
    (folder.parent / "secret").write_text("canary")

    error = await peer.error("resources/read", {"uri": f"run://{run.run_id}{path}"})

    assert (error["code"], error["message"]) == (-32602 if peer.era.is_modern else -32002, "Resource not found")
    assert str(folder) not in str(error)


@pytest.mark.parametrize("uri", ["", "run://", "file:///etc/passwd", "RUN://x/summary", "x" * 10_000])
async def test_a_uri_that_is_none_of_ours_is_not_found(peer: Peer, uri: str) -> None:
    error = await peer.error("resources/read", {"uri": uri})

    assert error["code"] == -32002
    assert len(str(error)) < 500


async def test_what_is_no_text_comes_as_bytes(peer: Peer, engine: MemoryEngine, folder: Path) -> None:
    run = await played(engine)
    (folder / run.run_id / "frame.png").write_bytes(b"\x89PNG")
    (folder / run.run_id / "odd.json").write_bytes(b"\xff")

    png = await read(peer, f"run://{run.run_id}/files/frame.png")
    odd = await read(peer, f"run://{run.run_id}/files/odd.json")

    assert (png["mimeType"], base64.b64decode(str(png["blob"]))) == ("image/png", b"\x89PNG")
    assert (odd["mimeType"], base64.b64decode(str(odd["blob"]))) == ("application/octet-stream", b"\xff")


async def test_a_file_that_is_too_large_is_an_error_with_the_next_step_and_no_path(
    peer: Peer, engine: MemoryEngine, folder: Path
) -> None:
    run = await played(engine)
    with (folder / run.run_id / "large.txt").open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)

    error = await peer.error("resources/read", {"uri": f"run://{run.run_id}/files/large.txt"})

    assert f"handrail runs show {run.run_id}" in str(error["data"])
    assert str(folder) not in str(error)


async def test_a_log_that_is_too_long_begins_with_where_the_whole_of_it_is(
    peer: Peer, engine: MemoryEngine, folder: Path
) -> None:
    run = await played(engine)
    (folder / run.run_id / "log.jsonl").write_text('{"message":"x"}\n' * 100_000)

    content = json_lines(await read(peer, f"run://{run.run_id}/log"))

    assert content[0]["cut"] is True
    whole = await read(peer, str(content[0]["whole"]))
    assert len(str(whole["text"])) == 1_600_000


async def test_a_disk_that_cannot_be_read_is_an_error_that_shows_no_path(
    peer: Peer, engine: MemoryEngine, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = await played(engine)

    def broken(_self: RunRecords, _run_id: str) -> None:
        raise OSError(5, "Input/output error", str(folder))

    monkeypatch.setattr(RunRecords, "log", broken)

    error = await peer.error("resources/read", {"uri": f"run://{run.run_id}/log"})

    assert "Input/output error" in str(error["message"])
    assert str(folder) not in str(error)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_official_client_lists_and_reads(server: HandrailServer, engine: MemoryEngine, mode: str) -> None:
    run = await played(engine)

    async with Client(server, mode=mode) as client:
        listed = (await client.list_resources()).resources
        templates = (await client.list_resource_templates()).resource_templates
        contents = (await client.read_resource(listed[0].uri)).contents

    assert (listed[0].name, len(templates)) == (run.run_id, 5)
    assert isinstance(contents[0], TextResourceContents)
    assert json.loads(contents[0].text) == {"ok": True, "games": 2}


@OLD_AND_NEW
@pytest.mark.promise("large-results-have-pages")
async def test_ten_megabytes_can_be_read_as_a_whole(peer: Peer, engine: MemoryEngine) -> None:
    run = await played(engine, large=10_000_000)

    text = str((await read(peer, f"run://{run.run_id}/result"))["text"])

    assert len(text) > 10_000_000
    assert json.loads(text) == run.result


@EVERY_ERA
async def test_resources_are_advertised_where_there_are_records(server: HandrailServer, era: Era) -> None:
    async with connected(server, era) as peer:
        greeting = await peer.result("server/discover") if era.is_modern else peer.greeting

    capabilities = greeting["capabilities"]
    assert isinstance(capabilities, dict)
    assert capabilities["resources"] == {"subscribe": False, "listChanged": False}


def test_records_without_an_engine_are_a_mistake_of_the_program(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="engine"):
        create_server([], records=RunRecords(tmp_path))
