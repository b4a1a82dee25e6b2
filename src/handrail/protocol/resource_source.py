"""Resources as a toolset gives them to the server. Knows nothing of any toolset."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

__all__ = ["ResourceContent", "ResourceSource"]


@dataclass(frozen=True, slots=True)
class ResourceContent:
    """What a resource holds: a text, or bytes."""

    mime_type: str
    content: str | bytes


@dataclass(frozen=True, slots=True)
class ResourceSource:
    """Some resources of one kind.

    Attributes:
        prefix: what their URIs begin with; the whole URI where `is_template` is false.
        name: of the kind, a word.
        title: for people.
        description: for the model.
        mime_type: of all of them, or None.
        read: what one holds, by what its URI has after the prefix and by who asks. Raises `NotFoundError` where there
            is none that the caller may see.
        variable: how the part after the prefix is called in the template; empty: there is one resource, which is
            listed.
    """

    prefix: str
    name: str
    title: str
    description: str
    mime_type: str | None
    read: Callable[[str, str], Awaitable[ResourceContent]]
    variable: str = ""
