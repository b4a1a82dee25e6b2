"""Blackjack: its rules, its baseline, and what the baseline is worth."""

import pytest

from handrail.agents import built_in_agents
from handrail.agents.blackjack import BlackjackHand, basic_strategy, hand_value
from handrail.decisions import ChoiceQuestion
from handrail.json_types import Json, JsonObject
from tests.agents.games import OWNER, asked, engine_for, result_of

pytestmark = pytest.mark.unit

OPTIONS = ChoiceQuestion({"hit": "", "stand": ""})


@pytest.mark.parametrize(
    ("cards", "value"),
    [
        ([10, 9], (19, False)),
        ([1, 10], (21, True)),
        ([1, 1], (12, True)),
        ([1, 10, 10], (21, False)),
        ([1, 6, 10], (17, False)),
        ([10, 10, 2], (22, False)),
    ],
)
def test_an_ace_counts_eleven_where_that_does_not_go_over(cards: list[int], value: tuple[int, bool]) -> None:
    assert hand_value(cards) == value


@pytest.mark.parametrize(
    ("total", "soft", "dealer", "choice"),
    [
        (11, False, 6, "hit"),
        (12, False, 3, "hit"),
        (12, False, 4, "stand"),
        (12, False, 7, "hit"),
        (13, False, 2, "stand"),
        (16, False, 6, "stand"),
        (16, False, 7, "hit"),
        (16, False, 1, "hit"),
        (17, False, 1, "stand"),
        (17, True, 6, "hit"),
        (18, True, 8, "stand"),
        (18, True, 9, "hit"),
        (18, True, 1, "hit"),
        (19, True, 1, "stand"),
    ],
)
def test_the_basic_strategy(total: int, soft: bool, dealer: int, choice: str) -> None:  # noqa: FBT001  (a parameter of the test)
    state: JsonObject = {"player_sum": total, "usable_ace": soft, "dealer_card": dealer}

    assert basic_strategy(state, OPTIONS) == choice


@pytest.mark.parametrize("state", ["a text", {}, {"player_sum": "x", "dealer_card": 2}])
def test_the_basic_strategy_says_nothing_of_another_state(state: Json) -> None:
    assert basic_strategy(state, OPTIONS) is None


def _cards(shown: Json) -> list[int]:
    assert isinstance(shown, list)
    return [card for card in shown if isinstance(card, int)]


async def test_a_hand_follows_the_rules_that_are_written_down() -> None:
    for seed in range(300):
        hand = BlackjackHand({}, seed)
        while not hand.done:
            observed = await hand.observe()
            assert isinstance(observed, dict)
            total = observed["player_sum"]
            assert isinstance(total, int)
            await hand.act("hit" if total < 17 else "stand")
        state = hand.final_state()
        player, dealer = _cards(state["player"]), _cards(state["dealer"])
        mine, theirs = hand_value(player)[0], hand_value(dealer)[0]
        if mine > 21:
            assert (hand.score, len(dealer)) == (-1, 2)
        else:
            assert theirs >= 17
            assert len(dealer) == 2 or hand_value(dealer[:-1])[0] < 17
            assert hand.score == (1 if theirs > 21 or mine > theirs else 0 if mine == theirs else -1)


async def test_basic_strategy_loses_a_little_and_random_a_lot_over_two_thousand_seeds() -> None:
    async with engine_for(built_in_agents()) as engine:
        requests = [
            asked("blackjack", model=model, episodes=1000, seed=seed)
            for model in ("rule", "random")
            for seed in (0, 1000)
        ]
        runs = [await engine.start(request) for request in requests]
        results = [result_of(await engine.wait(run.run_id, OWNER, 20)) for run in runs]
    scores = [float(str(result["mean_score"])) for result in results]
    rule, chance = sum(scores[:2]) / 2, sum(scores[2:]) / 2

    # Standard error of each mean: about 0.02.
    assert -0.13 < rule < 0.03
    assert -0.48 < chance < -0.32
    for result in results:
        assert isinstance(interval := result["mean_score_ci95"], list)
        assert float(str(interval[0])) < float(str(result["mean_score"])) < float(str(interval[1]))


async def test_the_same_seed_gives_the_same_series_and_another_seed_another() -> None:
    async with engine_for(built_in_agents()) as engine:
        requests = [asked("blackjack", model="random", episodes=30, seed=seed) for seed in (7, 7, 8)]
        runs = [await engine.start(request) for request in requests]
        results = [result_of(await engine.wait(run.run_id, OWNER, 20)) for run in runs]
    figures = [[result[name] for name in ("mean_score", "mean_score_ci95", "wins", "decisions")] for result in results]

    assert figures[0] == figures[1] != figures[2]
