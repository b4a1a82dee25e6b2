"""What is sent again and what is not, and what is said when nobody knows."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import anyio
import httpx2
import pytest

from handrail.appwrite.backend import Backend
from handrail.appwrite.call_effects import effect_of_call
from handrail.appwrite.catalog import Catalog
from handrail.appwrite.outcome import Outcome
from handrail.appwrite.plan import FilePart, MultipartBody
from handrail.appwrite.planner import plan_request
from handrail.appwrite.preview import ReadTwins
from handrail.appwrite.send_errors import AnswerLateError, AnswerLostError, NotSentError
from handrail.appwrite.sending import Retries, Sender, Sent
from handrail.appwrite.transport import Limits, Transport, open_transport
from handrail.hints import LOCAL_READ, Effect, Hints
from handrail.json_types import JsonObject
from handrail.lazy import Lazy
from handrail.sandbox import Fault, FaultKind, Sandbox
from tests.appwrite.samples import READ, WRITE, plan

MOCKED = Backend("http://appwrite.test/v1", "proj", "standard_key_of_a_test")
QUICK = Retries(first_wait_s=0.001)
READ_EFFECT = Effect(LOCAL_READ, frozenset(), "get", "it reads")
ROW: JsonObject = {"database_id": "shop", "table_id": "products", "row_id": "hammer"}

Reply = httpx2.Response | Exception


def _write_effect(*, idempotent: bool) -> Effect:
    hints = Hints(read_only=False, destructive=True, idempotent=idempotent, open_world=True)
    return Effect(hints, frozenset(), "put", "it replaces")


class _Server:
    """Answers with each reply in turn, the last one for ever, and keeps what came and how long was waited."""

    def __init__(self, *replies: Reply) -> None:
        self._replies = list(replies)
        self.seen = 0
        self.waits: list[float] = []

    def __call__(self, _request: httpx2.Request) -> httpx2.Response:
        self.seen += 1
        reply = self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
        if isinstance(reply, Exception):
            raise reply
        return httpx2.Response(reply.status_code, headers=reply.headers, content=reply.content)

    async def pause(self, seconds: float) -> None:
        self.waits.append(seconds)

    async def call(self, effect: Effect, retries: Retries | None = None, limits: Limits | None = None) -> Sent:
        method = READ if effect.is_read else WRITE
        async with open_transport(MOCKED, limits, transport=httpx2.MockTransport(self)) as transport:
            sender = Sender(transport, Lazy.of(lambda: ReadTwins([READ])), retries, pause=self.pause)
            return await sender.call(method, {"thing_id": "t1"}, effect, plan(method.http_method))


def _answer(status: int, **headers: str) -> httpx2.Response:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx2.Response(status, headers=names, json={"$id": "t1"})


def _refusal(status: int, kind: str) -> httpx2.Response:
    return httpx2.Response(status, json={"message": "No.", "code": status, "type": kind, "version": "1"})


OK = _answer(200)
NO_CONNECTION = httpx2.ConnectError("refused")
BROKEN = httpx2.ReadError("reset")


@pytest.mark.promise("only-safe-calls-are-repeated")
@pytest.mark.parametrize("trouble", [NO_CONNECTION, BROKEN, _answer(429), _answer(503), _answer(502), _answer(504)])
async def test_a_read_is_sent_again_after_what_passes(trouble: Reply) -> None:
    server = _Server(trouble, OK)

    sent = await server.call(READ_EFFECT)

    assert (sent.result.outcome, server.seen) == (Outcome.DONE, 2)
    assert sent.answer is not None
    assert sent.answer.attempts == 2


@pytest.mark.promise("only-safe-calls-are-repeated")
@pytest.mark.parametrize("trouble", [NO_CONNECTION, BROKEN, _answer(429), _answer(503), _answer(502), _answer(504)])
async def test_a_write_that_is_not_idempotent_is_sent_once_whatever_comes(trouble: Reply) -> None:
    server = _Server(trouble, OK)

    await server.call(_write_effect(idempotent=False))

    assert (server.seen, server.waits) == (1, [])


@pytest.mark.parametrize(
    ("trouble", "times"), [(NO_CONNECTION, 2), (BROKEN, 2), (_answer(429), 2), (_answer(503), 2), (_answer(502), 1)]
)
async def test_an_idempotent_write_is_sent_again_unless_somebody_between_gave_up(trouble: Reply, times: int) -> None:
    server = _Server(trouble, OK)

    await server.call(_write_effect(idempotent=True))

    assert server.seen == times


@pytest.mark.parametrize("status", [400, 401, 404, 409, 500, 501])
async def test_an_answer_that_will_not_change_is_not_asked_for_again(status: int) -> None:
    server = _Server(_answer(status), OK)

    await server.call(READ_EFFECT)

    assert server.seen == 1


@pytest.mark.parametrize("trouble", [httpx2.ReadTimeout("late"), httpx2.ConnectTimeout("late"), httpx2.PoolTimeout("")])
async def test_a_time_out_is_not_waited_for_again(trouble: Exception) -> None:
    server = _Server(trouble, OK)

    assert (await server.call(READ_EFFECT)).result.outcome is Outcome.FAILED
    assert server.seen == 1


async def test_it_is_sent_three_times_at_most_and_each_wait_is_longer() -> None:
    server = _Server(BROKEN)

    sent = await server.call(READ_EFFECT, Retries(most=2, first_wait_s=1))

    assert (sent.result.outcome, server.seen) == (Outcome.FAILED, 3)
    first, second = server.waits
    assert 0.5 <= first <= 1 <= second <= 2


async def test_retries_can_be_switched_off() -> None:
    server = _Server(BROKEN, OK)

    await server.call(READ_EFFECT, Retries(most=0))

    assert server.seen == 1


@pytest.mark.parametrize("name", ["seconds", "moment"])
async def test_a_server_is_left_alone_for_as_long_as_it_asks(name: str) -> None:
    moment = format_datetime(datetime.now(UTC) + timedelta(seconds=8), usegmt=True)
    server = _Server(_answer(429, retry_after="7" if name == "seconds" else moment), OK)

    await server.call(READ_EFFECT, QUICK)

    assert 6 <= server.waits[0] <= 8


@pytest.mark.parametrize("after", ["21", "4000000000", "Fri, 31 Dec 9999 23:59:59 GMT"])
async def test_a_server_that_asks_for_too_long_is_not_waited_for(after: str) -> None:
    server = _Server(httpx2.Response(429, headers={"retry-after": after}, json={}), OK)

    await server.call(READ_EFFECT, QUICK)

    assert (server.seen, server.waits) == (1, [])


@pytest.mark.parametrize("after", ["", "soon", "-5", "\u0661", "1e9", "Wed, 99 Foo 2026", "9" * 400])
async def test_a_wait_that_cannot_be_read_is_one_of_our_own(after: str) -> None:
    headers = httpx2.Headers([(b"retry-after", after.encode())])
    server = _Server(httpx2.Response(429, headers=headers, json={}), OK)

    await server.call(READ_EFFECT, QUICK)

    assert server.seen == 2
    assert server.waits[0] <= 1


async def test_no_wait_goes_over_the_deadline_of_the_call() -> None:
    server = _Server(_answer(503, retry_after="5"), OK)

    await server.call(READ_EFFECT, QUICK, Limits(call_s=2))

    assert (server.seen, server.waits) == (1, [])


async def test_all_attempts_together_keep_the_deadline() -> None:
    async def hang(_request: httpx2.Request) -> httpx2.Response:
        await anyio.sleep_forever()
        raise NotImplementedError

    with anyio.fail_after(5):
        async with open_transport(MOCKED, Limits(call_s=0.2), transport=httpx2.MockTransport(hang)) as transport:
            with pytest.raises(AnswerLateError):
                await Sender(transport, Lazy.of(lambda: ReadTwins([])), QUICK).send(READ_EFFECT, plan())


async def test_a_wait_between_two_attempts_can_be_cancelled() -> None:
    waiting = anyio.Event()

    async def wait(_seconds: float) -> None:
        waiting.set()
        await anyio.sleep_forever()

    async with open_transport(MOCKED, transport=httpx2.MockTransport(_Server(BROKEN))) as transport:
        sender = Sender(transport, Lazy.of(lambda: ReadTwins([])), QUICK, pause=wait)
        with anyio.fail_after(5):
            async with anyio.create_task_group() as group:
                group.start_soon(sender.send, READ_EFFECT, plan())
                await waiting.wait()
                group.cancel_scope.cancel()


@pytest.mark.promise("lost-write-is-unknown")
@pytest.mark.parametrize("second", [BROKEN, NO_CONNECTION, httpx2.ReadTimeout("")])
async def test_a_write_whose_answers_were_lost_is_unknown_with_the_call_that_checks_it(second: Exception) -> None:
    sent = await _Server(BROKEN, second).call(_write_effect(idempotent=True), QUICK)

    assert sent.result.outcome is Outcome.UNKNOWN
    assert sent.result.error is not None
    data = sent.result.error["data"]
    assert isinstance(data, dict)
    assert data["check"] == {"tool_name": "things_get_thing", "arguments": {"thing_id": "t1"}}
    assert "things_get_thing" in str(sent.result.error["next"])


async def test_a_write_that_never_went_out_has_failed() -> None:
    sent = await _Server(NO_CONNECTION).call(_write_effect(idempotent=True), QUICK)

    assert (sent.result.outcome, sent.result.error is not None) == (Outcome.FAILED, True)


@pytest.mark.promise("lost-write-is-unknown")
@pytest.mark.parametrize(("status", "kind"), [(404, "row_not_found"), (409, "row_already_exists"), (429, "rate_limit")])
async def test_a_refusal_after_a_lost_answer_does_not_say_that_nothing_happened(status: int, kind: str) -> None:
    sent = await _Server(BROKEN, _refusal(status, kind)).call(_write_effect(idempotent=True), QUICK)

    assert (sent.result.outcome, sent.result.status) == (Outcome.UNKNOWN, status)
    assert sent.result.error is not None
    assert "The answer to the first attempt was lost" in str(sent.result.error["message"])
    assert kind in str(sent.result.error["data"])


async def test_a_read_that_is_refused_after_a_lost_answer_has_failed() -> None:
    sent = await _Server(BROKEN, _refusal(404, "row_not_found")).call(READ_EFFECT, QUICK)

    assert (sent.result.outcome, sent.result.error and sent.result.error["type"]) == (Outcome.FAILED, "row_not_found")


async def test_a_write_that_was_refused_at_once_has_failed() -> None:
    sent = await _Server(_refusal(404, "row_not_found")).call(_write_effect(idempotent=True), QUICK)

    assert sent.result.outcome is Outcome.FAILED


async def test_an_upload_in_chunks_is_not_begun_again() -> None:
    server = _Server(BROKEN, OK)
    body = MultipartBody((), FilePart("file", "f", b"x" * 20))
    chunked = replace(plan("PUT", body=body, headers=(("content-type", "multipart/form-data"),)), chunk_size=16)

    async with open_transport(MOCKED, transport=httpx2.MockTransport(server)) as transport:
        sender = Sender(transport, Lazy.of(lambda: ReadTwins([])), QUICK)
        with pytest.raises(AnswerLostError):
            await sender.send(_write_effect(idempotent=True), chunked)

    assert server.seen == 1


@pytest.mark.parametrize("name", ["past", "ahead"])
async def test_a_limit_without_a_wait_is_waited_out_until_it_is_reset(name: str) -> None:
    now = datetime.now(UTC).timestamp()
    server = _Server(_answer(429, x_ratelimit_reset=f"{now + (8 if name == 'ahead' else -8):.0f}"), OK)

    await server.call(READ_EFFECT, QUICK)

    assert (6 <= server.waits[0] <= 9) is (name == "ahead")


Call = Callable[[str, JsonObject], Awaitable[Sent]]


@pytest.fixture
def call(transport: Transport, catalog: Catalog) -> Call:
    """Sends a real method's call to the stand-in."""

    async def sent(tool: str, arguments: JsonObject) -> Sent:
        method = catalog.get(tool)
        request = plan_request(method, arguments, config={"project": transport.backend.project})
        sender = Sender(transport, Lazy.of(lambda: ReadTwins(catalog)), QUICK)
        return await sender.call(method, arguments, effect_of_call(method, arguments), request)

    return sent


@pytest.mark.parametrize(
    "fault",
    [
        Fault(FaultKind.DROP_BEFORE),
        Fault(FaultKind.DROP_AFTER),
        Fault(FaultKind.HALF_BODY),
        Fault(FaultKind.RATE_LIMIT, retry_after_s=0),
        Fault(FaultKind.HTML),
    ],
    ids=lambda fault: str(fault.kind),
)
async def test_a_read_comes_through_one_fault_of_the_server(sandbox: Sandbox, call: Call, fault: Fault) -> None:
    sandbox.state.faults.add(fault)

    sent = await call("tables_db_get_row", ROW)

    assert (sent.result.outcome, len(sandbox.state.requests)) == (Outcome.DONE, 2)


@pytest.mark.parametrize(
    ("kind", "outcome"),
    [
        (FaultKind.HANG, Outcome.FAILED),
        (FaultKind.SERVER_ERROR, Outcome.FAILED),
        (FaultKind.NOT_JSON, Outcome.FAILED),
        (FaultKind.NO_CONTENT, Outcome.FAILED),
        (FaultKind.REDIRECT, Outcome.FAILED),
    ],
)
async def test_a_read_meets_any_other_fault_once(
    sandbox: Sandbox, call: Call, kind: FaultKind, outcome: Outcome
) -> None:
    sandbox.state.faults.add(Fault(kind))

    sent = await call("tables_db_get_row", ROW)

    assert (sent.result.outcome, len(sandbox.state.requests)) == (outcome, 1)
    assert sent.result.error is not None
    assert sent.result.error["next"]


async def test_a_delete_whose_first_answer_was_lost_is_unknown_when_the_row_is_not_there_any_more(
    sandbox: Sandbox, call: Call
) -> None:
    sandbox.state.faults.add(Fault(FaultKind.DROP_AFTER))

    sent = await call("tables_db_delete_row", ROW)

    assert (sent.result.outcome, sent.result.status) == (Outcome.UNKNOWN, 404)
    assert "the first attempt removed it, or it was not there before" in str(sent.result.error)
    assert [record.method for record in sandbox.state.requests] == ["DELETE", "DELETE"]


async def test_an_update_whose_first_answer_was_lost_is_done_by_the_second(sandbox: Sandbox, call: Call) -> None:
    sandbox.state.faults.add(Fault(FaultKind.DROP_AFTER))

    sent = await call("users_update_name", {"user_id": "ada", "name": "Ada L."})

    assert sent.result.outcome is Outcome.DONE
    assert sent.answer is not None
    assert sent.answer.lost_before


async def test_a_creation_whose_answer_was_lost_is_not_repeated(sandbox: Sandbox, call: Call) -> None:
    sandbox.state.faults.add(Fault(FaultKind.DROP_AFTER))

    sent = await call("tables_db_create_row", {**ROW, "row_id": "unique()", "data": {"name": "Lamp", "price": 1.0}})

    assert (sent.result.outcome, len(sandbox.state.requests)) == (Outcome.UNKNOWN, 1)


async def test_a_reset_while_the_connection_is_made_secret_means_that_nothing_was_sent() -> None:
    async def reset(stream: anyio.abc.SocketStream) -> None:
        await stream.receive()
        await stream.aclose()

    with anyio.fail_after(10):
        async with (
            await anyio.create_tcp_listener(local_host="127.0.0.1") as listener,
            anyio.create_task_group() as all_,
        ):
            all_.start_soon(listener.serve, reset)
            port = listener.extra(anyio.abc.SocketAttribute.local_port)
            backend = Backend(f"https://127.0.0.1:{port}/v1", "p", "k")
            async with open_transport(backend, Limits(connect_s=2)) as transport:
                with pytest.raises(NotSentError) as caught:
                    await Sender(transport, Lazy.of(lambda: ReadTwins([])), QUICK).send(READ_EFFECT, plan())
            all_.cancel_scope.cancel()

    assert caught.value.data["attempts"] == 3
