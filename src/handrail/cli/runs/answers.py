"""Answers as they are typed, against the questions of a run. Pure.

A question's schema describes an object, so what is typed are its fields: `go_on=yes`. A question about anything else
has one field, named by the question's own key.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from handrail.cli.given import json_object
from handrail.errors import ArgumentError, UsageError
from handrail.json_types import Json, JsonObject
from handrail.runs import Question

__all__ = ["AnswerUnclearError", "Field", "answers_of", "fields_of", "value_of"]

_TRUE: Final = frozenset({"true", "yes", "y"})
_FALSE: Final = frozenset({"false", "no", "n"})


class AnswerUnclearError(UsageError):
    """What was given cannot be told to answer one question. `data["fields"]` lists the names that can be given."""

    type = "answer_unclear"


@dataclass(frozen=True, slots=True)
class Field:
    """One value of an answer.

    Attributes:
        question: the question's key.
        name: what it is called where it is typed.
        schema: JSON schema of the value.
        required: whether the answer needs it.
        whole: whether it is the whole answer, and no member of an object.
    """

    question: str
    name: str
    schema: JsonObject
    required: bool = True
    whole: bool = False


def fields_of(question: Question) -> list[Field]:
    """The values that answer a question, in the order of its schema."""
    properties = question.schema.get("properties")
    if not isinstance(properties, dict) or not properties:
        return [Field(question.key, question.key, question.schema, whole=True)]
    needed = question.schema.get("required")
    required = needed if isinstance(needed, list) else []
    return [
        Field(question.key, name, schema if isinstance(schema, dict) else {}, required=name in required)
        for name, schema in properties.items()
    ]


def answers_of(questions: Sequence[Question], given: Sequence[str]) -> JsonObject:
    """Each answered question's key with its answer.

    Args:
        questions: those that are open.
        given: `NAME=VALUE`, each a field of a question; or one JSON object, which holds either such fields or whole
            answers by their questions' keys.

    Raises:
        AnswerUnclearError: a name is no question's, or more than one's, or it is no answer at all.
        ArgumentError: a value is not of the kind that its question asks for.
    """
    if len(given) == 1 and given[0].lstrip().startswith("{"):
        document = json_object(given[0], "The answer")
        if document and {*document} <= {question.key for question in questions}:
            return document
        pairs = [(_field(questions, name), value) for name, value in document.items()]
    else:
        pairs = []
        for text in given:
            name, equals, value = text.partition("=")
            if not equals:
                raise _unclear(f"{text[:64]!r} is no NAME=VALUE.", questions)
            field = _field(questions, name)
            pairs.append((field, value_of(field, value)))
    return _put_together(pairs)


def value_of(field: Field, text: str) -> Json:
    """What was typed for a field: text where the schema asks for text, else JSON; `yes` and `no` are booleans.

    Raises:
        ArgumentError: it is not of that kind.
    """
    kind = field.schema.get("type")
    if kind == "string":
        return text
    word = text.strip()
    if kind == "boolean" and word.lower() in _TRUE | _FALSE:
        return word.lower() in _TRUE
    try:
        return _json(word)
    except ValueError:
        if kind is None:
            return text
        raise ArgumentError(
            f"{field.name} must be {_a(kind)}.", argument=field.name, next_step=f"Give {field.name} as JSON."
        ) from None


def _json(text: str) -> Json:
    value: Json = json.loads(text)
    json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
    return value


def _a(kind: Json) -> str:
    return "true or false" if kind == "boolean" else f"of the type {kind}"


def _field(questions: Sequence[Question], name: str) -> Field:
    found = [
        field
        for question in questions
        for field in fields_of(question)
        if name in {field.name, f"{question.key}.{field.name}"}
    ]
    if len(found) != 1:
        problem = "is a field of more than one question" if found else "is no field of a question"
        raise _unclear(f"{name[:64]!r} {problem} of this run.", questions)
    return found[0]


def _unclear(sentence: str, questions: Sequence[Question]) -> AnswerUnclearError:
    names: list[Json] = [
        field.name if len(questions) == 1 else f"{question.key}.{field.name}"
        for question in questions
        for field in fields_of(question)
    ]
    return AnswerUnclearError(
        sentence, next_step=f"Give {' '.join(f'{name}=VALUE' for name in names)}, or a JSON object.", fields=names
    )


def _put_together(pairs: Sequence[tuple[Field, Json]]) -> JsonObject:
    answers: JsonObject = {}
    for field, value in pairs:
        before = answers.get(field.question)
        if field.whole:
            answers[field.question] = value
        else:
            answers[field.question] = {**(before if isinstance(before, dict) else {}), field.name: value}
    return answers
