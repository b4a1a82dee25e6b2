"""A run from its start to its end, through a real worker and a real process of its own."""

from tests.runs.worker.homes import Home, ended, is_completed, is_running, until


async def test_a_run_is_done_by_a_process_of_its_own_which_ends_with_it(home: Home) -> None:
    async with home.engine() as engine:
        run = await engine.start(home.request(["act", "one"], ["record", "doc", {"a": 1}]))
        end = await ended(engine, run)

    assert is_completed(end), end
    assert home.acts("one") == home.acts("done") == 1
    await until(lambda: not is_running(home.begun_by()[0]))
    assert (home.place.records / run.run_id / "doc.json").read_text() == '{"a": 1}\n'
