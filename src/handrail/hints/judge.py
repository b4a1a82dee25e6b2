"""Rules, then overrides: the whole judgement of an operation, and what is wrong with the overrides themselves."""

from collections.abc import Iterator, Mapping
from typing import Final

from handrail.hints.effects import Effect, Operation
from handrail.hints.evidence import Evidence
from handrail.hints.overrides import Override, OverrideError, OverrideProblem
from handrail.hints.risks import risks_of
from handrail.hints.rules import UNPROVEN, effect_of

__all__ = ["OVERRIDE", "Judge"]

OVERRIDE: Final = "override"
"""The rule of an operation whose hints an override decided."""


class Judge:
    """Judges operations by the rules and by reviewed overrides.

    Args:
        overrides: by the key under which an operation is judged, such as its tool name.
    """

    def __init__(self, overrides: Mapping[str, Override]) -> None:
        self._overrides = dict(overrides)

    def override_of(self, tool: str) -> Override | None:
        """The override for an operation, or None."""
        return self._overrides.get(tool)

    def judge(self, tool: str, operation: Operation) -> Effect:
        """What an operation does.

        Args:
            tool: its key among the overrides.
            operation: the evidence.
        """
        effect = effect_of(operation)
        override = self._overrides.get(tool)
        return effect if override is None else _overridden(effect, operation, override)

    def problems(self, operations: Mapping[str, Operation], *, elsewhere: frozenset[str]) -> Iterator[OverrideError]:
        """Overrides that are stale or that say what the rules say already.

        Args:
            operations: all that there are, by key.
            elsewhere: keys that are not there now and are known to exist, as in an SDK that is not installed.
        """
        for tool, override in self._overrides.items():
            if tool in operations:
                yield from _redundancies(override, operations[tool])
            elif tool not in elsewhere:
                error = OverrideError.misspelt(tool, "method", tool, operations)
                yield OverrideError(tool, OverrideProblem.STALE, "the method does not exist.", nearest=error.nearest)


def _overridden(effect: Effect, operation: Operation, override: Override) -> Effect:
    if override.hints is None:
        risks = (effect.risks | override.risks) - override.without
        return Effect(effect.hints, risks, effect.rule, f"{effect.reason}; {override.reason}")
    risks = (risks_of(Evidence.of(operation), override.hints) | override.risks) - override.without
    return Effect(override.hints, risks, OVERRIDE, override.reason)


def _redundancies(override: Override, operation: Operation) -> Iterator[OverrideError]:
    effect = effect_of(operation)
    if override.hints == effect.hints and effect.rule != UNPROVEN:
        message = f"rule '{effect.rule}' gives these hints already; leave them out."
        yield OverrideError(override.tool, OverrideProblem.REDUNDANT, message)
    found = risks_of(Evidence.of(operation), override.hints or effect.hints)
    if override.risks & found:
        message = f"the risk rules find {', '.join(sorted(override.risks & found))} already; leave it out."
        yield OverrideError(override.tool, OverrideProblem.REDUNDANT, message)
    if override.without - found:
        message = f"no risk rule finds {', '.join(sorted(override.without - found))}; leave it out of 'without'."
        yield OverrideError(override.tool, OverrideProblem.REDUNDANT, message)
