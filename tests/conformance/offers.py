"""The resources, prompts and completions of the fixture: Handrail itself serves none of these shapes."""

import base64
import json
from typing import Final

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    BlobResourceContents,
    CompleteRequestParams,
    CompleteResult,
    Completion,
    EmptyResult,
    GetPromptRequestParams,
    GetPromptResult,
    InputRequiredResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    PaginatedRequestParams,
    Prompt,
    PromptArgument,
    PromptMessage,
    ReadResourceRequestParams,
    ReadResourceResult,
    RequestParams,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from handrail.protocol import HandrailServer
from handrail.protocol.context import Context
from tests.conformance.asking import accepted, form, one_field
from tests.conformance.samples import PIXEL, embedded, image, text

__all__ = ["add_offers"]

_TEXT: Final = "test://static-text"
_BINARY: Final = "test://static-binary"
_WATCHED: Final = "test://watched-resource"
_TEMPLATE_PARTS: Final = ("test://template/", "/data")


def add_offers(server: HandrailServer) -> None:
    """Let a server offer resources, prompts, completions, and take log levels and subscriptions."""
    server.add_request_handler("resources/list", PaginatedRequestParams, _list_resources)
    server.add_request_handler("resources/templates/list", PaginatedRequestParams, _list_templates)
    server.add_request_handler("resources/read", ReadResourceRequestParams, _read)
    server.add_request_handler("prompts/list", PaginatedRequestParams, _list_prompts)
    server.add_request_handler("prompts/get", GetPromptRequestParams, _prompt)
    server.add_request_handler("completion/complete", CompleteRequestParams, _complete)
    for method in ("logging/setLevel", "resources/subscribe", "resources/unsubscribe"):
        server.add_request_handler(method, RequestParams, _acknowledge)


async def _acknowledge(_ctx: Context, _params: RequestParams) -> EmptyResult:
    return EmptyResult()


async def _list_resources(_ctx: Context, _params: PaginatedRequestParams) -> ListResourcesResult:
    kinds = {_TEXT: "text/plain", _BINARY: "image/png", _WATCHED: "text/plain"}
    return ListResourcesResult(
        resources=[Resource(uri=uri, name=uri.rpartition("/")[2], mime_type=kind) for uri, kind in kinds.items()]
    )


async def _list_templates(_ctx: Context, _params: PaginatedRequestParams) -> ListResourceTemplatesResult:
    before, after = _TEMPLATE_PARTS
    template = ResourceTemplate(uri_template=f"{before}{{id}}{after}", name="template", mime_type="application/json")
    return ListResourceTemplatesResult(resource_templates=[template])


async def _read(_ctx: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
    uri = str(params.uri)
    before, after = _TEMPLATE_PARTS
    if uri in {_TEXT, _WATCHED}:
        return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type="text/plain", text="static")])
    if uri == _BINARY:
        blob = base64.b64encode(PIXEL).decode()
        return ReadResourceResult(contents=[BlobResourceContents(uri=uri, mime_type="image/png", blob=blob)])
    if uri.startswith(before) and uri.endswith(after):
        words = json.dumps({"id": uri.removeprefix(before).removesuffix(after)})
        return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type="application/json", text=words)])
    raise MCPError(INVALID_PARAMS, "Resource not found", {"uri": uri})


_PROMPTS: Final = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
    "test_input_required_result_prompt": (),
}


async def _list_prompts(_ctx: Context, _params: PaginatedRequestParams) -> ListPromptsResult:
    return ListPromptsResult(
        prompts=[
            Prompt(
                name=name,
                description=f"Fixture: {name}.",
                arguments=[PromptArgument(name=argument, required=True) for argument in arguments] or None,
            )
            for name, arguments in _PROMPTS.items()
        ]
    )


async def _prompt(_ctx: Context, params: GetPromptRequestParams) -> GetPromptResult | InputRequiredResult:
    given = params.arguments or {}
    if params.name not in _PROMPTS or any(argument not in given for argument in _PROMPTS[params.name]):
        raise MCPError(INVALID_PARAMS, "No such prompt, or not all of its arguments")
    if params.name == "test_prompt_with_embedded_resource":
        return _messages(PromptMessage(role="user", content=embedded(given["resourceUri"], "embedded")))
    if params.name == "test_prompt_with_image":
        return _messages(PromptMessage(role="user", content=image()))
    if params.name == "test_input_required_result_prompt":
        return _asking_prompt(params)
    return _messages(PromptMessage(role="user", content=text(f"{params.name}: {given}")))


def _messages(*messages: PromptMessage) -> GetPromptResult:
    return GetPromptResult(messages=list(messages))


def _asking_prompt(params: GetPromptRequestParams) -> GetPromptResult | InputRequiredResult:
    context = accepted((params.input_responses or {}).get("user_context"), "context")
    if context is None:
        asked = {"user_context": form("What context should the prompt use?", one_field("context"))}
        return InputRequiredResult(input_requests=asked)
    return _messages(PromptMessage(role="user", content=text(f"Use this context: {context}")))


async def _complete(_ctx: Context, _params: CompleteRequestParams) -> CompleteResult:
    return CompleteResult(completion=Completion(values=[], total=0, has_more=False))
