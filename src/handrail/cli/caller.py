"""Who calls, where a person at a terminal does."""

from handrail.json_types import JsonObject
from handrail.protocol import Client, Elicited

__all__ = ["AtTerminal"]


class AtTerminal:
    """A person at a terminal, as a tool sees who calls it."""

    client = Client(name="handrail", version="", protocol_version="")
    owner = "local"
    request_state = None

    async def progress(self, message: str, done: float, total: float | None = None) -> None:
        """A terminal follows the run itself."""

    async def elicit(
        self, key: str, message: str, schema: JsonObject, *, state: str, seconds: float
    ) -> Elicited | None:
        """Ask the person, where there is one."""
        from handrail.cli.person import ask_at_terminal

        del key, schema, state
        return await ask_at_terminal(message, seconds=seconds)
