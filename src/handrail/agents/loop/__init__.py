"""The one loop that every episode goes through, and what it plays. Not needed to list agents, so not imported there."""

from handrail.agents.loop.environment import Environment, EnvironmentMaker, Game
from handrail.agents.loop.series import play_series

__all__ = ["Environment", "EnvironmentMaker", "Game", "play_series"]
