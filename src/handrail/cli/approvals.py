"""`handrail approvals`, `approve`, `decline`: what waits for a person, and what they say."""

import time
from typing import Final

from handrail.approvals.pin import PIN_FILE, set_pin
from handrail.approvals.records import Approval, ApprovalState
from handrail.approvals.rules import POLICY_EXAMPLE
from handrail.approvals.store import ApprovalStore
from handrail.cli.approval_text import approval_lines, listing_row
from handrail.cli.output import Colour, paint, print_json, print_line, print_note, print_table
from handrail.cli.person import opened_store, require_person, require_pin, says_yes, typed_unseen
from handrail.cli.terminal import one_line
from handrail.errors import NotFoundError, RefusedError, UsageError
from handrail.json_types import Json

__all__ = ["approve", "change_pin", "decline", "list_approvals", "print_policy_example"]

_LOOK_SECONDS: Final = 1.0
_SHORTEST_START: Final = 4
_HEADERS: Final = ("ID", "AGE", "TOOL", "PROJECT", "WHAT IT DOES")


class OverError(RefusedError):
    """It cannot be decided any more. `data["state"]` says where it stands."""

    type = "approval_over"


def list_approvals(*, watch: bool, as_json: bool) -> None:
    """Print what waits for a person; with `watch` whatever else comes, until interrupted.

    Raises:
        UnavailableError: the home or the store cannot be used.
    """
    with opened_store() as (_, store):
        shown = _print_new(store, set(), as_json=as_json, lines=watch)
        if not watch:
            if not shown and not as_json:
                print_note("Nothing waits for your approval.")
            return
        while True:
            time.sleep(_LOOK_SECONDS)
            shown |= _print_new(store, shown, as_json=as_json, lines=True)


def print_policy_example() -> None:
    """Print a whole `policy.toml` with what each line means."""
    print_line(POLICY_EXAMPLE.rstrip("\n"))


def approve(approval_id: str) -> int:
    """Show what is to be approved and ask the person at the terminal.

    Returns:
        The exit code: 0 approved, 1 not.

    Raises:
        NoTerminalError: no person is there.
        NotFoundError: there is no such approval.
        OverError: it cannot be approved any more.
        PinWrongError: the PIN was wrong.
        PinLockedError: too many wrong PINs.
    """
    require_person("approve a call")
    with opened_store() as (home, store):
        approval = _found(store, approval_id)
        if approval.state is not ApprovalState.PENDING:
            raise _over(approval)
        _print_whole(approval)
        asked = approval.asked
        if not says_yes(f"Approve {asked.tool} on project {asked.project}, this once? [y/N] "):
            print_line("Not approved. It waits on; `handrail decline` ends it.")
            return 1
        require_pin(home, store)
        if not store.approve(approval.approval_id, time.time()):
            raise _over(_found(store, approval.approval_id))
    print_line(paint("Approved, this once.", Colour.GOOD))
    return 0


def decline(approval_id: str) -> int:
    """Say no for good, also after a yes that was not used yet.

    Returns:
        The exit code: 0.

    Raises:
        NotFoundError: there is no such approval.
        OverError: it is over already.
    """
    with opened_store() as (_, store):
        approval = _found(store, approval_id)
        if not store.decline(approval.approval_id, time.time()):
            raise _over(_found(store, approval.approval_id))
    print_line(f"Declined: {one_line(approval.asked.tool)} on project {one_line(approval.asked.project)}.")
    return 0


def change_pin(*, remove: bool) -> int:
    """Set the PIN, or take it away; the one before is asked for first.

    Returns:
        The exit code: 0 done, 1 not.

    Raises:
        NoTerminalError: no person is there.
        UsageError: the new one does not fit, or was typed in two ways.
        PinWrongError: the old one was wrong.
        PinLockedError: too many wrong PINs.
    """
    require_person("change the PIN")
    with opened_store() as (home, store):
        require_pin(home, store)
        if remove:
            (home / PIN_FILE).unlink(missing_ok=True)
            print_line("There is no PIN any more.")
            return 0
        pin = typed_unseen("New PIN: ")
        if typed_unseen("Once more: ") != pin:
            raise UsageError("The two were not the same; nothing was changed.", next_step="Try again.")
        set_pin(home, pin)
    print_line("The PIN is set. `handrail approve` asks for it from now on.")
    return 0


def _print_new(store: ApprovalStore, known: set[str], *, as_json: bool, lines: bool) -> set[str]:
    """Print those that wait and are not known: their ids."""
    now = time.time()
    new = [approval for approval in store.waiting(now) if approval.approval_id not in known]
    if as_json and lines:
        for approval in new:
            print_json(approval.as_json(), one_line=True)
    elif as_json:
        shown: list[Json] = [approval.as_json() for approval in new]
        print_json(shown)
    elif new:
        print_table(_HEADERS, [listing_row(approval, now) for approval in new])
    return {approval.approval_id for approval in new}


def _found(store: ApprovalStore, approval_id: str) -> Approval:
    found = store.beginning(approval_id, time.time()) if len(approval_id) >= _SHORTEST_START else []
    if len(found) == 1:
        return found[0]
    raise NotFoundError(
        f"{'More than one approval begins' if found else 'There is no approval that begins'} so.",
        next_step="`handrail approvals` lists those that wait.",
        approval=approval_id[:64],
    )


def _over(approval: Approval) -> OverError:
    return OverError(
        f"It cannot be decided any more: it is {approval.state.value}.",
        next_step="The call has to be made again to ask anew.",
        state=approval.state.value,
    )


def _print_whole(approval: Approval) -> None:
    for text, colour in approval_lines(approval, time.time()):
        print_line(paint(one_line(text), colour) if colour else one_line(text))
    print_line(paint("The whole preview:", Colour.STRONG))
    print_json(approval.asked.preview)
