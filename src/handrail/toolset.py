"""The toolsets that a server can offer."""

from enum import StrEnum

__all__ = ["Toolset"]


class Toolset(StrEnum):
    """What the server offers."""

    APPWRITE = "appwrite"
    AGENTS = "agents"
