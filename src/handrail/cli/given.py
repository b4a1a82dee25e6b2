"""What is given on the command line as JSON."""

import json

from handrail.appwrite.json_document import json_document
from handrail.errors import UsageError
from handrail.json_types import Json, JsonObject

__all__ = ["json_object"]


def json_object(text: str, what: str) -> JsonObject:
    """A JSON object that was given on the command line, which can be sent as it is.

    Args:
        text: as it came; what was no text in the shell's encoding has come as lone surrogates.
        what: the argument's name, for the error.

    Raises:
        UsageError: it is not one.
    """
    step = f"Give {what} as a JSON object: '{{}}'."
    try:
        document = _sendable(text)
    except UnicodeEncodeError as error:
        raise UsageError(f"{what} holds a character that is none: {error.reason}.", next_step=step) from error
    except json.JSONDecodeError as error:
        raise UsageError(f"{what} is not JSON: {error}.", next_step=step) from error
    except ValueError as error:
        raise UsageError(f"{what} is not JSON that can be sent: {str(error)[:64]}.", next_step=step) from error
    if not isinstance(document, dict):
        raise UsageError(f"{what} must be a JSON object.", next_step=step)
    return document


def _sendable(text: str) -> Json:
    document = json_document(text.encode())
    json.dumps(document, ensure_ascii=False).encode()  # an escape such as \ud800 is JSON, but no text
    return document
