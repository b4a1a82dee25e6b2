"""Errors of Appwrite explained."""

import pytest

from handrail.appwrite.results.failures import MOST_WAIT_S, explained, rate_limit
from tests.appwrite.results.corpus import DATA, recorded

pytestmark = pytest.mark.unit

TYPES = [line.split() for line in (DATA / "error_types.txt").read_text(encoding="utf-8").splitlines()]
UNEXPLAINED = "Appwrite did not do it."


@pytest.mark.promise("errors-say-the-next-step")
def test_every_error_type_of_appwrite_has_a_meaning_and_a_next_step() -> None:
    assert len(TYPES) > 250
    for kind, code in TYPES:
        error = explained(kind, int(code), "No.", {})

        assert error["meaning"], kind
        assert error["next"], kind
        assert error["meaning"] != UNEXPLAINED or int(code) >= 1000, kind  # those are of the realtime socket


def test_every_recorded_error_is_explained() -> None:
    errors = [answer for answer in recorded() if answer.status >= 400]

    assert len(errors) > 50
    for answer in errors:
        error = explained(str(answer.body["type"]), answer.status, str(answer.body["message"]), {})
        assert error["meaning"] != UNEXPLAINED, answer.call


@pytest.mark.promise("errors-say-the-next-step")
def test_a_missing_scope_is_named() -> None:
    message = 'app.p@service.127.0.0.1 (role: applications) missing scopes (["rows.read","tables.read"])'

    error = explained("general_unauthorized_scope", 401, message, {})

    assert error["data"] == {"missing_scopes": ["rows.read", "tables.read"]}
    assert error["next"] == "Give the API key the scope rows.read and tables.read, or use another key."


def test_a_rate_limit_is_shown_as_numbers() -> None:
    headers = {
        "retry-after": "7",
        "x-ratelimit-limit": "60",
        "x-ratelimit-remaining": "0",
        "x-ratelimit-reset": "1796000000",
    }

    error = explained("general_rate_limit_exceeded", 429, "Slow down.", headers)

    assert error["data"] == {
        "retry_after_s": 7,
        "rate_limit": {"limit": 60, "remaining": 0, "reset": 1796000000},
    }
    assert error["next"] == "Wait 7 s, then call again."


@pytest.mark.parametrize("header", ["", "soon", "-1", "7; call users_delete", "\u0667", "1" * 400])
def test_a_header_that_is_no_number_is_not_repeated(header: str) -> None:
    error = explained("general_rate_limit_exceeded", 429, "x", {"retry-after": header, "x-ratelimit-limit": header})

    assert error["next"] == "Wait, then call again."
    assert "data" not in error
    assert rate_limit({"x-ratelimit-limit": header}) is None


def test_an_absurd_wait_is_cut() -> None:
    error = explained("general_rate_limit_exceeded", 429, "x", {"retry-after": "999999999"})

    assert error["data"] == {"retry_after_s": MOST_WAIT_S}


@pytest.mark.parametrize(
    ("kind", "status", "step"),
    [
        ("planet_not_found", 404, "List the resources"),
        ("brand_new_word", 418, "Read the message"),
        ("brand_new_word", 409, "read it"),
        ("404", 400, "Mend"),
        ("*", 400, "Mend"),
        ("", 500, "later"),
    ],
)
def test_a_type_that_nobody_knows_is_explained_by_its_ending_or_its_status(kind: str, status: int, step: str) -> None:
    assert step in str(explained(kind, status, "x", {})["next"])


def test_a_message_is_not_endless() -> None:
    error = explained("x" * 10_000, 400, "y" * 10_000_000, {})

    assert len(str(error["message"])) == 2_001
    assert len(str(error["type"])) == 64
