"""Whatever happens in whatever order: an approval is used once at most, never after a no and never after its end."""

import shutil
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule

from handrail.approvals.errors import InvalidKind
from handrail.approvals.opening import open_store
from handrail.approvals.records import LIFETIME_S, Asked, Redeemed
from tests.approvals.callers import NOW

OWNERS = st.sampled_from(["local", "other"])
DIGESTS = st.sampled_from(["a" * 64, "b" * 64])


class Approvals(RuleBasedStateMachine):
    """The store beside a model of it: what each id is for, when it ends, and what was done with it."""

    ids = Bundle("ids")

    def __init__(self) -> None:
        super().__init__()
        self.home = Path(tempfile.mkdtemp())
        self.store = open_store(self.home)
        self.now = NOW
        self.asked: dict[str, tuple[str, str, float]] = {}
        self.agreed: set[str] = set()
        self.refused: set[str] = set()
        self.used: set[str] = set()

    @rule(target=ids, owner=OWNERS, digest=DIGESTS)
    def create(self, owner: str, digest: str) -> str:
        approval = self.store.create(Asked(owner, digest, "t", "p", "s", {}), self.now)
        known = self.asked.setdefault(approval.approval_id, (owner, digest, self.now + LIFETIME_S))
        assert known[:2] == (owner, digest)
        assert self.open(approval.approval_id), "what is over is not asked again under its id"
        assert approval.approval_id not in self.agreed
        return approval.approval_id

    @rule(approval=ids)
    def approve(self, approval: str) -> None:
        possible = self.open(approval) and approval not in self.agreed
        assert self.store.approve(approval, self.now) is possible
        if possible:
            self.agreed.add(approval)

    @rule(approval=ids)
    def decline(self, approval: str) -> None:
        possible = self.open(approval)
        assert self.store.decline(approval, self.now) is possible
        if possible:
            self.refused.add(approval)

    @rule(approval=ids, owner=OWNERS, digest=DIGESTS)
    def redeem(self, approval: str, owner: str, digest: str) -> None:
        possible = self.open(approval) and approval in self.agreed and self.asked[approval][:2] == (owner, digest)
        found = self.store.redeem(approval, owner=owner, digest=digest, now=self.now)
        assert (found is Redeemed.DONE) is possible
        if possible:
            self.used.add(approval)
        elif self.asked[approval][0] != owner:
            assert found is InvalidKind.UNKNOWN

    @rule(seconds=st.sampled_from([1.0, LIFETIME_S / 2, LIFETIME_S, LIFETIME_S * 3]))
    def time_goes_by(self, seconds: float) -> None:
        self.now += seconds

    @rule()
    def restart(self) -> None:
        self.store.close()
        self.store = open_store(self.home)

    @invariant()
    def only_what_waits_is_listed(self) -> None:
        waiting = {approval for approval in self.asked if self.open(approval) and approval not in self.agreed}
        assert {one.approval_id for one in self.store.waiting(self.now)} == waiting

    def open(self, approval: str) -> bool:
        """Whether it can still change."""
        over = approval in self.refused or approval in self.used
        return not over and self.now < self.asked[approval][2]

    def teardown(self) -> None:
        self.store.close()
        shutil.rmtree(self.home)


TestApprovals = Approvals.TestCase
TestApprovals.settings = settings(max_examples=30, stateful_step_count=30, deadline=None)
