"""What the stand-in answers when it refuses: Appwrite's own error types, codes and sentences."""

from enum import Enum

from handrail.errors import HandrailError
from handrail.json_types import JsonObject

__all__ = ["VERSION", "ApiError", "Fail", "argument_invalid"]

VERSION = "1.9.6"
"""The Appwrite version that the stand-in follows and names in its errors."""


class Fail(Enum):
    """One row an error: Appwrite's `type`, the HTTP status, and the sentence (`%s` takes the id or the detail)."""

    ARGUMENT_INVALID = ("general_argument_invalid", 400, "%s")
    QUERY_INVALID = ("general_query_invalid", 400, "%s")
    CURSOR_NOT_FOUND = ("general_cursor_not_found", 400, "%s")
    UNAUTHORIZED_SCOPE = ("general_unauthorized_scope", 401, "%s")
    RATE_LIMIT = (
        "general_rate_limit_exceeded",
        429,
        "Rate limit for the current endpoint has been exceeded. Please try again after some time.",
    )
    UNKNOWN = ("general_unknown", 500, "Server Error")
    # Appwrite's own word for "not fully implemented". Its 405 would mean something else to a client: 501 is the truth.
    NOT_IMPLEMENTED = ("general_not_implemented", 501, "The local stand-in for Appwrite does not have %s.")
    BODY_TOO_LARGE = ("general_bad_request", 413, "The local stand-in takes bodies of at most %s bytes.")

    PROJECT_NOT_FOUND = (
        "project_not_found",
        404,
        (
            "Project with the requested ID could not be found. Please check the value of the X-Appwrite-Project header"
            " to ensure the correct project ID is being used."
        ),
    )
    USER_UNAUTHORIZED = (
        "user_unauthorized",
        401,
        "The current user is not authorized to perform the requested action.",
    )
    USER_NOT_FOUND = ("user_not_found", 404, "User with the requested ID could not be found.")
    USER_EXISTS = (
        "user_already_exists",
        409,
        "A user with the same id, email, or phone already exists in this project.",
    )
    EMAIL_EXISTS = ("user_email_already_exists", 409, "A user with the same email already exists.")
    PHONE_EXISTS = ("user_phone_already_exists", 409, "A user with the same phone number already exists.")
    SESSION_NOT_FOUND = ("user_session_not_found", 404, "The current user session could not be found.")

    TEAM_NOT_FOUND = ("team_not_found", 404, "Team with the requested ID could not be found.")
    TEAM_EXISTS = (
        "team_already_exists",
        409,
        "Team with requested ID already exists. Please choose a different ID and try again.",
    )
    MEMBERSHIP_NOT_FOUND = ("membership_not_found", 404, "Membership with the requested ID could not be found.")
    INVITE_NOT_FOUND = ("team_invite_not_found", 404, "The requested team invitation could not be found.")
    MEMBERSHIP_CONFIRMED = ("membership_already_confirmed", 409, "Membership is already confirmed.")

    DATABASE_NOT_FOUND = ("database_not_found", 404, "Database with the requested ID '%s' could not be found.")
    DATABASE_EXISTS = (
        "database_already_exists",
        409,
        (
            "Database with the requested ID '%s' already exists. Try again with a different ID or use ID.unique()"
            " to generate a unique ID."
        ),
    )
    TABLE_NOT_FOUND = ("table_not_found", 404, "Table with the requested ID '%s' could not be found.")
    TABLE_EXISTS = (
        "table_already_exists",
        409,
        (
            "A table with the requested ID '%s' already exists. Try again with a different ID or use ID.unique()"
            " to generate a unique ID."
        ),
    )
    COLUMN_NOT_FOUND = ("column_not_found", 404, "Column with the requested key '%s' could not be found.")
    COLUMN_EXISTS = (
        "column_already_exists",
        409,
        (
            "Column with the requested key '%s' already exists. Column keys must be unique, try again with a different"
            " key."
        ),
    )
    COLUMN_DEFAULT = (
        "column_default_unsupported",
        400,
        "Default values cannot be set for array or required columns.",
    )
    COLUMN_VALUE = ("column_value_invalid", 400, "%s")
    COLUMN_UNKNOWN = (
        "column_unknown",
        400,
        (
            "The column '%s' required for the index could not be found. Please confirm all your columns are in the"
            " available state."
        ),
    )
    COLUMN_NOT_NUMERIC = ("attribute_type_invalid", 400, 'tablesDB "%s" is not a number')
    INDEX_NOT_FOUND = ("column_index_not_found", 404, "Index with the requested key '%s' could not be found.")
    INDEX_EXISTS = (
        "column_index_already_exists",
        409,
        "Index with the requested key '%s' already exists. Try again with a different key.",
    )
    INDEX_INVALID = ("column_index_invalid", 400, "%s")
    ROW_NOT_FOUND = ("row_not_found", 404, "Row with the requested ID '%s' could not be found.")
    ROW_EXISTS = (
        "row_already_exists",
        409,
        (
            "Row with the requested ID '%s' already exists. Try again with a different ID or use ID.unique() to"
            " generate a unique ID."
        ),
    )
    ROW_MISSING_DATA = (
        "row_missing_data",
        400,
        "The row data is missing. Try again with row data populated.",
    )
    ROW_MISSING_PAYLOAD = (
        "row_missing_payload",
        400,
        "The row data and permissions are missing. You must provide either row data or permissions to be updated.",
    )
    ROW_INVALID = ("row_invalid_structure", 400, "%s")

    BUCKET_NOT_FOUND = ("storage_bucket_not_found", 404, "Storage bucket with the requested ID could not be found.")
    BUCKET_EXISTS = (
        "storage_bucket_already_exists",
        409,
        (
            "A storage bucket with the requested ID already exists. Try again with a different ID or use ID.unique()"
            " to generate a unique ID."
        ),
    )
    FILE_NOT_FOUND = ("storage_file_not_found", 404, "The requested file could not be found.")
    FILE_EXISTS = ("storage_file_already_exists", 409, "A storage file with the requested ID already exists.")
    FILE_EMPTY = ("storage_file_empty", 400, "Empty file passed to the endpoint.")
    FILE_TYPE = ("storage_file_type_unsupported", 400, "The given file extension is not supported.")
    FILE_SIZE = (
        "storage_invalid_file_size",
        400,
        "The file size is either not valid or exceeds the maximum allowed size.",
    )
    CONTENT_RANGE = (
        "storage_invalid_content_range",
        400,
        "The content range is invalid. Please check the value of the Content-Range header.",
    )
    RANGE = (
        "storage_invalid_range",
        416,
        "The requested range is not satisfiable. Please check the value of the Range header.",
    )
    UPLOAD_ID = (
        "storage_invalid_appwrite_id",
        400,
        (
            "The value for x-appwrite-id header is invalid. Please check the value of the x-appwrite-id header is a"
            " valid id and not unique()."
        ),
    )

    FUNCTION_NOT_FOUND = ("function_not_found", 404, "Function with the requested ID could not be found.")
    FUNCTION_EXISTS = (
        "function_already_exists",
        409,
        (
            "Function with the requested ID already exists. Try again with a different ID or use ID.unique() to"
            " generate a unique ID."
        ),
    )
    RUNTIME_UNSUPPORTED = ("function_runtime_unsupported", 404, 'Runtime "%s" is not supported')
    DEPLOYMENT_NOT_FOUND = (
        "deployment_not_found",
        404,
        "Deployment not found. Create a deployment before trying to execute a function",
    )
    EXECUTION_NOT_FOUND = ("execution_not_found", 404, "Execution with the requested ID could not be found.")
    VARIABLE_NOT_FOUND = ("variable_not_found", 404, "Variable with the requested ID could not be found.")
    VARIABLE_EXISTS = (
        "variable_already_exists",
        409,
        "Variable with the same ID already exists in this project. Try again with a different ID.",
    )
    VARIABLE_SECRET = (
        "variable_cannot_unset_secret",
        400,
        "Secret variables cannot be marked as non-secret. Please re-create the variable if this is your intention.",
    )

    def __init__(self, wire_type: str, code: int, sentence: str) -> None:
        self.wire_type = wire_type
        self.code = code
        self.sentence = sentence


class ApiError(HandrailError):
    """The stand-in refuses a request; `body()` is what goes over the wire with status `fail.code`."""

    type = "sandbox_refused"

    def __init__(self, fail: Fail, detail: str | None = None) -> None:
        super().__init__(fail.sentence if detail is None else fail.sentence.replace("%s", detail))
        self.fail = fail

    def body(self) -> JsonObject:
        """Appwrite's `{message, code, type, version}`."""
        return {
            "message": self.message,
            "code": self.fail.code,
            "type": self.fail.wire_type,
            "version": VERSION,
        }


def argument_invalid(name: str, reason: str) -> ApiError:
    """The error for one bad parameter, in Appwrite's words."""
    return ApiError(Fail.ARGUMENT_INVALID, f"Invalid `{name}` param: {reason}")
