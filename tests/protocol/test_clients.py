"""How long a call waits."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.protocol.clients import CLIENTS, UNKNOWN_CLIENT, WaitPolicy, patience_of

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("name", "limit_s"),
    [
        ("claude-code", 120),
        ("codex-mcp-client", 300),
        ("gemini-cli-mcp-client", 600),
        ("github-copilot-developer", 180),
        ("Visual Studio Code - Insiders", 60),
        ("opencode", 60),
        ("Cline", 60),
        ("continue-cli-client", 60),
        ("a client that nobody knows", 60),
        ("", 60),
    ],
)
def test_nobody_is_made_to_wait_close_to_the_limit_of_their_host(name: str, limit_s: float) -> None:
    patience = patience_of(name)

    assert patience.usual <= patience.longest <= 0.85 * limit_s


def test_an_unknown_client_waits_less_than_the_smallest_limit_met() -> None:
    assert WaitPolicy().seconds("") == 4
    assert patience_of("mcp-inspector") == UNKNOWN_CLIENT
    assert patience_of("mcp") == UNKNOWN_CLIENT


@pytest.mark.parametrize("name", CLIENTS)
def test_a_known_client_is_known_in_any_case_of_letters(name: str) -> None:
    assert patience_of(name.upper()) == CLIENTS[name]


@pytest.mark.parametrize(
    ("setting", "asked", "expected"),
    [
        (None, None, 120),
        (None, 20, 20),
        (None, 0, 0),
        (None, 10_000, 240),
        (7, None, 7),
        (7, 20, 20),
        (500, 10_000, 500),
        (0, None, 0),
    ],
)
def test_the_callers_word_outranks_the_setting_which_outranks_the_table(
    setting: float | None, asked: float | None, expected: float
) -> None:
    assert WaitPolicy(default_s=setting).seconds("codex-mcp-client", asked) == expected


@given(
    name=st.one_of(st.text(), st.sampled_from(sorted(CLIENTS))),
    setting=st.none() | st.floats(min_value=0, max_value=1e6),
    asked=st.none() | st.floats(),
)
def test_a_wait_is_bounded_whatever_is_asked(name: str, setting: float | None, asked: float | None) -> None:
    seconds = WaitPolicy(default_s=setting).seconds(name, asked)

    assert 0 <= seconds <= max(patience_of(name).longest, setting or 0)
    assert not math.isnan(seconds)
