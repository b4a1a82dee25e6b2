"""What hosts make of the hints of a tool, as it was measured, in plain words."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from handrail.hints.effects import Hints

__all__ = ["HOSTS", "Host"]


@dataclass(frozen=True, slots=True)
class Host:
    """A host, with its default settings.

    Attributes:
        name: the host with the version that was measured.
        makes_of: what it does with a tool that has these hints, in one sentence.
    """

    name: str
    makes_of: Callable[[Hints], str]


def _codex(hints: Hints) -> str:
    if hints.read_only:
        return "runs it without asking"
    if hints.destructive or hints.open_world:
        why = "it may destroy" if hints.destructive else "it reaches an open world"
        return f"asks first, because {why}; `codex exec`, which cannot ask, refuses it"
    return "runs it without asking: it only adds, and in a closed world"


def _copilot(hints: Hints) -> str:
    return "runs it without asking" if hints.read_only else "asks first; `-p`, which cannot ask, refuses it"


def _claude_code(hints: Hints) -> str:
    if hints.read_only:
        return "asks unless a rule allows it; plan mode lets it through to that question"
    return "asks unless a rule allows it; plan mode blocks it"


def _gemini(hints: Hints) -> str:
    if hints.read_only:
        return "asks; `-p` hides it, unless a policy rule allows tools with readOnlyHint"
    return "asks; `-p` hides it, also under a policy rule that allows tools with readOnlyHint"


def _ignores(_hints: Hints) -> str:
    return "run it without asking, whatever the hints are: only the server's own gate stands before it"


HOSTS: Final = (
    Host("Codex 0.171", _codex),
    Host("Copilot CLI 1.0", _copilot),
    Host("Claude Code 2.1", _claude_code),
    Host("Gemini CLI 0.61", _gemini),
    Host("opencode, Cline, Continue, fast-agent", _ignores),
)
"""Hosts in the order in which they are told of; measured in 2026 with their default settings."""
