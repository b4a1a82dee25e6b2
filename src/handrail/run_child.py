"""`python -m handrail.run_child`: the process that does one run. Started by the worker, of no use to anybody else."""

import sys

from handrail.agents import agent_body, built_in_agents
from handrail.decisions import built_in_models
from handrail.runs.worker import run_child

__all__ = ["main"]


def main() -> int:
    """Do the run that standard input names; the exit code."""
    from handrail.agents import loop  # noqa: F401, PLC0415  (loaded before there is a run, so that it begins at once)

    return run_child(agent_body(built_in_agents(), built_in_models()))


if __name__ == "__main__":
    sys.exit(main())
