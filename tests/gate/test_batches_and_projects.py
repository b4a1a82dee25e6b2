"""Reads in batches, each with its own outcome; and projects, of which the one used is always told."""

from collections.abc import AsyncIterator
from typing import Any, Final

import pytest

from handrail.json_types import Json, JsonObject
from handrail.sandbox import Sandbox, SandboxState, serve_sandbox
from tests.gate.world import CALL, MODES, PREVIEW, READ, Form, World, approval_of, ask, kind

TEAM: Final[JsonObject] = {"tool_name": "teams_create", "arguments": {"team_id": "t", "name": "T"}}
_READ: Final[JsonObject] = {"tool_name": "users_get", "arguments": {"user_id": "ada"}}


def reads(count: int) -> list[Json]:
    return [{**_READ} for _ in range(count)]


@pytest.mark.promise("batches-are-reads")
@pytest.mark.parametrize("mode", MODES)
async def test_of_twenty_reads_each_has_its_own_outcome_in_its_place(world: World, mode: str) -> None:
    calls = reads(20)
    calls[3] = {"tool_name": "teams_delete", "arguments": {"team_id": "staff"}}
    calls[7] = {"tool_name": "users_gett", "arguments": {}}
    calls[11] = {"tool_name": "users_get", "arguments": {"user_id": "nobody"}}
    async with world.client(mode) as client:
        results = (await ask(client, READ, calls=calls))["results"]

    expected: list[tuple[str, str | None]] = [("done", None)] * 20
    expected[3], expected[7] = ("refused", "not_a_read"), ("refused", "tool_unknown")
    expected[11] = ("failed", "user_not_found")
    assert [kind(result) for result in results] == expected
    assert results[7]["error"]["data"]["nearest"] == "users_get"
    assert world.written() == []
    assert len(world.sent()) == 18


@pytest.mark.parametrize("count", [0, 21, 100])
async def test_too_many_or_none_is_an_error_and_sends_nothing(world: World, count: int) -> None:
    async with world.client() as client:
        answer = await ask(client, READ, calls=reads(count))

    assert answer["error"]["type"] == "argument_invalid"
    assert world.sent() == []


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"calls": [], "tool_name": "users_list"},
        {"calls": [{"tool_name": "users_list", "confirm_write": True}]},
        {"calls": [{"tool_name": "users_list", "reveal": True}]},
        {"calls": "users_list"},
        {"calls": [7]},
        {"result_id": "x", "tool_name": "users_list"},
        {"tool_name": 7},
        {"tool_name": "users_list", "arguments": []},
        {"tool_name": "users_list", "page": 0},
        {"tool_name": "users_list", "page": True},
        {"tool_name": "users_list", "pick": "a b c ["},
        {"tool_name": "users_list", "reveal": "true"},
        {"tool_name": "users_list", "project": 7},
        {"tool_name": "users_list", "save_as": "../x"},
    ],
)
async def test_what_does_not_fit_is_an_error_and_sends_nothing(world: World, arguments: dict[str, Json]) -> None:
    async with world.client() as client:
        result = await client.call_tool(READ, arguments)

    assert result.is_error
    assert world.sent() == []


@pytest.fixture
async def other(world: World, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Sandbox]:
    """Another project, which the home knows as `other`."""
    state = SandboxState.seeded()
    state.project_id = "second"
    async with serve_sandbox(state) as sandbox:
        monkeypatch.setenv("OTHER_KEY", sandbox.api_key)
        profiles = world.home / "profiles.toml"
        profiles.write_text(
            f'[profile.other]\nendpoint = "{sandbox.endpoint}"\nproject = "second"\nkey_variable = "OTHER_KEY"\n'
        )
        profiles.chmod(0o600)
        yield sandbox


def _written(sandbox: Sandbox) -> list[str]:
    return [f"{one.method} {one.path}" for one in sandbox.state.requests if one.method != "GET"]


@pytest.mark.promise("the-project-is-told")
@pytest.mark.parametrize("mode", MODES)
async def test_a_read_goes_where_it_is_told_and_every_answer_says_where(
    world: World, other: Sandbox, mode: str
) -> None:
    async with world.client(mode) as client:
        answers: list[dict[str, Any]] = [
            await ask(client, READ, **_READ),
            await ask(client, READ, **_READ, project="other"),
            await ask(client, PREVIEW, **TEAM, project="other"),
            await ask(client, CALL, **TEAM),
            await ask(client, CALL, **TEAM, project="other"),
        ]
        batch = (await ask(client, READ, calls=reads(2), project="other"))["results"]
        unknown = await ask(client, READ, **_READ, project="othr")

    assert [one["project"] for one in answers] == ["sandbox", "second", "second", "sandbox", "second"]
    assert [one["project"] for one in batch] == ["second", "second"]
    assert len(world.sent()) == 1
    assert len(other.state.requests) == 3
    assert kind(unknown) == ("refused", "profile_unknown")
    assert unknown["error"]["data"]["nearest"] == "other"


@pytest.mark.promise("other-projects-need-a-person")
@pytest.mark.parametrize("mode", MODES)
async def test_a_plain_write_to_another_project_is_grave(world: World, other: Sandbox, mode: str) -> None:
    async with world.client(mode) as client:
        shown = await ask(client, PREVIEW, **TEAM, project="other")
        waits = await ask(client, CALL, **TEAM, project="other", confirm_write=True)
        assert _written(other) == []
        world.approve(approval_of(waits))
        at_home = await ask(client, CALL, **TEAM, confirm_write=True, approval=approval_of(waits))
        done = await ask(client, CALL, **TEAM, project="other", approval=approval_of(waits))
    form = Form("decline")
    async with world.client(mode, form) as client:
        declined = await ask(client, CALL, **TEAM, project="other", confirm_write=True)

    assert shown["grave"] == ["other_project"]
    assert kind(waits)[0] == "needs_approval"
    assert (kind(done), done["project"]) == (("done", None), "second")
    assert kind(declined) == ("refused", "declined")
    assert "second" in form.asked[0]
    assert _written(other) == ["POST /v1/teams"]
    assert at_home["project"] == "sandbox"
