"""What the catalog knows of a method, as evidence for its effect, and the reviewed exceptions.

Method -> Operation (`operation_of`) -> rules, then `overrides.toml` -> Effect (`judge`)
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from handrail.appwrite.catalog.model import Method, ResponseKind
from handrail.errors import UnavailableError
from handrail.hints import Effect, Judge, Operation, OverrideError, read_overrides

__all__ = ["OverridesError", "Reviewed", "judge", "operation_of", "read_reviewed", "reviewed"]

_FILE: Final = "overrides.toml"


class OverridesError(UnavailableError):
    """The file of reviewed exceptions cannot be used. `data` holds `tool` and `nearest`."""

    type = "overrides_invalid"


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What people found out by reading the vendor's documentation.

    Attributes:
        judge: judges by the rules and the exceptions.
        secret_answers: the models of answers that hold the value of a secret, with what it is.
    """

    judge: Judge
    secret_answers: Mapping[str, str]


@cache
def reviewed() -> Reviewed:
    """The exceptions that come with the package, read at the first call.

    Raises:
        OverridesError: they cannot stand.
    """
    from importlib import resources  # noqa: PLC0415  (a listing never judges)

    return read_reviewed(resources.files("handrail.appwrite").joinpath(_FILE).read_text(encoding="utf-8"))


def read_reviewed(text: str) -> Reviewed:
    """Reviewed exceptions in TOML: `[secret_answers]` and `[[override]]`.

    Raises:
        OverridesError: the text is no TOML, or an exception cannot stand; it names the method and the nearest word.
    """
    import tomllib  # noqa: PLC0415  (a listing never judges)

    try:
        document = tomllib.loads(text)
        overrides = read_overrides(document.pop("override", []))
    except tomllib.TOMLDecodeError as error:
        raise _refused(f"The reviewed exceptions are no TOML: {error}.", "(all)", None) from error
    except OverrideError as error:
        raise _refused(str(error), error.tool, error.nearest) from error
    answers = document.pop("secret_answers", {})
    if document or not isinstance(answers, dict) or not all(isinstance(what, str) for what in answers.values()):
        unknown = next(iter(document), "secret_answers")
        raise _refused(f"The reviewed exceptions have no such table: '{unknown}'.", "(all)", "override")
    return Reviewed(Judge(overrides), answers)


def operation_of(method: Method, secret_answers: Mapping[str, str] | None = None) -> Operation:
    """A method as the engine looks at it.

    Args:
        method: from the catalog.
        secret_answers: models of answers that hold a secret; those of the package by default.
    """
    secret = reviewed().secret_answers if secret_answers is None else secret_answers
    declared: dict[str, object] = {}
    if method.returns in secret:
        declared["secret_answer"] = True
    if method.response is ResponseKind.LOCATION:
        declared["kind"] = "redirect"
    return Operation(
        name=method.name,
        http_method=method.http_method,
        path=method.path,
        summary=method.summary,
        parameters=tuple(parameter.name for parameter in method.parameters),
        declared=declared,
    )


def judge(method: Method) -> Effect:
    """What a method does, by the rules of evidence and the reviewed exceptions.

    Raises:
        OverridesError: the exceptions cannot be used.
    """
    return reviewed().judge.judge(method.tool, operation_of(method))


def _refused(message: str, tool: str, nearest: str | None) -> OverridesError:
    return OverridesError(message, next_step="Mend the file, or install Handrail again.", tool=tool, nearest=nearest)
