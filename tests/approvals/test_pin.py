"""The PIN: kept as a hash, and locked after five wrong guesses."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.approvals import ApprovalsUnavailableError
from handrail.approvals.opening import open_store
from handrail.approvals.pin import (
    LOCK_S,
    MAX_WRONG,
    PIN_FILE,
    PinLockedError,
    PinWrongError,
    check_pin,
    has_pin,
    set_pin,
)
from handrail.approvals.store import ApprovalStore
from handrail.errors import UsageError
from tests.approvals.callers import NOW

PIN = "4711-ü"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ApprovalStore]:
    opened = open_store(tmp_path)
    yield opened
    opened.close()


def guess_wrong(home: Path, store: ApprovalStore, times: int, now: float = NOW) -> None:
    for _ in range(times):
        with pytest.raises(PinWrongError):
            check_pin(home, store, "0000", now)


def test_a_pin_is_kept_as_a_hash_for_its_owner_alone(tmp_path: Path, store: ApprovalStore) -> None:
    assert not has_pin(tmp_path)
    set_pin(tmp_path, PIN)

    kept = tmp_path / PIN_FILE
    assert has_pin(tmp_path)
    assert "4711" not in kept.read_text(encoding="utf-8")
    assert kept.stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in tmp_path.iterdir() if "pin" in path.name) == [PIN_FILE]
    check_pin(tmp_path, store, PIN, NOW)


@pytest.mark.parametrize("pin", ["", "123", "x" * 129])
def test_a_pin_that_is_too_short_or_too_long_is_not_taken(tmp_path: Path, pin: str) -> None:
    with pytest.raises(UsageError):
        set_pin(tmp_path, pin)

    assert not has_pin(tmp_path)


@pytest.mark.promise("wrong-pins-lock")
def test_five_wrong_guesses_lock_it_for_ten_minutes_also_for_the_right_one(
    tmp_path: Path, store: ApprovalStore
) -> None:
    set_pin(tmp_path, PIN)
    guess_wrong(tmp_path, store, MAX_WRONG)

    with pytest.raises(PinLockedError) as locked:
        check_pin(tmp_path, store, PIN, NOW + LOCK_S - 1)

    assert locked.value.data["until"] == "2027-01-15T08:10:00Z"
    check_pin(tmp_path, store, PIN, NOW + LOCK_S)


@pytest.mark.promise("wrong-pins-lock")
def test_the_right_pin_starts_the_count_anew_and_a_restart_does_not(tmp_path: Path, store: ApprovalStore) -> None:
    set_pin(tmp_path, PIN)
    guess_wrong(tmp_path, store, MAX_WRONG - 1)
    check_pin(tmp_path, store, PIN, NOW)
    guess_wrong(tmp_path, store, MAX_WRONG - 1)
    store.close()
    again = open_store(tmp_path)
    guess_wrong(tmp_path, again, 1)

    with pytest.raises(PinLockedError):
        check_pin(tmp_path, again, PIN, NOW)
    again.close()


@pytest.mark.parametrize("content", ["", "{}", '{"salt": "x", "hash": "y"}', "null"])
def test_a_broken_pin_file_lets_nobody_through(tmp_path: Path, store: ApprovalStore, content: str) -> None:
    (tmp_path / PIN_FILE).touch(0o600)
    (tmp_path / PIN_FILE).write_text(content, encoding="utf-8")

    assert has_pin(tmp_path)
    with pytest.raises(ApprovalsUnavailableError, match="holds something else"):
        check_pin(tmp_path, store, "", NOW)


def test_a_pin_file_that_others_may_read_lets_nobody_through(tmp_path: Path, store: ApprovalStore) -> None:
    set_pin(tmp_path, PIN)
    (tmp_path / PIN_FILE).chmod(0o644)

    with pytest.raises(ApprovalsUnavailableError, match="yours alone"):
        check_pin(tmp_path, store, PIN, NOW)


def test_a_link_in_place_of_the_pin_counts_as_one_and_lets_nobody_through(tmp_path: Path, store: ApprovalStore) -> None:
    (tmp_path / PIN_FILE).symlink_to(tmp_path / "nowhere")

    assert has_pin(tmp_path)
    with pytest.raises(ApprovalsUnavailableError):
        check_pin(tmp_path, store, PIN, NOW)
