"""Operations from an OpenAPI document: the evidence about somebody else's API.

    operations = operations_of(json.loads(text))
    effects = [effect_of(operation) for operation in operations]

Pure: nothing is fetched. `Operation.declared` holds at most `{"read_only": bool, "destructive": bool, "idempotent":
bool}`, and only the keys that the vendor states (`handrail.hints.declared` says in which words).

An operation without an `operationId` takes its verb from its summary. Where that has none either, its name begins with
`http_`: a verb made from the HTTP method would be the same evidence twice, and would prove GET /logout a read.
"""

import re
from collections.abc import Iterator
from typing import Final

from handrail.hints.declared import declared_in
from handrail.hints.effects import Operation
from handrail.hints.names import name_words
from handrail.hints.references import DocumentError, Node, Tree
from handrail.hints.sentences import first_sentence, said_verb
from handrail.hints.verbs import VERBS

__all__ = ["DocumentError", "operations_of"]

_METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_VERSION: Final = re.compile(r"3\.[01](\.|$)")
_BORDER: Final = re.compile(r"[./:#\s]+")
_MOST_SCHEMAS: Final = 1_000  # in one body; more is a mistake or an attack


def operations_of(document: object) -> list[Operation]:
    """The operations of an OpenAPI 3.0 or 3.1 document, in its order.

    Args:
        document: the parsed document: an object, as `json.loads` gives it.

    Returns:
        One `Operation` for each method of each path, with the verb first in its name, and the names of its parameters
        (path, query, header, cookie) and of its body's top-level properties.

    Raises:
        DocumentError: it is none; `where` says at which place.
    """
    tree = Tree(Node(document, "#"))
    _check_version(tree.root)
    paths = tree.root.get("paths")
    if paths is None:
        return []  # 3.1 allows a document of webhooks or components alone
    return [
        _operation(tree, path, method, item, node)
        for path in paths.fields()
        if path.startswith("/")
        for method, item, node in _methods(tree, paths, path)
    ]


def _check_version(root: Node) -> None:
    version = root.get("openapi")
    if version is None and root.get("swagger") is not None:
        raise root.wrong("is a Swagger 2 document", "Convert it to OpenAPI 3 first.")
    if version is None:
        raise root.wrong("has no 'openapi' field", "Give an OpenAPI 3.0 or 3.1 document.")
    if not _VERSION.match(version.text()):
        raise version.wrong(f"version '{version.text()[:20]}' is not known", "Give an OpenAPI 3.0 or 3.1 document.")


def _methods(tree: Tree, paths: Node, path: str) -> Iterator[tuple[str, Node, Node]]:
    """Each method of a path, with the path's item and the operation."""
    found = paths.get(path)
    item = tree.follow(found) if found else None
    for method in _METHODS:
        node = item.get(method) if item else None
        if item and node:
            yield method, item, node


def _operation(tree: Tree, path: str, method: str, item: Node, node: Node) -> Operation:
    summary = _summary(node)
    given = node.get("operationId")
    return Operation(
        name=_given_name(given.text() if given else "", _tags(node)) or _made_name(method, path, summary),
        http_method=method.upper(),
        path=path,
        summary=summary,
        parameters=_parameters(tree, item, node),
        declared=declared_in(node.fields()),
    )


def _summary(operation: Node) -> str:
    texts = (operation.get("summary"), operation.get("description"))
    return next((first for text in texts if text is not None and (first := first_sentence(text.text()))), "")


def _given_name(operation_id: str, tags: list[str]) -> str:
    """An operationId as words, with the part that begins with a verb first.

    `listUsers`, `drive.files.list`, `users/list-followers`, `VirtualMachines_CreateOrUpdate` and, under the tag
    `account`, `accountListSessions` all begin with their verb then. A verb in the middle of a part stays where it is:
    it may be something else's name.
    """
    parts = [words for part in _split(operation_id) if (words := name_words(part))]
    if len(parts) == 1:
        parts = _parted(parts[0], tags)
    for index in range(len(parts) - 1, 0, -1):
        if parts[index][0] in VERBS:
            parts = [parts[index], *parts[:index], *parts[index + 1 :]]
            break
    return "_".join(word for words in parts for word in words)


def _parted(words: list[str], tags: list[str]) -> list[list[str]]:
    """The words, parted after one of the operation's own tags where they begin with it."""
    for tag in tags:
        group = name_words(tag)
        if group and words[: len(group)] == group and len(words) > len(group):
            return [group, words[len(group) :]]
    return [words]


def _tags(operation: Node) -> list[str]:
    tags = operation.get("tags")
    return [tag.text() for tag in tags.items()] if tags else []


def _split(operation_id: str) -> list[str]:
    """The parts of an operationId; an underscore is a border only beside words that are told apart by case."""
    parts = _BORDER.split(operation_id)
    return [piece for part in parts for piece in (part.split("_") if part.lower() != part else [part])]


def _made_name(method: str, path: str, summary: str) -> str:
    verb = said_verb(summary)
    return "_".join([*([verb] if verb else ["http", method]), *name_words(path)])


def _parameters(tree: Tree, item: Node, operation: Node) -> tuple[str, ...]:
    """All names, in order, each once."""
    names = [name for owner in (item, operation) for name in _parameter_names(tree, owner)]
    return tuple(dict.fromkeys([*names, *_body_names(tree, operation)]))


def _parameter_names(tree: Tree, owner: Node) -> Iterator[str]:
    parameters = owner.get("parameters")
    for parameter in parameters.items() if parameters else ():
        found = tree.follow(parameter)
        name = found.get("name")
        if name is None:
            raise found.wrong("is a parameter without a name")
        yield name.text()


def _body_names(tree: Tree, operation: Node) -> Iterator[str]:
    body = operation.get("requestBody")
    content = tree.follow(body).get("content") if body else None
    for media_type in content.fields() if content else ():
        media = content.get(media_type) if content else None
        schema = media.get("schema") if media else None
        if schema is not None:
            yield from _property_names(tree, schema)


def _property_names(tree: Tree, schema: Node) -> Iterator[str]:
    """The top-level properties of a schema and of those that it is put together from; a circle is walked once."""
    waiting, seen = [schema], set[str]()
    while waiting:
        found = tree.follow(waiting.pop())
        if found.where in seen or isinstance(found.value, bool):
            continue
        seen.add(found.where)
        if len(seen) > _MOST_SCHEMAS:
            raise schema.wrong(f"is put together from more than {_MOST_SCHEMAS} schemas")
        properties = found.get("properties")
        yield from properties.fields() if properties else ()
        for kind in ("allOf", "anyOf", "oneOf"):
            members = found.get(kind)
            waiting.extend(members.items() if members else ())
