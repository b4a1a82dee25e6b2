"""What a GraphQL query calls its secrets: an alias must not show what its field would hide. Pure."""

import re
from collections.abc import Iterator
from typing import Final

from handrail.appwrite.results.secret_names import secret_names
from handrail.json_types import Json, JsonMapping

__all__ = ["aliased_secrets"]

# Comments and strings say nothing about names, and may stand between an alias and its field.
# One without its end goes on to the end: looking on from each of its quotes would take the square of the length.
_NO_NAMES: Final = re.compile(r'''"""(?:[^"\\]|\\(?:""")?|"(?!""))*+(?:"""|\Z)|"(?:[^"\\\r\n]|\\.)*+"?|\#[^\r\n]*''')
_ALIAS: Final = re.compile(r"([A-Za-z_]\w*)[\s,\ufeff]*+:[\s,\ufeff]*+([A-Za-z_]\w*)")
# Fields that are secret only for what they belong to, which a query may leave out or call something else.
_BY_COMPANY: Final = (("variable", "value"), ("challenge", "code"))


def aliased_secrets(arguments: JsonMapping) -> frozenset[str]:
    """The names that stand for secrets in the answer to a query.

    Args:
        arguments: of the call, with the query somewhere in them.
    """
    hidden: set[str] = set()
    for text in _texts(dict(arguments)):
        names = _NO_NAMES.sub(" ", text)
        own = {field for word, field in _BY_COMPANY if word in names.lower()}
        pairs = _ALIAS.findall(names)
        hidden |= own | {alias for alias, field in pairs if field in own or secret_names().is_secret(field)}
    return frozenset(hidden)


def _texts(value: Json) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for item in value.values():
                yield from _texts(item)
        case list():
            for item in value:
                yield from _texts(item)
        case _:
            pass
