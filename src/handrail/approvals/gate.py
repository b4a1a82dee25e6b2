"""The gate: whether a call may be sent, and who agreed to it.

switched off? -> a rule against it? -> what does it need? -> the answer to a question that was asked before
  -> a rule for it -> an approval that came along -> a preview's token -> ask the client -> needs a person
"""

import time
from collections.abc import Awaitable, Callable
from typing import Final

from handrail.approvals.action import Action, Mode
from handrail.approvals.asking import ASK_KEY, ASK_SCHEMA, Answer, Asker, agrees, question, reasons, shown
from handrail.approvals.errors import (
    ApprovalInvalidError,
    ConfirmationMissingError,
    DeclinedError,
    DeniedByRuleError,
    InvalidKind,
    NeedsApprovalError,
    WritesOffError,
)
from handrail.approvals.levels import Admission, Agreement, Consent, Need
from handrail.approvals.opening import ApprovalBook
from handrail.approvals.records import LIFETIME_S, Approval, Asked, Redeemed, iso
from handrail.approvals.rules import Policy, RuleEffect
from handrail.approvals.sealing import Purpose
from handrail.json_types import JsonObject

__all__ = ["DEFAULT_ASK_S", "Gate", "Preview"]

Preview = Callable[[], Awaitable[JsonObject]]
"""Finds out, without changing anything, what a person must see before they agree."""

DEFAULT_ASK_S: Final = 120.0
"""Seconds that a client has to answer where it is asked while its call waits."""
_INVALID: Final = {
    InvalidKind.UNKNOWN: "means nothing here",
    InvalidKind.EXPIRED: "has run out of time",
    InvalidKind.USED: "was used before",
    InvalidKind.ALTERED: "was given for another call: other arguments, another tool or another project",
    InvalidKind.DECLINED: "was declined",
}


class Gate:
    """Lets calls through, or says what is missing. Whatever it raises, nothing may be sent.

    Args:
        book: keeps approvals.
        mode: the switch `--writes`.
        policy: the user's rules.
        grave_tokens: whether the token of a preview does for grave calls: proof that a preview was shown, not that
            anybody agreed.
        ask_s: seconds that a client has to answer; 0: no client is asked.
        clock: seconds since 1970.
    """

    def __init__(
        self,
        book: ApprovalBook,
        *,
        mode: Mode = Mode.CONFIRM,
        policy: Policy | None = None,
        grave_tokens: bool = False,
        ask_s: float = DEFAULT_ASK_S,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._book = book
        self._mode = mode
        self._policy = policy or Policy()
        self._grave_tokens = grave_tokens
        self._ask_s = ask_s
        self._clock = clock

    async def admit(self, action: Action, consent: Consent, call: Asker, preview: Preview) -> Admission:
        """Let a call through.

        Args:
            action: what it would do.
            consent: what came with it.
            call: can be asked.
            preview: what a person is shown; called only where one is needed.

        Returns:
            How far up somebody agreed, and who.

        Raises:
            WritesOffError: writes are switched off.
            DeniedByRuleError: a rule refuses it.
            ConfirmationMissingError: `confirm_write` is not exactly true.
            ApprovalInvalidError: what came along does not speak for this call.
            DeclinedError: somebody was asked and did not agree.
            NeedsApprovalError: a person must agree first.
            ApprovalsFullError: too many wait for a person.
            ApprovalTooLargeError: there is more to look at than a person can.
            ApprovalsUnavailableError: approvals cannot be kept here.
            ActionError: its arguments cannot be bound to an approval.
        """
        need = self.need(action)
        if need.level is Agreement.NONE:
            return Admission(Agreement.NONE, "switch: writes=allow") if need.by_switch else _READ
        if need.level is Agreement.MODEL:
            return _confirmed(action, consent)
        admission = await self._settled(action, call, need) or await self._spoken_for(action, consent, need)
        if admission is None and call.request_state is None:
            admission = await self._asked(action, call, need)
        if admission is None:
            raise await self._needs_approval(action, preview, need)
        return admission

    def need(self, action: Action) -> Need:
        """What an action needs, by switch, rules and its own gravity.

        Raises:
            WritesOffError: writes are switched off.
            DeniedByRuleError: a rule refuses it.
        """
        if action.is_write and self._mode is Mode.OFF:
            raise WritesOffError(
                f"{action.tool} can change something ({action.effect.reason}), and writes are off.",
                next_step="Tell the person: only a restart of the server with other switches allows it.",
                **_evidence(action),
            )
        now = self._clock()
        for rule in self._policy.fitting(RuleEffect.DENY, action, now):
            raise DeniedByRuleError(
                f"{action.tool} is refused by the rule '{rule.name}' of the policy file.",
                next_step="Tell the person: only they can change the rule.",
                rule=rule.name,
            )
        asking = [rule.name for rule in self._policy.fitting(RuleEffect.ASK, action, now)]
        if asking:
            why = (f"the rule '{asking[0]}' asks for it each time", *reasons(action))
            return Need(Agreement.CLIENT, why, by_rule=False)
        return self._need_by_switch(action)

    async def preview_token(self, action: Action) -> str | None:
        """A token that shows that this action was previewed; None where the setting has none.

        Raises:
            ApprovalsUnavailableError: approvals cannot be kept here.
            ActionError: its arguments cannot be bound to a token.
        """
        if not self._grave_tokens:
            return None
        digest, ends = action.digest, self._clock() + LIFETIME_S
        return await self._book.do(
            lambda _store, seal: seal.issue(Purpose.PREVIEW, digest=digest, owner=action.owner, expires_at=ends)
        )

    def _need_by_switch(self, action: Action) -> Need:
        if not action.is_write and not action.grave:
            return Need(Agreement.NONE)
        if self._mode is Mode.ALLOW:
            return Need(Agreement.NONE, by_switch=True)
        if action.grave:
            return Need(Agreement.CLIENT, reasons(action), by_token=self._mode is Mode.CONFIRM)
        if self._mode is Mode.ASK:
            return Need(Agreement.CLIENT, ("every write is asked for (--writes ask)",))
        return Need(Agreement.MODEL, (action.effect.reason,))

    async def _settled(self, action: Action, call: Asker, need: Need) -> Admission | None:
        """What the answer says that comes with a question of an earlier round. Its question is used up by any answer.

        None where there was no question, or the client says that it cannot be asked after all.
        """
        if call.request_state is None:
            return None
        await self._use_up(call.request_state, Purpose.ASK, action)
        return _agreed(await self._answer(action, call, need, call.request_state))

    async def _spoken_for(self, action: Action, consent: Consent, need: Need) -> Admission | None:
        """What a rule or something that came along says."""
        if need.by_rule:
            for rule in self._policy.fitting(RuleEffect.ALLOW, action, self._clock()):
                if await self._may_be_used(rule.key, rule.times):
                    return Admission(Agreement.PERSON, f"person: rule {rule.name}")
        if consent.approval is not None:
            return await self._redeemed(action, consent.approval)
        if consent.token is not None and need.by_token and self._grave_tokens:
            await self._use_up(consent.token, Purpose.PREVIEW, action)
            return Admission(Agreement.MODEL, "model: token of a preview")
        return None

    async def _may_be_used(self, rule: str, times: int | None) -> bool:
        # Also where nothing is counted: without a home to keep approvals in, nothing grave is done.
        return await self._book.do(lambda store, _seal: times is None or store.use_rule(rule, times))

    async def _redeemed(self, action: Action, approval: object) -> Admission | None:
        if not isinstance(approval, str):
            raise _invalid(InvalidKind.UNKNOWN, "The approval")
        digest, now = action.digest, self._clock()
        found = await self._book.do(
            lambda store, _seal: store.redeem(approval, owner=action.owner, digest=digest, now=now)
        )
        if isinstance(found, InvalidKind):
            raise _invalid(found, f"The approval {shown(approval)[:64]}")
        if found is Redeemed.NOT_YET:
            return None
        return Admission(Agreement.PERSON, f"person: handrail approve {approval}")

    async def _use_up(self, text: object, purpose: Purpose, action: Action) -> None:
        digest, now = action.digest, self._clock()
        found = await self._book.do(
            lambda _store, seal: seal.check(text, purpose, digest=digest, owner=action.owner, now=now)
        )
        what = "The token of a preview" if purpose is Purpose.PREVIEW else "The question that this answers"
        if isinstance(found, InvalidKind):
            raise _invalid(found, what)
        if not await self._book.do(lambda store, _seal: store.spend(found.nonce, found.expires_at)):
            raise _invalid(InvalidKind.USED, what)

    async def _asked(self, action: Action, call: Asker, need: Need) -> Admission | None:
        if self._ask_s <= 0:
            return None
        digest, ends = action.digest, self._clock() + LIFETIME_S
        state = await self._book.do(
            lambda _store, seal: seal.issue(Purpose.ASK, digest=digest, owner=action.owner, expires_at=ends)
        )
        return _agreed(await self._answer(action, call, need, state))

    async def _answer(self, action: Action, call: Asker, need: Need, state: str) -> Answer | None:
        return await call.elicit(ASK_KEY, question(action, need.why), ASK_SCHEMA, state=state, seconds=self._ask_s)

    async def _needs_approval(self, action: Action, preview: Preview, need: Need) -> NeedsApprovalError:
        digest, now = action.digest, self._clock()
        approval = await self._book.do(lambda store, _seal: store.pending(action.owner, digest, now))
        if approval is None:
            asked = Asked(action.owner, digest, action.tool, action.project, action.summary, await preview())
            approval = await self._book.do(lambda store, _seal: store.create(asked, self._clock()))
        return _needs(action, need, approval)


_READ: Final = Admission(Agreement.NONE, "read")


def _confirmed(action: Action, consent: Consent) -> Admission:
    if consent.confirm_write is not True:
        raise ConfirmationMissingError(
            f"{action.tool} can change something ({action.effect.reason}); nothing was sent.",
            next_step="Make sure that this is wanted, then repeat the same call with confirm_write: true.",
            **_evidence(action),
        )
    return Admission(Agreement.MODEL, "model: confirm_write")


def _agreed(answer: Answer | None) -> Admission | None:
    if answer is None:
        return None
    if not agrees(answer):
        raise DeclinedError(
            "Nobody agreed to this call; nothing was sent.",
            next_step="Do not repeat it unless the person asks for it. Where the host answers without asking anybody, "
            "HANDRAIL_ASK_S=0 has a person approve it at a terminal instead.",
            answer=str(answer.action),
        )
    if answer.by_person:
        return Admission(Agreement.PERSON, "person: at the terminal")
    return Admission(Agreement.CLIENT, "client: elicitation")


def _invalid(kind: InvalidKind, what: str) -> ApprovalInvalidError:
    return ApprovalInvalidError(
        kind,
        f"{what} {_INVALID[kind]}; nothing was sent.",
        next_step="Make the call anew, without it, to ask again; do not repeat what was declined.",
    )


def _needs(action: Action, need: Need, approval: Approval) -> NeedsApprovalError:
    ends = iso(approval.expires_at)
    return NeedsApprovalError(
        f"{action.tool} needs a person's approval, and has none yet; nothing was sent.",
        next_step=f"Ask the person to run `handrail approve {approval.approval_id}` in a terminal of their own; then "
        f"repeat the same call with approval: {approval.approval_id}, before {ends}.",
        approval=approval.approval_id,
        state=approval.state.value,
        expires_at=ends,
        why=[*need.why],
        preview=approval.asked.preview,
    )


def _evidence(action: Action) -> JsonObject:
    effect = action.effect
    return {"hints": {**effect.hints.as_dict()}, "risks": [*sorted(effect.risks)], "rule": effect.rule}
