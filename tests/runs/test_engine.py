"""A run from its start to its end."""

import math
from datetime import UTC, datetime, timedelta

import anyio
import pytest

from handrail.errors import HandrailError, UnavailableError
from handrail.json_types import JsonObject
from handrail.runs import (
    EngineClosedError,
    MemoryEngine,
    Retention,
    RunContext,
    RunNotFoundError,
    RunReason,
    RunStatus,
    StartRequest,
    outcome,
)
from tests.runs.bodies import OWNER, Puppets, instant, request, running

pytestmark = pytest.mark.unit


async def test_a_run_that_was_started_can_be_got_at_once_and_ends_with_its_result() -> None:
    async with running(instant) as engine:
        started = await engine.start(request(n=1))
        got = await engine.get(started.run_id, OWNER)
        ended = await engine.wait(started.run_id, OWNER, 5)

    assert got == started
    assert started.status is RunStatus.WORKING
    assert (ended.status, ended.reason, ended.result) == (
        RunStatus.COMPLETED,
        None,
        {"ok": True, "asked": {"n": 1}},
    )


async def test_ids_are_long_random_url_safe_and_in_the_order_of_time() -> None:
    moments = iter(datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=n) for n in range(100_000))
    async with MemoryEngine(instant, records=None, clock=lambda: next(moments)) as engine:
        ids = [(await engine.start(request())).run_id for _ in range(20)]

    assert ids == sorted(ids)
    assert len({run_id[12:] for run_id in ids}) == 20
    assert all(len(run_id) == 44 and run_id.isalnum() and run_id.isascii() for run_id in ids)


async def test_another_owners_run_looks_like_an_unknown_one() -> None:
    async with running(instant) as engine:
        run = await engine.start(request())
        errors = []
        for run_id, owner in ((run.run_id, "other"), ("0" * 44, OWNER)):
            for ask in (engine.get, engine.cancel):
                with pytest.raises(RunNotFoundError) as caught:
                    await ask(run_id, owner)
                errors.append(caught.value)
            with pytest.raises(RunNotFoundError):
                await engine.wait(run_id, owner, 0)
            with pytest.raises(RunNotFoundError):
                async with engine.watch(run_id, owner):
                    raise NotImplementedError
            with pytest.raises(RunNotFoundError):
                await engine.answer(run_id, owner, {})

    assert len({error.message.replace(str(error.data["run_id"]), "ID") for error in errors}) == 1


async def test_a_message_is_one_line_of_bounded_length() -> None:
    async def body(ctx: RunContext, _request: StartRequest) -> JsonObject:
        await ctx.report("two\n lines" + "x" * 1000)
        await anyio.sleep_forever()
        raise NotImplementedError

    async with running(body) as engine:
        run = await engine.start(request())
        async with engine.watch(run.run_id, OWNER) as changes:
            async for change in changes:
                if change.message.startswith("two"):
                    break

    assert change.message.startswith("two lines")
    assert len(change.message) == 500


@pytest.mark.promise("crash-says-no-secret")
async def test_a_crash_says_its_class_and_nothing_that_could_be_a_secret(caplog: pytest.LogCaptureFixture) -> None:
    async def body(_ctx: RunContext, _request: StartRequest) -> JsonObject:
        secret = "canary-4711"
        raise KeyError(secret)

    async with running(body) as engine:
        run = await engine.wait((await engine.start(request())).run_id, OWNER, 5)

    assert (run.status, run.reason) == (RunStatus.FAILED, RunReason.CRASHED)
    assert run.message == "The agent stopped with an internal error (KeyError)."
    assert run.result is not None
    assert run.result["ok"] is False
    assert "canary" not in str(run) + caplog.text
    assert "KeyError" in caplog.text


@pytest.mark.parametrize("grouped", [False, True])
async def test_an_error_made_for_people_is_shown_as_it_is(grouped: bool) -> None:  # noqa: FBT001  (a parameter of the test)
    error = UnavailableError("The model is away.", next_step="Call again.", model="m")

    async def body(_ctx: RunContext, _request: StartRequest) -> JsonObject:
        if grouped:
            raise ExceptionGroup("of a task group", [error])
        raise error

    async with running(body) as engine:
        run = await engine.wait((await engine.start(request())).run_id, OWNER, 5)

    assert (run.status, run.reason, run.message) == (RunStatus.FAILED, RunReason.CRASHED, "The model is away.")
    assert run.result == {"ok": False, "error": error.as_json()}


@pytest.mark.logs_errors
async def test_a_result_that_is_no_json_is_a_crash() -> None:
    async def body(_ctx: RunContext, _request: StartRequest) -> JsonObject:
        return {"score": math.nan}

    async with running(body) as engine:
        run = await engine.wait((await engine.start(request())).run_id, OWNER, 5)

    assert (run.status, run.reason) == (RunStatus.FAILED, RunReason.CRASHED)
    assert "ValueError" in run.message


async def test_a_result_that_no_face_could_carry_is_an_error_that_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcome, "MAX_RESULT_CHARACTERS", 100)

    async def body(_ctx: RunContext, asked: StartRequest) -> JsonObject:
        return {"text": "x" * int(str(asked.arguments["size"]))}

    async with running(body) as engine:
        runs = [await engine.start(request(size=size)) for size in (50, 200)]
        small, large = [await engine.wait(run.run_id, OWNER, 5) for run in runs]

    assert small.status is RunStatus.COMPLETED
    assert (large.status, large.reason) == (RunStatus.FAILED, RunReason.CRASHED)
    assert "result_too_large" in str(large.result)


async def test_a_rejected_run_has_ended_before_it_began() -> None:
    async with running(instant) as engine:
        run = await engine.reject(request(run_key="k"), {"error": "bad"})
        started = await engine.start(request(run_key="k"))

    assert (run.status, run.reason, run.result) == (RunStatus.FAILED, RunReason.REJECTED, {"error": "bad"})
    assert run.is_error
    assert started.run_id != run.run_id


async def test_a_wait_that_is_over_shows_the_run_as_it_stands() -> None:
    async with running(Puppets()) as engine:
        run = await engine.start(request())
        for seconds in (0, -1, 0.01):
            assert (await engine.wait(run.run_id, OWNER, seconds)).status is RunStatus.WORKING


async def test_leaving_the_engine_ends_live_runs_as_interrupted() -> None:
    puppets = Puppets()
    async with running(puppets, slots=1) as engine:
        runs = [await engine.start(request(n=n)) for n in range(2)]
        await puppets.until_started(1)

    ended = [await engine.get(run.run_id, OWNER) for run in runs]
    assert [(run.status, run.reason) for run in ended] == [(RunStatus.FAILED, RunReason.INTERRUPTED)] * 2
    with pytest.raises(EngineClosedError):
        await engine.start(request())


async def test_a_cancelled_host_task_leaves_no_run_working() -> None:
    puppets = Puppets()
    engine = MemoryEngine(puppets, records=None)

    async def host(scope: anyio.CancelScope) -> None:
        with scope:
            async with engine:
                await engine.start(request())
                await anyio.sleep_forever()

    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            scope = anyio.CancelScope()
            group.start_soon(host, scope)
            await puppets.until_started(1)
            scope.cancel()

    run = await engine.get(puppets.started[0], OWNER)
    assert (run.status, run.reason) == (RunStatus.FAILED, RunReason.INTERRUPTED)


async def test_a_foreign_cancellation_that_a_body_lets_out_ends_its_run_only() -> None:
    async def body(_ctx: RunContext, asked: StartRequest) -> JsonObject:
        if asked.arguments["stray"]:
            raise anyio.get_cancelled_exc_class()
        return {}

    async with running(body) as engine:
        stray = await engine.wait((await engine.start(request(stray=True))).run_id, OWNER, 5)
        other = await engine.wait((await engine.start(request(stray=False))).run_id, OWNER, 5)

    assert (stray.status, stray.reason) == (RunStatus.FAILED, RunReason.INTERRUPTED)
    assert other.status is RunStatus.COMPLETED


async def test_ended_runs_are_kept_to_a_number_and_live_ones_always() -> None:
    puppets = Puppets()
    with anyio.fail_after(5):
        async with MemoryEngine(puppets, records=None, slots=9, retention=Retention(ended=2)) as engine:
            runs = [(await engine.start(request(n=n))).run_id for n in range(5)]
            for run_id in runs[1:]:
                puppets.tell(run_id, "finish")
                await engine.wait(run_id, OWNER, 5)
            kept = [run.run_id for run in (await engine.list_runs(OWNER)).runs]

    assert kept == [runs[4], runs[3], runs[0]]


async def test_a_clock_that_is_set_back_neither_turns_a_run_around_nor_drops_it() -> None:
    now = [datetime(2026, 1, 2, tzinfo=UTC)]
    puppets = Puppets()
    with anyio.fail_after(5):
        async with MemoryEngine(puppets, records=None, clock=lambda: now[0]) as engine:
            run = await engine.start(request())
            now[0] -= timedelta(days=1)
            puppets.tell(run.run_id, "finish")
            ended = await engine.wait(run.run_id, OWNER, 5)
            now[0] += timedelta(days=9)
            with pytest.raises(HandrailError):
                await engine.get(run.run_id, OWNER)

    assert ended.updated_at == run.created_at
