"""Who may do what, what an id may look like, and what the stand-in says of what it lacks."""

import json
from collections.abc import Callable

import httpx2
import pytest

from handrail.sandbox import API_KEY, SandboxState
from handrail.sandbox.dispatch import ROUTES
from handrail.sandbox.errors import VERSION, Fail

pytestmark = pytest.mark.unit


def refusal(response: httpx2.Response) -> tuple[int, str]:
    return response.status_code, response.json()["type"]


async def test_another_project_is_not_found(client: httpx2.AsyncClient) -> None:
    response = await client.get("/users", headers={"x-appwrite-project": "other"})
    assert refusal(response) == (404, "project_not_found")


async def test_a_wrong_key_is_unauthorized(client: httpx2.AsyncClient) -> None:
    response = await client.get("/users", headers={"x-appwrite-key": "standard_nope"})
    assert refusal(response) == (401, "user_unauthorized")


async def test_a_key_needs_the_scope_of_the_route(state: SandboxState, client: httpx2.AsyncClient) -> None:
    state.keys["reader"] = frozenset({"users.read"})
    reading = {"x-appwrite-key": "reader"}
    assert (await client.get("/users", headers=reading)).status_code == 200
    refused = await client.post("/users", json={"userId": "u"}, headers=reading)
    assert refusal(refused) == (401, "general_unauthorized_scope")
    assert refused.json()["message"] == (
        'app.sandbox@service.127.0.0.1 (role: applications) missing scopes (["users.write"])'
    )
    assert state.users == {}


async def test_a_guest_sees_what_is_public_only(client: httpx2.AsyncClient) -> None:
    guest = {"x-appwrite-key": ""}
    assert (await client.get("/functions/runtimes", headers=guest)).json()["total"] > 0
    assert refusal(await client.get("/functions/runtimes")) == (401, "general_unauthorized_scope")
    assert refusal(await client.get("/users", headers=guest)) == (401, "general_unauthorized_scope")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/sites"),
        ("GET", "/tablesdb/transactions"),
        ("GET", "/users/identities"),
        ("GET", "/users/usage"),
        ("DELETE", "/users"),
        ("GET", "/users/u/passkeys"),
        ("POST", "/graphql"),
    ],
)
async def test_a_route_that_is_lacked_answers_501_and_says_so(
    client: httpx2.AsyncClient, method: str, path: str
) -> None:
    response = await client.request(method, path)
    assert response.status_code == 501
    assert response.json() == {
        "message": f"The local stand-in for Appwrite does not have the route {method} {path}.",
        "code": 501,
        "type": "general_not_implemented",
        "version": VERSION,
    }


@pytest.mark.parametrize("url", ["http://sandbox.test/", "http://sandbox.test/v2/users", "http://sandbox.test/v1/nope"])
async def test_what_the_real_one_has_not_either_is_its_html_page(client: httpx2.AsyncClient, url: str) -> None:
    response = await client.get(url)
    assert response.status_code == 404
    assert response.headers["content-type"].startswith("text/html")


@pytest.mark.parametrize("bad", ["%2e%2e%2Fteams", "a%2Fsessions", "x%3Fy", "_u", "u" * 37, "%C3%A9", "-u"])
async def test_an_id_in_a_path_stays_in_its_segment_and_keeps_the_rules(
    state: SandboxState, client: httpx2.AsyncClient, bad: str
) -> None:
    response = await client.delete(f"/users/{bad}")
    assert refusal(response) == (400, "general_argument_invalid")
    assert response.json()["message"].startswith("Invalid `userId` param: Parameter must contain at most 36 chars.")
    assert [record.path for record in state.requests] == [f"/v1/users/{bad}"]


@pytest.mark.parametrize("bad", ["", "_u", "u" * 37, "a/b", "ü", 3, None])
async def test_an_id_for_something_new_keeps_the_rules(client: httpx2.AsyncClient, bad: object) -> None:
    response = await client.post("/users", json={"userId": bad})
    assert refusal(response) == (400, "general_argument_invalid")


async def test_unique_makes_a_fresh_id_each_time(client: httpx2.AsyncClient) -> None:
    made = [(await client.post("/teams", json={"teamId": "unique()", "name": "T"})).json()["$id"] for _ in range(2)]
    assert made[0] != made[1]
    assert all(len(team_id) == 20 for team_id in made)


async def test_a_body_that_is_too_large_is_refused_unread(state: SandboxState, client: httpx2.AsyncClient) -> None:
    # Appwrite has no word for it, so this answer is the stand-in's own and no error of the catalogue.
    with pytest.raises(AssertionError, match="413"):
        await client.post("/users", content=b"x" * (32 * 1024 * 1024 + 1))
    assert [record.status for record in state.requests] == [413]


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"NaN", b"\xff\xfe", b"[" * 100_000])
async def test_a_body_that_is_no_object_counts_as_no_parameters(client: httpx2.AsyncClient, body: bytes) -> None:
    response = await client.post("/users", content=body)
    assert refusal(response) == (400, "general_argument_invalid")
    assert response.json()["message"] == 'Param "userId" is not optional.'


def test_every_error_is_one_of_appwrites_with_its_code(error_codes: dict[str, int]) -> None:
    own = {Fail.NOT_IMPLEMENTED, Fail.BODY_TOO_LARGE}
    wrong = {fail.name for fail in Fail if fail not in own and error_codes.get(fail.wire_type) != fail.code}
    assert wrong == set()
    assert {fail.wire_type for fail in own} <= set(error_codes)


def test_every_route_is_one_of_appwrites(operations: Callable[[str, str], bool]) -> None:
    strange = [
        (route.method, route.template) for route in ROUTES if not operations(route.method.lower(), route.template)
    ]
    assert strange == []
    assert len({(route.method, route.template) for route in ROUTES}) == len(ROUTES)


async def test_what_arrived_is_noted_with_its_answer(state: SandboxState, client: httpx2.AsyncClient) -> None:
    await client.get("/users?search=x")
    await client.post("/users", content=json.dumps({"userId": "u"}))
    await client.get("/nope")
    assert [(record.method, record.path, record.status) for record in state.requests] == [
        ("GET", "/v1/users", 200),
        ("POST", "/v1/users", 201),
        ("GET", "/v1/nope", 404),
    ]
    assert state.keys == {API_KEY: None}
