"""Users, sessions, teams and memberships."""

import httpx2
import pytest

from handrail.json_types import JsonObject
from handrail.sandbox import SandboxState

pytestmark = pytest.mark.unit


@pytest.fixture
async def ada(client: httpx2.AsyncClient) -> JsonObject:
    made: JsonObject = (
        await client.post("/users", json={"userId": "ada", "email": "Ada@Example.com", "phone": "+491234567"})
    ).json()
    return made


def refusal(response: httpx2.Response) -> tuple[int, str]:
    return response.status_code, response.json()["type"]


@pytest.mark.parametrize(
    "body",
    [
        {"userId": "ada"},
        {"userId": "other", "email": "ada@example.com"},
        {"userId": "other", "phone": "+491234567"},
    ],
)
@pytest.mark.usefixtures("ada")
async def test_a_user_is_unique_by_id_address_and_number(client: httpx2.AsyncClient, body: JsonObject) -> None:
    assert refusal(await client.post("/users", json=body)) == (409, "user_already_exists")
    assert (await client.get("/users")).json()["total"] == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("email", "nope"),
        ("email", 3),
        ("phone", "123"),
        ("phone", "+0123"),
        ("password", "short"),
        ("password", "x" * 257),
        ("name", "x" * 129),
        ("name", ["x"]),
    ],
)
async def test_a_malformed_field_of_a_user_is_named(client: httpx2.AsyncClient, name: str, value: object) -> None:
    response = await client.post("/users", json={"userId": "u", name: value})
    assert refusal(response) == (400, "general_argument_invalid")
    assert response.json()["message"].startswith(f"Invalid `{name}` param: ")


async def test_a_password_is_never_given_back(state: SandboxState, client: httpx2.AsyncClient) -> None:
    made = await client.post("/users", json={"userId": "u", "password": "canary-password"})
    assert made.json()["password"].startswith("$argon2id$")
    changed = await client.patch("/users/u/password", json={"password": "canary-password-2"})
    assert changed.json()["password"] != made.json()["password"]
    assert "canary" not in made.text + changed.text + str(state.users)
    assert (await client.patch("/users/u/password", json={"password": ""})).json()["password"] is None
    assert refusal(await client.patch("/users/u/password", json={})) == (400, "general_argument_invalid")


@pytest.mark.usefixtures("ada")
async def test_each_field_can_be_changed_by_itself(client: httpx2.AsyncClient) -> None:
    changes: list[tuple[str, str, JsonObject]] = [
        ("PATCH", "name", {"name": "Ada L."}),
        ("PATCH", "email", {"email": "new@example.com"}),
        ("PATCH", "phone", {"number": "+4999"}),
        ("PATCH", "status", {"status": False}),
        ("PUT", "labels", {"labels": ["a", "b", "a"]}),
        ("PATCH", "verification", {"emailVerification": True}),
        ("PATCH", "verification/phone", {"phoneVerification": True}),
        ("PATCH", "mfa", {"mfa": True}),
        ("PATCH", "impersonator", {"impersonator": True}),
        ("PATCH", "prefs", {"prefs": {"theme": "dark"}}),
    ]
    for method, path, body in changes:
        assert (await client.request(method, f"/users/ada/{path}", json=body)).status_code == 200
    user = (await client.get("/users/ada")).json()
    wanted = {"name": "Ada L.", "email": "new@example.com", "phone": "+4999", "status": False, "labels": ["a", "b"]}
    wanted |= {"emailVerification": True, "phoneVerification": True, "mfa": True, "impersonator": True}
    assert {name: user[name] for name in wanted} == wanted
    assert (await client.get("/users/ada/prefs")).json() == {"theme": "dark"}
    assert user["$updatedAt"] > user["$createdAt"]


@pytest.mark.usefixtures("ada")
async def test_an_address_or_number_of_somebody_else_is_refused(client: httpx2.AsyncClient) -> None:
    await client.post("/users", json={"userId": "b"})
    taken = await client.patch("/users/b/email", json={"email": "ada@example.com"})
    assert refusal(taken) == (409, "user_email_already_exists")
    number = await client.patch("/users/b/phone", json={"number": "+491234567"})
    assert refusal(number) == (409, "user_phone_already_exists")
    assert (await client.patch("/users/ada/email", json={"email": "ada@example.com"})).status_code == 200
    assert (await client.patch("/users/ada/phone", json={"number": ""})).json()["phone"] == ""


@pytest.mark.parametrize("labels", [["a b"], ["ä"], "x", [1], ["x"] * 101])
@pytest.mark.usefixtures("ada")
async def test_labels_are_short_plain_words(client: httpx2.AsyncClient, labels: object) -> None:
    response = await client.put("/users/ada/labels", json={"labels": labels})
    assert refusal(response) == (400, "general_argument_invalid")


@pytest.mark.usefixtures("ada")
async def test_a_session_ends_alone_or_with_all_others(client: httpx2.AsyncClient) -> None:
    made = [(await client.post("/users/ada/sessions")).json()["$id"] for _ in range(3)]
    assert (await client.delete(f"/users/ada/sessions/{made[0]}")).status_code == 204
    assert refusal(await client.delete(f"/users/ada/sessions/{made[0]}")) == (404, "user_session_not_found")
    left = (await client.get("/users/ada/sessions")).json()
    assert [session["$id"] for session in left["sessions"]] == made[1:]
    await client.delete("/users/ada/sessions")
    assert (await client.get("/users/ada/sessions")).json()["total"] == 0


@pytest.mark.usefixtures("ada")
async def test_search_queries_and_total_narrow_a_list(client: httpx2.AsyncClient) -> None:
    await client.post("/users", json={"userId": "grace", "name": "Grace"})
    assert [user["$id"] for user in (await client.get("/users?search=GRA")).json()["users"]] == ["grace"]
    query = '{"method":"equal","attribute":"status","values":[true]}'
    for spelling in ("queries[0]", "queries[]"):
        assert (await client.get("/users", params={spelling: query})).json()["total"] == 2
    unasked = (await client.get("/users?total=false")).json()
    assert (unasked["total"], len(unasked["users"])) == (0, 2)


@pytest.mark.usefixtures("ada")
async def test_a_team_counts_its_members_and_forgets_those_who_go(client: httpx2.AsyncClient) -> None:
    await client.post("/users", json={"userId": "grace", "name": "Grace", "email": "g@example.com"})
    await client.post("/teams", json={"teamId": "t", "name": "Team"})
    by_id = await client.post("/teams/t/memberships", json={"userId": "ada", "roles": ["dev"]})
    by_address = await client.post("/teams/t/memberships", json={"email": "g@example.com", "roles": []})
    assert (await client.get("/teams/t")).json()["total"] == 2
    again = await client.post("/teams/t/memberships", json={"userId": "ada", "roles": []})
    assert refusal(again) == (409, "membership_already_confirmed")
    path = f"/teams/t/memberships/{by_id.json()['$id']}"
    assert (await client.patch(path, json={"roles": ["owner"]})).json()["roles"] == ["owner"]
    assert (await client.get(path)).json()["userName"] == ""
    assert (await client.put("/teams/t", json={"name": "New"})).json()["name"] == "New"
    assert (await client.get(path)).json()["teamName"] == "New"
    assert (await client.get("/users/ada/memberships")).json()["total"] == 1
    await client.delete("/users/ada")
    assert (await client.delete(f"/teams/t/memberships/{by_address.json()['$id']}")).status_code == 204
    assert (await client.get("/teams/t")).json()["total"] == 0


async def test_deleting_a_team_ends_its_memberships(state: SandboxState, client: httpx2.AsyncClient) -> None:
    await client.post("/users", json={"userId": "u"})
    await client.post("/teams", json={"teamId": "t", "name": "Team"})
    await client.post("/teams/t/memberships", json={"userId": "u", "roles": []})
    await client.delete("/teams/t")
    assert (state.teams, state.memberships) == ({}, {})
    assert refusal(await client.get("/teams/t")) == (404, "team_not_found")


async def test_inviting_a_stranger_is_lacked_and_says_so(client: httpx2.AsyncClient) -> None:
    await client.post("/teams", json={"teamId": "t", "name": "Team"})
    response = await client.post("/teams/t/memberships", json={"email": "who@example.com", "roles": []})
    assert refusal(response) == (501, "general_not_implemented")
    missing = await client.post("/teams/t/memberships", json={"userId": "who", "roles": []})
    assert refusal(missing) == (404, "user_not_found")
    assert refusal(await client.post("/teams", json={"teamId": "t", "name": "T"})) == (409, "team_already_exists")
