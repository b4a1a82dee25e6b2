"""Sends a call and says what became of it, with a second try where a second try cannot do harm.

A request is repeated only if its method is a read, or is proven idempotent for these very arguments, and only for what
passes by itself: a connection that broke, a rate limit, an overloaded server. Never for a time-out: whoever asks again
then asks for the same wait. All attempts together keep the deadline of one call.

What is not known is said to be not known. If the answer to one attempt of a write was lost, a refusal of the next one
does not mean that the write had no effect: a delete whose repetition answers 404 may have deleted, or there may have
been nothing. That call is `unknown`, and says so in these words.
"""

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Final

import anyio

from handrail.appwrite.answers import read_answer
from handrail.appwrite.catalog.model import Method
from handrail.appwrite.outcome import CallResult, Outcome, failed
from handrail.appwrite.plan import MultipartBody, RequestPlan
from handrail.appwrite.preview.twins import ReadTwins
from handrail.appwrite.send_errors import AnswerLostError, NotSentError
from handrail.appwrite.transport import Answer, Cut, Transport
from handrail.appwrite.uploads import send_plan
from handrail.appwrite.waits import asked_wait
from handrail.hints import Effect
from handrail.json_types import JsonMapping, JsonObject
from handrail.lazy import Lazy

__all__ = ["Retries", "Sender", "Sent"]

_WAIT_ANSWERS: Final = frozenset({429, 503})  # nothing was done; the server says when to come again
_READ_ANSWERS: Final = frozenset({502, 504})  # whatever is between did not get an answer
_NOT_FOUND: Final = 404
_READ_AGAIN: Final = "A read changes nothing: call again."


@dataclass(frozen=True, slots=True)
class Retries:
    """How often and after how long a call is made again.

    Attributes:
        most: attempts after the first one; 0 for none.
        first_wait_s: seconds before the second attempt; twice as many before the third. A random part of up to half
            is left out, so that many clients do not come back at once.
        longest_wait_s: a server that asks for more than this is not waited for: its answer is handed on.
    """

    most: int = 2
    first_wait_s: float = 0.25
    longest_wait_s: float = 20


@dataclass(frozen=True, slots=True)
class Sent:
    """What became of a call, and the answer that says so, where there was one."""

    result: CallResult
    answer: Answer | None = None


class Sender:
    """Sends what was planned.

    Args:
        transport: where it goes.
        twins: finds the read that shows whether a write took effect.
        retries: how often.
        pause: waits for some seconds.
    """

    def __init__(
        self,
        transport: Transport,
        twins: Lazy[ReadTwins],
        retries: Retries | None = None,
        *,
        pause: Callable[[float], Awaitable[None]] = anyio.sleep,
    ) -> None:
        self._transport = transport
        self._twins = twins
        self._retries = retries or Retries()
        self._pause = pause

    async def call(self, method: Method, arguments: JsonMapping, effect: Effect, plan: RequestPlan) -> Sent:
        """Send a call, and say what became of it; where that is not known, with the call that finds it out.

        Args:
            method: what is called.
            arguments: with which arguments, checked.
            effect: of this very call.
            plan: its request.
        """
        try:
            answer = await self.send(effect, plan)
        except AnswerLostError as error:
            if effect.is_read:
                error.next_step = _READ_AGAIN
                return Sent(failed(method.tool, error))
            unknown = CallResult(method.tool, Outcome.UNKNOWN, error=error.as_json())
            return Sent(await self._with_check(unknown, method, arguments))
        except NotSentError as error:
            return Sent(failed(method.tool, error))
        result = _settled(read_answer(method, effect, answer), effect, answer)
        if result.outcome is Outcome.UNKNOWN:
            result = await self._with_check(result, method, arguments)
        return Sent(result, answer)

    async def send(self, effect: Effect, plan: RequestPlan) -> Answer:
        """Send a request until it is answered or must not be repeated.

        Args:
            effect: of this very call.
            plan: its request.

        Returns:
            The last answer. `lost_before` says whether the answer to an earlier attempt was lost.

        Raises:
            NotSentError: no attempt was sent.
            AnswerLostError: an attempt was sent, and the answer to it, and to all that were sent after it, was lost.
        """
        may_repeat = (effect.is_read or effect.hints.idempotent) and not _is_cut_up(plan)
        attempts = _Attempts(self._transport, self._retries, self._pause, is_read=effect.is_read)
        return await attempts.send(plan, may_repeat=may_repeat)

    async def _with_check(self, result: CallResult, method: Method, arguments: JsonMapping) -> CallResult:
        """An unknown result with the read that shows what became of the call."""
        twin = (await self._twins.get()).of(method, arguments)
        if twin is None or result.error is None:
            return result
        data = result.error.get("data")
        write = method.tool
        check: JsonObject = {"tool_name": twin.method.tool, "arguments": twin.arguments}
        error: JsonObject = {
            **result.error,
            "next": f"Call {twin.method.tool} (data.check) to see whether {write} took effect before you repeat it.",
            "data": {**(data if isinstance(data, dict) else {}), "check": check},
        }
        return replace(result, error=error)


class _Attempts:
    """The attempts of one call."""

    def __init__(
        self, transport: Transport, retries: Retries, pause: Callable[[float], Awaitable[None]], *, is_read: bool
    ) -> None:
        self._transport = transport
        self._retries = retries
        self._pause = pause
        self._is_read = is_read
        self._until = anyio.current_time() + transport.limits.call_s
        self._made = 0
        self._lost: AnswerLostError | None = None

    async def send(self, plan: RequestPlan, *, may_repeat: bool) -> Answer:
        """Send until it is answered."""
        while True:
            came = await self._attempt(plan)
            wait = self._wait_after(came)
            if not may_repeat or wait is None or self._made > self._retries.most or wait >= self._left_s:
                return self._ended(came)
            await self._pause(wait)

    async def _attempt(self, plan: RequestPlan) -> Answer | NotSentError | AnswerLostError:
        self._made += 1
        try:
            return await send_plan(self._transport, plan, within_s=self._left_s)
        except AnswerLostError as error:
            self._lost = error
            return error
        except NotSentError as error:
            return error

    def _ended(self, came: Answer | NotSentError | AnswerLostError) -> Answer:
        if isinstance(came, Answer):
            return replace(came, attempts=self._made, lost_before=self._lost is not None)
        error = self._lost or came  # that the last attempt was not sent says nothing of the others
        if self._made > 1:
            error.data = {**error.data, "attempts": self._made}
        raise error

    def _wait_after(self, came: Answer | NotSentError | AnswerLostError) -> float | None:
        """Seconds to wait before another attempt; None: this one stands."""
        if not isinstance(came, Answer):
            return self._wait_s if came.may_pass else None
        if came.status in _WAIT_ANSWERS:
            asked = asked_wait(came.headers) or 0
            return max(asked, self._wait_s) if asked <= self._retries.longest_wait_s else None
        # Of a write whose status is there, a repetition could only make less certain what it did.
        broken = came.status in _READ_ANSWERS or came.cut is Cut.CONNECTION
        return self._wait_s if self._is_read and broken else None

    @property
    def _wait_s(self) -> float:
        whole: float = self._retries.first_wait_s * 2 ** (self._made - 1)
        return whole * random.uniform(0.5, 1)  # noqa: S311  (when to come again is no secret)

    @property
    def _left_s(self) -> float:
        return max(0.0, self._until - anyio.current_time())


def _is_cut_up(plan: RequestPlan) -> bool:
    """Whether a plan is sent as several requests, of which some may have arrived."""
    match plan:
        case RequestPlan(chunk_size=int() as size, body=MultipartBody(file=file)) if file is not None:
            return len(file.content) > size
        case _:
            return False


def _settled(result: CallResult, effect: Effect, answer: Answer) -> CallResult:
    """The result, which is not known where an earlier attempt of a write may have had an effect."""
    if effect.is_read or not answer.lost_before or result.outcome is not Outcome.FAILED:
        return result
    if answer.status == _NOT_FOUND:
        message = (
            "The answer to the first attempt was lost, and now it is not there (404): the first attempt removed it, "
            "or it was not there before."
        )
    else:
        message = "The answer to the first attempt was lost, and the repetition was refused: the first may have worked."
    error: JsonObject = {
        "type": "answer_lost",
        "code": answer.status,
        "message": message,
        "next": f"Look at the resource before you call {result.tool} again.",
        "data": {"repetition": result.error, "attempts": answer.attempts},
    }
    return replace(result, outcome=Outcome.UNKNOWN, error=error)
