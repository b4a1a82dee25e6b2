"""The error for SDK source that is not shaped as this reader knows it."""

import ast

from handrail.errors import UnavailableError

__all__ = ["SdkShapeError", "unknown_shape"]

_SHOWN = 200  # characters of the source in the error


class SdkShapeError(UnavailableError):
    """The SDK's source holds something that this version does not know how to read.

    Reading on would risk a wrong request, so nothing of that SDK is used. `data` holds `where` (`service.method`, or
    the file), `source` and `line`.
    """

    type = "sdk_unreadable"


def unknown_shape(where: str, node: ast.AST, why: str) -> SdkShapeError:
    """The error for one node of the source.

    Args:
        where: `service.method`, or the file.
        node: what was met.
        why: what is unknown about it, in a few words.
    """
    source = ast.unparse(node)
    return SdkShapeError(
        f"{where} of the SDK cannot be read: {why}.",
        next_step="Install an SDK version that this Handrail supports, or a newer Handrail.",
        where=where,
        source=source if len(source) <= _SHOWN else f"{source[:_SHOWN]}...",
        line=getattr(node, "lineno", None),
    )
