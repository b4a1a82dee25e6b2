"""What a tool may do: hints, risks and the evidence for them. Pure, and of use to any MCP server.

from handrail.hints import Operation, effect_of

effect = effect_of(Operation("list_rows", http_method="GET", path="/rows"))
effect.hints.annotations(title="List rows")
"""

from handrail.hints.effects import Effect, Hints, Operation, Risk
from handrail.hints.names import (
    Classification,
    annotations_for_classification,
    annotations_for_gateway,
    classify_tool_name,
)
from handrail.hints.rules import UNPROVEN, effect_of

__all__ = [
    "UNPROVEN",
    "Classification",
    "Effect",
    "Hints",
    "Operation",
    "Risk",
    "annotations_for_classification",
    "annotations_for_gateway",
    "classify_tool_name",
    "effect_of",
]
