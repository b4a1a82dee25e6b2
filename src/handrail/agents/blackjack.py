"""`blackjack`: a seeded game of Blackjack, hit or stand.

The rules that are played: cards are drawn with replacement (an endless deck; 2 to 9 as they are, ten, jack, queen and
king are 10, an ace is 1 or 11). Player and dealer get two cards each, one of the dealer's is seen. The player hits or
stands; over 21 loses at once. The dealer draws below 17 and stands on every 17. A win is +1, a loss -1, a draw 0; an
ace with a ten pays no more than any other 21. No doubling, no splitting.
"""

import random
from collections.abc import Mapping, Sequence
from typing import Final

from pydantic import BaseModel, ConfigDict

from handrail.agents.spec import AgentJob, AgentSpec, params_schema
from handrail.decisions import ChoiceQuestion
from handrail.json_types import Json, JsonObject

__all__ = ["basic_strategy", "blackjack_agent"]

_DECK: Final = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10)
_TARGET: Final = 21
_DEALER_STANDS: Final = 17
_ACE: Final = 1
_MAX_STEPS: Final = 21
"""No hand takes more cards: twenty-one aces."""

_RULES: Final = (
    "Come closer to 21 than the dealer without going over.",
    "The dealer draws below 17 and stands on 17 and above.",
    "A soft hand counts an ace as 11 and cannot go over with one more card.",
)


class BlackjackParams(BaseModel):
    """The parameters of `blackjack`: there are none."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def hand_value(cards: Sequence[int]) -> tuple[int, bool]:
    """The best count of a hand, and whether it is soft (an ace counts as 11)."""
    total = sum(cards)
    soft = _ACE in cards and total + 10 <= _TARGET
    return (total + 10, True) if soft else (total, False)


def basic_strategy(state: Json, question: ChoiceQuestion) -> str | None:  # noqa: ARG001  (the options never differ)
    """The best choice between hit and stand under these rules, from the player's count and the dealer's card."""
    if not isinstance(state, dict):
        return None
    total, dealer = state.get("player_sum"), state.get("dealer_card")
    if not isinstance(total, int) or not isinstance(dealer, int):
        return None
    stands = _stands_soft(total, dealer) if state.get("usable_ace") else _stands_hard(total, dealer)
    return "stand" if stands else "hit"


def _stands_soft(total: int, dealer: int) -> bool:
    return total >= 19 or (total == 18 and 2 <= dealer <= 8)  # noqa: PLR2004  (the table of the strategy itself)


def _stands_hard(total: int, dealer: int) -> bool:
    if total == 12:  # noqa: PLR2004  (likewise)
        return 4 <= dealer <= 6  # noqa: PLR2004  (likewise)
    return total >= 17 or (total >= 13 and 2 <= dealer <= 6)  # noqa: PLR2004  (likewise)


class BlackjackHand:
    """One hand. Its seed decides every card."""

    def __init__(self, _params: JsonObject, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311  (a game, no secret)
        self._player = [self._draw(), self._draw()]
        self._dealer = [self._draw(), self._draw()]
        self._score: float | None = None

    async def observe(self) -> Json:
        total, soft = hand_value(self._player)
        return {"player_sum": total, "usable_ace": soft, "dealer_card": self._dealer[0], "cards": [*self._player]}

    async def options(self) -> Mapping[str, str]:
        return {"hit": "take one more card", "stand": "take no more cards and let the dealer play"}

    async def act(self, key: str) -> str:
        if key == "hit":
            self._player.append(self._draw())
            total, _ = hand_value(self._player)
            if total > _TARGET:
                self._score = -1.0
            return f"hit, now {total}"
        self._play_dealer()
        return f"stood, dealer has {hand_value(self._dealer)[0]}"

    @property
    def done(self) -> bool:
        return self._score is not None

    @property
    def score(self) -> float | None:
        return self._score

    def final_state(self) -> JsonObject:
        return {"player": [*self._player], "dealer": [*self._dealer], "score": self._score}

    async def close(self) -> None:
        """Nothing to free."""

    def _draw(self) -> int:
        return self._random.choice(_DECK)

    def _play_dealer(self) -> None:
        while hand_value(self._dealer)[0] < _DEALER_STANDS:
            self._dealer.append(self._draw())
        player, dealer = hand_value(self._player)[0], hand_value(self._dealer)[0]
        self._score = 1.0 if dealer > _TARGET or player > dealer else float(-(player < dealer))


async def _play(job: AgentJob) -> JsonObject:
    from handrail.agents.loop import Game, play_series  # noqa: PLC0415  (not needed to list agents)

    game = Game(
        name="blackjack",
        make=BlackjackHand,
        max_steps=lambda _params: _MAX_STEPS,
        rules=_RULES,
        goal="win the hand",
        rule=basic_strategy,
    )
    return await play_series(game, job)


def blackjack_agent() -> AgentSpec:
    """The agent that plays Blackjack."""
    return AgentSpec(
        name="blackjack",
        title="Blackjack",
        description="Plays seeded hands of Blackjack, hit or stand, one hand an episode. The model `rule` follows "
        "basic strategy (about -0.05 a hand), `random` loses about 0.4.",
        params=params_schema(BlackjackParams),
        work=_play,
        resumable=True,
    )
