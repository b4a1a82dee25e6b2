"""What can be done to the stand-in: each method that it serves, with valid arguments, and how grave that is."""

from dataclasses import dataclass, replace

from handrail.approvals import grave_of
from handrail.appwrite.call_effects import effect_of_call, risks_used
from handrail.appwrite.catalog import Catalog
from handrail.appwrite.catalog.model import Method
from handrail.appwrite.planner import plan_request
from handrail.json_types import JsonObject
from handrail.sandbox import API_KEY, PROJECT_ID, SandboxState
from handrail.sandbox.dispatch import BASE, NOT_FOUND_PAGE, Request, dispatch
from handrail.sandbox.errors import ApiError, Fail
from tests.appwrite.hints.conduct import arguments

__all__ = ["Deed", "served_deeds"]


@dataclass(frozen=True, slots=True)
class Deed:
    """A method of the stand-in, and a call of it."""

    method: Method
    arguments: JsonObject
    reads: bool
    grave: frozenset[str]

    @property
    def tool(self) -> str:
        return self.method.tool


def served_deeds(catalog: Catalog) -> list[Deed]:
    """One call of every method that the stand-in serves."""
    return [_deed(method) for method in catalog if _is_served(method)]


def _deed(method: Method) -> Deed:
    given = arguments(method)
    effect = effect_of_call(method, given)
    deletes = method.http_method == "DELETE"
    used = replace(effect, risks=risks_used(method, effect, given))
    return Deed(method, given, effect.is_read, grave_of(used, deletes=deletes))


def _is_served(method: Method) -> bool:
    plan = plan_request(method, arguments(method), config={"project": PROJECT_ID})
    headers = {"x-appwrite-project": PROJECT_ID, "x-appwrite-key": API_KEY}
    try:
        return dispatch(SandboxState(), Request(plan.http_method, BASE + plan.path, headers=headers)) != NOT_FOUND_PAGE
    except ApiError as error:
        return error.fail is not Fail.NOT_IMPLEMENTED
