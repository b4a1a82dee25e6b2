"""Where a call goes: one of the projects that this process knows, and what sends to it."""

from dataclasses import dataclass
from typing import Protocol

from handrail.appwrite.sending import Sender
from handrail.appwrite.transport import Transport

__all__ = ["Target", "Targets"]


@dataclass(frozen=True, slots=True)
class Target:
    """A project that calls go to.

    Attributes:
        name: of its profile; empty for the project of the environment.
        transport: reaches its backend.
        sender: sends to it.
        is_default: whether calls that name no project go there.
    """

    name: str
    transport: Transport
    sender: Sender
    is_default: bool = True


class Targets(Protocol):
    """The projects that calls can go to."""

    async def get(self, name: str | None) -> Target:
        """The project of that name, or the default one.

        Raises:
            HandrailError: there is none of that name.
        """
