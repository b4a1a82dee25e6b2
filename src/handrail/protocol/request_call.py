"""The `Call` of a real request: who calls, how to report to it, and how to ask it something."""

from dataclasses import dataclass

from mcp_types import CallToolRequestParams

from handrail.json_types import JsonObject
from handrail.protocol.context import Context, is_modern, owner_of_request
from handrail.protocol.elicitation import answer_of, ask_client, fills_in_forms
from handrail.protocol.tool import Client, Elicited, InputRequired

__all__ = ["RequestCall", "call_of", "input_required"]


@dataclass(frozen=True, slots=True)
class RequestCall:
    """What a tool sees of a request. Made by `call_of`."""

    client: Client
    owner: str
    context: Context
    params: CallToolRequestParams

    async def progress(self, message: str, done: float, total: float | None = None) -> None:
        """See `Call.progress`."""
        await self.context.session.report_progress(done, total, message)

    @property
    def request_state(self) -> str | None:
        """See `Call.request_state`."""
        return self.params.request_state if is_modern(self.context) else None

    async def elicit(
        self, key: str, message: str, schema: JsonObject, *, state: str, seconds: float
    ) -> Elicited | None:
        """See `Call.elicit`. On 2026-07-28 nothing is ever sent to the client: hosts leave it unanswered."""
        if not is_modern(self.context):
            return await ask_client(self.context, message, schema, seconds=seconds)
        if not fills_in_forms(self.context):
            return None
        if self.request_state is None:  # an answer without the question that it belongs to is none
            raise InputRequired(key, message, schema, state)
        return answer_of((self.params.input_responses or {}).get(key))


def call_of(ctx: Context, params: CallToolRequestParams) -> RequestCall:
    """What a tool sees of a request."""
    known = ctx.session.client_params
    info = known.client_info if known else None
    client = Client(info.name if info else "", info.version if info else "", ctx.protocol_version)
    return RequestCall(client, owner_of_request(), ctx, params)


def input_required(asked: InputRequired) -> JsonObject:
    """The result of a call that ends with a question."""
    form: JsonObject = {"mode": "form", "message": asked.message, "requestedSchema": asked.schema}
    return {
        "resultType": "input_required",
        "inputRequests": {asked.key: {"method": "elicitation/create", "params": form}},
        "requestState": asked.state,
    }
