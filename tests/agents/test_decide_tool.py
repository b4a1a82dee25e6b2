"""The tool `decide`."""

import pytest

from handrail.agents import built_in_agents
from handrail.agents.tools import agent_tools
from handrail.arguments import ArgumentChecker
from handrail.decisions import built_in_models
from handrail.errors import ArgumentError
from handrail.json_types import Json, JsonObject
from handrail.protocol.tool import ServerTool
from tests.agents.games import FakeCall

pytestmark = pytest.mark.unit

OPTIONS: JsonObject = {"billing": "invoices and refunds", "login": "passwords and locked accounts"}


def _tool() -> ServerTool:
    tool = next(tool for tool in agent_tools(built_in_agents(), built_in_models()) if tool.name == "decide")
    assert isinstance(tool, ServerTool)
    return tool


async def _decide(**arguments: Json) -> JsonObject:
    tool = _tool()
    ArgumentChecker(tool.input_schema).check(arguments)
    return (await tool.handler(FakeCall(), arguments)).structured


@pytest.mark.parametrize("state", ["please refund my invoice", {"subject": "refund", "body": "the invoice"}])
async def test_a_described_option_is_chosen(state: Json) -> None:
    answer = await _decide(state=state, options=OPTIONS)

    assert set(answer) == {
        "choice", "probabilities", "confidence", "abstained", "ms", "model", "calibrated", "usage", "warnings",
    }  # fmt: skip
    assert (answer["choice"], answer["model"], answer["calibrated"]) == ("billing", "rule", False)
    assert (answer["abstained"], answer["warnings"]) == (False, [])
    assert isinstance(answer["probabilities"], dict)
    assert list(answer["probabilities"]) == list(OPTIONS)


@pytest.mark.parametrize("options", [["billing", "login"], {"billing": "invoices", "login": " "}])
async def test_options_without_descriptions_are_warned_about(options: Json) -> None:
    answer = await _decide(state="login please", options=options)

    assert isinstance(warnings := answer["warnings"], list)
    assert "no description" in str(warnings[0])


@pytest.mark.parametrize("rules", ["a refund", ["be kind", "a refund"]])
async def test_rules_are_a_text_or_a_list(rules: Json) -> None:
    assert (await _decide(state="", options=OPTIONS, rules=rules))["choice"] == "billing"


async def test_without_a_signal_it_abstains_and_the_threshold_can_be_set() -> None:
    unsure = await _decide(state="qwertz", options=OPTIONS)
    sure = await _decide(state="refund", options=OPTIONS, abstain_below=1)

    assert (unsure["abstained"], unsure["confidence"]) == (True, 0)
    assert sure["abstained"] is True
    assert (await _decide(state="qwertz", options=OPTIONS, abstain_below=0))["abstained"] is False


async def test_random_says_that_it_does_not_know() -> None:
    answer = await _decide(state="refund", options=OPTIONS, model="random")

    assert (answer["model"], answer["confidence"]) == ("random", 0)
    assert answer["probabilities"] == {"billing": 0.5, "login": 0.5}


def _nested(depth: int) -> Json:
    state: Json = {}
    for _ in range(depth):
        state = {"in": state}
    return state


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("state", "x" * 50_001),
        ("state", {"text": "x" * 50_000}),
        ("state", _nested(100_000)),
        ("options", {f"{n}": "x" * 999 for n in range(65)}),
        ("rules", ["x" * 2000] * 11),
    ],
)
async def test_what_is_too_large_or_too_deep_is_refused(name: str, value: Json) -> None:
    arguments: JsonObject = {"state": "s", "options": OPTIONS, name: value}
    with pytest.raises(ArgumentError) as caught:
        await _tool().handler(FakeCall(), arguments)

    assert caught.value.argument == name


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("options", {}),
        ("options", []),
        ("options", {str(n): "" for n in range(256)}),
        ("options", [str(n) for n in range(256)]),
        ("options", ["a", "a"]),
        ("options", "a"),
        ("options", {"a": "x" * 1001}),
        ("options", {"x" * 101: ""}),
        ("state", 3),
        ("rules", ["x"] * 51),
        ("rules", "x" * 2001),
        ("model", "gpt"),
        ("abstain_below", 2),
    ],
)
async def test_the_schema_bounds_every_argument(name: str, value: Json) -> None:
    arguments: JsonObject = {"state": "s", "options": OPTIONS, name: value}
    with pytest.raises(ArgumentError) as caught:
        await _decide(**arguments)

    assert caught.value.argument.startswith(name)


async def test_options_that_are_too_many_are_refused_whatever_they_are() -> None:
    mixed: list[Json] = [item for number in range(8_000) for item in (number, f"key {number}")]

    with pytest.raises(ArgumentError, match="at most 255 entries"):
        await _decide(state="x", options=mixed)
