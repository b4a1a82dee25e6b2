"""The key of a home, and what is sealed with it."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.approvals import ApprovalsUnavailableError, InvalidKind
from handrail.approvals.sealing import KEY_FILE, KeyFileError, Purpose, Seal, Spendable, load_key
from tests.approvals.callers import NOW, YES, Bench, Caller, Reply, action

SEAL = Seal(b"k" * 32)


def test_a_key_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    key = load_key(tmp_path)

    assert len(key) == 32
    assert load_key(tmp_path) == key
    assert (tmp_path / KEY_FILE).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644, 0o601])
def test_a_key_that_others_may_use_is_refused_with_what_to_do(tmp_path: Path, mode: int) -> None:
    load_key(tmp_path)
    (tmp_path / KEY_FILE).chmod(mode)

    with pytest.raises(KeyFileError, match=f"mode {mode:04o}") as refused:
        load_key(tmp_path)

    assert str(refused.value.next_step).startswith(f"Remove {tmp_path / KEY_FILE}")


@pytest.mark.parametrize("content", [b"", b"k" * 31, b"k" * 33, b"k" * 10_000])
def test_a_key_of_another_length_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / KEY_FILE).touch(0o600)
    (tmp_path / KEY_FILE).write_bytes(content)

    with pytest.raises(KeyFileError, match="32 bytes"):
        load_key(tmp_path)


@pytest.mark.parametrize("kind", ["folder", "pipe", "link", "dangling"])
def test_a_key_that_is_no_plain_file_is_refused(tmp_path: Path, kind: str) -> None:
    path, other = tmp_path / KEY_FILE, tmp_path / "other"
    match kind:
        case "folder":
            path.mkdir(0o700)
        case "pipe":
            os.mkfifo(path, 0o600)
        case "link":
            other.touch(0o600)
            other.write_bytes(b"k" * 32)
            path.symlink_to(other)
        case _:
            path.symlink_to(other)

    with pytest.raises(KeyFileError):
        load_key(tmp_path)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_key_of_another_user_is_refused(tmp_path: Path) -> None:
    load_key(tmp_path)
    os.chown(tmp_path / KEY_FILE, 65_534, 65_534)

    with pytest.raises(KeyFileError, match="another user"):
        load_key(tmp_path)


async def test_a_key_that_can_not_be_used_refuses_grave_calls(at: Bench) -> None:
    load_key(at.home)
    (at.home / KEY_FILE).chmod(0o644)
    caller = Caller(Reply("accept", YES))

    with pytest.raises(ApprovalsUnavailableError, match="mode 0644"):
        await at.level(action(), caller)

    assert not caller.asked


TEXTS = st.text(max_size=20)


@given(digest=TEXTS, owner=TEXTS, others=st.tuples(TEXTS, TEXTS))
def test_a_sealed_text_is_worth_something_for_its_own_deed_and_caller_only(
    digest: str, owner: str, others: tuple[str, str]
) -> None:
    text = SEAL.issue(Purpose.ASK, digest=digest, owner=owner, expires_at=NOW + 1)

    assert isinstance(SEAL.check(text, Purpose.ASK, digest=digest, owner=owner, now=NOW), Spendable)
    found = SEAL.check(text, Purpose.ASK, digest=others[0], owner=others[1], now=NOW)
    assert isinstance(found, Spendable) is ((digest, owner) == others)
    assert Seal(b"o" * 32).check(text, Purpose.ASK, digest=digest, owner=owner, now=NOW) is InvalidKind.ALTERED


@given(text=st.one_of(st.text(), st.none(), st.integers(), st.binary(), st.from_regex(r"(ask|preview)\.\d+\.\w+\.\w+")))
def test_what_was_never_sealed_is_worth_nothing(text: object) -> None:
    assert not isinstance(SEAL.check(text, Purpose.ASK, digest="d", owner="o", now=0), Spendable)


def test_an_end_can_not_be_moved(at: Bench) -> None:
    text = SEAL.issue(Purpose.ASK, digest="d", owner="o", expires_at=NOW)
    moved = text.replace(str(int(NOW)), str(int(NOW) + 1))

    assert at.now == NOW
    assert SEAL.check(text, Purpose.ASK, digest="d", owner="o", now=NOW) is InvalidKind.EXPIRED
    assert SEAL.check(moved, Purpose.ASK, digest="d", owner="o", now=NOW) is InvalidKind.ALTERED
