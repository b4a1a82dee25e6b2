"""What the catalog knows of a method, as evidence for its effect."""

from handrail.appwrite.catalog.model import Method
from handrail.hints import Effect, Operation, effect_of

__all__ = ["judge"]


def judge(method: Method) -> Effect:
    """What a method does, by the rules of evidence."""
    return effect_of(
        Operation(
            name=method.name,
            http_method=method.http_method,
            path=method.path,
            summary=method.summary,
            parameters=tuple(parameter.name for parameter in method.parameters),
        )
    )
