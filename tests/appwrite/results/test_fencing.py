"""Hidden text made visible."""

import json
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from handrail.appwrite.results.fencing import fence, fence_document, may_hide
from handrail.json_types import Json
from tests.appwrite.results.corpus import HOSTILE

pytestmark = pytest.mark.unit

# Characters that have to do with each other, so that Hypothesis meets their sequences.
TRICKY = st.text(
    st.sampled_from("a1#\u200d\u200c\ufe0f\ufe0e\u20e3\u2764\U0001f469\U0001f3fd\U0001f3f4\u0645\u0915\U000e0067"
                    "\U000e0062\U000e0065\U000e006e\U000e007f\u202e\\u\ud800\U000e0101"),
    max_size=30,
)  # fmt: skip


@pytest.mark.promise("hidden-text-is-visible")
@pytest.mark.parametrize(("text", "seen"), HOSTILE)
def test_what_is_hidden_shows_as_its_escape(text: str, seen: str) -> None:
    assert fence(text) == seen
    assert may_hide(json.dumps([text], ensure_ascii=False)) == (seen != text)


@pytest.mark.promise("hidden-text-is-visible")
@given(st.text() | TRICKY)
@example("\U0001f469\u200d")
@example("\u202e\ufe0f\u20e3")
def test_to_fence_twice_is_to_fence_once(text: str) -> None:
    once = fence(text)

    assert fence(once) == once


@given(st.text() | TRICKY)
def test_no_character_that_turns_direction_or_carries_tags_alone_is_left(text: str) -> None:
    left = fence(text)

    assert not any(
        unicodedata.bidirectional(char) in {"RLO", "LRO", "RLE", "LRE", "RLI", "LRI", "PDI"} for char in left
    )
    assert not any(unicodedata.category(char) in {"Cc", "Cs", "Co"} for char in left if char not in "\t\n\r")
    left.encode()


@pytest.mark.parametrize(
    "text",
    [
        "plain, Grüße, 日本語, עברית, العربية\n\ttabs\r\n",
        "\U0001f469\u200d\U0001f4bb \U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466",
        "\u2764\ufe0f 1\ufe0f\u20e3 \U0001f44d\U0001f3fd \U0001f3f3\ufe0f\u200d\U0001f308 \U0001f1e9\U0001f1ea",
        "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \u0915\u094d\u200d\u0937",
        "\u2600\ufe0e",
    ],
)
def test_honest_text_stays_as_it_is(text: str) -> None:
    assert fence(text) == text


def test_names_are_fenced_too_and_no_value_gets_lost() -> None:
    document: Json = {"a\u200b": 1, "a\\u200b": [2**70, 1.0, 1, "x\u202e"], "n": None}

    fenced = fence_document(document)

    assert fenced == {"a\\u200b": 1, "a\\u200b~2": [2**70, 1.0, 1, "x\\u202e"], "n": None}
    assert fence_document(fenced) == fenced
