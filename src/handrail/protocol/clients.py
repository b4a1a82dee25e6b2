"""How long a call may wait: the caller's word, else the setting, else what is known of the client.

A host ends a call that takes longer than its own limit, and most hosts take no notice of progress. So nobody is made to
wait close to the limit of their host.
"""

import math
from dataclasses import dataclass
from typing import Final

__all__ = ["CLIENTS", "LONGEST_WAIT_S", "UNKNOWN_CLIENT", "Patience", "WaitPolicy", "patience_of"]


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a client waits for one call, in seconds.

    Attributes:
        usual: how long a call waits when nobody says.
        longest: how long it waits at most, whatever the caller asks for.
    """

    usual: float
    longest: float


LONGEST_WAIT_S: Final = 3600
"""How many seconds a call may ask to wait; how long it does is for `WaitPolicy` to say."""

UNKNOWN_CLIENT: Final = Patience(usual=4, longest=50)
"""Nothing is known: 4 s is under the smallest limit met (5 s), 50 s is under the commonest one (60 s).

So is the Python SDK's own name, `mcp`: openai-agents calls under it with 5 s, others with none."""

CLIENTS: Final[dict[str, Patience]] = {
    # The names marked * are what the program itself sends, read in its code or in a recording; the others are assumed.
    "claude-code": Patience(60, 100),  # * hours, but it moves a call to the background after 120 s
    "codex-mcp-client": Patience(120, 240),  # * 300 s, progress does not extend it
    "gemini-cli": Patience(120, 300),  # * 600 s, progress does not extend it
    "github-copilot-developer": Patience(60, 120),  # * 180 s of silence
    "visual studio code": Patience(30, 45),  # * none known; its chat stands still meanwhile
    "cursor": Patience(30, 45),  # * 60 s, the TypeScript SDK's own
    "continue": Patience(30, 45),  # * likewise
    "opencode": Patience(30, 45),  # 60 s of silence
    "cline": Patience(30, 45),  # 60 s, the TypeScript SDK's own
    "@cline": Patience(30, 45),  # likewise
}
"""By the beginning of `clientInfo.name`, in lower case. The longest beginning that fits counts."""


def patience_of(client_name: str) -> Patience:
    """What is known of a client's patience.

    Args:
        client_name: `clientInfo.name` as the client sends it; empty where it says nothing.
    """
    name = client_name.lower()
    known = [start for start in CLIENTS if name.startswith(start)]
    return CLIENTS[max(known, key=len)] if known else UNKNOWN_CLIENT


@dataclass(frozen=True, slots=True)
class WaitPolicy:
    """How long calls wait, and what becomes of a run whose waiting call is cancelled.

    Attributes:
        default_s: seconds to wait when the caller does not say, for every client; None: by what is known of the client.
        detach_on_cancel: leave the run alone when the call that waits for it is cancelled; else the run is cancelled.
        grace_s: seconds that a client of the tasks extension waits for a run that may be about to end, before it is
            handed a task. Short: a handle is to come at once.
    """

    default_s: float | None = None
    detach_on_cancel: bool = False
    grace_s: float = 0.02

    def seconds(self, client_name: str, asked: float | None = None) -> float:
        """How long this call waits, in seconds, never negative.

        Args:
            client_name: `clientInfo.name`.
            asked: what the caller asks for; None where it does not say.
        """
        patience = patience_of(client_name)
        usual = patience.usual if self.default_s is None else self.default_s
        if asked is None or math.isnan(asked):
            return usual
        return min(max(asked, 0.0), max(patience.longest, usual))
