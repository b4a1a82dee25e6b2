"""`--expose`, HANDRAIL_EXPOSE and HANDRAIL_EXPLICIT_HINTS: what a host then sees, and what refuses to start."""

import json
import os
import sys
from pathlib import Path
from typing import Any, NoReturn

import pytest

from handrail.errors import UsageError
from tests.cli.conftest import Command, Invoke
from tests.protocol.process import ServerProcess, request, serving

FIRST, LAST = "appwrite_get_context", "cancel_run"


def _tools(invoke: Invoke, *arguments: str) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = json.loads(invoke("tools", "--json", *arguments).output)
    return listed


def _names(invoke: Invoke, *arguments: str) -> list[str]:
    return [tool["name"] for tool in _tools(invoke, *arguments)]


def _hints(tool: dict[str, Any]) -> dict[str, bool]:
    return {name: value for name, value in tool["annotations"].items() if name != "title"}


@pytest.mark.parametrize(
    "arguments",
    [
        ("--expose", "users_get,tokens"),
        ("--expose", "users_get", "--expose", "tokens"),
        ("--expose", " tokens , users_get ,"),
    ],
)
def test_services_and_tools_are_exposed_after_the_public_ones(invoke: Invoke, arguments: tuple[str, ...]) -> None:
    public, names = _names(invoke), _names(invoke, *arguments)

    assert (public[0], public[-1]) == (FIRST, LAST)
    assert names[: len(public)] == public
    assert set(names[len(public) :]) == {
        "tokens_list",
        "tokens_create_file_token",
        "tokens_get",
        "tokens_update",
        "tokens_delete",
        "users_get",
    }


def test_all_are_listed_once_whatever_the_number_of_pages(invoke: Invoke) -> None:
    names = _names(invoke, "--expose", "all")

    assert len(names) == len(set(names)) == len(_names(invoke)) + 1_045


def test_the_setting_means_the_same_and_the_option_takes_its_place(
    invoke: Invoke, monkeypatch: pytest.MonkeyPatch
) -> None:
    public = _names(invoke)

    monkeypatch.setenv("HANDRAIL_EXPOSE", "users_get,users_list")

    assert sorted(_names(invoke)[len(public) :]) == ["users_get", "users_list"]
    assert _names(invoke, "--expose", "tokens_get")[len(public) :] == ["tokens_get"]
    assert _names(invoke, "--expose", "") == public


def test_exposed_methods_stand_in_the_table_with_their_hints(invoke: Invoke) -> None:
    table = invoke("tools", "--expose", "tokens_get,tokens_delete").output.splitlines()

    rows = {line.split()[0]: line.split()[1:5] for line in table}
    assert rows["tokens_get"][:2] == ["yes", "no"]
    assert rows["tokens_delete"][:2] == ["no", "yes"]


async def _answer(server: ServerProcess) -> dict[str, Any]:
    return dict(json.loads(json.dumps(await server.receive()))["result"])


async def test_a_served_method_is_listed_last_and_can_be_called(tmp_path: Path, session_home: Path) -> None:
    command = (
        sys.executable,
        "-m",
        "handrail",
        "serve",
        "--sandbox",
        "--expose",
        "users_get,users_update_name,users_delete",
    )
    environment = {"HANDRAIL_HOME": str(session_home), "PATH": os.defpath}
    async with serving(tmp_path, command=command, environment=environment) as server:
        await server.greet()
        await server.send({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        names = [tool["name"] for tool in (await _answer(server))["tools"]]
        await server.send(request(2, "users_get", user_id="ada"))
        read = (await _answer(server))["structuredContent"]
        await server.send(request(3, "users_update_name", user_id="ada", name="Ada L."))
        refused = (await _answer(server))["structuredContent"]
        await server.send(request(4, "users_delete", user_id="ada", confirm_write=True))
        waits = (await _answer(server))["structuredContent"]

    assert sorted(names[-3:]) == ["users_delete", "users_get", "users_update_name"]
    assert (read["outcome"], read["result"]["$id"]) == ("done", "ada")
    assert (refused["outcome"], refused["error"]["type"]) == ("refused", "confirmation_required")
    assert (waits["outcome"], waits["error"]["type"]) == ("needs_approval", "needs_approval")


@pytest.mark.promise("expose-fails-closed")
@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("serve", "--expose", "usrs"), "'users'"),
        (("serve", "--expose", "users,users_lst", "--sandbox"), "'users_list'"),
        (("tools", "--expose", "tablesDB"), "'tables_db'"),
        (("serve", "--expose", "users", "--toolset", "agents"), "appwrite toolset"),
    ],
)
def test_a_name_that_cannot_be_exposed_ends_the_start_as_a_usage_error(
    command: Command, arguments: tuple[str, ...], named: str
) -> None:
    ended = command(*arguments)

    assert (ended.returncode, ended.stdout) == (2, "")
    assert named in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.promise("expose-fails-closed")
def test_a_wrong_name_in_the_setting_ends_the_start_too(command: Command) -> None:
    ended = command("serve", HANDRAIL_EXPOSE="users,usrs_get")

    assert (ended.returncode, ended.stdout, "'users_get'" in ended.stderr) == (2, "", True)


def test_the_catalog_is_left_alone_unless_something_is_exposed(invoke: Invoke, monkeypatch: pytest.MonkeyPatch) -> None:
    def load(_home: Path) -> NoReturn:
        raise UsageError("read the catalog")

    monkeypatch.setattr("handrail.appwrite_composition.load_catalogs", load)

    assert invoke("tools").exit_code == 0
    assert isinstance(invoke("tools", "--expose", "users").exception, UsageError)


@pytest.mark.promise("no-hint-missing")
def test_a_setting_states_the_destructive_hint_that_gateways_leave_open(
    invoke: Invoke, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = {tool["name"]: _hints(tool) for tool in _tools(invoke, "--expose", "users")}

    monkeypatch.setenv("HANDRAIL_EXPLICIT_HINTS", "true")
    explicit = {tool["name"]: _hints(tool) for tool in _tools(invoke, "--expose", "users")}

    assert all(len(hints) == 4 for hints in explicit.values())
    changed = {name: hints for name, hints in explicit.items() if hints != plain[name]}
    assert set(changed) == {"appwrite_call_tool", "run_agent"}
    assert all(hints == {**plain[name], "destructiveHint": True} for name, hints in changed.items())
