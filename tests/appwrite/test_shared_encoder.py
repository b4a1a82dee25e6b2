"""One encoder for all who search."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from handrail.appwrite.shared_encoder import SharedEncoder
from tests.docs.pages import WordEncoder

pytestmark = pytest.mark.unit


def test_however_many_ask_at_once_the_encoder_is_loaded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[WordEncoder] = []

    def load() -> WordEncoder:
        loaded.append(WordEncoder())
        return loaded[-1]

    monkeypatch.setattr("handrail.encoder.load_encoder", load)
    shared = SharedEncoder()
    with ThreadPoolExecutor(8) as threads:
        given = [*threads.map(lambda _: shared(), range(32))]

    assert len(loaded) == 1
    assert all(one is loaded[0] for one in given)
