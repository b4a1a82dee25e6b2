"""The teams service: teams, their preferences and memberships."""

from http import HTTPStatus

from handrail.json_types import Json, JsonObject
from handrail.sandbox.errors import ApiError, Fail
from handrail.sandbox.filters import Kind
from handrail.sandbox.routing import NO_CONTENT, Answer, Call, Route, listing, text_fields
from handrail.sandbox.state import SandboxState
from handrail.sandbox.users import find_user

__all__ = ["ROUTES"]

_READ = ("teams.read",)
_WRITE = ("teams.write",)
_FIELDS = text_fields("name", "billingPlan") | {"total": Kind.NUMBER}
_MEMBERSHIP_FIELDS = text_fields("userId", "teamId", "invited", "joined", "roles") | {"confirm": Kind.FLAG}


def _team(call: Call) -> JsonObject:
    if call.ids["teamId"] not in call.state.teams:
        raise ApiError(Fail.TEAM_NOT_FOUND)
    return call.state.teams[call.ids["teamId"]]


def _create(call: Call) -> Answer:
    state = call.state
    team_id, name = call.params.new_id("teamId", state.new_id), call.params.text("name")
    if team_id in state.teams:
        raise ApiError(Fail.TEAM_EXISTS)
    now = state.stamp()
    state.teams[team_id] = {
        "$id": team_id,
        "$createdAt": now,
        "$updatedAt": now,
        "name": name,
        "total": 0,
        "prefs": {},
    }
    return Answer(state.teams[team_id], HTTPStatus.CREATED)


def _list(call: Call) -> Answer:
    return listing(call, "teams", call.state.teams.values(), _FIELDS, "Team")


def _get(call: Call) -> Answer:
    return Answer(_team(call))


def _update_name(call: Call) -> Answer:
    team, name = _team(call), call.params.text("name")
    team.update({"name": name, "$updatedAt": call.state.stamp()})
    for membership in _memberships(call.state, team):
        membership["teamName"] = name
    return Answer(team)


def _delete(call: Call) -> Answer:
    team = _team(call)
    for membership in _memberships(call.state, team):
        del call.state.memberships[str(membership["$id"])]
    del call.state.teams[str(team["$id"])]
    return NO_CONTENT


def _get_prefs(call: Call) -> Answer:
    return Answer(_team(call)["prefs"])


def _update_prefs(call: Call) -> Answer:
    team, prefs = _team(call), call.params.mapping("prefs")
    team.update({"prefs": prefs, "$updatedAt": call.state.stamp()})
    return Answer(prefs)


def _memberships(state: SandboxState, team: JsonObject) -> list[JsonObject]:
    return [membership for membership in state.memberships.values() if membership["teamId"] == team["$id"]]


def _membership(call: Call) -> JsonObject:
    team = _team(call)
    membership = call.state.memberships.get(call.ids["membershipId"])
    if membership is None or membership["teamId"] != team["$id"]:
        raise ApiError(Fail.MEMBERSHIP_NOT_FOUND)
    return membership


def _invited(call: Call) -> JsonObject:
    """The user that is meant: by id, e-mail or phone. Inviting strangers, which mails them, is lacked."""
    state, params = call.state, call.params
    user_id, email, phone = params.text_or("userId", ""), params.email("email"), params.phone("phone")
    if not (user_id or email or phone):
        raise ApiError(Fail.ARGUMENT_INVALID, "At least one of userId, email, or phone is required")
    if user_id:
        return find_user(state, user_id)
    for user in state.users.values():
        if (email and user["email"] == email) or (phone and user["phone"] == phone):
            return user
    raise ApiError(Fail.NOT_IMPLEMENTED, "invitations of unknown people: create the user first")


def _create_membership(call: Call) -> Answer:
    state, team, roles = call.state, _team(call), call.params.texts("roles")
    user = _invited(call)
    if any(membership["userId"] == user["$id"] for membership in _memberships(state, team)):
        raise ApiError(Fail.MEMBERSHIP_CONFIRMED)
    now, membership_id = state.stamp(), state.new_id()
    state.memberships[membership_id] = {
        "$id": membership_id,
        "$createdAt": now,
        "$updatedAt": now,
        "userId": user["$id"],
        "userName": user["name"],
        "userEmail": user["email"],
        "userPhone": user["phone"],
        "teamId": team["$id"],
        "teamName": team["name"],
        "invited": now,
        "joined": now,
        "confirm": True,
        "mfa": user["mfa"],
        "userAccessedAt": user["accessedAt"],
        "roles": list[Json](roles),
    }
    team["total"] = len(_memberships(state, team))
    return Answer(state.memberships[membership_id], HTTPStatus.CREATED)


def _list_memberships(call: Call) -> Answer:
    return listing(call, "memberships", _memberships(call.state, _team(call)), _MEMBERSHIP_FIELDS, "Membership")


def _get_membership(call: Call) -> Answer:
    return Answer(_membership(call))


def _update_membership(call: Call) -> Answer:
    roles, membership = call.params.texts("roles"), _membership(call)
    membership.update({"roles": list[Json](roles), "$updatedAt": call.state.stamp()})
    return Answer(membership)


def _delete_membership(call: Call) -> Answer:
    # Unlike its neighbours the real one looks for the membership first, and calls it an invitation.
    membership = call.state.memberships.get(call.ids["membershipId"])
    if membership is None or membership["teamId"] != call.ids["teamId"]:
        raise ApiError(Fail.INVITE_NOT_FOUND)
    del call.state.memberships[str(membership["$id"])]
    team = _team(call)
    team["total"] = len(_memberships(call.state, team))
    return NO_CONTENT


def _accept(call: Call) -> Answer:
    del call
    raise ApiError(Fail.NOT_IMPLEMENTED, "the acceptance of an invitation, which is for people and never for keys")


ROUTES = (
    Route("POST", "/teams", _WRITE, _create),
    Route("GET", "/teams", _READ, _list),
    Route("GET", "/teams/{teamId}", _READ, _get),
    Route("PUT", "/teams/{teamId}", _WRITE, _update_name),
    Route("DELETE", "/teams/{teamId}", _WRITE, _delete),
    Route("GET", "/teams/{teamId}/prefs", _READ, _get_prefs),
    Route("PUT", "/teams/{teamId}/prefs", _WRITE, _update_prefs),
    Route("POST", "/teams/{teamId}/memberships", _WRITE, _create_membership),
    Route("GET", "/teams/{teamId}/memberships", _READ, _list_memberships),
    Route("GET", "/teams/{teamId}/memberships/{membershipId}", _READ, _get_membership),
    Route("PATCH", "/teams/{teamId}/memberships/{membershipId}", _WRITE, _update_membership),
    Route("DELETE", "/teams/{teamId}/memberships/{membershipId}", _WRITE, _delete_membership),
    # A key never has the scope `public`, so this always ends in the real one's 401.
    Route("PATCH", "/teams/{teamId}/memberships/{membershipId}/status", ("public",), _accept),
)
