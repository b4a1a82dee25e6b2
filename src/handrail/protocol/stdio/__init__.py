"""MCP over standard input and output, for a process that does nothing else.

`Wire` is light, so that a process can claim its streams before it loads anything else.
"""

from typing import TYPE_CHECKING

from handrail.protocol.stdio.descriptors import Wire

if TYPE_CHECKING:
    from handrail.protocol.stdio.serve import END_SECONDS, serve_stdio

__all__ = ["END_SECONDS", "Wire", "serve_stdio"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from handrail.protocol.stdio import serve  # noqa: PLC0415  (loads the SDK)

    found: object = getattr(serve, name)
    return found
