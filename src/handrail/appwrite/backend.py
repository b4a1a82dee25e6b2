"""Where calls go and as whom, and whether that can be called at all."""

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from handrail.errors import UnavailableError

__all__ = ["Backend", "EndpointInvalidError", "NotConfiguredError"]

_ENDPOINT: Final = re.compile(r"https?://[^\s/?#@<>]+(/[^\s?#<>]*)?")
_SENDABLE: Final = re.compile(r"[\x21-\x7e]*")  # what the value of a header may hold, without spaces


class NotConfiguredError(UnavailableError):
    """The project or the API key is not set. `data["missing"]` names the environment variables."""

    type = "not_configured"


class EndpointInvalidError(UnavailableError):
    """The endpoint is no address of an API. It is not shown: it may hold a password."""

    type = "endpoint_invalid"


@dataclass(frozen=True, slots=True)
class Backend:
    """Where calls go and as whom. The key never shows in a representation.

    Attributes:
        endpoint: address of the API, with its version.
        project: the project's id.
        key: the API key.
        profile: the name under which a person keeps it; None for what the environment says.
        key_variable: the environment variable that the key is from.
        identity: what approvals are bound to in place of the endpoint, where that is another one each time.
    """

    endpoint: str
    project: str
    key: str
    profile: str | None = None
    key_variable: str = "APPWRITE_API_KEY"
    identity: str = ""

    def __repr__(self) -> str:
        return f"Backend({self.shown_endpoint!r}, {self.project!r})"

    @property
    def shown_endpoint(self) -> str | None:
        """The endpoint, or None where it is no address: whatever it is then, it may hold a secret."""
        return self.endpoint if _ENDPOINT.fullmatch(self.endpoint) and _has_possible_host(self.endpoint) else None

    def is_same_project(self, other: "Backend") -> bool:
        """Whether both reach the same project, with whatever key."""
        return (self.endpoint.rstrip("/"), self.project) == (other.endpoint.rstrip("/"), other.project)

    def require_configured(self) -> None:
        """Pass where everything is set that every call needs.

        Raises:
            NotConfiguredError: something is not.
            EndpointInvalidError: the endpoint is no address of an API.
        """
        if self.shown_endpoint is None:
            raise EndpointInvalidError(
                "APPWRITE_ENDPOINT is no address that can be called; nothing was sent.",
                next_step="Set it to https://<host>/v1, with your own host and nothing behind it.",
            )
        given = {"APPWRITE_PROJECT_ID": self.project, self.key_variable: self.key}
        missing = [name for name, value in given.items() if not value]
        unsendable = [name for name, value in given.items() if not _SENDABLE.fullmatch(value)]
        if unsendable:
            raise NotConfiguredError(
                f"{' and '.join(unsendable)} cannot be sent; nothing was.",
                next_step="Set it again in printable ASCII, without quotes, spaces or line ends.",
                missing=[*unsendable],
            )
        if missing:
            raise NotConfiguredError(
                f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not set; nothing was sent.",
                next_step="Set what is missing in the environment that Handrail is started with, or try `--sandbox`.",
                missing=[*missing],
            )


def _has_possible_host(endpoint: str) -> bool:
    try:
        address = urlsplit(endpoint)
        return bool(address.hostname) and address.port != 0
    except ValueError:
        return False
