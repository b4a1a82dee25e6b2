"""A series that is killed goes on behind its last finished episode, and comes to the same as if nothing had been."""

import errno
import json
import tempfile
from dataclasses import replace
from pathlib import Path

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handrail.agents import blackjack_agent
from handrail.agents.loop.saved import FinishedBefore
from handrail.decisions import ModelRegistry
from handrail.errors import RefusedError, UnavailableError
from handrail.json_types import Json
from handrail.runs import RecordError
from tests.agents.attempts import Attempt, Kept, Series
from tests.agents.games import Walk, walking
from tests.agents.records import timeless

pytestmark = pytest.mark.unit

HANDS = Series(blackjack_agent())
EPISODES = 3


def _json(path: Path, *keys: str) -> Json:
    found: Json = json.loads(path.read_text())
    for key in keys:
        assert isinstance(found, dict)
        found = found[key]
    return found


def _trials(folder: Path) -> dict[str, Path]:
    return {path.name: path for path in sorted(folder.glob("*--*__*"))}


def _lines(path: Path) -> list[Json]:
    """The whole lines of a file: the last one may have been torn by the kill."""
    return [json.loads(line) for line in path.read_text().split("\n")[:-1]]


def _playings(trial: Path) -> list[Path]:
    """The tick files of an episode, in the order in which it was played."""
    broken = sorted(trial.glob("agent/ticks.*.jsonl"), key=lambda path: (len(path.name), path.name))
    return [*broken, trial / "agent/ticks.jsonl"]


def _assert_same_record(folder: Path, calm: Path) -> None:
    """Each episode has one folder with one result, and no file mixes two playings."""
    assert _trials(folder).keys() == _trials(calm).keys()
    for name, trial in _trials(folder).items():
        expected = timeless(_json(_trials(calm)[name] / "agent/episode.json", "decisions"))
        assert isinstance(expected, list)
        *broken, last = _playings(trial)
        assert timeless(_lines(last)) == expected == timeless(_json(trial / "agent/episode.json", "decisions"))
        assert timeless(_json(trial / "result.json")) == timeless(_json(_trials(calm)[name] / "result.json"))
        for path in broken:
            assert timeless(_lines(path)) == expected[: len(_lines(path))]
        again = {"broken_off": [path.name for path in broken]} if broken else {}
        assert _json(trial / "agent/episode.json", "extra") == again
    replays = sum(len(_playings(trial)) - 1 for trial in _trials(folder).values())
    calm_stats = _json(calm / "result.json", "stats")
    assert isinstance(calm_stats, dict)
    assert _json(folder / "result.json", "stats") == {**calm_stats, "n_retries": replays}


@pytest.mark.promise("resumed-series-are-the-same")
@pytest.mark.parametrize("torn", [False, True])
async def test_killed_at_any_point_a_series_comes_to_the_same_as_undisturbed(tmp_path: Path, *, torn: bool) -> None:
    calm, undisturbed = await HANDS.undisturbed(tmp_path / "calm")
    assert undisturbed.effects > 20

    for point in range(undisturbed.effects):
        kept = Kept(tmp_path / str(point))
        result = await HANDS.killed_at(kept, point, torn=torn)
        assert timeless(result) == timeless(calm), f"killed after {point} effects"
        assert timeless(_json(kept.folder / "summary.json")) == timeless(calm)
        _assert_same_record(kept.folder, tmp_path / "calm")


@pytest.mark.promise("resumed-series-are-the-same")
@settings(max_examples=60, deadline=None)
@given(
    points=st.lists(st.integers(0, 80), min_size=1, max_size=6),
    model=st.sampled_from(["rule", "random"]),
    episodes=st.integers(1, 5),
    seed=st.integers(0, 10_000),
    torn=st.booleans(),
)
async def test_however_often_it_is_killed_it_comes_to_the_same(
    points: list[int], model: str, episodes: int, seed: int, *, torn: bool
) -> None:
    series = replace(HANDS, model=model, episodes=episodes, seed=seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        calm, _ = await series.undisturbed(folder / "calm")
        result = await series.killed_at(Kept(folder / "killed"), *points, torn=torn)

        assert timeless(result) == timeless(calm)
        _assert_same_record(folder / "killed", folder / "calm")


@pytest.mark.promise("finished-episodes-stay")
async def test_a_finished_episode_is_not_played_again_and_its_files_are_not_touched(tmp_path: Path) -> None:
    _, undisturbed = await HANDS.undisturbed(tmp_path / "calm")
    seen = set()
    for point in range(undisturbed.effects):
        kept = Kept(tmp_path / str(point))
        await HANDS.attempt(Attempt(kept, lives_for=point))
        finished = {episode.trial_name for episode in FinishedBefore.of(kept.saved, EPISODES).episodes}
        again = Attempt(kept)
        await HANDS.attempt(again)
        touched = {name.split("/")[0] for name in again.wrote}
        seen.add(len(finished))

        assert not touched & finished
        assert touched >= _trials(kept.folder).keys() - finished

    assert seen == {0, 1, 2, 3}


async def test_episodes_that_ended_with_an_error_or_no_score_are_finished_too(tmp_path: Path) -> None:
    def act(walk: Walk) -> None:
        if walk.seed == 0:
            raise RefusedError("Not allowed.")

    calm, undisturbed = await Series(walking([], act=act)).undisturbed(tmp_path / "calm")
    acts: list[int] = []
    series = Series(walking(acts, act=act))
    result = await series.killed_at(Kept(tmp_path / "killed"), undisturbed.effects - 5)

    assert timeless(result) == timeless(calm)
    assert (result["error"], result["errors"]) == ("Not allowed.", 1)
    assert acts.count(0) == 1


async def test_an_attempt_after_the_last_episode_plays_nothing_and_needs_no_time(tmp_path: Path) -> None:
    acts: list[int] = []
    series = Series(walking(acts))
    calm, undisturbed = await series.undisturbed(tmp_path / "calm")
    kept = Kept(tmp_path / "killed")
    acts.clear()
    assert await series.attempt(Attempt(kept, lives_for=undisturbed.effects - 1)) is None
    assert len(acts) == 9
    # Nothing is left for a model either: there is none.
    result = await replace(series, time_limit_s=0, models=ModelRegistry([])).attempt(Attempt(kept))

    assert result is not None
    assert timeless(result) == timeless(calm)
    assert len(acts) == 9


async def test_the_time_of_earlier_attempts_counts(tmp_path: Path) -> None:
    series = Series(walking([]), time_limit_s=1000)
    _, undisturbed = await series.undisturbed(tmp_path / "calm")
    kept = Kept(tmp_path / "killed")
    await series.attempt(Attempt(kept, lives_for=undisturbed.effects - 10))
    first, second = (kept.saved[f"episode-{number}"] for number in (1, 2))
    assert isinstance(first, dict)
    assert isinstance(second, dict)
    assert float(str(second["used_s"])) > float(str(first["used_s"])) > 0
    second["used_s"] = 940.0

    late = await series.attempt(Attempt(Kept(tmp_path / "late", dict(kept.saved))))
    assert late is not None
    assert late["ok"] is True
    assert 940 <= float(str(late["total_s"])) < 1000

    second["used_s"] = 1000.0
    over = await series.attempt(Attempt(Kept(tmp_path / "over", dict(kept.saved))))
    assert over is not None
    assert (over["ok"], over["error"], over["episodes"]) == (False, "timeout after 1000 s", 2)


async def test_the_record_of_a_series_that_goes_on_says_when_it_began(tmp_path: Path) -> None:
    _, undisturbed = await HANDS.undisturbed(tmp_path / "calm")
    kept = Kept(tmp_path / "killed")
    await HANDS.attempt(Attempt(kept, lives_for=undisturbed.effects - 10))
    first = next(iter(_trials(kept.folder).values()))
    await HANDS.attempt(Attempt(kept))

    assert _json(kept.folder / "result.json", "started_at") == _json(first / "result.json", "started_at")


@pytest.mark.parametrize("document", [None, {}, "episode", {"episode": {"number": 1}, "used_s": 1}])
async def test_what_was_saved_in_another_form_is_played_again_and_warned_of(
    tmp_path: Path, document: Json, caplog: pytest.LogCaptureFixture
) -> None:
    calm, undisturbed = await HANDS.undisturbed(tmp_path / "calm")
    kept = Kept(tmp_path / "killed")
    await HANDS.attempt(Attempt(kept, lives_for=undisturbed.effects - 1))
    kept.saved["episode-1"] = document
    again = Attempt(kept)
    result = await HANDS.attempt(again)

    assert result is not None
    assert timeless(result) == timeless(calm)
    assert {name.split("/")[0] for name in again.wrote if "/" in name} == {next(iter(_trials(kept.folder)))}
    assert "episode-1 was saved in another form" in caplog.text


async def test_the_run_is_looked_at_exactly_once_before_each_act(tmp_path: Path) -> None:
    acts: list[int] = []
    _, ctx = await Series(walking(acts)).undisturbed(tmp_path)

    assert ctx.checks == len(acts) == 9


async def test_what_an_orderly_end_wrote_of_a_broken_episode_is_replaced_when_the_run_goes_on(tmp_path: Path) -> None:
    scope = anyio.CancelScope()

    def act(walk: Walk) -> None:
        if (walk.seed, walk.steps) == (1, 2):
            scope.cancel()

    calm, _ = await Series(walking([])).undisturbed(tmp_path / "calm")
    kept = Kept(tmp_path / "ended")
    with scope:
        await Series(walking([], act=act)).attempt(Attempt(kept))
    broken = _json(kept.folder / "result.json", "stats", "n_cancelled_trials")
    result = await Series(walking([])).attempt(Attempt(kept))

    assert scope.cancelled_caught
    assert broken == 2
    assert result is not None
    assert timeless(result) == timeless(calm)
    _assert_same_record(kept.folder, tmp_path / "calm")


@pytest.mark.parametrize("lost", ["check", "append", "report"])
async def test_what_the_run_itself_raises_is_no_outcome_of_an_episode(tmp_path: Path, lost: str) -> None:
    class Failing(Attempt):
        """A run whose disk or database is away for a moment, at the fifth use."""

        uses = 0

        def _use(self, name: str) -> None:
            self.uses += name == lost
            if self.uses == 5:
                self.uses += 1
                raise UnavailableError("The disk is full.")

        async def check(self) -> None:
            self._use("check")
            await super().check()

        async def report(self, message: str) -> None:
            self._use("report")
            await super().report(message)

        def append(self, name: str, line: Json) -> None:
            self._use("append")
            super().append(name, line)

    kept = Kept(tmp_path / "failed")
    with pytest.raises(UnavailableError):
        await Series(walking([])).attempt(Failing(kept))
    calm, _ = await Series(walking([])).undisturbed(tmp_path / "calm")
    result = await Series(walking([])).attempt(Attempt(kept))

    assert result is not None
    assert timeless(result) == timeless(calm)


@pytest.mark.usefixtures("caplog")
async def test_an_episode_that_is_played_late_still_counts_in_its_place(tmp_path: Path) -> None:
    def act(walk: Walk) -> None:
        raise RefusedError(f"Not in episode {walk.seed + 1}.")

    series = Series(walking([], act=act))
    kept = Kept(tmp_path)
    await series.attempt(Attempt(kept))
    kept.saved["episode-1"] = None
    result = await series.attempt(Attempt(kept))

    assert result is not None
    assert (result["errors"], result["error"]) == (3, "Not in episode 1.")


async def test_ticks_that_cannot_be_set_aside_end_the_attempt_before_anything_is_mixed(tmp_path: Path) -> None:
    _, undisturbed = await HANDS.undisturbed(tmp_path / "calm")
    kept = Kept(tmp_path / "killed")
    await HANDS.attempt(Attempt(kept, lives_for=undisturbed.effects - 5))
    ticks = _playings(list(_trials(kept.folder).values())[-1])[-1]
    before = ticks.read_text()

    def refuse(_path: Path, _target: Path) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "rename", refuse)
        with pytest.raises(RecordError) as caught:
            await HANDS.attempt(Attempt(kept))

    assert caught.value.data["problem"] == "Read-only file system"
    assert ticks.read_text() == before != ""
