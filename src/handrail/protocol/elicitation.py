"""Asking a client: what a run asks on the stream of its `tasks/result` (2025-11-25), what a call asks on its own."""

import logging
from typing import TYPE_CHECKING, Final

import anyio
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types import ElicitRequest, ElicitRequestFormParams, ElicitResult
from pydantic import ValidationError

from handrail.errors import ArgumentError, HandrailError
from handrail.json_types import JsonObject
from handrail.protocol.context import RELATED_TASK, Context
from handrail.protocol.task_shapes import elicitation_of
from handrail.protocol.tool import ElicitAction, Elicited
from handrail.runs import Question, Run, RunEngine

if TYPE_CHECKING:
    from anyio.abc import TaskGroup

__all__ = ["Elicitation", "answer_of", "ask_client", "can_elicit", "fills_in_forms"]

_LOG: Final = logging.getLogger("handrail.protocol")
_HANDSHAKES: Final = frozenset({"2025-06-18", "2025-11-25"})
"""The versions with a handshake that have elicitation."""
_ASKS: Final = 3  # of one question whose answers do not fit; some hosts accept every form as it is, and empty


def fills_in_forms(ctx: Context) -> bool:
    """Whether the client declares that it fills in forms. One that declares elicitation without a mode means forms."""
    declared = ctx.session.client_capabilities
    modes = declared.elicitation if declared else None
    return modes is not None and (modes.form is not None or modes.url is None)


def can_elicit(ctx: Context) -> bool:
    """Whether the client fills in forms, and can be asked on the stream of this request."""
    return fills_in_forms(ctx) and ctx.session.can_send_request


async def ask_client(ctx: Context, message: str, schema: JsonObject, *, seconds: float) -> Elicited | None:
    """Ask the client of a handshake to fill in a form while its request waits.

    Args:
        ctx: the request, on whose stream the question goes.
        message: for the person.
        schema: of the form.
        seconds: how long it may take. An answer that comes later is ignored, and the question taken back.

    Returns:
        What came back; None where the client cannot be asked, refuses to ask, or has gone.
    """
    if ctx.protocol_version not in _HANDSHAKES or not can_elicit(ctx):
        return None
    params = ElicitRequestFormParams.model_validate(
        {"mode": "form", "message": message, "requestedSchema": schema}, by_name=False
    )
    try:
        with anyio.move_on_after(seconds):
            return answer_of(await _send(ctx, params))
    except MCPError as error:
        _LOG.debug("a question of a call was not asked: %s", error)
        return None
    except ValidationError:
        return Elicited(ElicitAction.CANCEL)
    return Elicited(ElicitAction.DECLINE)


def answer_of(reply: object) -> Elicited:
    """What a client says to a form; anything but an answer to a form is none."""
    if not isinstance(reply, ElicitResult):
        return Elicited(ElicitAction.CANCEL)
    return Elicited(ElicitAction(reply.action), reply.model_dump(mode="json")["content"] or {})


async def _send(ctx: Context, params: ElicitRequestFormParams) -> ElicitResult:
    stream = ServerMessageMetadata(related_request_id=ctx.request_id)
    return await ctx.session.send_request(ElicitRequest(params=params), ElicitResult, metadata=stream)


class Elicitation:
    """Asks the client of one request each question of a run once, and takes the question back when it is settled.

    Args:
        ctx: the request whose stream carries the questions.
        engine: keeps the run.
        group: what each open question waits in.
    """

    def __init__(self, ctx: Context, engine: RunEngine, group: "TaskGroup") -> None:
        self._ctx = ctx
        self._engine = engine
        self._group = group
        self._asked: dict[str, anyio.CancelScope] = {}

    def follow(self, run: Run) -> None:
        """Ask what is new, and take back what somebody else answered or whose time is over."""
        open_keys = {question.key for question in run.questions}
        for key, scope in self._asked.items():
            if key not in open_keys:
                scope.cancel()
        for question in run.questions:
            if question.key not in self._asked:
                scope = self._asked[question.key] = anyio.CancelScope()
                self._group.start_soon(self._ask, run, question, scope)

    async def _ask(self, run: Run, question: Question, scope: anyio.CancelScope) -> None:
        with scope:
            try:
                await self._settle(run, question)
            except (MCPError, HandrailError) as error:
                # The client cannot be asked after all, or the run is gone: `answer_run` still answers what is open.
                _LOG.debug("question %s of run %s was not settled here: %s", question.key, run.run_id, error)

    async def _settle(self, run: Run, question: Question) -> None:
        """Ask until there is an answer that fits, or none; a question that finds none stays open for other faces."""
        remark = ""
        for _ in range(_ASKS):
            reply = await self._reply(run, question, remark)
            if reply is None:
                remark = "The answer could not be read."
            elif reply.action != "accept":
                await self._engine.decline(run.run_id, run.owner, [question.key])
                return
            else:
                content = reply.model_dump(mode="json")["content"] or {}
                try:
                    await self._engine.answer(run.run_id, run.owner, {question.key: content})
                except ArgumentError as error:
                    remark = error.message
                else:
                    return

    async def _reply(self, run: Run, question: Question, remark: str) -> ElicitResult | None:
        """What the client says; None where it is no answer of the protocol's.

        Raises:
            MCPError: it refuses to ask, or has gone.
        """
        form = elicitation_of(question)
        message = f"{question.message} ({remark})" if remark else question.message
        params = ElicitRequestFormParams.model_validate(
            {**form, "message": message, "_meta": {RELATED_TASK: {"taskId": run.run_id}}}, by_name=False
        )
        try:
            return await _send(self._ctx, params)
        except ValidationError:
            return None
