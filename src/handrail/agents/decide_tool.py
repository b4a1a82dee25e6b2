"""`decide`: one decision, for an agent stack that brings its own loop."""

import json
import os
from collections.abc import Mapping
from typing import Final

from handrail.arguments import number, object_schema
from handrail.decisions import (
    MAX_OPTIONS,
    Choice,
    ChoiceQuestion,
    Decider,
    Decision,
    ModelRegistry,
    ModelSetup,
    Observation,
)
from handrail.errors import ArgumentError
from handrail.hints import LOCAL_READ
from handrail.json_types import Json, JsonMapping, JsonObject
from handrail.protocol.tool import Call, ServerTool, ToolAnswer

__all__ = ["decide_tool"]

_LIMITS: Final = {"state": 50_000, "options": 64_000, "rules": 20_000}  # characters
_MAX_DESCRIPTION: Final = 1000
_MAX_RULES: Final = 50
_MAX_RULE: Final = 2000
_ABSTAIN_BELOW: Final = 0.05
_NO_DESCRIPTIONS: Final = (
    "Some options have no description: say in a sentence what each means; a bare label is much harder to choose by."
)


def decide_tool(models: ModelRegistry, environment: Mapping[str, str] = os.environ) -> ServerTool:
    """The tool `decide`.

    Args:
        models: the decision models that can be named; the first one is the default.
        environment: where a model finds the variables that its entry names.
    """

    async def handler(_call: Call, arguments: JsonMapping) -> ToolAnswer:
        return ToolAnswer(await _decide(models, ModelSetup(environment=environment), arguments))

    return ServerTool(
        name="decide",
        title="Decide",
        description="Choose one of the options. Answers it, each one's probability and the confidence "
        "(0: no better than chance).",
        input_schema=_schema(models),
        annotations=LOCAL_READ.annotations(),
        handler=handler,
    )


async def _decide(models: ModelRegistry, setup: ModelSetup, arguments: JsonMapping) -> JsonObject:
    for name, limit in _LIMITS.items():
        _check_size(name, arguments.get(name), limit)
    options = _options(arguments["options"])
    question = ChoiceQuestion(options, rules=_rules(arguments.get("rules")))
    observation = Observation(arguments["state"])
    model = models.create(str(arguments.get("model", models.names()[0])), setup)
    try:
        await model.warm()
        choice, decision = await Decider(model).choose(observation, question)
    finally:
        await model.close()
    abstain_below = number(arguments, "abstain_below")
    return _answer(choice, decision, options, _ABSTAIN_BELOW if abstain_below is None else abstain_below)


def _answer(choice: Choice, decision: Decision, options: Mapping[str, str], abstain_below: float) -> JsonObject:
    probabilities: Json = {key: round(choice.probabilities[key], 6) for key in options}
    warnings: list[Json] = [*decision.warnings]
    if not all(text.strip() for text in options.values()):
        warnings.append(_NO_DESCRIPTIONS)
    return {
        "choice": choice.key,
        "probabilities": probabilities,
        "confidence": round(choice.confidence, 6),
        "abstained": choice.confidence < abstain_below,
        "ms": round(decision.latency_ms, 3),
        "model": decision.model,
        "calibrated": decision.calibrated,
        "usage": {
            "input_tokens": decision.usage.input_tokens if decision.usage.known else None,
            "output_tokens": decision.usage.output_tokens if decision.usage.known else None,
            "known": decision.usage.known,
        },
        "warnings": warnings,
    }


def _options(given: Json) -> dict[str, str]:
    if isinstance(given, list):
        return {str(key): "" for key in given}
    return {key: str(text) for key, text in given.items()} if isinstance(given, dict) else {}


def _rules(given: Json) -> tuple[str, ...]:
    if given is None:
        return ()
    return tuple(str(rule) for rule in given) if isinstance(given, list) else (str(given),)


def _check_size(name: str, given: Json, limit: int) -> None:
    """A document of bounded size: what is read at once keeps everybody else waiting."""
    try:
        size = len(given) if isinstance(given, str) else len(json.dumps(given, ensure_ascii=False))
    except RecursionError:
        raise ArgumentError(f"'{name}' is nested too deeply.", argument=name, next_step="Flatten it.") from None
    if size > limit:
        raise ArgumentError(
            f"'{name}' has {size} characters, and no more than {limit} are read.",
            argument=name,
            next_step="Leave out what does not matter for this decision.",
            size=size,
            limit=limit,
        )


def _schema(models: ModelRegistry) -> JsonObject:
    names: list[Json] = [*models.names()]
    description: Json = {"type": "string", "maxLength": _MAX_DESCRIPTION}
    key: Json = {"type": "string", "minLength": 1, "maxLength": 100}
    rule: Json = {"type": "string", "maxLength": _MAX_RULE}
    properties: JsonObject = {
        "state": {"type": ["string", "object"], "description": "What is known."},
        "options": {
            "type": ["object", "array"],
            "minProperties": 1,
            "maxProperties": MAX_OPTIONS,
            "propertyNames": key,
            "additionalProperties": description,
            "items": key,
            "minItems": 1,
            "maxItems": MAX_OPTIONS,
            "uniqueItems": True,
            "description": "{key: description}, or a list of keys (much weaker).",
        },
        "rules": {
            "type": ["string", "array"],
            "maxLength": _MAX_RULE,
            "items": rule,
            "maxItems": _MAX_RULES,
            "description": "What holds while choosing.",
        },
        "model": {"type": "string", "enum": names, "default": names[0], "description": "Which model."},
        "abstain_below": {
            "type": "number",
            "minimum": 0,
            "maximum": 1,
            "default": _ABSTAIN_BELOW,
            "description": "Below it: `abstained: true`.",
        },
    }
    return object_schema(properties, "state", "options")
