"""The path of a call: find -> check -> judge -> decide -> plan -> send -> say what became of it."""

from dataclasses import dataclass
from typing import Final

from handrail.approvals import decide
from handrail.appwrite.answers import read_answer
from handrail.appwrite.call_effects import effect_of_call
from handrail.appwrite.catalog import Catalog
from handrail.appwrite.catalog.model import Method
from handrail.appwrite.outcome import CallResult, Outcome, failed, refused
from handrail.appwrite.planner import plan_request
from handrail.appwrite.transport import AnswerLostError, NotSentError, Transport
from handrail.appwrite.uploads import send_plan
from handrail.arguments import ArgumentChecker
from handrail.errors import HandrailError, RefusedError
from handrail.hints import Effect
from handrail.json_types import JsonMapping, JsonObject
from handrail.lazy import Lazy

__all__ = ["Calls", "ConfirmationMissingError", "NotAReadError"]

_CHECKERS_KEPT: Final = 128


class ConfirmationMissingError(RefusedError):
    """A write came without its confirmation. `data` holds the method's hints and why it has them."""

    type = "confirmation_required"


class NotAReadError(RefusedError):
    """The read tool was asked for something that is not proven to be a read. `data` holds the hints and why."""

    type = "not_a_read"


class Calls:
    """Calls methods of the catalog on one backend.

    Args:
        catalog: the catalog, read at the first call.
        transport: sends what was planned.
    """

    def __init__(self, catalog: Lazy[Catalog], transport: Transport) -> None:
        self._catalog = catalog
        self._transport = transport
        self._known: dict[str, _Known] = {}

    async def read(self, tool: str, arguments: JsonMapping) -> CallResult:
        """Call a method that is proven to be a read; anything else is refused, whatever comes with it."""
        return await self._call(tool, arguments, reads_only=True, confirmed=None)

    async def call(self, tool: str, arguments: JsonMapping, *, confirmed: object) -> CallResult:
        """Call any method.

        Args:
            tool: the method's tool name.
            arguments: by their SDK names.
            confirmed: the caller's `confirm_write`; counts only when it is exactly true.
        """
        return await self._call(tool, arguments, reads_only=False, confirmed=confirmed)

    async def _call(self, tool: str, arguments: JsonMapping, *, reads_only: bool, confirmed: object) -> CallResult:
        try:
            known = await self._find(tool)
            known.checker.check(arguments)
            effect = effect_of_call(known.method, arguments)
            _gate(tool, effect, reads_only=reads_only, confirmed=confirmed)
            backend = self._transport.backend
            backend.require_configured()
            plan = plan_request(known.method, arguments, config={"project": backend.project})
        except HandrailError as error:
            return refused(tool, error)
        try:
            answer = await send_plan(self._transport, plan)
        except NotSentError as error:
            return failed(tool, error)
        except AnswerLostError as error:
            if effect.is_read:
                error.next_step = "A read changes nothing: call again."
                return failed(tool, error)
            return CallResult(tool, Outcome.UNKNOWN, error=error.as_json())
        return read_answer(known.method, effect, answer)

    async def _find(self, tool: str) -> "_Known":
        known = self._known.get(tool)
        if known is None:
            method = (await self._catalog.get()).get(tool)
            if len(self._known) >= _CHECKERS_KEPT:
                self._known.clear()
            known = self._known[tool] = _Known(method, ArgumentChecker(method.input_schema()))
        return known


@dataclass(frozen=True, slots=True)
class _Known:
    method: Method
    checker: ArgumentChecker


def _gate(tool: str, effect: Effect, *, reads_only: bool, confirmed: object) -> None:
    if reads_only and not effect.is_read:
        raise NotAReadError(
            f"{tool} is not proven to be a read: {effect.reason}.",
            next_step=f"Call it with appwrite_call_tool and confirm_write: true, if {tool} is what you want.",
            **_evidence(effect),
        )
    if not decide(effect, confirmed=confirmed).allowed:
        raise ConfirmationMissingError(
            f"{tool} can change something ({effect.reason}); nothing was sent.",
            next_step="Make sure that this is wanted, then repeat the same call with confirm_write: true.",
            **_evidence(effect),
        )


def _evidence(effect: Effect) -> JsonObject:
    return {"hints": {**effect.hints.as_dict()}, "risks": [*sorted(effect.risks)], "rule": effect.rule}
