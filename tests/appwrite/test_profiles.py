"""Projects by name: what the file may say, and where a call goes."""

import stat
import threading
from pathlib import Path

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.appwrite.backend import Backend, NotConfiguredError
from handrail.appwrite.backends import Backends
from handrail.appwrite.preview import ReadTwins
from handrail.appwrite.profile_file import (
    PROFILES_FILE,
    Profile,
    ProfileBook,
    ProfilesFileError,
    change_book,
    load_book,
    new_profile,
    read_book,
    written,
)
from handrail.appwrite.profiles import Profiles, ProfileUnknownError
from handrail.errors import ArgumentError
from handrail.lazy import Lazy
from tests.appwrite.samples import plan

ENVIRONMENT = Backend("http://env.test/v1", "env", "key-of-the-environment")
UNSET = Backend("https://cloud.appwrite.io/v1", "", "")
SHOP = Profile(endpoint="http://shop.test/v1", project="shop", key_variable="SHOP_KEY")
LAB = Profile(endpoint="http://lab.test/v1", project="lab", key_variable="LAB_KEY")
KEY = f"standard_{'0a1b' * 64}"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with two profiles, `shop` being the default one."""
    book = ProfileBook.model_validate({"default": "shop", "profile": {"shop": SHOP, "lab": LAB}})
    change_book(tmp_path / PROFILES_FILE, lambda _book: book)
    return tmp_path


def _profiles(own: Backend, home: Path | None, **variables: str) -> Profiles:
    return Profiles(own, home, variables)


async def test_a_named_project_has_its_own_endpoint_and_the_key_of_its_variable(home: Path) -> None:
    backend = await _profiles(ENVIRONMENT, home, SHOP_KEY="s3cret").resolve("shop")

    assert (backend.endpoint, backend.project, backend.key) == ("http://shop.test/v1", "shop", "s3cret")
    assert backend.profile == "shop"


async def test_a_key_that_is_not_set_is_named_by_its_variable(home: Path) -> None:
    backend = await _profiles(ENVIRONMENT, home).resolve("lab")

    with pytest.raises(NotConfiguredError) as caught:
        backend.require_configured()
    assert caught.value.data == {"missing": ["LAB_KEY"]}


@pytest.mark.parametrize(
    ("own", "name", "project"),
    [
        (ENVIRONMENT, None, "env"),
        (ENVIRONMENT, "environment", "env"),
        (ENVIRONMENT, "shop", "shop"),
        (UNSET, None, "shop"),
        (UNSET, "environment", ""),
        (Backend(UNSET.endpoint, "", "a key"), None, ""),
    ],
)
async def test_what_the_environment_says_comes_before_the_default_profile(
    home: Path, own: Backend, name: str | None, project: str
) -> None:
    assert (await _profiles(own, home).resolve(name)).project == project


async def test_only_another_project_is_not_the_default_one(home: Path) -> None:
    profiles = _profiles(UNSET, home)

    assert await profiles.is_default(await profiles.resolve("shop"))
    assert not await profiles.is_default(await profiles.resolve("lab"))
    assert await profiles.is_default(Backend("http://shop.test/v1/", "shop", "another key"))


@pytest.mark.parametrize(("name", "near"), [("shopp", "shop"), ("LAB", "lab"), ("zzzzzz", None)])
async def test_an_unknown_project_is_refused_with_the_nearest(home: Path, name: str, near: str | None) -> None:
    with pytest.raises(ProfileUnknownError) as caught:
        await _profiles(ENVIRONMENT, home).resolve(name)

    assert caught.value.data["nearest"] == near


@pytest.mark.parametrize("home_of", ["none", "empty"])
async def test_without_a_file_there_is_the_environment_alone(tmp_path: Path, home_of: str) -> None:
    profiles = _profiles(UNSET, None if home_of == "none" else tmp_path)

    assert (await profiles.resolve(), await profiles.names()) == (UNSET, ["environment"])


async def test_a_change_counts_from_the_next_call_on(home: Path) -> None:
    profiles = _profiles(ENVIRONMENT, home)
    await profiles.resolve("lab")

    change_book(home / PROFILES_FILE, lambda _book: ProfileBook())

    with pytest.raises(ProfileUnknownError):
        await profiles.resolve("lab")


async def test_each_project_has_its_own_connections_until_the_end(home: Path) -> None:
    seen: list[tuple[str, str]] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        seen.append((request.url.host, request.headers["x-appwrite-key"]))
        return httpx2.Response(200, json={})

    profiles = _profiles(ENVIRONMENT, home, SHOP_KEY="key-of-shop", LAB_KEY="key-of-lab")
    twins = Lazy.of(lambda: ReadTwins([]))
    async with Backends(profiles, twins, transport=httpx2.MockTransport(answer)) as backends:
        shop, lab, own = [await backends.get(name) for name in ("shop", "lab", None)]
        for target in (shop, lab, own):
            await target.transport.send(plan())
        assert (await backends.get("shop")).transport is shop.transport

    assert seen == [
        ("shop.test", "key-of-shop"), ("lab.test", "key-of-lab"), ("env.test", "key-of-the-environment"),
    ]  # fmt: skip
    assert [(target.name, target.is_default) for target in (shop, lab, own)] == [
        ("shop", False), ("lab", False), ("", True),
    ]  # fmt: skip
    with pytest.raises(RuntimeError):
        await shop.transport.send(plan())


@pytest.mark.promise("profiles-hold-no-key")
@pytest.mark.parametrize("key", [KEY, KEY.upper(), "0A1B" * 16, "A" * 200, "sk-live", "shop_key", "", "A B", "KEY\n"])
def test_what_is_no_name_of_a_variable_is_refused_and_not_repeated(key: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        new_profile("shop", endpoint="http://a.test/v1", project="p", key_variable=key)

    assert caught.value.argument == "key_variable"
    assert len(key) < 7 or key not in str(caught.value.as_json())


@pytest.mark.promise("profiles-hold-no-key")
def test_a_key_in_the_file_is_refused_and_not_repeated(tmp_path: Path) -> None:
    text = f'[profile.shop]\nendpoint = "http://a.test/v1"\nproject = "p"\nkey_variable = "{KEY}"\n'

    with pytest.raises(ProfilesFileError) as caught:
        read_book(text.encode(), tmp_path)

    assert KEY not in str(caught.value.as_json())


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("name", "environment"),
        ("name", "Shop"),
        ("name", "a.b"),
        ("name", "-a"),
        ("name", "a" * 41),
        ("endpoint", "http://user:pass@a.test/v1"),
        ("endpoint", "ftp://a.test/v1"),
        ("endpoint", "http://a.test/v1\n"),
        ("endpoint", ""),
        ("project", ""),
        ("project", "p/q"),
        ("project", KEY),
    ],
)
def test_what_cannot_be_in_a_profile_is_refused_with_its_name(argument: str, value: str) -> None:
    given_ = {"name": "shop", "endpoint": "http://a.test/v1", "project": "p", "key_variable": "K", argument: value}

    with pytest.raises(ArgumentError) as caught:
        new_profile(given_.pop("name"), **given_)

    assert caught.value.argument == argument


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('defalt = "a"', "'default' is one"),
        ('[profile.a]\nendpoint = "http://a/v1"\nproject = "p"\nkey_variable = "K"\nkey = "x"', "no key"),
        ('[profile.a]\nendpoint = "http://a/v1"\nproject = "p"', "key_variable"),
        ('[profile.A]\nendpoint = "http://a/v1"\nproject = "p"\nkey_variable = "K"', "small letters"),
        ('default = "gone"', "none of the profiles"),
        ("default = ", "no TOML"),
        ("default = 1", "default"),
        ("profile = 1", "profile"),
    ],
)
def test_a_file_that_says_something_else_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(ProfilesFileError, match=problem):
        read_book(text.encode(), tmp_path)


_NAMES = st.from_regex(r"[a-z0-9][a-z0-9_-]{0,39}", fullmatch=True).filter(lambda name: name != "environment")
_VARIABLES = st.from_regex(r"[A-Z_][A-Z_]{0,18}", fullmatch=True)
_PROJECTS = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,35}", fullmatch=True)
_ENDPOINTS = st.from_regex(r"https?://[a-z]{1,20}(:80)?/[!-\"$-;=A-~]{0,20}", fullmatch=True)


@given(st.dictionaries(_NAMES, st.builds(Profile, endpoint=_ENDPOINTS, project=_PROJECTS, key_variable=_VARIABLES)))
def test_what_is_written_is_read_again(profiles: dict[str, Profile]) -> None:
    book = ProfileBook.model_validate({"default": next(iter(profiles), None), "profile": profiles})

    assert read_book(written(book).encode(), Path("p")) == book


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o666])
async def test_a_file_that_others_may_touch_is_not_believed(home: Path, mode: int) -> None:
    (home / PROFILES_FILE).chmod(mode)

    with pytest.raises(ProfilesFileError):
        await _profiles(ENVIRONMENT, home).resolve("shop")


def test_a_link_a_folder_and_a_file_too_large_are_no_files_of_profiles(tmp_path: Path) -> None:
    link, folder, large = tmp_path / "link", tmp_path / "folder", tmp_path / "large"
    (tmp_path / "there").touch(0o600)
    link.symlink_to(tmp_path / "there")
    folder.mkdir()
    large.touch(0o600)
    large.write_bytes(b"#" * 300_000)

    for path in (link, folder, large):
        with pytest.raises(ProfilesFileError):
            load_book(path)


def test_the_file_is_its_users_alone_and_nothing_lies_beside_it(home: Path) -> None:
    assert stat.S_IMODE((home / PROFILES_FILE).stat().st_mode) == 0o600
    assert {path.name for path in home.iterdir()} == {PROFILES_FILE, "profiles.lock"}


def test_a_change_that_fails_leaves_the_file_as_it_was(home: Path) -> None:
    before = (home / PROFILES_FILE).read_bytes()

    def fail(_book: ProfileBook) -> ProfileBook:
        raise ArgumentError("no", argument="name")

    with pytest.raises(ArgumentError):
        change_book(home / PROFILES_FILE, fail)

    assert (home / PROFILES_FILE).read_bytes() == before


def test_of_many_changes_at_once_none_is_lost(tmp_path: Path) -> None:
    def add(name: str) -> None:
        change_book(
            tmp_path / PROFILES_FILE,
            lambda book: book.model_copy(update={"profiles": {**book.profiles, name: SHOP}}),
        )

    threads = [threading.Thread(target=add, args=(f"p{number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)

    assert len(load_book(tmp_path / PROFILES_FILE).profiles) == 8
