"""One encoder for everything that searches by meaning: it is most of what a server holds in memory."""

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from handrail.encoder import Encoder

__all__ = ["SharedEncoder"]


class SharedEncoder:
    """Gives the package's encoder, loaded when it is first asked for. Safe to ask from many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._encoder: Encoder | None = None

    def __call__(self) -> "Encoder":
        """The encoder, the same one each time.

        Raises:
            EncoderDataError: its data cannot be used; the next who asks tries again.
        """
        with self._lock:
            if self._encoder is None:
                from handrail.encoder import load_encoder  # noqa: PLC0415  (not needed to start a server)

                self._encoder = load_encoder()
            return self._encoder
