"""The catalogs of the real SDKs, and a tiny SDK whose source a test can change."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from handrail.appwrite.catalog import Catalog, InstalledSdk, Sdk, find_sdk
from handrail.appwrite.catalog.reader import read_sdk

_CLIENT: Final = """
class Client:
    def __init__(self):
        self._global_headers = {'content-type': '', 'x-sdk-name': f'{1}', 'X-Appwrite-Response-Format': '9.9.9'}
"""
_ENUM: Final = """
from enum import Enum

class Colour(Enum):
    RED = "red"
    BLUE = "blue"
"""


@pytest.fixture(scope="session")
def catalogs() -> dict[Sdk, Catalog]:
    """Both SDKs, read from their source."""
    return {sdk: Catalog.of(sdk, find_sdk(sdk).version, read_sdk(find_sdk(sdk))) for sdk in Sdk}


@pytest.fixture
def make_sdk(tmp_path: Path) -> Callable[..., InstalledSdk]:
    """Writes an SDK with one service, `thing_box`, whose class has the given source."""

    def make(source: str, *, version: str = "1.0.0", sdk: Sdk = Sdk.SERVER) -> InstalledSdk:
        folder = tmp_path / f"sdk-{sdk.value}"
        for part in ("services", "enums"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        (folder / "client.py").write_text(_CLIENT)
        (folder / "enums" / "colour.py").write_text(_ENUM)
        (folder / "services" / "__init__.py").write_text("")
        (folder / "services" / "thing_box.py").write_text(f"class ThingBox(Service):\n\n{source}")
        return InstalledSdk(sdk, version, folder)

    return make


@pytest.fixture
def get_thing() -> str:
    """The source of a method as the SDK's generator writes it."""
    return '''
    def get_thing(self, thing_id: str, queries: Optional[List[str]] = None, on_progress=None) -> Thing:
        """
        Get one thing, e.g. a box. It is cheap.

        Parameters
        ----------
        thing_id : str
            Thing ID.
        queries : Optional[List[str]]
            Query strings.
        on_progress : callable, optional
            Local.
        Returns
        -------
        Thing
            The thing.
        """

        api_path = '/things/{thingId}'
        api_params = {}
        if thing_id is None or thing_id == '':
            raise AppwriteException('Missing required parameter: "thing_id"')
        api_path = api_path.replace('{thingId}', str(self._normalize_value(thing_id)))
        if queries is not None:
            api_params['queries'] = self._normalize_value(queries)

        response = self.client.call('get', api_path, {
            'X-Appwrite-Project': self.client.get_config('project'),
            'accept': 'application/json',
        }, api_params)

        return self._parse_response(response, model=Thing)
'''
