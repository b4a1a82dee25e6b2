"""The catalogs of the installed SDKs: from the cache where it is good, else from the source."""

from dataclasses import dataclass, fields
from functools import reduce
from pathlib import Path
from typing import Final

from handrail.appwrite.catalog.cache import cache_file, read_cache, write_cache
from handrail.appwrite.catalog.catalog import Catalog
from handrail.appwrite.catalog.installed import InstalledSdk, find_sdk, installed_sdks
from handrail.appwrite.catalog.model import Method, Sdk

__all__ = ["Comparison", "compare", "load_catalog", "load_catalogs"]

_ALWAYS_DIFFERENT: Final = frozenset({"sdk"})


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two catalogs side by side, by tool name.

    Attributes:
        same: tools in both that agree in everything.
        differing: tools in both that do not, each with the names of the fields that differ.
        only_first: tools that the second lacks.
        only_second: tools that the first lacks.
    """

    same: tuple[str, ...]
    differing: dict[str, tuple[str, ...]]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]


def load_catalog(home: Path | None, sdk: Sdk) -> Catalog:
    """The catalog of one SDK.

    Args:
        home: the home folder, for the cache; one that cannot be written to does no harm. None: there is no cache.
        sdk: which.

    Raises:
        SdkMissingError: the SDK is not installed.
        SdkShapeError: its source cannot be read safely.
    """
    return _load(home, find_sdk(sdk))


def load_catalogs(home: Path | None) -> Catalog:
    """One catalog of all installed SDKs. Where both have a tool, it is the server SDK's.

    Args:
        home: as for `load_catalog`.

    Raises:
        SdkMissingError: none is installed.
        SdkShapeError: the source of one cannot be read safely.
    """
    installed = installed_sdks() or (find_sdk(Sdk.SERVER),)
    return reduce(Catalog.joined, (_load(home, one) for one in installed))


def compare(first: Catalog, second: Catalog) -> Comparison:
    """How two catalogs differ."""
    shared = [tool for tool in first.names() if tool in second]
    differing = {tool: found for tool in shared if (found := _differences(first.get(tool), second.get(tool)))}
    return Comparison(
        same=tuple(tool for tool in shared if tool not in differing),
        differing=differing,
        only_first=tuple(tool for tool in first.names() if tool not in second),
        only_second=tuple(tool for tool in second.names() if tool not in first),
    )


def _load(home: Path | None, installed: InstalledSdk) -> Catalog:
    path = cache_file(home, installed) if home else None
    cached = read_cache(path, installed) if path else None
    if cached is not None:
        return cached
    from handrail.appwrite.catalog.reader import read_sdk  # noqa: PLC0415  (a warm start never needs it)

    catalog = Catalog.of(installed.sdk, installed.version, read_sdk(installed))
    if path is not None:
        write_cache(path, installed, catalog)
    return catalog


def _differences(first: Method, second: Method) -> tuple[str, ...]:
    names = (field.name for field in fields(Method) if field.name not in _ALWAYS_DIFFERENT)
    return tuple(name for name in names if getattr(first, name) != getattr(second, name))
