"""Where an SDK is installed, found without importing it."""

import importlib.util
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Final

from handrail.appwrite.catalog.model import Sdk
from handrail.errors import UnavailableError

__all__ = ["InstalledSdk", "SdkMissingError", "find_sdk", "installed_sdks"]

_PACKAGES: Final = {Sdk.SERVER: "appwrite", Sdk.CONSOLE: "appwrite_console"}
_MENDS: Final = {
    Sdk.SERVER: "Install it: pip install 'appwrite>=27,<28'",
    Sdk.CONSOLE: "Install it: pip install 'handrail[console]'",
}


class SdkMissingError(UnavailableError):
    """An SDK is not installed. `data["sdk"]` names it; the next step is the command that installs it."""

    type = "sdk_missing"


@dataclass(frozen=True, slots=True)
class InstalledSdk:
    """An SDK on this machine: which, its version, the folder of its source."""

    sdk: Sdk
    version: str
    folder: Path


def find_sdk(sdk: Sdk) -> InstalledSdk:
    """Where an SDK is, without running any of its code.

    Raises:
        SdkMissingError: it is not installed, or its source is not there to be read.
    """
    try:
        version = metadata.version(sdk.value)
    except metadata.PackageNotFoundError:
        raise _missing(sdk) from None
    spec = importlib.util.find_spec(_PACKAGES[sdk])  # of a top-level package: nothing is imported
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    folders = [Path(place) for place in places if (Path(place) / "client.py").is_file()]
    if not folders:
        raise _missing(sdk)
    return InstalledSdk(sdk, version, folders[0])


def installed_sdks() -> tuple[InstalledSdk, ...]:
    """The SDKs that are installed, the server's first."""
    found = []
    for sdk in Sdk:
        try:
            found.append(find_sdk(sdk))
        except SdkMissingError:
            continue
    return tuple(found)


def _missing(sdk: Sdk) -> SdkMissingError:
    return SdkMissingError(f"The SDK '{sdk.value}' is not installed.", next_step=_MENDS[sdk], sdk=sdk.value)
