"""Finished episodes as a run saves them, so that another attempt of the run goes on behind them."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Self

from pydantic import AwareDatetime, BaseModel, ConfigDict, JsonValue, ValidationError, field_serializer

from handrail.agents.loop.episode import Episode
from handrail.decisions import Usage
from handrail.json_types import Json
from handrail.runs import RunContext

__all__ = ["FinishedBefore", "save_episode"]

_LOG: Final = logging.getLogger(__name__)
_FORM: Final = ConfigDict(extra="forbid", frozen=True, from_attributes=True)


class _SavedUsage(BaseModel):
    model_config = _FORM

    input_tokens: int
    output_tokens: int
    known: bool


class _SavedEpisode(BaseModel):
    """Of an `Episode` what the summary and the job record need; its ticks are on disk already."""

    model_config = _FORM

    number: int
    seed: int
    trial_name: str
    playing: int
    started_at: AwareDatetime
    finished_at: AwareDatetime
    elapsed_s: float
    steps: int
    score: float | None
    error: str | None
    decision_ms: list[float]
    usage: _SavedUsage
    final_state: dict[str, JsonValue]

    @field_serializer("decision_ms")
    def _rounded(self, times: list[float]) -> list[float]:
        # As in the ticks: a thousand episodes of ten thousand decisions are to stay small.
        return [round(ms, 3) for ms in times]

    def episode(self) -> Episode:
        return Episode(**{**dict(self), "usage": Usage(**dict(self.usage))})


class _Saved(BaseModel):
    model_config = _FORM

    episode: _SavedEpisode
    used_s: float


@dataclass(frozen=True, slots=True)
class FinishedBefore:
    """What earlier attempts of a run finished.

    Attributes:
        episodes: in the order of their numbers.
        used_s: how long those attempts took up to the end of the last of them, in seconds. What was broken off after
            it is not known, and not counted.
    """

    episodes: tuple[Episode, ...] = ()
    used_s: float = 0.0

    @classmethod
    def of(cls, saved: Mapping[str, Json], planned: int) -> Self:
        """What is found among the saved documents of a run of so many episodes.

        A document that does not fit (another version's) is left out with a warning: its episode is played again.
        """
        read = (_read(name, saved[name]) for name in map(_name, range(1, planned + 1)) if name in saved)
        found = [document for document in read if document is not None]
        used_s = max((document.used_s for document in found), default=0.0)
        return cls(tuple(document.episode.episode() for document in found), used_s)


async def save_episode(ctx: RunContext, episode: Episode, used_s: float) -> None:
    """Save a finished episode.

    Args:
        ctx: the run.
        episode: the episode; it has ended.
        used_s: how long the series has taken so far, over all attempts, in seconds.
    """
    document = _Saved(episode=_SavedEpisode.model_validate(episode), used_s=used_s)
    await ctx.save(_name(episode.number), document.model_dump(mode="json"))


def _name(number: int) -> str:
    return f"episode-{number}"


def _read(name: str, document: Json) -> _Saved | None:
    try:
        return _Saved.model_validate(document)
    except ValidationError as error:
        places = sorted({".".join(map(str, problem["loc"])) for problem in error.errors()})
        _LOG.warning("%s was saved in another form (%s) and is played again", name, ", ".join(places))
        return None
