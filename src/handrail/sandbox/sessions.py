"""The users service, second part: the sessions of a user."""

from datetime import timedelta
from http import HTTPStatus

from handrail.json_types import Json, JsonObject
from handrail.sandbox.errors import ApiError, Fail
from handrail.sandbox.routing import NO_CONTENT, Answer, Call, Route
from handrail.sandbox.state import wire_time
from handrail.sandbox.users import find_user

__all__ = ["ROUTES"]

_READ = ("users.read", "sessions.read")
_WRITE = ("users.write", "sessions.write")
_SESSION_LIFE = timedelta(days=365)


def _session(call: Call, user_id: str) -> JsonObject:
    state = call.state
    now = state.stamp()
    unknown = ("clientType", "clientCode", "clientName", "clientVersion", "clientEngine", "clientEngineVersion")
    empty = ("providerUid", "providerAccessToken", "providerAccessTokenExpiry", "providerRefreshToken", *unknown)
    return {
        "$id": state.new_id(),
        "$createdAt": now,
        "$updatedAt": now,
        "userId": user_id,
        "expire": wire_time(state.clock() + _SESSION_LIFE),
        "provider": "server",
        **dict.fromkeys((*empty, "osVersion", "deviceBrand", "deviceModel", "mfaUpdatedAt"), ""),
        "ip": "127.0.0.1",
        "osCode": "LIN",
        "osName": "GNU/Linux",
        "deviceName": "desktop",
        "countryCode": "us",
        "countryName": "United States",
        "current": False,
        "factors": ["server"],
        "secret": f"sandbox-session-{state.new_id()}",
    }


def _create_session(call: Call) -> Answer:
    session = _session(call, str(find_user(call.state, call.ids["userId"])["$id"]))
    call.state.sessions[str(session["$id"])] = session
    return Answer(session, HTTPStatus.CREATED)


def _sessions(call: Call) -> list[JsonObject]:
    user_id = find_user(call.state, call.ids["userId"])["$id"]
    return [session for session in call.state.sessions.values() if session["userId"] == user_id]


def _list_sessions(call: Call) -> Answer:
    sessions = _sessions(call)
    total = len(sessions) if call.params.flag_or("total", default=True) else 0
    return Answer({"total": total, "sessions": list[Json](sessions)})


def _delete_sessions(call: Call) -> Answer:
    for session in _sessions(call):
        del call.state.sessions[str(session["$id"])]
    return NO_CONTENT


def _delete_session(call: Call) -> Answer:
    wanted = call.ids["sessionId"]
    if wanted not in {session["$id"] for session in _sessions(call)}:
        raise ApiError(Fail.SESSION_NOT_FOUND)
    del call.state.sessions[wanted]
    return NO_CONTENT


ROUTES = (
    Route("POST", "/users/{userId}/sessions", _WRITE, _create_session),
    Route("GET", "/users/{userId}/sessions", _READ, _list_sessions),
    Route("DELETE", "/users/{userId}/sessions", _WRITE, _delete_sessions),
    Route("DELETE", "/users/{userId}/sessions/{sessionId}", _WRITE, _delete_session),
)
