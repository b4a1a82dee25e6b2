"""Sends a plan: in one request, or chunk by chunk where its file is larger than one."""

from handrail.appwrite.json_document import json_document
from handrail.appwrite.plan import RequestPlan
from handrail.appwrite.planner import UploadIdError, chunks, with_upload_id
from handrail.appwrite.send_errors import AnswerLostError, NotSentError
from handrail.appwrite.transport import Answer, Transport

__all__ = ["send_plan"]

_OK = range(200, 300)


async def send_plan(transport: Transport, plan: RequestPlan, *, within_s: float | None = None) -> Answer:
    """Send a plan and return the answer to its last request, or the first one that is not a success.

    Args:
        transport: where it goes.
        plan: what is sent.
        within_s: seconds for the first request, when fewer than the limit. Each further chunk has the limit's own.

    Raises:
        NotSentError: nothing was sent.
        AnswerLostError: something was sent and what became of it is not known.
    """
    first, *rest = chunks(plan)
    answer = await transport.send(first, within_s=within_s)
    upload_id = _id_of(answer) if rest else None
    for chunk in rest:
        if answer.status not in _OK or answer.cut is not None:
            return answer
        answer = await _send_later(transport, chunk, upload_id)
    return answer


async def _send_later(transport: Transport, chunk: RequestPlan, upload_id: str | None) -> Answer:
    try:
        return await transport.send(with_upload_id(chunk, upload_id))
    except (NotSentError, UploadIdError) as error:
        # Earlier chunks are there already: the upload as a whole is neither done nor undone.
        raise AnswerLostError(
            "The upload broke off after its first chunks.",
            next_step="Delete the unfinished file, then upload it again.",
            **error.data,
        ) from error


def _id_of(answer: Answer) -> str | None:
    try:
        document = json_document(answer.content)
    except ValueError:
        return None
    found = document.get("$id") if isinstance(document, dict) else None
    return found if isinstance(found, str) else None
