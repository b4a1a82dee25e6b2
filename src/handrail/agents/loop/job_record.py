"""The record of a series, in the shape of the job folders that evaluation tools read, written as the series goes."""

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime

from handrail import __version__
from handrail.agents.loop.episode import Episode
from handrail.agents.spec import AgentJob
from handrail.json_types import Json, JsonObject

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

    def trial_name(self, index: int) -> str:
        """The folder of one episode, `<agent>--<i>__<7 hex>`; the same for the same run and index (from 0)."""
        digest = hashlib.sha256(f"{self._ctx.run_id}/{index}".encode()).hexdigest()
        return f"{self._agent}--{index}__{digest[:7]}"

    def begin(self) -> None:
        """Write what will be played."""
        model = self._job.model
        agents: Json = [{"name": f"handrail/{model}", "model_name": model}]
        datasets: Json = [{"name": self._agent, "n_tasks": self._job.episodes}]
        self._ctx.record("config.json", {"job_name": self._ctx.run_id, "agents": agents, "datasets": datasets})
        self.progress([])

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
            "n_retries": 0,
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
    return {"decisions": [*episode.ticks], "final_state": episode.final_state, "extra": {}, "views": []}
