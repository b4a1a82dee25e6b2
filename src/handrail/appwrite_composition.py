"""Puts together what calls Appwrite: projects, switches, gate, journal, answers."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from handrail.approvals import ApprovalBook, Gate, Mode, Policy, load_policy
from handrail.appwrite import Backend, Limits
from handrail.appwrite.backends import Backends
from handrail.appwrite.calls import CallParts
from handrail.appwrite.catalog import Catalog, load_catalogs
from handrail.appwrite.downloads import DownloadRoot
from handrail.appwrite.exposure import exposed_names
from handrail.appwrite.files_on_disk import UploadRoots
from handrail.appwrite.preview import ReadTwins
from handrail.appwrite.profiles import Profiles
from handrail.appwrite.switches import Switches, switches_of
from handrail.appwrite.tls import Tls
from handrail.home import home_folder
from handrail.journal import Journal, open_journal
from handrail.lazy import Lazy
from handrail.settings import Settings

if TYPE_CHECKING:
    from handrail.appwrite.results.shaper import ResultShaper

__all__ = ["lazy_catalog", "open_call_parts", "switches_from"]

_POLICY_FILE: Final = "policy.toml"


def lazy_catalog(home: Path | None) -> Lazy[Catalog]:
    """The catalog of the installed SDKs, read when it is first needed."""
    return Lazy.of(partial(load_catalogs, home))


async def switches_from(settings: Settings, catalog: Lazy[Catalog]) -> Switches:
    """The switches of the settings. The catalog is read only where a name has to be checked.

    Raises:
        SwitchNameError: a switch names what there is none of.
    """
    services, tools, deny = (exposed_names(text) for text in (settings.services, settings.tools, settings.deny))
    if not (services or tools or deny):
        return Switches(read_only=settings.read_only)
    return switches_of(await catalog.get(), read_only=settings.read_only, services=services, tools=tools, deny=deny)


@asynccontextmanager
async def open_call_parts(
    settings: Settings, home: Path | None, catalog: Lazy[Catalog], switches: Switches, *, sandbox: bool
) -> AsyncIterator[CallParts]:
    """What calls are made with, until the end of the context.

    Args:
        settings: of this process.
        home: the home folder; None where it cannot be used.
        catalog: the methods.
        switches: what may be called.
        sandbox: use a local stand-in for Appwrite that is served meanwhile.

    Raises:
        PolicyError: the file of rules cannot be used as it is.
        UploadRootError: a folder to upload from or to save to cannot be used.
    """
    uploads = UploadRoots([Path(part) for part in settings.upload_root.split(":") if part], settings.max_upload_bytes)
    downloads = DownloadRoot(settings.download_root)
    twins = catalog.then(lambda methods: ReadTwins(map(methods.get, methods.names())))
    async with AsyncExitStack() as stack:
        backend = await stack.enter_async_context(_backend(settings, sandbox=sandbox))
        tls = Tls.of(settings.tls_ca, insecure=settings.tls_insecure, endpoint=backend.endpoint)
        profiles = Profiles(backend, None if sandbox else home)
        yield CallParts(
            catalog=catalog,
            targets=await stack.enter_async_context(Backends(profiles, twins, limits=_limits(settings), tls=tls)),
            gate=_gate(settings, home, stack.enter_context(ApprovalBook(lambda: home_folder(settings)))),
            journal=await stack.enter_async_context(_journal(settings, backend)),
            shaper=Lazy.of(partial(_shaper, home)),
            twins=twins,
            switches=switches,
            uploads=uploads,
            downloads=downloads,
        )


def _shaper(home: Path | None) -> "ResultShaper":
    from handrail.appwrite.results.shaper import result_shaper  # noqa: PLC0415  (not needed to start a server)

    return result_shaper(home)


def _gate(settings: Settings, home: Path | None, book: ApprovalBook) -> Gate:
    named = settings.policy
    path = named or (home / _POLICY_FILE if home else None)
    return Gate(
        book,
        mode=Mode(settings.writes),
        policy=load_policy(path, required=named is not None) if path else Policy(),
        grave_tokens=settings.grave == "token",
        ask_s=settings.ask_s,
    )


def _journal(settings: Settings, backend: Backend) -> Journal:
    return open_journal(
        lambda: home_folder(settings),
        settings.database_url.get_secret_value(),
        secrets=[secret for secret in (backend.key, settings.appwrite_api_key.get_secret_value()) if secret],
        reads=settings.journal_reads,
        longest=timedelta(seconds=max(900.0, 2 * settings.call_timeout_s)),
    )


def _limits(settings: Settings) -> Limits:
    return Limits(
        connect_s=settings.connect_timeout_s,
        read_s=settings.read_timeout_s,
        call_s=settings.call_timeout_s,
        response_bytes=settings.max_response_bytes,
    )


@asynccontextmanager
async def _backend(settings: Settings, *, sandbox: bool) -> AsyncIterator[Backend]:
    """The backend of the settings, or a stand-in that is served until the end of the context."""
    if not sandbox:
        key = settings.appwrite_api_key.get_secret_value().strip()
        yield Backend(settings.appwrite_endpoint, settings.appwrite_project_id, key)
        return
    from handrail.sandbox import SandboxState, serve_sandbox  # noqa: PLC0415  (only for the stand-in)

    async with serve_sandbox(SandboxState.seeded()) as stand_in:
        # Each stand-in has another port, and an approval is for the stand-in.
        yield Backend(stand_in.endpoint, stand_in.project_id, stand_in.api_key, identity="sandbox")
