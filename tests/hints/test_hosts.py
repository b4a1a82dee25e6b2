"""What hosts make of hints, as it was measured: one row for each kind of tool that was tried."""

import pytest

from handrail.hints import Hints
from handrail.hints.hosts import HOSTS

pytestmark = pytest.mark.unit

READ = Hints(read_only=True, destructive=False, idempotent=True, open_world=False)
CLOSED_WRITE = Hints(read_only=False, destructive=False, idempotent=False, open_world=False)
WRITE = Hints(read_only=False, destructive=False, idempotent=False, open_world=True)
DELETE = Hints(read_only=False, destructive=True, idempotent=True, open_world=True)


@pytest.mark.parametrize(
    ("host", "hints", "begins"),
    [
        ("Codex", READ, "runs it without asking"),
        ("Codex", CLOSED_WRITE, "runs it without asking"),
        ("Codex", WRITE, "asks first"),
        ("Codex", DELETE, "asks first"),
        ("Copilot", READ, "runs it without asking"),
        ("Copilot", CLOSED_WRITE, "asks first"),
        ("Copilot", DELETE, "asks first"),
        ("Claude Code", READ, "asks unless a rule allows it; plan mode lets"),
        ("Claude Code", WRITE, "asks unless a rule allows it; plan mode blocks"),
        ("Gemini", READ, "asks; `-p` hides it, unless"),
        ("Gemini", WRITE, "asks; `-p` hides it, also"),
        ("opencode", DELETE, "run it without asking, whatever"),
    ],
)
def test_a_host_does_what_was_measured(host: str, hints: Hints, begins: str) -> None:
    (found,) = [one for one in HOSTS if one.name.startswith(host)]

    assert found.makes_of(hints).startswith(begins)
