"""Secrets in answers."""

import json
import re
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.appwrite.results.masking import mask
from handrail.appwrite.results.secret_names import secret_names
from handrail.json_types import Json
from tests.appwrite.results.corpus import DATA, recorded

pytestmark = pytest.mark.unit

HASH = "$argon2id$v=19$m=65536,t=4,p=3$VVFFaml2TEhWZFd1REguQg$fxPXZwIUTmWTpZEUbmHBXfN0fRGiUVKVoMPlM4dLCZA"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJ1c2VySWQiOiJ1MSJ9.s5JtV0bqkZ8Y9xQm"
KEY = "standard_" + "0123456789abcdef" * 16
SUSPECT = re.compile(
    r"secret|token|passw|pass$|key|hash|jwt|salt|private|credential|otp|codes?$|recovery|hmac|signature|cookie|^value$"
    r"|dsn|uri$|cert|pem|p8|serviceAcc|challenge|connection|^vars|variables|phrase",
    re.IGNORECASE,
)
# Every place at which a recorded answer was masked, each of them looked at: nothing else is masked.
MASKED = {
    "secret",
    "jwt",
    "password",
    "recoveryCodes",
    "hashOptions.type",
    "hashOptions.memory_cost",
    "hashOptions.time_cost",
    "hashOptions.threads",
    "uri",  # otpauth://...?secret=***
    "parameters.example",  # the beginning of a private key, in an example
}


def _changed(before: Json, after: Json, name: str = "", around: str = "") -> set[str]:
    if isinstance(before, dict) and isinstance(after, dict):
        assert list(before) == list(after)
        return set().union(*(_changed(before[key], after[key], key, name) for key in before))
    if isinstance(before, list) and isinstance(after, list):
        assert len(before) == len(after)
        return set().union(*(_changed(one, two, name, around) for one, two in zip(before, after, strict=True)))
    if json.dumps(before) == json.dumps(after):
        return set()
    return {f"{around}.{name}" if around in {"hashOptions", "parameters"} else name}


@pytest.mark.promise("secrets-are-masked")
def test_no_recorded_answer_shows_a_secret_and_nothing_else_is_masked() -> None:
    changed: set[str] = set()
    for answer in recorded():
        masked = mask(answer.body)
        shown = json.dumps(masked.document)

        assert not re.search(r"<(?:SECRET|JWT|KEY|COOKIE)>|\$argon2|secret=[^*]", shown), answer.call
        assert (masked.count == 0) == (masked.document == answer.body)
        changed |= _changed(answer.body, masked.document)

    assert changed == MASKED


@pytest.mark.promise("secrets-are-masked")
@pytest.mark.parametrize(
    ("document", "shown", "count"),
    [
        ({"password": HASH, "hash": "argon2"}, {"password": "***", "hash": "argon2"}, 1),
        ({"hashOptions": {"salt": "x", "costCpu": 8}}, {"hashOptions": {"salt": "***", "costCpu": "***"}}, 1),
        ({"secret": "s", "$id": "k"}, {"secret": "***", "$id": "k"}, 1),
        ({"providerAccessToken": "t", "providerAccessTokenExpiry": "2027"},
         {"providerAccessToken": "***", "providerAccessTokenExpiry": "2027"}, 1),
        ({"credentials": {"apiKey": "k", "domain": "d", "eu": True}},
         {"credentials": {"apiKey": "***", "domain": "***", "eu": True}}, 1),
        ({"vars": [{"key": "A", "value": "1", "secret": False, "resourceType": "function"}]},
         {"vars": [{"key": "A", "value": "***", "secret": False, "resourceType": "function"}]}, 1),
        ({"variables": [{"value": "x"}, {"key": "A", "value": ""}]},
         {"variables": [{"value": "***"}, {"key": "A", "value": ""}]}, 1),
        ({"responseBody": '{"token": "t", "n": 1}', "logs": '{"n": 1.0}'},
         {"responseBody": '{"token":"***","n":1}', "logs": '{"n": 1.0}'}, 1),
        ({"variables": [{"name": "DB", "value": "x"}]}, {"variables": [{"name": "DB", "value": "***"}]}, 1),
        ({"requestHeaders": [{"name": "Authorization", "value": "Bearer x"}, {"name": "host", "value": "h"}]},
         {"requestHeaders": [{"name": "Authorization", "value": "***"}, {"name": "host", "value": "h"}]}, 1),
        ({"requestHeaders": [{"name": "x-appwrite-key", "value": "k"}]},
         {"requestHeaders": [{"name": "x-appwrite-key", "value": "***"}]}, 1),
        ({"signatureKey": "k", "httpPass": "p", "authPassword": "p", "httpUser": "u"},
         {"signatureKey": "***", "httpPass": "***", "authPassword": "***", "httpUser": "u"}, 3),
        ({"smtpPassword": "p", "smtpUsername": "u"}, {"smtpPassword": "***", "smtpUsername": "u"}, 1),
        ({"connectionString": "mysql://u:p@h/d", "connectionPassword": "p", "connectionUser": "u"},
         {"connectionString": "***", "connectionPassword": "***", "connectionUser": "u"}, 2),
        ({"recoveryCodes": ["a1", "b2"]}, {"recoveryCodes": ["***", "***"]}, 2),
        ({"authMockNumbers": [{"phone": "+1", "otp": "123456"}]},
         {"authMockNumbers": [{"phone": "+1", "otp": "***"}]}, 1),
        ({"$id": "c", "userId": "u", "expire": "2027", "code": "123456"},
         {"$id": "c", "userId": "u", "expire": "2027", "code": "***"}, 1),
        ({"redirectUrl": "https://h/cb?code=0123456789abcdef0&state=x"},
         {"redirectUrl": "https://h/cb?code=***&state=x"}, 1),
        ({"otp": 123456}, {"otp": "***"}, 1),
        ({"tokens": [{"$id": "t", "secret": JWT}]}, {"tokens": [{"$id": "t", "secret": "***"}]}, 1),
        ({"rows": [{"api_key": "k", "ACCESS_TOKEN": "t", "userPassword": "p"}]},
         {"rows": [{"api_key": "***", "ACCESS_TOKEN": "***", "userPassword": "***"}]}, 3),
        ({"data": {"usersCreateSession": {"secret": "s"}}}, {"data": {"usersCreateSession": {"secret": "***"}}}, 1),
        (f"see {JWT}, {KEY} and {HASH}.", "see ***, *** and ***", 3),
        ({"logs": "https://h/x?a=1&secret=abc&b=2 postgres://u:pw@h/d"},
         {"logs": "https://h/x?a=1&secret=***&b=2 postgres://u:***@h/d"}, 2),
        ("-----BEGIN PRIVATE KEY-----\nMII\n-----END PRIVATE KEY-----\nrest", "***\nrest", 1),
    ],
)  # fmt: skip
def test_a_secret_is_masked_and_counted(document: Json, shown: Json, count: int) -> None:
    masked = mask(document)

    assert (masked.document, masked.count) == (shown, count)


@pytest.mark.parametrize(
    "document",
    [
        {"$id": "abc", "tokenCount": 5, "tokens": 1532, "secretary": "Ann", "secretaryName": "Ann"},
        {"key": "title", "type": "string", "default": "x"},
        {"key": "password", "type": "string", "default": None},
        {"secret": True, "password": "", "token": None, "passwordUpdate": "2027-01-01", "hash": "argon2"},
        {"nextPageToken": "p2", "page_token": "p", "cursorToken": "c", "tokenType": "Bearer"},
        {"twoWayKey": "k", "keyId": "i", "publicKey": "p", "primaryKey": "id", "providerCommitHash": "abc"},
        {"url": "https://h/?code=de&userId=u", "code": "EU", "expire": "2027"},
        {"signature": "md5", "code": "de", "authPhone": 3, "authEmailPassword": True, "compass": "N"},
        {"variables": [{"name": "A", "value": "example", "placeholder": "", "secret": False, "type": "text"}]},
        {"scopes": [{"$id": "keys.read", "description": "Read the project's keys"}]},
        {"url": "https://h/?token={token}&key=title", "mail": "a@example.com", "time": "12:30@home"},
        {"deep": [{"passport": "x", "monkey": "y", "tokenize": "z", "hotkey": "w", "turkey": "v"}]},
    ],
)
def test_what_only_looks_like_a_secret_is_shown(document: Json) -> None:
    assert mask(document).document == document
    assert mask(document).count == 0


def test_documents_within_documents_end_no_stack() -> None:
    text = '{"a":' * 99 + '{"token":"t"}' + "}" * 99
    for _ in range(6):
        text = '{"a":' * 90 + json.dumps(text) + "}" * 90
    document: Json = {"t": text, "deep": "[" * 100_000 + "]" * 100_000}

    assert mask(document).document == document


def _fields_of_the_sdks() -> set[str]:
    names: set[str] = set()
    for sdk in ("appwrite", "appwrite_console"):
        spec = find_spec(sdk)
        assert spec is not None
        assert spec.origin is not None
        for path in (Path(spec.origin).parent / "models").glob("*.py"):
            names.update(re.findall(r"alias='([^']+)'", path.read_text(encoding="utf-8")))
    return names


def test_every_field_of_the_sdks_that_may_be_a_secret_was_looked_at() -> None:
    reviewed = set((DATA / "shown_fields.txt").read_text(encoding="utf-8").split())
    fields = _fields_of_the_sdks()
    shown = {name for name in fields if SUSPECT.search(name) and not secret_names().is_secret(name)}

    assert len(fields) > 500
    assert shown - reviewed == set()


def test_every_secret_field_of_the_sdks_is_in_the_table() -> None:
    names = secret_names()
    secret = {name for name in _fields_of_the_sdks() if names.is_secret(name)}

    assert {name for name in secret if re.sub(r"[^a-z0-9]", "", name.lower()) not in names.table} == set()
    assert len(secret) > 30


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


@given(JSON)
def test_masking_keeps_everything_that_is_no_secret_exactly(document: Json) -> None:
    masked = mask(document)

    assert masked.count > 0 or json.dumps(masked.document) == json.dumps(document)
    assert mask(masked.document).document == masked.document


@pytest.mark.parametrize(
    "text",
    [
        "://a" * 100_000,
        "?token=" * 100_000,
        "eyJ" * 300_000,
        "-----BEGIN PRIVATE KEY-----" * 20_000,
        "$2a$" * 200_000,
        "x://" + "a:" * 200_000,
        "-----BEGIN " * 50_000,
    ],
)
def test_a_long_text_is_looked_through_in_a_moment(text: str) -> None:
    assert mask({"t": text}).count >= 0
