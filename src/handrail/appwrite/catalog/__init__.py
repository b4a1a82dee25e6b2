"""The catalog: every method of the installed SDKs, read from their own source without importing them.

    find the SDK -> (cache | read its source) -> Catalog -> get(tool) -> Method

The source is read once for each version of an SDK; what is known about each method is in `model`.
"""

from handrail.appwrite.catalog.catalog import Catalog, UnknownToolError
from handrail.appwrite.catalog.installed import InstalledSdk, SdkMissingError, find_sdk, installed_sdks
from handrail.appwrite.catalog.loading import Comparison, compare, load_catalog, load_catalogs
from handrail.appwrite.catalog.model import (
    Deprecation,
    Encoding,
    Method,
    Parameter,
    Place,
    ResponseKind,
    Sdk,
    Upload,
)
from handrail.appwrite.catalog.shape import SdkShapeError

__all__ = [
    "Catalog",
    "Comparison",
    "Deprecation",
    "Encoding",
    "InstalledSdk",
    "Method",
    "Parameter",
    "Place",
    "ResponseKind",
    "Sdk",
    "SdkMissingError",
    "SdkShapeError",
    "UnknownToolError",
    "Upload",
    "compare",
    "find_sdk",
    "installed_sdks",
    "load_catalog",
    "load_catalogs",
]
