"""Settings: one place, one description, one environment name each."""

import pwd
from pathlib import Path
from typing import NoReturn

import pytest

from handrail.errors import HandrailError
from handrail.home import HomeError, home_folder
from handrail.settings import Settings, SettingsError, described_settings, load_settings, set_settings

pytestmark = pytest.mark.unit

CANARY = "standard_canary_key_5f1c"


# What takes none but certain words.
WORDS = {"APPWRITE_ENDPOINT": "http://h/v1", "HANDRAIL_WRITES": "off", "HANDRAIL_GRAVE": "token"}


def test_every_setting_is_described() -> None:
    assert [name for name, info in described_settings().items() if len(info.description or "") < 10] == []


def test_appwrite_settings_are_read_under_the_names_that_its_users_know(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APPWRITE_ENDPOINT", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("APPWRITE_PROJECT_ID", "p1")
    monkeypatch.setenv("APPWRITE_API_KEY", CANARY)

    settings = load_settings()

    assert (settings.appwrite_endpoint, settings.appwrite_project_id) == ("http://127.0.0.1:9/v1", "p1")
    assert settings.appwrite_api_key.get_secret_value() == CANARY


@pytest.mark.promise("key-never-shows")
def test_the_key_does_not_show_in_a_representation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APPWRITE_API_KEY", CANARY)

    assert CANARY not in f"{load_settings()!r} {load_settings()}"


@pytest.mark.parametrize("name", sorted(described_settings()))
def test_each_setting_is_read_from_its_environment_name(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    field = name.lower().removeprefix("handrail_")
    default = Settings.model_fields[field].default
    value = WORDS.get(name, "yes" if isinstance(default, bool) else "7")
    for other in described_settings():
        monkeypatch.delenv(other, raising=False)
    assert getattr(load_settings(), field) == default

    monkeypatch.setenv(name, value)

    assert getattr(load_settings(), field) != default


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HANDRAIL_WAIT_S", "soon"),
        ("HANDRAIL_WAIT_S", "-1"),
        ("HANDRAIL_WAIT_S", "inf"),
        ("HANDRAIL_MAX_RUNS", "-77"),
    ],
)
def test_a_value_that_cannot_be_is_refused_by_its_name_and_not_shown(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)

    with pytest.raises(SettingsError) as caught:
        load_settings()

    assert caught.value.data["settings"] == [name]
    assert value not in caught.value.message


@pytest.mark.promise("empty-is-unset")
@pytest.mark.parametrize("name", sorted(described_settings()))
def test_an_empty_value_is_none(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    field = name.lower().removeprefix("handrail_")
    monkeypatch.setenv(name, "")

    assert getattr(load_settings(), field) == Settings.model_fields[field].default
    assert name not in set_settings()


def test_what_is_set_is_told_by_name_with_what_is_wrong_and_without_a_value(monkeypatch: pytest.MonkeyPatch) -> None:
    for other in described_settings():
        monkeypatch.delenv(other, raising=False)
    monkeypatch.setenv("APPWRITE_API_KEY", CANARY)
    monkeypatch.setenv("HANDRAIL_MAX_RUNS", CANARY)

    present = set_settings()

    assert (set(present), present["APPWRITE_API_KEY"]) == ({"APPWRITE_API_KEY", "HANDRAIL_MAX_RUNS"}, None)
    assert "integer" in (present["HANDRAIL_MAX_RUNS"] or "")
    assert CANARY not in str(present)


def test_the_home_is_made_for_its_owner_only(tmp_path: Path) -> None:
    home = home_folder(Settings(home=tmp_path / "a" / "b"))

    assert home.stat().st_mode & 0o777 == 0o700


def test_a_home_that_is_a_file_is_refused(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("")

    with pytest.raises(HomeError) as caught:
        home_folder(Settings(home=taken / "home"))

    assert caught.value.data["path"] == str(taken / "home")


def test_a_leading_tilde_is_the_users_own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("HANDRAIL_HOME", "~/kept")

    assert home_folder(load_settings()) == tmp_path / "kept"


@pytest.mark.parametrize("home", [None, Path("~/kept"), Path("~nobody-has-this-name/kept")])
def test_a_user_without_a_home_is_told_what_to_set(
    home: Path | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def nobody(*_who: object) -> NoReturn:
        raise KeyError

    for name in ("HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", nobody)
    monkeypatch.chdir(tmp_path)

    with pytest.raises(HomeError) as caught:
        home_folder(Settings(home=home))

    assert "HANDRAIL_HOME" in (caught.value.next_step or "")
    assert list(tmp_path.iterdir()) == [], "nothing is made in the current folder"


def test_the_platform_chooses_the_home_when_nobody_else_does(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))

    assert tmp_path in home_folder(Settings(home=None)).parents


def test_an_error_shows_its_type_sentence_and_next_step() -> None:
    error = HandrailError("It broke.", next_step="Mend it.")

    assert error.as_json() == {"type": "error", "code": None, "message": "It broke.", "next": "Mend it."}


def test_an_error_shows_its_data_where_it_has_some() -> None:
    assert HandrailError("It broke.", part="axle").as_json()["data"] == {"part": "axle"}
