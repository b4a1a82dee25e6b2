"""What people call the methods: words of the console, of its documentation and of everyday speech.

One file a service, `aliases/<service>.toml`: `method = ["what somebody would say", ...]`, with a sentence of comment on
top. A name with a `*` stands for all methods that fit, and `{}` in its phrases for what the `*` was. The phrases are
our own, written from the vendor's documentation; a test holds that each names a method that exists.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from typing import Final, TypeAlias

from handrail.appwrite.catalog.model import Method

__all__ = ["Aliases", "alias_files", "aliases_of", "read_aliases"]

Aliases: TypeAlias = Mapping[str, Mapping[str, Sequence[str]]]
"""Service to method, or a pattern of methods, to phrases."""

_ANY: Final = "*"
_HOLE: Final = "{}"
_SUFFIX: Final = ".toml"


def alias_files() -> dict[str, str]:
    """Service to the text of its file."""
    folder = resources.files("handrail.appwrite.search").joinpath("aliases")
    files = sorted((entry for entry in folder.iterdir() if entry.name.endswith(_SUFFIX)), key=lambda entry: entry.name)
    return {entry.name.removesuffix(_SUFFIX): entry.read_text(encoding="utf-8") for entry in files}


def read_aliases() -> Aliases:
    """Every phrase of the package."""
    import tomllib  # noqa: PLC0415  (a listing needs none)

    return {service: tomllib.loads(text) for service, text in alias_files().items()}


def aliases_of(methods: Iterable[Method], aliases: Aliases) -> list[list[str]]:
    """The phrases of each method, in their order."""
    patterns = {
        service: [(re.compile(re.escape(name).replace(re.escape(_ANY), "(.+)")), said) for name, said in named.items()]
        for service, named in aliases.items()
    }
    return [
        [
            phrase.replace(_HOLE, " ".join(match.groups()).replace("_", " "))
            for pattern, said in patterns.get(method.service, [])
            if (match := pattern.fullmatch(method.name))
            for phrase in said
        ]
        for method in methods
    ]
