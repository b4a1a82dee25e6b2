"""Callers, deeds and a clock for the tests of the gate."""

import functools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from handrail.approvals import Action, ApprovalBook, Consent, Gate, Mode, Policy, grave_of
from handrail.errors import UnavailableError
from handrail.hints import Effect, Hints, Risk
from handrail.json_types import Json, JsonMapping, JsonObject

__all__ = [
    "NOW",
    "YES",
    "Bench",
    "Caller",
    "Question",
    "Reply",
    "RoundOverError",
    "action",
    "bench",
    "effect",
    "plain",
    "read",
]

NOW: Final = 1_800_000_000.0
YES: Final[JsonObject] = {"approve": True}
_READ: Final = Effect(
    Hints(read_only=True, destructive=False, idempotent=True, open_world=False), frozenset(), "r", "reads"
)


def effect(*risks: Risk) -> Effect:
    """The effect of a write."""
    hints = Hints(read_only=False, destructive=True, idempotent=True, open_world=True)
    return Effect(hints, frozenset(risks), "delete.one", "it deletes one thing")


def action(
    tool: str = "tables_db_delete_row",
    *,
    arguments: JsonObject | None = None,
    project: str = "main",
    owner: str = "local",
    risks: Sequence[Risk] = (Risk.IRREVERSIBLE,),
    other_project: bool = False,
) -> Action:
    """A grave deed."""
    does = effect(*risks)
    return Action(
        tool=tool,
        service="tables_db",
        arguments=arguments or {"row_id": "r1"},
        project=project,
        owner=owner,
        effect=does,
        grave=grave_of(does, deletes="delete" in tool, other_project=other_project),
        summary=f"{tool} of r1",
    )


def plain() -> Action:
    """A write that is not grave."""
    return action("tables_db_update_row", risks=())


def read(*, reveal: bool = False) -> Action:
    """A read."""
    return Action(
        tool="project_get_key",
        service="project",
        arguments={"key_id": "k"},
        project="main",
        owner="local",
        effect=_READ,
        grave=grave_of(_READ, reveal=reveal),
        summary="Get a key",
    )


class RoundOverError(Exception):
    """How a caller of 2026-07-28 is asked: the call ends."""

    def __init__(self, state: str, message: str) -> None:
        super().__init__(state)
        self.state = state
        self.message = message


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer to a question."""

    action: str
    content: JsonMapping = field(default_factory=dict)
    by_person: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """What was asked."""

    key: str
    message: str
    seconds: float


@dataclass(slots=True)
class Caller:
    """One call, and what its client says when asked.

    Attributes:
        reply: what comes back; None where the client cannot be asked.
        in_rounds: whether a first round ends with the question (2026-07-28).
        request_state: what came back with the call.
        tries: how often it was to be asked, also where it cannot be.
    """

    reply: Reply | None = None
    in_rounds: bool = False
    request_state: str | None = None
    asked: list[Question] = field(default_factory=list)
    tries: int = 0

    async def elicit(self, key: str, message: str, schema: JsonObject, *, state: str, seconds: float) -> Reply | None:
        assert schema["required"] == ["approve"]
        self.tries += 1
        if self.reply is None:
            return None
        self.asked.append(Question(key, message, seconds))
        if self.in_rounds and self.request_state is None:
            raise RoundOverError(state, message)
        return self.reply


@dataclass(slots=True)
class Bench:
    """A gate with a home of its own and a clock that only the test moves."""

    home: Path
    book: ApprovalBook
    now: float = NOW
    previews: int = 0
    backend_is_away: bool = False

    def gate(
        self, mode: Mode = Mode.CONFIRM, *, policy: Policy | None = None, tokens: bool = False, ask_s: float = 120
    ) -> Gate:
        return Gate(self.book, mode=mode, policy=policy, grave_tokens=tokens, ask_s=ask_s, clock=lambda: self.now)

    async def preview(self) -> JsonObject:
        if self.backend_is_away:
            raise UnavailableError("The backend is away.")
        self.previews += 1
        return {"before": {"name": "Ada"}, "after": None, "number": self.previews}

    async def level(
        self, deed: Action, caller: Caller | None = None, *, gate: Gate | None = None, **consent: Json
    ) -> tuple[str, str]:
        """Who agreed to a deed: `(level, by)`."""
        given = Consent(consent.get("confirm_write"), consent.get("approval"), consent.get("token"))
        admitted = await (gate or self.gate()).admit(deed, given, caller or Caller(), self.preview)
        return admitted.level.name, admitted.by

    async def approve(self, approval: str) -> bool:
        return await self.book.do(lambda store, _seal: store.approve(approval, self.now))

    async def decline(self, approval: str) -> bool:
        return await self.book.do(lambda store, _seal: store.decline(approval, self.now))


@contextmanager
def bench(home: Path) -> Iterator[Bench]:
    """A bench whose files are closed at the end."""
    home.mkdir(mode=0o700, exist_ok=True)
    with ApprovalBook(functools.partial(Path, home)) as book:
        yield Bench(home, book)
