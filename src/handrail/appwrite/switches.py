"""What this process lets be listed and called at all, whoever agrees to it. Pure.

    --services, --tools: only these    --deny: never these    --read-only: reads only

The narrowest always counts, and read-only outranks all. A name that there is none of ends the start.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from handrail.appwrite.catalog import Catalog
from handrail.appwrite.catalog.model import Method
from handrail.appwrite.evidence import judge
from handrail.arguments import UnknownName
from handrail.errors import RefusedError, UsageError
from handrail.hints import Effect
from handrail.json_types import JsonObject

__all__ = ["SwitchNameError", "SwitchedOffError", "Switches", "switches_of"]

_NOTHING: Final[frozenset[str]] = frozenset()


class SwitchNameError(UsageError):
    """A switch names what there is none of. `data` holds `switch`, `name`, `nearest` and `known`."""

    type = "switch_name_unknown"


class SwitchedOffError(RefusedError):
    """A switch of this process forbids the method. `data` holds `tool` and `switch`."""

    type = "switched_off"


@dataclass(frozen=True, slots=True)
class Switches:
    """The switches of one process.

    Attributes:
        read_only: let only what is proven to be a read be called.
        services: only methods of these services, or of `tools`; all when both are empty.
        tools: likewise, by the methods' tool names.
        deny: services and tools that are never called.
    """

    read_only: bool = False
    services: frozenset[str] = field(default=_NOTHING)
    tools: frozenset[str] = field(default=_NOTHING)
    deny: frozenset[str] = field(default=_NOTHING)

    def allows(self, method: Method) -> bool:
        """Whether a method may be listed. Whether a call of it may be made is for `check`."""
        return self._forbidding(method, judge(method)) is None

    def check(self, method: Method, effect: Effect) -> None:
        """Let a call pass, or say which switch forbids it.

        Args:
            method: what is called.
            effect: what this very call does.

        Raises:
            SwitchedOffError: a switch forbids it.
        """
        switch = self._forbidding(method, effect)
        if switch is not None:
            raise SwitchedOffError(
                f"{method.tool} is switched off here by {switch}.",
                next_step="Whoever started this server can change that; nothing that a call brings along can.",
                tool=method.tool,
                switch=switch,
            )

    def as_json(self) -> JsonObject:
        """The switches that are on, for people and models."""
        shown: JsonObject = {"read_only": self.read_only}
        for name, names in (("services", self.services), ("tools", self.tools), ("deny", self.deny)):
            if names:
                shown[name] = [*sorted(names)]
        return shown

    def _forbidding(self, method: Method, effect: Effect) -> str | None:
        names = {method.service, method.tool}
        if self.read_only and not effect.is_read:
            return "--read-only"
        if names & self.deny:
            return "--deny"
        if (self.services or self.tools) and method.service not in self.services and method.tool not in self.tools:
            return "--services" if self.services else "--tools"
        return None


def switches_of(
    catalog: Catalog, *, read_only: bool, services: Iterable[str], tools: Iterable[str], deny: Iterable[str]
) -> Switches:
    """The switches, once every name in them is known.

    Raises:
        SwitchNameError: the first name that is none.
    """
    known_services, known_tools = [*catalog.services()], catalog.names()
    return Switches(
        read_only=read_only,
        services=_checked("services", "service", services, known_services),
        tools=_checked("tools", "tool", tools, known_tools),
        deny=_checked("deny", "service or tool", deny, [*known_services, *known_tools]),
    )


def _checked(switch: str, kind: str, names: Iterable[str], known: Iterable[str]) -> frozenset[str]:
    wanted, there = frozenset(names), frozenset(known)
    for name in sorted(wanted - there):
        said = UnknownName.among(kind, name, sorted(there))
        raise SwitchNameError(f"--{switch}: {said.sentence}", next_step=said.next_step, **said.data, switch=switch)
    return wanted
