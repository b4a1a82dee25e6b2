"""A database server that is stopped and started in the middle of a run."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.runs.machines.machine import made_machines
from tests.runs.store.servers import PostgresServer, find_binaries, server_of_its_own
from tests.runs.worker.bodies_worker import Options
from tests.runs.worker.homes import OWNER, Home, ended, is_completed, until

_OPTIONS = Options(lease_s=20)


@dataclass
class _Server:
    """A server to be stopped."""

    run: Callable[[], AbstractContextManager[None]]
    stack: ExitStack

    def start(self) -> None:
        self.stack.enter_context(self.run())

    def stop(self) -> None:
        self.stack.close()


@dataclass
class _World:
    server: _Server
    home: Home


@pytest.fixture
def world(postgres: PostgresServer, tmp_path: Path) -> Iterator[_World]:
    """A machine whose database server can be stopped."""
    binaries = find_binaries()
    assert binaries, postgres
    with server_of_its_own(binaries) as (own, run), ExitStack() as stack:
        server = _Server(run, stack)
        server.start()
        with made_machines(tmp_path, own.url()) as machines:
            yield _World(server, machines.one)


@pytest.mark.promise("runs-outlive-the-database-server")
async def test_a_run_goes_on_after_its_database_server_was_stopped_and_started(world: _World) -> None:
    home = world.home
    async with home.engine(_OPTIONS, seconds=60) as engine:
        run = await engine.start(home.request(["report", "before"], ["wait", "go"], ["act", "one"], ["act", "two"]))
        await until(lambda: home.column("message", run) == "before")
        worker, child = (await home.worker()).pid, home.begun_by()[0]
        async with engine.watch(run.run_id, OWNER):
            world.server.stop()
            home.say("go")
            assert not home.acts("one"), "it waits for the database before it acts"
            world.server.start()
            end = await ended(engine, run, seconds=30)
        assert is_completed(await ended(engine, await engine.start(home.request(["act", "next"])), seconds=30))

    assert (is_completed(end), end.attempt) == (True, 1), end
    assert [home.acts(name) for name in ("one", "two")] == [1, 1]
    assert (await home.worker()).pid == worker
    assert home.begun_by()[0] == child
