import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from handrail.appwrite.catalog import Catalog, InstalledSdk, Sdk, load_catalog, load_catalogs
from handrail.appwrite.catalog.cache import cache_file, read_cache, write_cache
from handrail.appwrite.catalog.codec import CACHE_FORMAT
from handrail.appwrite.catalog.reader import read_sdk

MakeSdk = Callable[..., InstalledSdk]

_LOAD: Final = """
import sys
from pathlib import Path
from handrail.appwrite.catalog import load_catalogs
sys.stdin.readline()
catalog = load_catalogs(Path(sys.argv[1]))
print(len(catalog), sum(len(method.parameters) for method in catalog))
sdks = {"appwrite", "appwrite_console"}
print(*sorted(name for name in sys.modules if name.split(".")[0] in sdks or name.endswith(".catalog.reader")))
"""


@pytest.fixture
def small(make_sdk: MakeSdk, get_thing: str) -> tuple[InstalledSdk, Catalog]:
    installed = make_sdk(get_thing + get_thing.replace("get_thing", "get_other"))
    return installed, Catalog.of(installed.sdk, installed.version, read_sdk(installed))


@pytest.fixture
def only_small(small: tuple[InstalledSdk, Catalog], monkeypatch: pytest.MonkeyPatch) -> Catalog:
    """The tiny SDK, found where the real one is looked for."""
    monkeypatch.setattr("handrail.appwrite.catalog.loading.find_sdk", lambda _sdk: small[0])
    return small[1]


def _files(home: Path) -> list[str]:
    return sorted(path.name for path in (home / "cache").iterdir())


@pytest.mark.parametrize("sdk", Sdk)
def test_a_warm_catalog_is_the_cold_one(sdk: Sdk, tmp_path: Path, catalogs: dict[Sdk, Catalog]) -> None:
    cold, warm = load_catalog(tmp_path, sdk), load_catalog(tmp_path, sdk)
    assert list(cold) == list(warm) == list(catalogs[sdk])
    assert (warm.names(), warm.services(), warm.versions) == (cold.names(), cold.services(), cold.versions)
    assert _files(tmp_path) == [f"catalog-{sdk.value}-{cold.version}-{CACHE_FORMAT}.jsonl"]


def test_a_warm_start_does_not_read_the_source(
    only_small: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_catalog(tmp_path, Sdk.SERVER)
    monkeypatch.setattr("handrail.appwrite.catalog.reader.read_sdk", None)  # a call of it would fail
    assert list(load_catalog(tmp_path, Sdk.SERVER)) == list(only_small)


@pytest.mark.promise("catalog-survives-bad-cache")
@settings(max_examples=200, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_cache_is_never_believed(
    data: st.DataObject, small: tuple[InstalledSdk, Catalog], tmp_path: Path
) -> None:
    installed, catalog = small
    path = cache_file(tmp_path, installed)
    assert write_cache(path, installed, catalog)
    whole = path.read_bytes()
    at = data.draw(st.integers(0, len(whole) - 1))
    damaged = data.draw(
        st.sampled_from(
            [
                whole[:at],
                whole[:at] + bytes([whole[at] ^ 0x41]) + whole[at + 1 :],
                whole[:at] + b"\x00" + whole[at:],
                whole + whole[: at + 1],
            ]
        )
    )
    path.write_bytes(damaged)
    assert read_cache(path, installed) is None


@pytest.mark.promise("catalog-survives-bad-cache")
@pytest.mark.parametrize("content", [b"", b"\n", b"{}\n{}", b"null\n", b"\xff\xfe\n\xff", b"[]"])
def test_a_bad_cache_is_rebuilt(content: bytes, tmp_path: Path, only_small: Catalog) -> None:
    load_catalog(tmp_path, Sdk.SERVER)
    (path,) = (tmp_path / "cache").iterdir()
    good = path.read_bytes()
    path.write_bytes(content)
    assert list(load_catalog(tmp_path, Sdk.SERVER)) == list(only_small)
    assert path.read_bytes() == good


def test_a_new_version_is_read_again_and_old_files_of_this_sdk_alone_are_removed(
    make_sdk: MakeSdk, get_thing: str, tmp_path: Path
) -> None:
    keep = ["catalog-appwrite-console-0.1.0-1.jsonl", "something-else.jsonl", "catalog-appwrite-9.jsonl"]
    (tmp_path / "cache").mkdir()
    for name in [*keep, "catalog-appwrite-0.9.0-0.jsonl"]:
        (tmp_path / "cache" / name).write_text("old")
    for version in ("1.0.0", "1.1.0"):
        installed = make_sdk(get_thing, version=version)
        path = cache_file(tmp_path, installed)
        assert read_cache(path, installed) is None
        write_cache(path, installed, Catalog.of(installed.sdk, version, read_sdk(installed)))
        assert _files(tmp_path) == sorted([*keep, f"catalog-appwrite-{version}-{CACHE_FORMAT}.jsonl"])


def test_a_file_under_the_name_of_another_version_is_not_believed(
    small: tuple[InstalledSdk, Catalog], tmp_path: Path
) -> None:
    installed, catalog = small
    write_cache(cache_file(tmp_path, installed), installed, catalog)
    other = InstalledSdk(installed.sdk, "2.0.0", installed.folder)
    cache_file(tmp_path, installed).rename(cache_file(tmp_path, other))
    assert read_cache(cache_file(tmp_path, other), other) is None


def test_what_a_killed_process_left_is_removed_later_and_what_a_live_one_writes_is_not(
    small: tuple[InstalledSdk, Catalog], tmp_path: Path
) -> None:
    installed, catalog = small
    path = cache_file(tmp_path, installed)
    path.parent.mkdir()
    dead, live = (path.with_name(f"{path.name}.tmp-{name}") for name in ("dead", "live"))
    for temporary in (dead, live):
        temporary.write_text("half")
    os.utime(dead, (1_000_000, 1_000_000))
    write_cache(path, installed, catalog)
    assert _files(tmp_path) == sorted([path.name, live.name])


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    small: tuple[InstalledSdk, Catalog], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed, catalog = small
    path = cache_file(tmp_path, installed)
    write_cache(path, installed, catalog)
    before = path.read_bytes()

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert not write_cache(path, installed, catalog)
    assert (path.read_bytes(), _files(tmp_path)) == (before, [path.name])


@pytest.mark.parametrize("broken", ["home is missing", "cache is a file"])
def test_a_home_that_cannot_be_written_to_does_no_harm(broken: str, tmp_path: Path, only_small: Catalog) -> None:
    home = tmp_path / "home"
    if broken == "cache is a file":
        home.mkdir()
        (home / "cache").write_text("")
    assert list(load_catalog(home, Sdk.SERVER)) == list(only_small)
    assert not (home / "cache").is_dir()


@pytest.mark.promise("catalog-two-processes")
def test_two_processes_that_build_at_once_both_get_it_and_leave_one_good_file_for_each_sdk(tmp_path: Path) -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", _LOAD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    for process in processes:  # both have imported everything when they are let go
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    answers = [process.communicate(timeout=60)[0].splitlines()[0] for process in processes]
    expected = load_catalogs(tmp_path)
    assert answers == [f"{len(expected)} {sum(len(method.parameters) for method in expected)}"] * 2
    assert len(_files(tmp_path)) == len(Sdk)


@pytest.mark.promise("sdk-not-imported")
@pytest.mark.parametrize(("temperature", "loaded"), [("cold", "handrail.appwrite.catalog.reader"), ("warm", "")])
def test_the_sdk_is_never_imported_and_a_warm_start_parses_nothing(
    temperature: str, loaded: str, tmp_path: Path
) -> None:
    if temperature == "warm":
        load_catalogs(tmp_path)
    command = [sys.executable, "-c", _LOAD, str(tmp_path)]
    done = subprocess.run(command, input="go\n", capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.splitlines()[1] == loaded
