"""What a fixture asks of a client: the same requests as messages of their own and as parts of a result."""

from mcp_types import (
    CreateMessageRequest,
    CreateMessageRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequest,
    SamplingMessage,
)

from handrail.json_types import JsonObject
from tests.conformance.samples import text

__all__ = ["accepted", "form", "one_field", "sampling"]


def one_field(name: str, kind: str = "string") -> JsonObject:
    """The schema of a form that has one field, which must be filled in."""
    return {"type": "object", "properties": {name: {"type": kind}}, "required": [name]}


def form(message: str, schema: JsonObject) -> InputRequest:
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=schema))


def sampling(prompt: str) -> CreateMessageRequest:
    messages = [SamplingMessage(role="user", content=text(prompt))]
    return CreateMessageRequest(params=CreateMessageRequestParams(messages=messages, max_tokens=100))


def accepted(response: object, field: str) -> str | None:
    """What a client wrote into a field of a form; None where it is no accepted form with that field."""
    if isinstance(response, ElicitResult) and response.action == "accept" and response.content:
        value = response.content.get(field)
        return None if value is None else str(value)
    return None
