"""The record of a series, in the shape of the job folders that evaluation tools read, written as the series goes."""

import hashlib
import itertools
from collections.abc import Sequence
from datetime import UTC, datetime

from handrail import __version__
from handrail.agents.loop.episode import Episode
from handrail.agents.spec import AgentJob
from handrail.json_types import Json, JsonObject
from handrail.runs import RecordError

__all__ = ["JobRecord"]


class JobRecord:
    """Writes what becomes of a series through the run's own record.

    Args:
        agent: the agent's name.
        job: the run.
    """

    def __init__(self, agent: str, job: AgentJob) -> None:
        self._agent = agent
        self._job = job
        self._ctx = job.ctx
        self._started_at = datetime.now(UTC)

    def new_episode(self, number: int) -> Episode:
        """An episode that is about to be played, by its number from 1.

        Its folder is `<agent>--<i>__<7 hex>` with i from 0: the same for the same run and number, however often it is
        begun. What an earlier playing did is kept there as `agent/ticks.1.jsonl`, then `.2` and so on, so that
        `ticks.jsonl` holds one playing and no more.

        Raises:
            RecordError: what was broken off cannot be set aside.
        """
        index = number - 1
        digest = hashlib.sha256(f"{self._ctx.run_id}/{index}".encode()).hexdigest()
        trial_name = f"{self._agent}--{index}__{digest[:7]}"
        episode = Episode(number, self._job.seed + index, trial_name)
        episode.playing += self._set_aside(episode.ticks_name)
        return episode

    def begin(self, finished: Sequence[Episode] = ()) -> None:
        """Write what will be played, beside the episodes that earlier attempts have finished."""
        if finished:
            self._started_at = finished[0].started_at
        model = self._job.model
        agents: Json = [{"name": f"handrail/{model}", "model_name": model}]
        datasets: Json = [{"name": self._agent, "n_tasks": self._job.episodes}]
        self._ctx.record("config.json", {"job_name": self._ctx.run_id, "agents": agents, "datasets": datasets})
        self.progress(finished)

    def episode(self, episode: Episode) -> None:
        """Write one episode, ended or broken off."""
        folder = episode.trial_name
        self._ctx.record(f"{folder}/agent/episode.json", _episode_document(episode))
        self._ctx.record(f"{folder}/result.json", self._trial_document(episode))

    def progress(self, episodes: Sequence[Episode], *, running: int = 0, over: bool = False) -> None:
        """Write how many episodes are done, run, and wait; `over`: no other will be played."""
        now = datetime.now(UTC).isoformat()
        left = self._job.episodes - len(episodes) - running
        stats: Json = {
            "n_completed_trials": sum(episode.ended for episode in episodes),
            "n_errored_trials": sum(episode.error is not None for episode in episodes),
            "n_running_trials": running,
            "n_pending_trials": 0 if over else left,
            "n_cancelled_trials": (left if over else 0) + sum(not episode.ended for episode in episodes),
            "n_retries": sum(episode.playing - 1 for episode in episodes),
        }
        document: JsonObject = {
            "id": self._ctx.run_id,
            "started_at": self._started_at.isoformat(),
            "updated_at": now,
            "finished_at": now if over else None,
            "n_total_trials": self._job.episodes,
            "stats": stats,
        }
        self._ctx.record("result.json", document)

    def summary(self, summary: JsonObject) -> None:
        """Write the series summary."""
        self._ctx.record("summary.json", summary)

    def _set_aside(self, ticks_name: str) -> int:
        """Give what an earlier playing did a name of its own; how many such playings there are."""
        if self._ctx.folder is None:
            return 0
        ticks = self._ctx.folder / ticks_name
        number = next(n for n in itertools.count(1) if not ticks.with_name(_broken_off(n)).exists())
        if not ticks.exists():
            return number - 1
        try:
            ticks.rename(ticks.with_name(_broken_off(number)))
        except OSError as error:
            problem = error.strerror or type(error).__name__
            raise RecordError(
                f"The run's record {ticks_name} could not be set aside: {problem}.",
                next_step="Make the home folder writable.",
                name=ticks_name,
                problem=problem,
            ) from error
        return number

    def _trial_document(self, episode: Episode) -> JsonObject:
        started = episode.started_at.isoformat()
        finished = episode.finished_at.isoformat() if episode.finished_at else None
        model_info: Json = {"name": self._job.model, "provider": "handrail"}
        error = episode.error if episode.ended else "broken off"
        return {
            "id": f"{self._ctx.run_id}/{episode.trial_name}",
            "task_name": f"{self._agent}/{episode.seed}",
            "trial_name": episode.trial_name,
            "task_id": {"path": None},
            "source": self._agent,
            "agent_info": {"name": self._agent, "version": __version__, "model_info": model_info},
            "agent_result": _agent_result(episode),
            "verifier_result": {"rewards": {"reward": episode.score if episode.ended else None}},
            "exception_info": {"error": error} if error else None,
            "started_at": started,
            "finished_at": finished,
            "agent_execution": {"started_at": started, "finished_at": finished},
        }


def _agent_result(episode: Episode) -> JsonObject:
    usage = episode.usage
    tokens = usage.input_tokens if usage.known else None
    metadata: JsonObject = {
        "steps": episode.steps,
        "elapsed_s": round(episode.elapsed_s, 6),
        "decisions": len(episode.decision_ms),
        "chat_calls": 0,
        "jev_input_tokens": tokens,
        "invalid_keys": 0,
        "usage_known": usage.known,
    }
    return {
        "n_input_tokens": tokens,
        "n_cache_tokens": 0 if usage.known else None,
        "n_output_tokens": usage.output_tokens if usage.known else None,
        "cost_usd": 0.0 if usage.known and not usage.input_tokens else None,
        "metadata": metadata,
    }


def _episode_document(episode: Episode) -> JsonObject:
    broken_off: Json = [_broken_off(number) for number in range(1, episode.playing)]
    return {
        "decisions": [*episode.ticks],
        "final_state": episode.final_state,
        "extra": {"broken_off": broken_off} if broken_off else {},
        "views": [],
    }


def _broken_off(number: int) -> str:
    return f"ticks.{number}.jsonl"
