"""The projects that calls go to, each with connections of its own, opened when the first call goes there."""

from types import TracebackType
from typing import Self

import anyio
import httpx2

from handrail.appwrite.backend import Backend
from handrail.appwrite.preview import ReadTwins
from handrail.appwrite.profiles import Profiles
from handrail.appwrite.sending import Retries, Sender
from handrail.appwrite.targets import Target
from handrail.appwrite.tls import Tls
from handrail.appwrite.transport import Limits, Transport
from handrail.lazy import Lazy

__all__ = ["Backends"]


class Backends:
    """The targets of a process (see `Targets`). An async context manager: at its end every connection is closed.

    Args:
        profiles: the projects by name.
        twins: finds the read that shows whether a write took effect.
        limits: bounds of one call.
        retries: how often a call is made again.
        tls: which certificates are trusted.
        transport: what carries the requests, for tests; the network by default.
    """

    def __init__(
        self,
        profiles: Profiles,
        twins: Lazy[ReadTwins],
        *,
        limits: Limits | None = None,
        retries: Retries | None = None,
        tls: Tls | None = None,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        self.profiles = profiles
        self._twins = twins
        self._limits = limits or Limits()
        self._retries = retries
        self._tls = tls
        self._transport = transport
        self._opened: dict[Backend, Transport] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        opened, self._opened = self._opened, {}
        with anyio.CancelScope(shield=True):
            for transport in opened.values():
                await transport.aclose()

    async def get(self, name: str | None = None) -> Target:
        """Where calls to a project go.

        Args:
            name: see `Profiles.resolve`.

        Raises:
            ProfileUnknownError: there is no such profile.
            ProfilesFileError: the file of profiles cannot be used as it is.
        """
        backend = await self.profiles.resolve(name)
        is_default = name is None or await self.profiles.is_default(backend)
        transport = self._transport_to(backend)
        sender = Sender(transport, self._twins, self._retries)
        return Target(backend.profile or "", transport, sender, is_default)

    def _transport_to(self, backend: Backend) -> Transport:
        """Kept under the whole backend: a profile that a person has changed is another one."""
        found = self._opened.get(backend)
        if found is None:
            found = Transport(backend, self._limits, tls=self._tls, transport=self._transport)
            self._opened[backend] = found
        return found
