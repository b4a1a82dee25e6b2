"""The commands: what they print, and how they end."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from handrail import __version__
from handrail.agents import built_in_agents
from handrail.decisions import built_in_models
from handrail.errors import HandrailError, UsageError
from handrail.settings import described_settings
from tests.cli.conftest import Command, Invoke

CANARY = "standard_canary_key_7d20"


def test_the_version_is_the_packages(invoke: Invoke) -> None:
    assert invoke("--version").output == f"handrail {__version__}\n"


def test_every_command_and_option_says_what_it_is_for(invoke: Invoke) -> None:
    words = invoke("--help").output.split("Commands")[1]

    for name in (
        "serve",
        "sandbox",
        "demo",
        "tools",
        "search",
        "call",
        "run",
        "agents",
        "settings",
        "hints",
        "runs",
        "worker",
    ):
        line = next(line for line in words.splitlines() if line.strip().startswith(f"{name} "))
        assert len(line.split()) > 3, line


def test_every_command_of_runs_says_what_it_is_for(invoke: Invoke) -> None:
    words = invoke("runs", "--help").output.split("Commands")[1]

    for name in ("list", "show", "watch", "cancel", "result", "keep", "answer", "log"):
        line = next(line for line in words.splitlines() if line.strip().startswith(f"{name} "))
        assert len(line.split()) > 2, line


def test_the_hints_cover_every_method_of_every_installed_sdk(invoke: Invoke) -> None:
    rows = json.loads(invoke("hints", "--json").output)

    counts = {sdk: sum(row["sdk"] == sdk for row in rows) for sdk in ("appwrite", "appwrite-console")}
    assert counts == {"appwrite": 874, "appwrite-console": 1042}
    keys = {"tool", "sdk", "service", "method", "http_method", "path", "annotations", "risks", "rule", "reason"}
    assert all(set(row) == keys and all(type(v) is bool for v in row["annotations"].values()) for row in rows)
    assert all(len(row["annotations"]) == 4 for row in rows)


def test_a_method_is_explained_with_its_evidence(invoke: Invoke) -> None:
    row = json.loads(invoke("hints", "explain", "tables_db_delete_rows", "--json").output)

    assert (row["rule"], row["risks"], row["http_method"]) == ("delete.many", ["bulk", "irreversible"], "DELETE")
    assert "because" in invoke("hints", "explain", "tables_db_delete_rows").output


def test_an_explanation_of_nothing_names_what_is_near(invoke: Invoke) -> None:
    error = invoke("hints", "explain", "users_lst").exception

    assert isinstance(error, HandrailError)
    assert error.next_step == "Use 'users_list'."


def test_the_tools_are_those_that_a_host_sees(invoke: Invoke) -> None:
    tools = json.loads(invoke("tools", "--json").output)

    names = [tool["name"] for tool in tools]
    of_appwrite = [name for name in names if name.startswith("appwrite_")]
    assert names[: len(of_appwrite)] == of_appwrite
    assert {
        "appwrite_get_context",
        "appwrite_search_tools",
        "appwrite_call_read_tool",
        "appwrite_call_tool",
    } <= {*of_appwrite}
    assert {"run_agent", "get_run", "answer_run", "list_runs", "cancel_run", "list_agents", "decide"} < {*names}


@pytest.mark.parametrize(("toolset", "prefix"), [("appwrite", "appwrite_"), ("agents", "")])
def test_a_toolset_can_be_served_alone(invoke: Invoke, toolset: str, prefix: str) -> None:
    names = [tool["name"] for tool in json.loads(invoke("tools", "--json", "--toolset", toolset).output)]

    assert names
    assert all(name.startswith("appwrite_") == (prefix == "appwrite_") for name in names)


def test_a_search_finds_a_method_by_plain_words(invoke: Invoke) -> None:
    hits = json.loads(invoke("search", "list the rows of a table", "--json", "--limit", "5").output)["tools"]

    assert "tables_db_list_rows" in [hit["name"] for hit in hits]
    assert "tables_db_list_rows" in invoke("search", "list the rows of a table").output


def test_a_search_in_a_service_that_does_not_exist_names_the_nearest(invoke: Invoke) -> None:
    error = invoke("search", "x", "--service", "tablesdb").exception

    assert isinstance(error, UsageError)
    assert error.next_step == "Use 'tables_db'."


def test_a_search_that_finds_nothing_says_so(invoke: Invoke) -> None:
    assert "Nothing fits" in invoke("search", "!!!").output


def test_a_call_reads_from_the_stand_in(invoke: Invoke) -> None:
    result = invoke("call", "users_list", "--sandbox", "--json")

    answer = json.loads(result.output)
    assert (result.exit_code, answer["outcome"], answer["result"]["total"]) == (0, "done", 2)


def test_a_call_that_writes_needs_its_flag(invoke: Invoke) -> None:
    arguments = ("call", "users_update_name", '{"user_id": "ada", "name": "Ada L."}', "--sandbox")

    refused, done = invoke(*arguments), invoke(*arguments, "--confirm-write")

    assert (refused.exit_code, done.exit_code) == (1, 0)
    assert "--confirm-write" in refused.output


def test_a_call_that_deletes_needs_a_person_or_the_switch_of_a_script(invoke: Invoke) -> None:
    arguments = ("call", "users_delete", '{"user_id": "ada"}', "--sandbox")

    waits, done = invoke(*arguments, "--confirm-write"), invoke(*arguments, "--writes", "allow")

    assert (waits.exit_code, done.exit_code) == (1, 0)
    assert "handrail approve" in waits.output
    assert "with --approval " in waits.output


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [("users_get", '{"user_id": "nobody"}', 1), ("users_get", "{}", 2), ("users_lst", "{}", 2)],
)
def test_a_call_that_fails_and_one_that_is_wrong_end_differently(
    invoke: Invoke, tool: str, arguments: str, code: int
) -> None:
    assert invoke("call", tool, arguments, "--sandbox").exit_code == code


@pytest.mark.parametrize("arguments", ["{", "[]", "7"])
def test_arguments_that_are_no_json_object_are_a_usage_error(invoke: Invoke, arguments: str) -> None:
    assert isinstance(invoke("call", "users_list", arguments).exception, UsageError)


def test_a_run_is_followed_to_its_end_and_its_record_is_kept(invoke: Invoke) -> None:
    ran = json.loads(invoke("run", "counter", "--params", '{"steps": 3, "delay_s": 0}', "--json").stdout)
    kept = json.loads(invoke("runs", "show", ran["run_id"], "--json").output)

    assert (ran["status"], ran["result"]["count"], kept["result"]) == ("completed", 3, ran["result"])
    assert ran["run_id"] in invoke("runs").output
    assert ran["run_id"] in invoke("runs", "list", "--json").output


def test_the_agents_are_listed_with_their_parameters_and_the_models(invoke: Invoke) -> None:
    listed, shown = json.loads(invoke("agents", "--json").output), invoke("agents").output

    assert [agent["name"] for agent in listed["agents"]] == built_in_agents().names()
    assert [model["name"] for model in listed["models"]] == built_in_models().names()
    assert all(isinstance(agent["available"], bool) and agent["params"] for agent in listed["agents"])
    for word in ("counter", "delay_s", "default 0.2", "blackjack", "random"):
        assert word in shown


def test_the_same_seed_gives_the_same_series(invoke: Invoke) -> None:
    arguments = ("run", "blackjack", "--episodes", "20", "--seed", "7", "--model", "random", "--json")
    results = [json.loads(invoke(*arguments).stdout)["result"] for _ in range(2)]

    assert results[0]["mean_score"] == results[1]["mean_score"]
    assert results[0]["episodes"] == 20


@pytest.mark.parametrize(
    "arguments",
    [
        ("nonsense",),
        ("counter", "--params", '{"stepps": 3}'),
        ("counter", "--model", "rul"),
        ("counter", "--params", "x"),
    ],
)
def test_a_run_that_cannot_be_is_a_usage_error(invoke: Invoke, arguments: tuple[str, ...]) -> None:
    error = invoke("run", *arguments).exception

    assert isinstance(error, UsageError)
    assert error.next_step


def test_every_setting_is_listed(invoke: Invoke) -> None:
    names = [row["name"] for row in json.loads(invoke("settings", "--json").output)]

    assert names == [*described_settings()]
    assert all(name in invoke("settings").output for name in names)


def test_the_settings_say_which_are_set_and_never_to_what(invoke: Invoke, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APPWRITE_API_KEY", CANARY)
    monkeypatch.setenv("APPWRITE_ENDPOINT", "")

    shown = invoke("settings").output
    rows = {row["name"]: row for row in json.loads(invoke("settings", "--json").output)}

    assert {name: rows[name]["set"] for name in ("APPWRITE_API_KEY", "APPWRITE_ENDPOINT")} == {
        "APPWRITE_API_KEY": True,
        "APPWRITE_ENDPOINT": False,
    }
    assert next(line for line in shown.splitlines() if line.startswith("APPWRITE_API_KEY")).split()[2] == "set"
    assert rows["APPWRITE_ENDPOINT"]["default"] == "https://cloud.appwrite.io/v1"
    assert CANARY not in f"{shown}{rows}"


def test_the_settings_are_listed_where_one_is_wrong_and_say_which(command: Command) -> None:
    ended = command("settings", HANDRAIL_MAX_RUNS="many")

    assert (ended.returncode, ended.stderr) == (0, "")
    assert "wrong: HANDRAIL_MAX_RUNS: Input should be a valid integer" in ended.stdout
    assert "many" not in ended.stdout.replace("How many", "")


def test_a_failure_is_one_line_with_the_next_step_and_exit_code_1(command: Command) -> None:
    ended = command("runs", "show", "0" * 44)

    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.splitlines()[1].strip() == "`handrail runs` lists them."


def test_a_wrong_setting_is_a_usage_error(command: Command) -> None:
    ended = command("tools", HANDRAIL_MAX_RUNS="many")

    assert (ended.returncode, "HANDRAIL_MAX_RUNS" in ended.stderr) == (2, True)


def test_an_unknown_option_is_a_usage_error(command: Command) -> None:
    assert command("serve", "--read-onyl").returncode == 2


def test_a_home_that_cannot_be_used_is_said_with_what_mends_it(command: Command, tmp_path: Path) -> None:
    taken = tmp_path / "file"
    taken.write_text("")

    ended = command("call", "users_list", HANDRAIL_HOME=str(taken))

    assert (ended.returncode, "HANDRAIL_HOME" in ended.stderr) == (1, True)


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = "import handrail, sys; print(sorted({'mcp', 'pydantic', 'typer', 'httpx2', 'appwrite'} & set(sys.modules)))"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)

    assert ended.stdout.strip() == "[]"
