"""The users service: users, what belongs to them, and their preferences."""

import base64
import hashlib
from http import HTTPStatus

from handrail.json_types import Json, JsonObject
from handrail.sandbox.errors import ApiError, Fail, argument_invalid
from handrail.sandbox.filters import Kind
from handrail.sandbox.routing import NO_CONTENT, Answer, Call, Route, listing, text_fields
from handrail.sandbox.state import SandboxState

__all__ = ["ROUTES", "find_user"]

_READ = ("users.read",)
_WRITE = ("users.write",)
_HASH_OPTIONS: JsonObject = {"type": "argon2", "memory_cost": 65536, "time_cost": 4, "threads": 3}
_PASSWORD_LENGTHS = range(8, 257)
_MAX_LABELS = 1000
_FIELDS = text_fields("name", "email", "phone", "passwordUpdate", "registration", "labels") | {
    "status": Kind.FLAG,
    "emailVerification": Kind.FLAG,
    "phoneVerification": Kind.FLAG,
    "impersonator": Kind.FLAG,
}
_MEMBERSHIP_FIELDS = text_fields("userId", "teamId", "invited", "joined", "roles") | {"confirm": Kind.FLAG}


def find_user(state: SandboxState, user_id: str) -> JsonObject:
    """The user's document.

    Raises:
        ApiError: user_not_found.
    """
    if user_id not in state.users:
        raise ApiError(Fail.USER_NOT_FOUND)
    return state.users[user_id]


def _user(call: Call) -> JsonObject:
    return find_user(call.state, call.ids["userId"])


def _hash(password: str, salt: str) -> str:
    """Looks like the real thing, so that redaction is tried on the real shape; it is no Argon2."""
    digest = base64.b64encode(hashlib.sha256(f"{salt}:{password}".encode()).digest()).decode().rstrip("=")
    mark = base64.b64encode(hashlib.md5(salt.encode(), usedforsecurity=False).digest()).decode().rstrip("=")
    return f"$argon2id$v=19$m=65536,t=4,p=3${mark}${digest}"


def _password(call: Call) -> str | None:
    value = call.params.raw("password")
    if value is None:
        return None
    if not isinstance(value, str) or (value and len(value) not in _PASSWORD_LENGTHS):
        raise argument_invalid("password", "Password must be between 8 and 256 characters long.")
    return value


def _taken(state: SandboxState, field: str, value: str | None, but: str = "") -> bool:
    return bool(value) and any(user[field] == value for user_id, user in state.users.items() if user_id != but)


def _email_facts(email: str | None) -> JsonObject:
    """What the real one works out about an address; null without one."""
    return {
        "emailCanonical": email,
        "emailIsFree": None if email is None else False,
        "emailIsDisposable": None if email is None else False,
        "emailIsCorporate": None if email is None else True,
        "emailIsCanonical": None if email is None else True,
    }


def _target(state: SandboxState, user_id: str, kind: str, identifier: str) -> JsonObject:
    now = state.stamp()
    return {
        "$id": state.new_id(),
        "$createdAt": now,
        "$updatedAt": now,
        "name": "",
        "userId": user_id,
        "providerId": None,
        "providerType": kind,
        "identifier": identifier,
        "expired": False,
    }


def _create(call: Call) -> Answer:
    state, params = call.state, call.params
    user_id, email, phone = params.new_id("userId", state.new_id), params.email("email"), params.phone("phone")
    password, name = _password(call), params.text_or("name", "")
    if user_id in state.users or _taken(state, "email", email) or _taken(state, "phone", phone):
        raise ApiError(Fail.USER_EXISTS)
    now = state.stamp()
    reached: list[tuple[str, str | None]] = [("email", email), ("sms", phone)]
    targets: list[Json] = [_target(state, user_id, kind, value) for kind, value in reached if value]
    state.users[user_id] = {
        "$id": user_id,
        "$createdAt": now,
        "$updatedAt": now,
        "name": name,
        "password": _hash(password, user_id) if password else None,
        "hash": "argon2",
        "hashOptions": dict(_HASH_OPTIONS),
        "registration": now,
        "status": True,
        "labels": [],
        "passwordUpdate": now if password else "",
        "email": email or "",
        "phone": phone or "",
        "emailVerification": False,
        **_email_facts(email),
        "phoneVerification": False,
        "mfa": False,
        "prefs": {},
        "targets": targets,
        "accessedAt": "",
        "impersonator": False,
        "impersonatorUserId": None,
    }
    return Answer(state.users[user_id], HTTPStatus.CREATED)


def _list(call: Call) -> Answer:
    return listing(call, "users", call.state.users.values(), _FIELDS, "User")


def _get(call: Call) -> Answer:
    return Answer(_user(call))


def _delete(call: Call) -> Answer:
    user_id = str(_user(call)["$id"])
    state = call.state
    del state.users[user_id]
    for drop in [key for key, session in state.sessions.items() if session["userId"] == user_id]:
        del state.sessions[drop]
    for drop in [key for key, membership in state.memberships.items() if membership["userId"] == user_id]:
        team = state.teams[str(state.memberships.pop(drop)["teamId"])]
        team["total"] = sum(other["teamId"] == team["$id"] for other in state.memberships.values())
    return NO_CONTENT


def _change(call: Call, **fields: Json) -> Answer:
    user = _user(call)
    user.update(fields)
    user["$updatedAt"] = call.state.stamp()
    return Answer(user)


def _update_name(call: Call) -> Answer:
    return _change(call, name=call.params.text("name", shortest=0))


def _update_email(call: Call) -> Answer:
    email = call.params.required_email("email")
    if _taken(call.state, "email", email, str(_user(call)["$id"])):
        raise ApiError(Fail.EMAIL_EXISTS)
    return _change(call, email=email, emailVerification=False, **_email_facts(email or None))


def _update_phone(call: Call) -> Answer:
    number = "" if call.params.raw("number") == "" else call.params.phone("number")
    if number is None:
        raise ApiError(Fail.ARGUMENT_INVALID, 'Param "number" is not optional.')
    if _taken(call.state, "phone", number, str(_user(call)["$id"])):
        raise ApiError(Fail.PHONE_EXISTS)
    return _change(call, phone=number, phoneVerification=False)


def _update_password(call: Call) -> Answer:
    password = _password(call)
    if password is None:
        raise ApiError(Fail.ARGUMENT_INVALID, 'Param "password" is not optional.')
    hashed = _hash(password, call.ids["userId"]) if password else None
    return _change(call, password=hashed, passwordUpdate=call.state.stamp())


def _update_status(call: Call) -> Answer:
    return _change(call, status=call.params.flag("status"))


def _update_labels(call: Call) -> Answer:
    labels = call.params.texts("labels")
    if len(labels) > _MAX_LABELS or not all(label.isalnum() and label.isascii() for label in labels):
        raise argument_invalid("labels", "Value must a valid array and Value must be alphanumeric")
    return _change(call, labels=list[Json](dict.fromkeys(labels)))


def _update_email_verification(call: Call) -> Answer:
    return _change(call, emailVerification=call.params.flag("emailVerification"))


def _update_phone_verification(call: Call) -> Answer:
    return _change(call, phoneVerification=call.params.flag("phoneVerification"))


def _update_mfa(call: Call) -> Answer:
    return _change(call, mfa=call.params.flag("mfa"))


def _update_impersonator(call: Call) -> Answer:
    return _change(call, impersonator=call.params.flag("impersonator"))


def _get_prefs(call: Call) -> Answer:
    return Answer(_user(call)["prefs"])


def _update_prefs(call: Call) -> Answer:
    prefs = call.params.mapping("prefs")
    _change(call, prefs=prefs)
    return Answer(prefs)


def _list_memberships(call: Call) -> Answer:
    user_id = _user(call)["$id"]
    mine = (membership for membership in call.state.memberships.values() if membership["userId"] == user_id)
    return listing(call, "memberships", mine, _MEMBERSHIP_FIELDS)


def _list_factors(call: Call) -> Answer:
    _user(call)
    return Answer({"totp": False, "phone": False, "email": False, "recoveryCode": False})


ROUTES = (
    Route("POST", "/users", _WRITE, _create),
    Route("GET", "/users", _READ, _list),
    Route("GET", "/users/{userId}", _READ, _get),
    Route("DELETE", "/users/{userId}", _WRITE, _delete),
    Route("PATCH", "/users/{userId}/name", _WRITE, _update_name),
    Route("PATCH", "/users/{userId}/email", _WRITE, _update_email),
    Route("PATCH", "/users/{userId}/phone", _WRITE, _update_phone),
    Route("PATCH", "/users/{userId}/password", _WRITE, _update_password),
    Route("PATCH", "/users/{userId}/status", _WRITE, _update_status),
    Route("PUT", "/users/{userId}/labels", _WRITE, _update_labels),
    Route("PATCH", "/users/{userId}/verification", _WRITE, _update_email_verification),
    Route("PATCH", "/users/{userId}/verification/phone", _WRITE, _update_phone_verification),
    Route("PATCH", "/users/{userId}/mfa", _WRITE, _update_mfa),
    Route("PATCH", "/users/{userId}/impersonator", _WRITE, _update_impersonator),
    Route("GET", "/users/{userId}/mfa/factors", _READ, _list_factors),
    Route("GET", "/users/{userId}/prefs", _READ, _get_prefs),
    Route("PATCH", "/users/{userId}/prefs", _WRITE, _update_prefs),
    Route("GET", "/users/{userId}/memberships", _READ, _list_memberships),
)
