"""What a tool may do: hints, risks and the evidence for them. Pure, and of use to any MCP server.

from handrail.hints import Operation, effect_of

effect = effect_of(Operation("list_rows", http_method="GET", path="/rows"))
effect.hints.annotations(title="List rows")

Exceptions that only people can know come after the rules: `Judge(read_overrides(...))`. What a running server
never needs stands in modules of its own: `check` and `record` (has anything changed that nobody looked at?), `hosts`
(what hosts make of hints), `text` (what is hidden in a text), `openapi` and `lint` (other people's servers and APIs).
"""

from handrail.hints.effects import LOCAL_READ, REMOTE_READ, Effect, Hints, Operation, Risk
from handrail.hints.judge import OVERRIDE, Judge
from handrail.hints.names import (
    Classification,
    annotations_for_classification,
    annotations_for_gateway,
    classify_tool_name,
)
from handrail.hints.overrides import Override, OverrideError, OverrideProblem, read_overrides
from handrail.hints.rules import UNPROVEN, effect_of, rule_names

__all__ = [
    "LOCAL_READ",
    "OVERRIDE",
    "REMOTE_READ",
    "UNPROVEN",
    "Classification",
    "Effect",
    "Hints",
    "Judge",
    "Operation",
    "Override",
    "OverrideError",
    "OverrideProblem",
    "Risk",
    "annotations_for_classification",
    "annotations_for_gateway",
    "classify_tool_name",
    "effect_of",
    "read_overrides",
    "rule_names",
]
