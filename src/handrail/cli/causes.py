"""What a group of errors is about."""

from handrail.errors import HandrailError

__all__ = ["innermost"]


def innermost(error: BaseException) -> BaseException:
    """What task groups wrapped, however often; of several, one that says what to do."""
    while isinstance(error, BaseExceptionGroup):
        error = next((one for one in error.exceptions if isinstance(one, HandrailError)), error.exceptions[0])
    return error
