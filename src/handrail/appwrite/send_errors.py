"""What can become of a request that brings no answer.

SendError
├── NotSentError               it never reached Appwrite
│   ├── NotReachedInTimeError
│   ├── CertificateError       whoever answers there is not trusted
│   └── RequestImpossibleError
└── AnswerLostError            it went out, and its answer did not come back
    └── AnswerLateError
"""

from typing import ClassVar

from handrail.errors import UnavailableError

__all__ = [
    "AnswerLateError",
    "AnswerLostError",
    "CertificateError",
    "NotReachedInTimeError",
    "NotSentError",
    "RequestImpossibleError",
    "SendError",
]


class SendError(UnavailableError):
    """No answer came. `may_pass`: whether the same request may well be answered a moment later."""

    may_pass: ClassVar[bool] = True


class NotSentError(SendError):
    """The request never reached Appwrite. `data["endpoint"]` and `data["cause"]` say where and why."""

    type = "endpoint_unreachable"


class NotReachedInTimeError(NotSentError):
    """No connection in time. Whoever asks again asks for the same wait once more."""

    may_pass = False


class CertificateError(NotSentError):
    """The endpoint shows a certificate that is not trusted, or the file of those that are cannot be read."""

    type = "certificate_not_trusted"
    may_pass = False


class RequestImpossibleError(NotSentError):
    """What should be sent cannot be put into a request. `data["cause"]` names the kind of fault."""

    type = "request_impossible"
    may_pass = False


class AnswerLostError(SendError):
    """The request went out and its answer did not come back: what became of it is not known. `data["cause"]`."""

    type = "answer_lost"


class AnswerLateError(AnswerLostError):
    """The answer did not come in time. Whoever asks again asks for the same wait once more."""

    may_pass = False
