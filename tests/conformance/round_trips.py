"""Fixture tools that ask within their result (2026-07-28): the client calls again with what was asked for."""

import json
from typing import Final

from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    CreateMessageResult,
    InputRequest,
    InputRequiredResult,
    ListRootsRequest,
    ListRootsResult,
)

from handrail.protocol.context import Context
from tests.conformance.asking import accepted, form, one_field, sampling
from tests.conformance.raw_tools import RawTool
from tests.conformance.samples import text

__all__ = ["ROUND_TRIPS", "ask_name"]

_Answer = CallToolResult | InputRequiredResult


def ask_name() -> dict[str, InputRequest]:
    return {"user_name": form("What is your name?", one_field("name"))}


def _said(words: str) -> CallToolResult:
    return CallToolResult(content=[text(words)])


async def _elicitation(_ctx: Context, params: CallToolRequestParams) -> _Answer:
    name = accepted((params.input_responses or {}).get("user_name"), "name")
    return _said(f"Hello, {name}!") if name else InputRequiredResult(input_requests=ask_name())


async def _sampling(_ctx: Context, params: CallToolRequestParams) -> _Answer:
    answer = (params.input_responses or {}).get("capital_question")
    if isinstance(answer, CreateMessageResult):
        return _said(f"The model said {answer.content}")
    return InputRequiredResult(input_requests={"capital_question": sampling("What is the capital of France?")})


async def _roots(_ctx: Context, params: CallToolRequestParams) -> _Answer:
    answer = (params.input_responses or {}).get("client_roots")
    if isinstance(answer, ListRootsResult):
        return _said(f"Roots: {[root.name for root in answer.roots]}")
    return InputRequiredResult(input_requests={"client_roots": ListRootsRequest()})


async def _state(_ctx: Context, params: CallToolRequestParams) -> _Answer:
    if params.request_state == "first" and accepted((params.input_responses or {}).get("confirm"), "ok"):
        return _said("state-ok")
    confirm = {"confirm": form("Please confirm", one_field("ok", "boolean"))}
    return InputRequiredResult(input_requests=confirm, request_state="first")


async def _several(_ctx: Context, params: CallToolRequestParams) -> _Answer:
    wanted = {**ask_name(), "greeting": sampling("Generate a greeting"), "client_roots": ListRootsRequest()}
    if params.request_state == "asked" and wanted.keys() <= (params.input_responses or {}).keys():
        return _said("all three came")
    return InputRequiredResult(input_requests=wanted, request_state="asked")


async def _rounds(_ctx: Context, params: CallToolRequestParams) -> _Answer:
    state = json.loads(params.request_state) if params.request_state else {}
    responses = params.input_responses or {}
    name = state.get("name") or accepted(responses.get("step1"), "name")
    color = accepted(responses.get("step2"), "color")
    if name and color:
        return _said(f"{name} likes {color}")
    if name:
        asked = {"step2": form("Step 2: What is your favourite color?", one_field("color"))}
        return InputRequiredResult(input_requests=asked, request_state=json.dumps({"name": name}))
    asked = {"step1": form("Step 1: What is your name?", one_field("name"))}
    return InputRequiredResult(input_requests=asked, request_state=json.dumps({"round": 1}))


async def _declared(ctx: Context, _params: CallToolRequestParams) -> InputRequiredResult:
    capabilities = ctx.session.client_capabilities
    asked: dict[str, InputRequest] = {}
    if capabilities and capabilities.sampling is not None:
        asked["sample"] = sampling("Say hello")
    if capabilities and capabilities.elicitation is not None:
        asked |= ask_name()
    return InputRequiredResult(input_requests=asked, request_state="asked")


ROUND_TRIPS: Final[dict[str, RawTool]] = {
    "test_input_required_result_elicitation": _elicitation,
    "test_input_required_result_sampling": _sampling,
    "test_input_required_result_list_roots": _roots,
    "test_input_required_result_request_state": _state,
    "test_input_required_result_tampered_state": _state,
    "test_input_required_result_multiple_inputs": _several,
    "test_input_required_result_multi_round": _rounds,
    "test_input_required_result_capabilities": _declared,
}
