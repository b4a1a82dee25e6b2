"""Results that are kept."""

import os
from pathlib import Path

import pytest

from handrail.appwrite.results.kept import (
    About,
    Bounds,
    KeptResult,
    ResultNotFoundError,
    Results,
    ResultsInMemory,
    ResultsOnDisk,
)

MINE = About("me", "things_list", project="p", origin="data", masked=2)


class Clock:
    """Seconds since 1970, moved by hand."""

    def __init__(self, now: float = 1_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def _keep(results: Results, content: bytes = b"{}", about: About = MINE) -> KeptResult:
    kept = results.keep(about, content)
    assert kept is not None
    return kept


@pytest.fixture(params=["disk", "memory"])
def results(request: pytest.FixtureRequest, tmp_path: Path) -> Results:
    """Both places."""
    bounds = Bounds(each=100, all=250, seconds=60)
    return ResultsInMemory(bounds) if request.param == "memory" else ResultsOnDisk(tmp_path / "results", bounds)


@pytest.mark.promise("results-belong-to-their-caller")
def test_a_kept_result_is_its_owners_and_looks_missing_to_everybody_else(results: Results) -> None:
    kept = _keep(results, b'{"a":1}')

    assert results.get(kept.result_id, "me") == kept
    errors = []
    for result_id, owner in [(kept.result_id, "you"), (f"r_{'x' * 24}", "me"), ("../../etc/passwd", "me"), ("", "me")]:
        with pytest.raises(ResultNotFoundError) as raised:
            results.get(result_id, owner)
        errors.append(raised.value.as_json())
    assert all(error == errors[0] for error in errors)


def test_ids_cannot_be_guessed(results: Results) -> None:
    ids = {_keep(results, b"").result_id for _ in range(50)}

    assert len(ids) == 50
    assert all(len(result_id) == 2 + 24 for result_id in ids)  # 144 bits


def test_what_is_too_large_is_not_kept_and_the_oldest_makes_room(results: Results) -> None:
    assert results.keep(MINE, b"x" * 101) is None
    first = _keep(results, b"1" * 90)
    later = [_keep(results, b"2" * 90) for _ in range(3)]

    assert results.get(later[-1].result_id, "me").content == b"2" * 90
    with pytest.raises(ResultNotFoundError):
        results.get(first.result_id, "me")


@pytest.mark.parametrize("on_disk", [True, False])
def test_what_has_expired_is_gone(tmp_path: Path, on_disk: bool) -> None:  # noqa: FBT001  (a parameter)
    clock = Clock()
    results: Results = ResultsOnDisk(tmp_path, clock=clock) if on_disk else ResultsInMemory(Bounds(), clock)
    kept = _keep(results)

    clock.now += 24 * 3600 - 1
    assert results.get(kept.result_id, "me") == kept
    clock.now += 1
    with pytest.raises(ResultNotFoundError):
        results.get(kept.result_id, "me")


def test_expired_files_are_removed_when_the_next_is_kept(tmp_path: Path) -> None:
    clock = Clock()
    results = ResultsOnDisk(tmp_path, clock=clock)
    old = _keep(results)
    os.utime(tmp_path / old.result_id, (clock.now, clock.now))
    (tmp_path / "r_left.part").write_bytes(b"half")
    os.utime(tmp_path / "r_left.part", (clock.now, clock.now))
    (tmp_path / "notes.txt").write_text("somebody's")
    clock.now += 25 * 3600

    new = _keep(results)

    assert {path.name for path in tmp_path.iterdir()} == {new.result_id, "notes.txt"}


@pytest.mark.promise("results-belong-to-their-caller")
def test_a_result_on_disk_survives_a_restart_and_only_its_user_can_read_it(tmp_path: Path) -> None:
    kept = _keep(ResultsOnDisk(tmp_path / "results"), b'{"a":1}')

    path = tmp_path / "results" / kept.result_id
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert ResultsOnDisk(tmp_path / "results").get(kept.result_id, "me") == kept


@pytest.mark.parametrize(
    "content", [b"", b"no json\n{}", b"[]\n{}", b'{"owner":"me"}\n{}', b"[" * 9_000, b"\xff\xfe\n", "cut"]
)
def test_a_file_that_is_broken_is_not_there(tmp_path: Path, content: bytes | str) -> None:
    results = ResultsOnDisk(tmp_path)
    path = tmp_path / _keep(results, b'{"a":1}').result_id
    path.write_bytes(path.read_bytes()[:-1] if isinstance(content, str) else content)

    with pytest.raises(ResultNotFoundError):
        results.get(path.name, "me")


def test_a_folder_that_cannot_be_used_means_memory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    results = ResultsOnDisk(tmp_path / "file")

    kept = _keep(results, b'{"a":1}')

    assert results.get(kept.result_id, "me") == kept
    with pytest.raises(ResultNotFoundError):
        results.get(kept.result_id, "you")
