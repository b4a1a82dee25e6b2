"""`pick`: a part of an answer, by a JMESPath expression whose length, work and time are bounded.

The expression comes from a model, and JMESPath can double a value with every `[@,@]`: so each step is counted.
"""

import math
import time
from typing import TYPE_CHECKING, Final

from handrail.errors import ArgumentError
from handrail.json_types import Json

if TYPE_CHECKING:
    from jmespath.parser import ParsedResult
    from jmespath.visitor import _TreeNode

__all__ = ["LONGEST_PICK", "PickError", "pick", "pick_expression"]

LONGEST_PICK: Final = 512
"""Characters of an expression."""

_UNITS: Final = 3_000_000  # steps of an evaluation and items that it makes, together
_SECONDS: Final = 3.0
_CLOCK_EVERY: Final = 1024  # steps between two looks at the clock
_DEEPEST: Final = 200
_EXAMPLE: Final = 'rows[*].{id: "$id", name: name}'
_MAKERS: Final = frozenset({"multi_select_list", "multi_select_dict", "function_expression"})
_COPIERS: Final = frozenset({"flatten", "slice", "projection", "filter_projection", "value_projection"})


class PickError(ArgumentError):
    """The expression cannot be used. `data["column"]` says where, counted from 1, or is None; `problem` says what."""

    type = "pick_invalid"


def pick_expression(text: str) -> "ParsedResult":
    """The expression, checked. Do this before anything is sent.

    Raises:
        PickError: it is no JMESPath, or too long.
    """
    from jmespath.exceptions import JMESPathError, LexerError, ParseError  # noqa: PLC0415  (only calls with `pick`)
    from jmespath.parser import Parser  # noqa: PLC0415  (likewise)

    if len(text) > LONGEST_PICK:
        raise _wrong(f"it has {len(text)} characters, {LONGEST_PICK} are the most")
    try:
        return Parser().parse(text)
    except LexerError as error:
        raise _wrong(str(error.message), column=error.lexer_position + 1) from None
    except ParseError as error:
        raise _wrong(_said(error.token_value), column=error.lex_position + 1) from None
    except RecursionError:
        raise _wrong("it is nested too deep") from None
    except (JMESPathError, ValueError) as error:
        raise _wrong(str(error).partition("\n")[0][:200]) from None


def pick(document: Json, text: str) -> Json:
    """What an expression picks out of a document; null where it finds nothing.

    Raises:
        PickError: the expression is wrong, does not fit the document, or takes too much work.
    """
    parsed = pick_expression(text)
    try:
        return _sayable(_counted(parsed, document))
    except PickError:
        raise
    except RecursionError:
        raise _wrong("it is nested too deep") from None
    except (ValueError, TypeError, ArithmeticError, LookupError, AttributeError) as error:
        # JMESPath's own errors, and what its functions let through: `to_number` of a text, `ceil` of infinity, ...
        raise _wrong(str(error).partition("\n")[0][:200] or type(error).__name__) from None


def _counted(parsed: "ParsedResult", document: Json) -> object:
    from jmespath.visitor import TreeInterpreter  # noqa: PLC0415  (only calls with `pick`)

    class Counting(TreeInterpreter):
        """Counts what it does and makes."""

        spent = 0
        steps = 0
        ends = time.monotonic() + _SECONDS

        def visit(self, node: "_TreeNode", *args: object, **kwargs: object) -> object:
            made: object = super().visit(node, *args, **kwargs)
            self.steps += 1
            self.spent += 1
            kind = node["type"]
            if kind in _MAKERS:
                self.spent += _weight(made, _UNITS - self.spent)
            elif kind in _COPIERS and isinstance(made, list):
                self.spent += len(made)
            late = self.steps % _CLOCK_EVERY == 0 and time.monotonic() > self.ends
            if late or self.spent > _UNITS:
                raise _wrong("it takes too much work")
            return made

    return Counting().visit(parsed.parsed, document)


def _weight(value: object, most: int) -> int:
    """How much a value is: its values and texts, four characters as one. Not counted far beyond `most`."""
    weight = 0
    waiting: list[object] = [value]
    while waiting and weight <= most:
        one = waiting.pop()
        weight += 1
        if isinstance(one, str):
            weight += len(one) >> 2
        elif isinstance(one, dict):
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)
    return weight


def _sayable(value: object, depth: int = 0) -> Json:
    """The value as JSON. Numbers that JSON cannot say, functions, and absurd depth are refused."""
    if depth > _DEEPEST:
        raise _wrong("what it comes to is nested too deep")
    match value:
        case float() if not math.isfinite(value):
            raise _wrong("it comes to a number that JSON cannot say")
        case str() | int() | float() | None:
            return value
        case dict():
            return {str(name): _sayable(item, depth + 1) for name, item in value.items()}
        case list():
            return [_sayable(item, depth + 1) for item in value]
        case _:
            raise _wrong("it comes to something that is no JSON")


def _said(token: object) -> str:
    return f"unexpected {str(token)[:40]!r}" if token is not None else "it ends too early"


def _wrong(problem: str, *, column: int | None = None) -> PickError:
    where = f" at character {column}" if column is not None else ""
    return PickError(
        f"'pick' cannot be used{where}: {problem}.",
        argument="pick",
        next_step=f"Give a JMESPath expression, such as {_EXAMPLE}; a name with $ stands in double quotes.",
        column=column,
        problem=problem,
    )
