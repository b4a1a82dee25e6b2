"""What can be read from an operation, taken apart once for all rules."""

import re
from dataclasses import dataclass
from typing import Final

from handrail.hints.effects import Operation
from handrail.hints.names import name_words

__all__ = ["Evidence"]

_SUMMARY: Final = 40  # characters that hold its first word
_HOLE: Final = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class Evidence:
    """An operation as the rules look at it.

    Attributes:
        operation: itself.
        verb: the first word of its name.
        words: all words of its name.
        arguments: the names of its arguments that are not part of the path.
        on_one: whether the path ends in a hole, and so names one member of a collection.
        target: what the path ends in, in words: `database` for `/databases/{databaseId}`, `sessions` for `/sessions`.
        segments: the fixed parts of the path.
        says: the first word of its summary, as it stands and without the ending of the third person.
    """

    operation: Operation
    verb: str
    words: tuple[str, ...]
    arguments: frozenset[str]
    on_one: bool
    target: str
    segments: frozenset[str]
    says: frozenset[str]

    @classmethod
    def of(cls, operation: Operation) -> "Evidence":
        """The evidence that an operation gives."""
        words = tuple(name_words(operation.name.replace("o_auth", "oauth")))  # what snake_case makes of OAuth
        holes = {_plain(hole) for hole in _HOLE.findall(operation.path)}
        segments = operation.path.strip("/").split("/")
        return cls(
            operation=operation,
            verb=words[0] if words else "",
            words=words,
            arguments=frozenset(name for name in operation.parameters if _plain(name) not in holes),
            on_one=segments[-1].endswith("}"),
            target=next(iter(name_words(segments[-1])), ""),
            segments=frozenset(segment.lower() for segment in segments if not segment.startswith("{")),
            says=_forms(next(iter(name_words(operation.summary[:_SUMMARY])), "")),
        )

    @property
    def http_method(self) -> str:
        """In upper case, or an empty string."""
        return self.operation.http_method

    @property
    def last_word(self) -> str:
        """What the name ends in: the thing that is acted on."""
        return self.words[-1] if self.words else ""

    @property
    def overwrites(self) -> bool:
        """Whether verb and HTTP method agree that it sets something."""
        return self.verb in {"update", "set", "upsert"} and self.http_method in {"PUT", "PATCH"}

    @property
    def deletes(self) -> bool:
        """Whether verb and HTTP method agree that it deletes."""
        return self.verb == "delete" and self.http_method == "DELETE"

    @property
    def creates(self) -> bool:
        """Whether verb and HTTP method agree that it creates."""
        return self.verb == "create" and self.http_method == "POST"

    @property
    def is_graphql(self) -> bool:
        """Whether its body holds GraphQL."""
        return self.declares("kind", "graphql") or "graphql" in self.segments

    @property
    def by_query(self) -> bool:
        """Whether it is about the members of a collection that a query picks: a path with no id of one of them."""
        return not self.on_one and self.takes("filter", "filters", "limit", "queries", "where")

    @property
    def on_all(self) -> bool:
        """Whether name and path both end in the same plural: all members of a collection."""
        plural = self.last_word.endswith("s") and not self.last_word.endswith("ss")
        return plural and not self.on_one and self.operation.path.rstrip("/").lower().endswith(self.last_word)

    def names(self, *words: str) -> bool:
        """Whether one of the words stands in the name."""
        return any(word in self.words for word in words)

    def passes(self, *segments: str) -> bool:
        """Whether one of the fixed parts stands in the path."""
        return not self.segments.isdisjoint(segments)

    def takes(self, *arguments: str) -> bool:
        """Whether one of the arguments is taken beside those of the path."""
        return not self.arguments.isdisjoint(arguments)

    def declares(self, key: str, value: object) -> bool:
        """Whether the vendor states exactly this; 1 is not true."""
        stated = self.operation.declared.get(key)
        return type(stated) is type(value) and stated == value


def _forms(word: str) -> frozenset[str]:
    return frozenset({word, word.removesuffix("s"), word.removesuffix("es")}) if word else frozenset()


def _plain(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()
