"""The path of a call: find -> check -> judge -> admit -> plan -> journal -> send -> journal -> shape.

Whatever is refused on the way was not sent. Whatever can change something is in the journal before it is sent.
"""

import hashlib
import json
import logging
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Final

import anyio
import anyio.to_thread

from handrail.approvals import Action, Admission, Gate, NeedsApprovalError
from handrail.appwrite.call_effects import effect_of_call
from handrail.appwrite.catalog import Catalog
from handrail.appwrite.catalog.model import Method
from handrail.appwrite.downloads import DownloadRoot
from handrail.appwrite.files_on_disk import UploadRoots
from handrail.appwrite.judging import Where, action_of, entry_of, require_narrow, require_read, with_file
from handrail.appwrite.outcome import CallResult, Outcome, needs_approval, refused
from handrail.appwrite.plan import RequestPlan
from handrail.appwrite.planner import plan_request
from handrail.appwrite.preview import ReadTwins
from handrail.appwrite.request import CallRequest
from handrail.appwrite.sending import Sent
from handrail.appwrite.switches import Switches
from handrail.appwrite.targets import Target, Targets
from handrail.arguments import ArgumentChecker
from handrail.errors import HandrailError
from handrail.hints import Effect
from handrail.journal import Journal, JournalError
from handrail.json_types import JsonMapping, JsonObject
from handrail.lazy import Lazy
from handrail.protocol.tool import Call, InputRequired

if TYPE_CHECKING:
    from handrail.appwrite.results.shaper import ResultShaper

__all__ = ["CallParts", "Calls"]

_LOG: Final = logging.getLogger(__name__)

_CHECKERS_KEPT: Final = 128


@dataclass(frozen=True, slots=True)
class CallParts:
    """What calls are made with.

    Attributes:
        catalog: the methods, read at the first call.
        targets: the projects.
        gate: lets calls through.
        journal: what is written down.
        shaper: makes an answer bearable.
        twins: finds the reads that show what a write would change.
        switches: what may be called at all.
        uploads: the folders that files may be sent from.
        downloads: the folder that answers may be saved to.
    """

    catalog: Lazy[Catalog]
    targets: Targets
    gate: Gate
    journal: Journal
    shaper: "Lazy[ResultShaper]"
    twins: Lazy[ReadTwins]
    switches: Switches = field(default_factory=Switches)
    uploads: UploadRoots = field(default_factory=UploadRoots)
    downloads: DownloadRoot = field(default_factory=DownloadRoot)


class Calls:
    """Calls methods of the catalog."""

    def __init__(self, parts: CallParts) -> None:
        self._parts = parts
        self._known: dict[str, _Known] = {}

    async def call(self, request: CallRequest, call: Call) -> CallResult:
        """Make a call, or say why not.

        Args:
            request: what is asked for.
            call: who asks; can be asked back.

        Raises:
            InputRequired: the caller is asked first (2026-07-28); nothing was sent.
        """
        judged = _Judged(request, call)
        try:
            shaper = await self._parts.shaper.get()
            shaper.check(request.pick)
            ready = await self._ready(judged)
            journal_id = await self._begin(judged, ready)
        except HandrailError as error:
            return await self._refused(judged, error)
        except InputRequired:
            await self._note(judged, Outcome.NEEDS_APPROVAL)
            raise
        result = await self._send(judged, ready, journal_id)
        if request.save_as is not None:
            result = await self._saved(request.save_as, result, reveal=request.reveal is True)
        return await shaper.shape(
            replace(result, project=judged.project, journal_id=journal_id),
            method=ready.method,
            effect=ready.effect,
            owner=call.owner,
            reveal=request.reveal is True,
            page=request.page,
            pick=request.pick,
            arguments=request.arguments,
        )

    async def preview(self, request: CallRequest, call: Call) -> JsonObject:
        """What a call would do, what is there now, and what it needs. Only reads are sent.

        Raises:
            HandrailError: the call itself would be refused for what it is.
        """
        judged = _Judged(request, call)
        ready = await self._judge(judged)
        action = judged.required_action()
        need = self._parts.gate.need(action)
        shown = await self._preview(judged, ready)
        token = await self._parts.gate.preview_token(action) if action.grave else None
        return {
            "tool": ready.method.tool,
            "project": judged.project,
            **shown,
            "grave": [*sorted(action.grave)],
            "needs": {"level": need.level.name.lower(), "why": [*need.why]},
            **({"token": token} if token else {}),
        }

    async def method_of(self, tool: str) -> Method:
        """The method of a tool name, as far as the switches let it be called.

        Raises:
            HandrailError: there is none, or a switch forbids it.
        """
        known = await self._find(tool)
        return known.method

    async def _judge(self, judged: "_Judged") -> "_Ready":
        """The call with its effect and its request, once it is known to be one that could be made."""
        request = judged.request
        known = await self._find(request.tool)
        known.checker.check(dict(request.arguments))
        effect = effect_of_call(known.method, request.arguments)
        target = await self._parts.targets.get(request.project)
        backend = target.transport.backend
        where = Where(backend.project, backend.identity or backend.endpoint, is_default=target.is_default)
        judged.action = action_of(known.method, effect, request, where, owner=judged.call.owner)
        # Only now, so that what a switch refuses is in the journal.
        self._parts.switches.check(known.method, effect)
        if request.reads_only:
            require_read(request.tool, effect)
        require_narrow(known.method, effect, request)
        backend.require_configured()
        if request.save_as is not None:
            self._parts.downloads.check(request.save_as)
        judged.plan = await self._plan(known.method, request.arguments, backend.project)
        judged.action = with_file(judged.required_action(), judged.plan)
        return _Ready(known.method, effect, target, judged.plan)

    async def _ready(self, judged: "_Judged") -> "_Ready":
        ready = await self._judge(judged)

        async def preview() -> JsonObject:
            return await self._preview(judged, ready)

        action = judged.required_action()
        judged.admission = await self._parts.gate.admit(action, judged.request.consent, judged.call, preview)
        return ready

    async def _begin(self, judged: "_Judged", ready: "_Ready") -> str | None:
        action = judged.required_action()
        if not action.is_write and not action.grave:
            return None
        return await self._parts.journal.begin(
            entry_of(action, judged.request, judged.call.client, plan=ready.plan, admission=judged.admission)
        )

    async def _send(self, judged: "_Judged", ready: "_Ready", journal_id: str | None) -> CallResult:
        sent: Sent | None = None
        try:
            sent = await ready.target.sender.call(ready.method, judged.request.arguments, ready.effect, ready.plan)
        finally:
            # Also where the caller is gone: what was sent was sent.
            with anyio.CancelScope(shield=True):
                await self._finish(judged, ready, journal_id, sent)
        return sent.result

    async def _finish(self, judged: "_Judged", ready: "_Ready", journal_id: str | None, sent: Sent | None) -> None:
        outcome = sent.result.outcome if sent else Outcome.UNKNOWN
        status = sent.result.status if sent else None
        if journal_id is None and not self._parts.journal.keeps_reads:
            return
        digest = hashlib.sha256(sent.answer.content).hexdigest() if sent and sent.answer else None
        if journal_id is None:
            action = judged.required_action()
            entry = entry_of(action, judged.request, judged.call.client, plan=ready.plan, admission=judged.admission)
            await self._parts.journal.note_read(entry, outcome.value, status=status, digest=digest)
            return
        try:
            await self._parts.journal.finish(journal_id, outcome.value, status=status, digest=digest)
        except JournalError as error:
            _LOG.warning("the end of call %s is not in the journal: %s", journal_id, error.message)

    async def _refused(self, judged: "_Judged", error: HandrailError) -> CallResult:
        """A call that was not sent. A write that was refused is written down, as far as that can be done."""
        asks = isinstance(error, NeedsApprovalError)
        outcome = Outcome.NEEDS_APPROVAL if asks else Outcome.REFUSED
        result = needs_approval(judged.request.tool, error) if asks else refused(judged.request.tool, error)
        journal_id = None if isinstance(error, JournalError) else await self._note(judged, outcome)
        return replace(result, project=judged.project, journal_id=journal_id)

    async def _note(self, judged: "_Judged", outcome: Outcome) -> str | None:
        """Write down a write that was not sent; its id in the journal, where there is one."""
        action = judged.action
        if action is None or (not action.is_write and not action.grave):
            return None
        entry = entry_of(action, judged.request, judged.call.client, plan=judged.plan, admission=None)
        try:
            return await self._parts.journal.note(entry, outcome.value)
        except JournalError as problem:
            _LOG.warning("a call of %s that was not sent is not in the journal: %s", action.tool, problem.message)
            return None

    async def _preview(self, judged: "_Judged", ready: "_Ready") -> JsonObject:
        from handrail.appwrite.preview.preview import preview_of  # noqa: PLC0415  (not needed to start a server)
        from handrail.appwrite.results.shaper import seen  # noqa: PLC0415  (likewise)

        async def read(method: Method, arguments: JsonObject) -> CallResult:
            effect = effect_of_call(method, arguments)
            self._parts.switches.check(method, effect)
            plan = await self._plan(method, arguments, ready.target.transport.backend.project)
            sent = await ready.target.sender.call(method, arguments, effect, plan)
            return replace(sent.result, result=seen(sent.result.result))

        twins = await self._parts.twins.get()
        return await preview_of(ready.method, judged.request.arguments, ready.effect, ready.plan, twins, read)

    async def _plan(self, method: Method, arguments: JsonMapping, project: str) -> RequestPlan:
        config = {"project": project}
        if method.upload is None:
            return plan_request(method, arguments, config=config)
        # In a thread: a file on disk is looked at.
        plan = partial(plan_request, method, arguments, config=config, files=self._parts.uploads)
        return await anyio.to_thread.run_sync(plan)

    async def _saved(self, name: str, result: CallResult, *, reveal: bool) -> CallResult:
        """The answer in a file of its own. Where it cannot be, the answer says so and is still there."""
        if result.outcome is not Outcome.DONE:
            return result
        from handrail.appwrite.results.masking import mask  # noqa: PLC0415  (not needed to start a server)

        document = result.result if reveal else mask(result.result).document
        content = result.file.content if result.file else json.dumps(document, ensure_ascii=False).encode()
        try:
            saved = await anyio.to_thread.run_sync(self._parts.downloads.save, name, content)
        except HandrailError as error:
            return replace(result, error=error.as_json())
        return replace(result, result=saved.as_json(), file=None)

    async def _find(self, tool: str) -> "_Known":
        known = self._known.get(tool)
        if known is None:
            method = (await self._parts.catalog.get()).get(tool)
            if len(self._known) >= _CHECKERS_KEPT:
                self._known.clear()
            known = self._known[tool] = _Known(method, ArgumentChecker(method.input_schema()))
        return known


@dataclass(frozen=True, slots=True)
class _Known:
    method: Method
    checker: ArgumentChecker


@dataclass(frozen=True, slots=True)
class _Ready:
    """A call that could be sent."""

    method: Method
    effect: Effect
    target: Target
    plan: RequestPlan


@dataclass(slots=True)
class _Judged:
    """What is known of a call so far: it may be refused at any step, and what was known is written down."""

    request: CallRequest
    call: Call
    action: Action | None = None
    plan: RequestPlan | None = None
    admission: Admission | None = None

    @property
    def project(self) -> str | None:
        return self.action.project if self.action else None

    def required_action(self) -> Action:
        if self.action is None:
            raise RuntimeError("a call goes on that was not judged")
        return self.action
