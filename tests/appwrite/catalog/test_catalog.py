from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest

from handrail.appwrite.catalog import (
    Catalog,
    Sdk,
    SdkMissingError,
    UnknownToolError,
    find_sdk,
    installed_sdks,
    load_catalogs,
)
from handrail.errors import NotFoundError, UnavailableError

pytestmark = pytest.mark.unit

Hide = Callable[[Sdk], None]


@pytest.fixture
def hide(monkeypatch: pytest.MonkeyPatch) -> Hide:
    """Makes an SDK look as if it were not installed."""
    real, hidden = metadata.version, set()

    def version(name: str) -> str:
        if name in hidden:
            raise metadata.PackageNotFoundError(name)
        return real(name)

    monkeypatch.setattr(metadata, "version", version)
    return lambda sdk: hidden.add(sdk.value)


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("tables_db_create_rows_", "tables_db_create_rows"),
        ("tablesDB.createRow", "tables_db_create_row"),
        ("tables-db-list-rows", "tables_db_list_rows"),
        ("USERS_LIST", "users_list"),
    ],
)
def test_an_unknown_tool_is_told_the_nearest_ones(asked: str, meant: str, catalogs: dict[Sdk, Catalog]) -> None:
    with pytest.raises(UnknownToolError) as caught:
        catalogs[Sdk.SERVER].get(asked)
    assert caught.value.data["nearest"] == meant
    assert (caught.value.type, caught.value.next_step) == ("tool_unknown", f"Use '{meant}'.")
    assert isinstance(caught.value, NotFoundError)


def test_a_tool_that_is_like_no_other_is_unknown_without_a_guess(catalogs: dict[Sdk, Catalog]) -> None:
    with pytest.raises(UnknownToolError) as caught:
        catalogs[Sdk.SERVER].get("zzzzzzzz" * 1000)
    assert (caught.value.data["nearest"], caught.value.data["near"]) == (None, [])
    assert len(caught.value.message) < 200


def test_a_catalog_knows_what_it_holds(catalogs: dict[Sdk, Catalog]) -> None:
    catalog = catalogs[Sdk.SERVER]
    assert "users_list" in catalog
    assert "users_listt" not in catalog
    assert [method.tool for method in catalog] == [*catalog.names()]
    assert catalog.services()["tables_db"] == sum(name.startswith("tables_db_") for name in catalog.names())


def test_the_console_sdk_is_mended_by_an_extra(hide: Hide) -> None:
    hide(Sdk.CONSOLE)
    with pytest.raises(SdkMissingError) as caught:
        find_sdk(Sdk.CONSOLE)
    assert caught.value.next_step == "Install it: pip install 'handrail[console]'"
    assert caught.value.data == {"sdk": "appwrite-console"}
    assert isinstance(caught.value, UnavailableError)


def test_an_sdk_whose_source_is_not_there_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(SdkMissingError):
        find_sdk(Sdk.SERVER)


def test_one_sdk_is_enough(hide: Hide, tmp_path: Path) -> None:
    hide(Sdk.CONSOLE)
    assert [installed.sdk for installed in installed_sdks()] == [Sdk.SERVER]
    assert load_catalogs(tmp_path).versions == {Sdk.SERVER: find_sdk(Sdk.SERVER).version}


def test_without_any_sdk_the_error_says_how_to_get_one(hide: Hide, tmp_path: Path) -> None:
    hide(Sdk.SERVER)
    hide(Sdk.CONSOLE)
    with pytest.raises(SdkMissingError) as caught:
        load_catalogs(tmp_path)
    assert caught.value.data == {"sdk": "appwrite"}
