"""The store of approvals: what may happen once happens once, in all processes and after restarts."""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from handrail.approvals import ApprovalsFullError, ApprovalTooLargeError, InvalidKind
from handrail.approvals.opening import open_store
from handrail.approvals.records import LIFETIME_S, Approval, ApprovalState, Asked, Redeemed
from handrail.approvals.store import MAX_PENDING, ApprovalStore
from tests.approvals.callers import NOW

DIGEST = "d" * 64
PROCESSES = 8
_RACE = """
import sys
from pathlib import Path
from handrail.approvals.opening import open_store
from handrail.approvals.records import Redeemed
from handrail.approvals.sealing import load_key

home, approval, now = Path(sys.argv[1]), sys.argv[2], float(sys.argv[3])
store = open_store(home)
races = [
    lambda: store.redeem(approval, owner="local", digest="d" * 64, now=now) is Redeemed.DONE,
    lambda: store.spend("nonce", 2e9),
    lambda: store.use_rule("rule", 3),
    lambda: load_key(home).hex(),
]
for race in races:
    print("ready", flush=True)
    sys.stdin.readline()
    print(race(), flush=True)
"""


@dataclass(frozen=True, slots=True)
class Raced:
    """What each of several processes says that do the same at the same moment."""

    home: Path
    approval: str
    redeemed: list[str]
    spent: list[str]
    ruled: list[str]
    keys: list[str]


@pytest.fixture(scope="module")
def raced(tmp_path_factory: pytest.TempPathFactory) -> Raced:
    home = tmp_path_factory.mktemp("raced")
    store = open_store(home)
    approval = approved(store).approval_id
    store.close()
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", _RACE, str(home), approval, str(NOW)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(PROCESSES)
    ]
    said = [_race(racers) for _ in range(4)]
    for racer in racers:
        racer.communicate(timeout=60)
    return Raced(home, approval, *said)


def _race(racers: list[subprocess.Popen[str]]) -> list[str]:
    """Run the next race, once all stand ready: what each says."""
    assert _line_of_each(racers) == ["ready"] * PROCESSES
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write("go\n")
        racer.stdin.flush()
    return _line_of_each(racers)


def _line_of_each(racers: list[subprocess.Popen[str]]) -> list[str]:
    lines = []
    for racer in racers:
        assert racer.stdout is not None
        lines.append(racer.stdout.readline().strip())
    return lines


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ApprovalStore]:
    opened = open_store(tmp_path)
    yield opened
    opened.close()


def asked(number: int = 0, *, owner: str = "local", digest: str = DIGEST) -> Asked:
    return Asked(owner, digest, "tables_db_delete_row", "main", f"Delete row {number}", {"number": number})


def approved(store: ApprovalStore) -> Approval:
    approval = store.create(asked(), NOW)
    assert store.approve(approval.approval_id, NOW)
    return approval


ONE_OF_EIGHT = ["False"] * (PROCESSES - 1) + ["True"]


@pytest.mark.promise("an-approval-speaks-once")
def test_of_eight_processes_that_use_one_approval_one_may(raced: Raced) -> None:
    assert sorted(raced.redeemed) == ONE_OF_EIGHT
    store = open_store(raced.home)
    assert store.redeem(raced.approval, owner="local", digest=DIGEST, now=NOW) is InvalidKind.USED
    store.close()


@pytest.mark.promise("states-are-sealed")
def test_of_eight_processes_that_spend_one_nonce_one_may(raced: Raced) -> None:
    assert sorted(raced.spent) == ONE_OF_EIGHT


@pytest.mark.promise("rules-are-counted")
def test_of_eight_processes_that_use_a_rule_that_speaks_three_times_three_may(raced: Raced) -> None:
    assert sorted(raced.ruled) == ["False"] * (PROCESSES - 3) + ["True"] * 3


def test_eight_processes_that_need_a_key_at_once_have_the_same(raced: Raced) -> None:
    assert len(set(raced.keys)) == 1
    assert [path.name for path in raced.home.glob("*.key*")] == ["approvals.key"], "no draft is left"
    assert (raced.home / "approvals.key").stat().st_mode & 0o777 == 0o600


def test_what_was_agreed_to_is_there_after_a_restart(store: ApprovalStore, tmp_path: Path) -> None:
    approval = approved(store)
    store.close()
    again = open_store(tmp_path)

    found = again.get(approval.approval_id, NOW)

    assert found is not None
    assert (found.state, found.asked) == (ApprovalState.APPROVED, approval.asked)
    assert again.redeem(approval.approval_id, owner="local", digest=DIGEST, now=NOW) is Redeemed.DONE
    again.close()


def test_an_id_has_128_bits_and_none_is_like_another(store: ApprovalStore) -> None:
    ids = {store.create(asked(digest=f"{number:064x}"), NOW).approval_id for number in range(50)}

    assert len(ids) == 50
    assert all(len(bytes.fromhex(approval_id)) == 16 for approval_id in ids)


def test_a_caller_may_have_a_hundred_waiting_and_what_has_ended_makes_room(store: ApprovalStore) -> None:
    for number in range(MAX_PENDING):
        store.create(asked(digest=f"{number:064x}"), NOW + number)

    with pytest.raises(ApprovalsFullError) as full:
        store.create(asked(digest="new"), NOW + MAX_PENDING)

    assert full.value.data == {"limit": MAX_PENDING}
    assert full.value.next_step is not None
    assert "handrail approvals" in full.value.next_step
    store.create(asked(owner="other", digest="new"), NOW + MAX_PENDING)  # another caller has room of their own
    store.create(asked(digest="new"), NOW + LIFETIME_S)  # the oldest has ended


def test_what_nobody_can_read_can_not_be_approved(store: ApprovalStore) -> None:
    with pytest.raises(ApprovalTooLargeError):
        store.create(Asked("local", DIGEST, "t", "main", "s", {"data": "x" * 2_000_000}), NOW)


def test_a_day_after_its_end_nothing_is_known_of_an_approval(store: ApprovalStore) -> None:
    approval = approved(store)

    store.create(asked(1, digest="new"), NOW + LIFETIME_S + 24 * 3600)

    assert store.get(approval.approval_id, NOW) is None


def test_the_waiting_ones_are_listed_oldest_first_and_found_by_how_they_begin(store: ApprovalStore) -> None:
    first, second = (store.create(asked(number, digest=str(number)), NOW + number) for number in range(2))
    store.decline(store.create(asked(2, digest="2"), NOW).approval_id, NOW)

    assert [one.approval_id for one in store.waiting(NOW + 1)] == [first.approval_id, second.approval_id]
    assert [one.asked for one in store.beginning(first.approval_id[:12], NOW)] == [first.asked]
    assert store.waiting(NOW + LIFETIME_S) == [store.get(second.approval_id, NOW)]
    assert store.beginning("%", NOW) == store.beginning("_", NOW) == []


def test_what_is_no_text_is_kept_written_out(store: ApprovalStore) -> None:
    approval = store.create(Asked("local", DIGEST, "t", "p\0", "s\ud800", {"a": "\ud800\0"}), NOW)

    found = store.get(approval.approval_id, NOW)

    assert found is not None
    assert found.asked.preview == {"a": "\ud800\0"}
    assert found.asked.summary == "s\\ud800"
