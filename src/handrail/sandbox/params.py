"""Reading parameters as Appwrite does: typed, checked, refused in its words."""

import ipaddress
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar
from urllib.parse import urlsplit

from handrail.json_types import Json, JsonMapping, JsonObject
from handrail.sandbox.errors import ApiError, Fail, argument_invalid

__all__ = ["UNIQUE", "Params", "check_path_id", "is_datetime", "is_email", "is_ip", "is_url", "no_constant"]

UNIQUE = "unique()"
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,35}")
_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,254}")
_EMAIL = re.compile(r"[^@\s]+@[^@\s.]+(\.[^@\s.]+)+")
_PHONE = re.compile(r"\+[1-9][0-9]{0,14}")
_PERMISSION = re.compile(r"(read|create|update|delete|write)\(\"(any|guests|users|user|team|member|label)[^\"]*\"\)")
_ID_RULE = (
    "Parameter must contain at most 36 chars. Valid chars are a-z, A-Z, 0-9, period, hyphen, and underscore."
    " Can't start with a special char"
)
_KEY_RULE = _ID_RULE.replace("36", "255")
_EMAIL_RULE = "Value must be a valid email address"
_PHONE_RULE = "Phone number must start with a '+' can have a maximum of fifteen digits."
_MAX_LIST = 100
_FIRST_YEAR = 1000
_NULL = " or null"
_Value = TypeVar("_Value")


def no_constant(word: str) -> float:
    """For `json.loads(parse_constant=...)`: NaN and Infinity are no JSON.

    Raises:
        ValueError: always.
    """
    raise ValueError(word)


def is_email(value: Json) -> bool:
    """Whether this is an e-mail address."""
    return isinstance(value, str) and _EMAIL.fullmatch(value) is not None


def is_url(value: Json) -> bool:
    """Whether this is an absolute URL."""
    if not isinstance(value, str):
        return False
    try:
        parts = urlsplit(value)
    except ValueError:
        return False
    return bool(parts.scheme and parts.netloc)


def is_ip(value: Json) -> bool:
    """Whether this is an IPv4 or IPv6 address."""
    if not isinstance(value, str):
        return False
    try:
        ipaddress.ip_address(value)
    except ValueError:
        return False
    return True


def is_datetime(value: Json) -> bool:
    """Whether this is an ISO 8601 moment of the years 1000 to 9999."""
    if not isinstance(value, str):
        return False
    try:
        return datetime.fromisoformat(value).year >= _FIRST_YEAR
    except ValueError:
        return False


def check_path_id(name: str, value: str) -> None:
    """Refuse an id in a path that breaks Appwrite's rules; column and index keys may be longer.

    Raises:
        ApiError: general_argument_invalid.
    """
    if name in {"key", "column"}:
        if _KEY.fullmatch(value) is None:
            raise argument_invalid(name, _KEY_RULE)
    elif _ID.fullmatch(value) is None:
        raise argument_invalid(name, _ID_RULE)


@dataclass(frozen=True, slots=True)
class Params:
    """The parameters of one request: the query of a GET, else the JSON body or the form.

    Every reader raises `ApiError` (general_argument_invalid) for a missing or malformed value; those with `default`
    or `None` in their result treat the parameter as optional.
    """

    values: JsonMapping

    def __contains__(self, name: str) -> bool:
        return self.values.get(name) is not None

    def raw(self, name: str) -> Json:
        """The value as it came, None where absent."""
        return self.values.get(name)

    def _required(self, name: str) -> Json:
        if self.values.get(name) is None:
            raise ApiError(Fail.ARGUMENT_INVALID, f'Param "{name}" is not optional.')
        return self.values[name]

    def _optional(self, name: str, read: Callable[[str], _Value], default: _Value) -> _Value:
        return read(name) if name in self else default

    def text(self, name: str, *, longest: int = 128, shortest: int = 1) -> str:
        """A required string of `shortest` to `longest` characters."""
        value = self._required(name)
        if not isinstance(value, str) or not shortest <= len(value) <= longest:
            least = f" and at least {shortest} chars" if shortest else ""
            raise argument_invalid(name, f"Value must be a valid string{least} and no longer than {longest} chars")
        return value

    def text_or(self, name: str, default: str, *, longest: int = 128) -> str:
        """An optional string, which may be empty."""
        return self._optional(name, lambda given: self.text(given, longest=longest, shortest=0), default)

    def new_id(self, name: str, fresh: Callable[[], str]) -> str:
        """The id for a new thing: as given, or a fresh one for `unique()`."""
        value = self._required(name)
        if value == UNIQUE:
            return fresh()
        if not isinstance(value, str) or _ID.fullmatch(value) is None:
            raise argument_invalid(name, _ID_RULE)
        return value

    def key(self, name: str) -> str:
        """A column's or an index's key."""
        value = self._required(name)
        if not isinstance(value, str) or _KEY.fullmatch(value) is None:
            raise argument_invalid(name, _KEY_RULE)
        return value

    def flag(self, name: str) -> bool:
        """A required boolean; forms and queries spell it `true`, `false`, `1`, `0`."""
        value = self._required(name)
        spelled = {"true": True, "false": False, "1": True, "0": False}
        if isinstance(value, bool):
            return value
        if isinstance(value, str) and value in spelled:
            return spelled[value]
        raise argument_invalid(name, "Value must be a valid boolean")

    def flag_or(self, name: str, *, default: bool) -> bool:
        """An optional boolean."""
        return self._optional(name, self.flag, default)

    def whole(self, name: str, low: int, high: int) -> int:
        """A required whole number in a range; `1.0` is refused, as the real one does."""
        value = self._required(name)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise argument_invalid(name, f"Value must be a valid range between {low:,} and {high:,}")
        return value

    def whole_or(self, name: str, default: int, low: int, high: int) -> int:
        """An optional whole number in a range."""
        return self._optional(name, lambda given: self.whole(given, low, high), default)

    def number_or(self, name: str, default: float) -> int | float:
        """An optional finite number."""
        value = default if self.values.get(name) is None else self.values[name]
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise argument_invalid(name, "Value must be a valid number")
        return value

    def email(self, name: str) -> str | None:
        """An optional e-mail address, in small letters."""
        value = self.values.get(name)
        if value is None:
            return None
        if not is_email(value):
            raise argument_invalid(name, _EMAIL_RULE + _NULL)
        return str(value).lower()

    def required_email(self, name: str) -> str:
        """An e-mail address or the empty string."""
        value = self._required(name)
        if value != "" and not is_email(value):
            raise argument_invalid(name, _EMAIL_RULE)
        return str(value).lower()

    def phone(self, name: str) -> str | None:
        """An optional phone number with its country code."""
        value = self.values.get(name)
        if value is None:
            return None
        if not isinstance(value, str) or _PHONE.fullmatch(value) is None:
            raise argument_invalid(name, _PHONE_RULE)
        return value

    def texts(self, name: str) -> list[str]:
        """A required list of strings, at most 100."""
        value = self._required(name)
        if not isinstance(value, list) or len(value) > _MAX_LIST:
            raise argument_invalid(name, f"Value must a valid array no longer than {_MAX_LIST} items")
        if not all(isinstance(item, str) for item in value):
            raise argument_invalid(name, "Value must a valid array and Value must be a valid string")
        return [item for item in value if isinstance(item, str)]

    def texts_or(self, name: str, default: Sequence[str] = ()) -> list[str]:
        """An optional list of strings."""
        return self._optional(name, self.texts, list(default))

    def permissions(self, name: str = "permissions") -> list[Json] | None:
        """An optional list of permissions such as `read("any")`; `write` stands for create, update and delete."""
        if name not in self:
            return None
        wanted = self.texts(name)
        for permission in wanted:
            if _PERMISSION.fullmatch(permission) is None:
                raise argument_invalid(name, f'Permission "{permission}" is not allowed.')
        return list[Json](wanted)

    def mapping(self, name: str) -> JsonObject:
        """A required JSON object; an empty list counts as empty, as PHP cannot tell them apart."""
        value = self._required(name)
        if value == []:
            return {}
        if not isinstance(value, dict):
            raise argument_invalid(name, "Value must be a valid object")
        return dict(value)

    def one_of(self, name: str, words: Mapping[str, object] | Sequence[str], default: str) -> str:
        """An optional word out of a list."""
        value = default if self.values.get(name) is None else self.values[name]
        if not isinstance(value, str) or value not in words:
            raise argument_invalid(name, f"Value must be one of ({', '.join(words)})")
        return value
