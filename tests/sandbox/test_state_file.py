"""The stand-in's data in a file."""

import json
from pathlib import Path

import anyio
import httpx2
import pytest

from handrail.json_types import JsonObject
from handrail.sandbox import API_KEY, PROJECT_ID, SandboxState, SandboxStateFileError, serve_sandbox

HEADERS = {"x-appwrite-project": PROJECT_ID, "x-appwrite-key": API_KEY}


def written(path: Path) -> JsonObject:
    loaded: JsonObject = json.loads(path.read_text())
    return loaded


def look(path: Path) -> tuple[int, int, int, list[str]]:
    """Which file it is, when it was written, who may read it, and what lies beside it."""
    found = path.stat()
    return found.st_ino, found.st_mtime_ns, found.st_mode & 0o777, [item.name for item in path.parent.iterdir()]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state.json"


async def test_the_file_holds_the_data_when_the_answer_is_there(path: Path) -> None:
    state = SandboxState.seeded()
    with anyio.fail_after(10):
        async with serve_sandbox(state, state_file=path) as stand_in, httpx2.AsyncClient(headers=HEADERS) as client:
            assert written(path) == state.data(stamps=False)
            await client.post(f"{stand_in.endpoint}/teams", json={"teamId": "crew", "name": "Crew"})
            teams = written(path)["teams"]
            await client.delete(f"{stand_in.endpoint}/teams/crew")
            after = written(path)["teams"]

    assert isinstance(teams, dict)
    assert isinstance(after, dict)
    assert (sorted(teams), sorted(after)) == (["crew", "staff"], ["staff"])
    assert look(path)[2:] == (0o600, [path.name])


async def test_a_read_and_a_refusal_leave_the_file_alone(path: Path) -> None:
    with anyio.fail_after(10):
        async with (
            serve_sandbox(SandboxState.seeded(), state_file=path) as stand_in,
            httpx2.AsyncClient(headers=HEADERS) as client,
        ):
            before = look(path)
            assert (await client.get(f"{stand_in.endpoint}/users")).status_code == 200
            assert (await client.post(f"{stand_in.endpoint}/users", json={"userId": "ada"})).status_code == 409

    assert look(path) == before


async def test_a_file_that_cannot_be_written_stops_the_start(tmp_path: Path) -> None:
    with pytest.raises(SandboxStateFileError) as refused:
        async with serve_sandbox(state_file=tmp_path / "missing" / "state.json"):
            pytest.fail("it started")

    assert refused.value.data["problem"] == "No such file or directory"


async def test_a_change_that_cannot_be_written_down_is_no_success(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    folder.mkdir()
    with anyio.fail_after(10):
        async with (
            serve_sandbox(state_file=folder / "state.json") as stand_in,
            httpx2.AsyncClient(headers=HEADERS) as client,
        ):
            folder.rename(tmp_path / "moved")
            answer = await client.post(f"{stand_in.endpoint}/teams", json={"teamId": "crew", "name": "Crew"})

    assert (answer.status_code, answer.json()["type"]) == (500, "general_unknown")


@pytest.mark.unit
def test_two_seeded_states_are_alike_but_for_moments() -> None:
    one, other = SandboxState.seeded(), SandboxState.seeded()

    assert one.digest(stamps=False) == other.digest(stamps=False)
    assert one.new_id() != other.new_id()
