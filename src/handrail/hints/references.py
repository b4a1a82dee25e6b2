"""A document as a tree whose places have names, and whose local references lead somewhere."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

__all__ = ["DocumentError", "Node", "Tree"]

_MOST_HOPS: Final = 32


class DocumentError(ValueError):
    """A document cannot be read as what it should be.

    Attributes:
        where: the place, as a JSON pointer: `#/paths/~1users/get`.
        problem: what is wrong there.
        next_step: what to do about it.
    """

    def __init__(self, where: str, problem: str, next_step: str) -> None:
        super().__init__(f"{where}: {problem}")
        self.where = where
        self.problem = problem
        self.next_step = next_step


@dataclass(frozen=True, slots=True)
class Node:
    """A value with its place."""

    value: object
    where: str

    def fields(self) -> Mapping[str, object]:
        """The value as an object.

        Raises:
            DocumentError: it is none, or a name in it is no string.
        """
        if not isinstance(self.value, Mapping):
            raise self.wrong("must be an object")
        if not all(isinstance(name, str) for name in self.value):
            raise self.wrong("has a name that is no string")
        return self.value

    def items(self) -> Iterator["Node"]:
        """The members of an array.

        Raises:
            DocumentError: it is none.
        """
        if not isinstance(self.value, Sequence) or isinstance(self.value, str | bytes):
            raise self.wrong("must be an array")
        return (Node(item, f"{self.where}/{index}") for index, item in enumerate(self.value))

    def text(self) -> str:
        """The value as a string.

        Raises:
            DocumentError: it is none.
        """
        if not isinstance(self.value, str):
            raise self.wrong("must be a string")
        return self.value

    def get(self, name: str) -> "Node | None":
        """A field of an object, or None where there is none."""
        fields = self.fields()
        return Node(fields[name], f"{self.where}/{_escaped(name)}") if name in fields else None

    def wrong(self, problem: str, next_step: str = "Mend the document there.") -> DocumentError:
        """An error that names this place."""
        return DocumentError(self.where, problem, next_step)


@dataclass(frozen=True, slots=True)
class Tree:
    """A whole document."""

    root: Node

    def follow(self, node: Node) -> Node:
        """What a node stands for: itself, or what its `$ref` leads to.

        Raises:
            DocumentError: the reference leads in a circle, to nothing, or out of the document. Nothing is fetched.
        """
        first = node
        for _hop in range(_MOST_HOPS):
            if not isinstance(node.value, Mapping) or "$ref" not in node.value:
                return node
            node = self._at(Node(node.value["$ref"], f"{node.where}/$ref"))
        raise first.wrong("its references lead in a circle")

    def _at(self, reference: Node) -> Node:
        target = reference.text()
        if target != "#" and not target.startswith("#/"):
            raise reference.wrong(
                f"'{target[:100]}' is no reference into this document", "Bundle the document into one file first."
            )
        node = Node(self.root.value, "#")
        for part in target.split("/")[1:]:
            child = _child(node, unquote(part).replace("~1", "/").replace("~0", "~"))
            if child is None:
                raise reference.wrong(f"'{target[:100]}' leads to nothing")
            node = child
        return node


def _child(node: Node, name: str) -> Node | None:
    if isinstance(node.value, Mapping):
        return node.get(name)
    members = list(node.items()) if isinstance(node.value, list) else []
    return members[int(name)] if name.isdecimal() and int(name) < len(members) else None


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
