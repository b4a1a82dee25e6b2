"""Small services that tell about the server itself: health, locale, and what a key may not see of an account."""

from handrail.json_types import Json
from handrail.sandbox.errors import ApiError, Fail
from handrail.sandbox.routing import Answer, Call, Route

__all__ = ["ROUTES"]

_HEALTH = ("health.read",)
_LOCALE = ("locale.read",)
_CONTINENTS = {
    "AF": "Africa",
    "AN": "Antarctica",
    "AS": "Asia",
    "EU": "Europe",
    "NA": "North America",
    "OC": "Oceania",
    "SA": "South America",
}
_LOCALES = {
    "de": "German (Standard)",
    "en": "English",
    "es": "Spanish (Spain)",
    "fr": "French (Standard)",
    "ja": "Japanese",
}


def _health(call: Call) -> Answer:
    del call
    return Answer({"name": "http", "ping": 0, "status": "pass"})


def _health_list(call: Call) -> Answer:
    del call
    return Answer({"total": 1, "statuses": [{"name": "sandbox", "ping": 0, "status": "pass"}]})


def _time(call: Call) -> Answer:
    seconds = int(call.state.clock().timestamp())
    return Answer({"remoteTime": seconds, "localTime": seconds, "diff": 0})


def _locale(call: Call) -> Answer:
    del call
    return Answer(
        {
            "ip": "127.0.0.1",
            "countryCode": "US",
            "country": "United States",
            "continentCode": "NA",
            "continent": "North America",
            "eu": False,
            "currency": "USD",
        }
    )


def _codes(call: Call) -> Answer:
    del call
    codes: list[Json] = [{"code": code, "name": name} for code, name in _LOCALES.items()]
    return Answer({"total": len(codes), "localeCodes": codes})


def _continents(call: Call) -> Answer:
    del call
    continents: list[Json] = [{"name": name, "code": code} for code, name in _CONTINENTS.items()]
    return Answer({"total": len(continents), "continents": continents})


def _account(call: Call) -> Answer:
    del call
    raise ApiError(Fail.NOT_IMPLEMENTED, "accounts, which belong to people and never to keys")


ROUTES = (
    Route("GET", "/health", _HEALTH, _health),
    Route("GET", "/health/db", _HEALTH, _health_list),
    Route("GET", "/health/cache", _HEALTH, _health_list),
    Route("GET", "/health/time", _HEALTH, _time),
    Route("GET", "/locale", _LOCALE, _locale),
    Route("GET", "/locale/codes", _LOCALE, _codes),
    Route("GET", "/locale/continents", _LOCALE, _continents),
    # No key has the scope `account`: the real one's 401 is all that a key ever sees.
    Route("GET", "/account", ("account",), _account),
)
