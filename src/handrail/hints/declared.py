"""What a vendor states itself about an operation, whatever words it uses for it.

The contract with `effect_of`: `Operation.declared` holds at most the keys `read_only`, `destructive` and `idempotent`,
each with a boolean, and only those that the vendor states. Where two statements disagree, the careful one stands: not
read-only, destructive, not idempotent.

Only what says something about the *effect* is in the table. Left out on purpose: permissions and OAuth scopes (a
`.read` scope also opens calls that start something), `x-openai-isConsequential` (whether to ask, not what happens),
`x-ms-pageable`, `x-ms-long-running-operation`, `x-google-*`, `x-amazon-apigateway-*`, `x-oaiMeta` (how to call, bill,
route or show it).
"""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Final

__all__ = ["declared_in"]

_Claims = Mapping[str, bool]
_NONE: Final[_Claims] = MappingProxyType({})
_READS: Final[_Claims] = MappingProxyType({"read_only": True})
_WRITES: Final[_Claims] = MappingProxyType({"read_only": False})
_REMOVES: Final[_Claims] = MappingProxyType({"read_only": False, "destructive": True})
_REPEATABLE: Final[_Claims] = MappingProxyType({"idempotent": True})

# The words for one hint, without case, dashes and underscores.
_FLAGS: Final[Mapping[str, str]] = MappingProxyType({
    "readonlyhint": "read_only", "readonly": "read_only",
    "destructivehint": "destructive", "destructive": "destructive",
    "idempotenthint": "idempotent", "idempotent": "idempotent",
})  # fmt: skip


def declared_in(operation: Mapping[str, object]) -> dict[str, bool]:
    """What the extensions of an OpenAPI operation state about its effect.

    A hint counts only as a JSON boolean: `"true"` and `1` state nothing.

    Args:
        operation: an OpenAPI Operation Object.

    Returns:
        Some of `read_only`, `destructive` and `idempotent`.
    """
    stated: dict[str, bool] = {}
    for name, value in operation.items():
        reader = _READERS.get(_plain(name))
        _add(stated, reader(value) if reader else _NONE)
    return stated


def _add(stated: dict[str, bool], claims: _Claims) -> None:
    """Join two statements; of two that disagree the careful one stays."""
    for key, value in claims.items():
        known = stated.get(key, value)
        stated[key] = known or value if key == "destructive" else known and value


def _plain(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")


def _flag(key: str) -> Callable[[object], _Claims]:
    return lambda value: {key: value} if isinstance(value, bool) else _NONE


def _hints(value: object) -> _Claims:
    """The hints of an object, and of the `annotations` within it."""
    stated: dict[str, bool] = {}
    if isinstance(value, Mapping):
        for name, inner in value.items():
            word = _plain(str(name))
            key = _FLAGS.get(word)
            _add(stated, _hints(inner) if word == "annotations" else _flag(key)(inner) if key else _NONE)
    return stated


def _trait(claims: _Claims) -> Callable[[object], _Claims]:
    """A Smithy trait: its presence states it, as an empty object or as true."""
    return lambda value: claims if value is True or value == {} else _NONE


def _one_of(words: Mapping[str, _Claims]) -> Callable[[object], _Claims]:
    return lambda value: words.get(value.lower(), _NONE) if isinstance(value, str) else _NONE


_TABLE: Final[Iterable[tuple[str, Callable[[object], _Claims]]]] = (
    # One boolean for one hint, in any spelling: x-readOnly, x-read-only, x-readOnlyHint, x-read-only-hint, ...
    *((f"x-{word}", _flag(key)) for word, key in _FLAGS.items()),
    *((word, _flag(key)) for word, key in _FLAGS.items() if word.endswith("hint")),
    # MCP's annotations as a whole, as the generators of MCP servers read them.
    ("x-mcp-annotations", _hints),
    ("x-mcp", _hints),
    ("x-frontmcp", _hints),
    ("x-gram", _hints),
    ("x-speakeasy-mcp", _hints),
    # Smithy's traits by their shape ids, bare or as an extension.
    ("smithy.api#readonly", _trait(_READS)),
    ("smithy.api#idempotent", _trait(_REPEATABLE)),
    ("x-smithy.api#readonly", _trait(_READS)),
    ("x-smithy.api#idempotent", _trait(_REPEATABLE)),
    # OData's kinds, as Microsoft's APIs give them: a function must not have side effects, an action may.
    ("x-ms-docs-operation-type", _one_of({"function": _READS, "action": _WRITES})),
    # Kubernetes' verbs: the only sign that GET .../exec (`connect`) runs something.
    ("x-kubernetes-action", _one_of({
        **dict.fromkeys(("get", "list", "watch", "watchlist"), _READS),
        **dict.fromkeys(("post", "put", "patch", "connect", "proxy"), _WRITES),
        **dict.fromkeys(("delete", "deletecollection"), _REMOVES),
    })),
)  # fmt: skip

_READERS: Final[Mapping[str, Callable[[object], _Claims]]] = MappingProxyType(
    {_plain(name): reader for name, reader in _TABLE}
)
