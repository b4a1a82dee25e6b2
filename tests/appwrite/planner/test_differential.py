"""Every method of both SDKs: what we plan is what the SDK itself sends for the same arguments.

The ids in paths are plain ones here; what the planner does with others is in `test_paths`. `HANDRAIL_EXAMPLES=100` asks
for more examples of each method, and for new ones at every run.
"""

import json
import os
from collections.abc import Callable, Iterable
from functools import cache
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from handrail.appwrite.catalog import Catalog, Method, Parameter, Place, Sdk, find_sdk
from handrail.appwrite.planner import plan_request
from handrail.json_types import Json, JsonObject

if TYPE_CHECKING:
    from tests.appwrite.planner.conftest import Referee

_EXAMPLES: Final = int(os.environ.get("HANDRAIL_EXAMPLES", "8"))
_SETTINGS: Final = settings(
    max_examples=_EXAMPLES,
    derandomize="HANDRAIL_EXAMPLES" not in os.environ,
    database=None,
    deadline=None,
    phases=(Phase.generate, Phase.shrink),
    suppress_health_check=list(HealthCheck),
)
_SERVICES: Final = [
    (sdk, path.stem) for sdk in Sdk for path in sorted((find_sdk(sdk).folder / "services").glob("[!_]*.py"))
]
_FIGURES: Final = {(Sdk.SERVER, "27.0.0"): (874, 31), (Sdk.CONSOLE, "0.14.0"): (1042, 41)}

# Strategies are built once: thousands of arguments share a dozen schemas.
_IDS: Final = st.text("abcXYZ0189._-", min_size=1, max_size=20).filter(lambda text: text not in {".", ".."})
_TEXT: Final = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
_NUMBERS: Final = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
_SCALARS: Final[st.SearchStrategy[Json]] = st.none() | st.booleans() | _NUMBERS | _TEXT
_ANY: Final[st.SearchStrategy[Json]] = (
    _SCALARS | st.lists(_SCALARS, max_size=3) | st.dictionaries(_TEXT, _SCALARS, max_size=3)
)
_FILES: Final = st.builds(
    lambda filename, content: {"filename": filename, **content},
    st.text("abcXYZ019._- é漢", min_size=1, max_size=12),
    _TEXT.map(lambda text: {"text": text}) | st.sampled_from(["", "AAEC/w==", "DQoNCi0t"]).map(lambda b: {"base64": b}),
)


@pytest.mark.promise("plan-equals-sdk")
@pytest.mark.parametrize(("sdk", "service"), _SERVICES)
def test_every_method_of_a_service_is_planned_as_the_sdk_sends_it(
    sdk: Sdk, service: str, catalogs: dict[Sdk, Catalog], referee: "Callable[[Sdk], Referee]"
) -> None:
    judge = referee(sdk)
    methods = [method for method in catalogs[sdk] if method.service == service]
    compared = [_compare(method, judge) for method in methods]
    assert sorted(compared) == sorted(judge.methods_of(service))


@pytest.mark.parametrize("sdk", Sdk)
def test_the_services_above_hold_every_method_that_the_sdk_has(
    sdk: Sdk, catalogs: dict[Sdk, Catalog], referee: "Callable[[Sdk], Referee]"
) -> None:
    catalog, judge = catalogs[sdk], referee(sdk)
    services = [service for other, service in _SERVICES if other is sdk]
    figures = (sum(len(judge.methods_of(service)) for service in services), len(services))
    assert sorted(services) == sorted(judge.services()) == sorted(catalog.services())
    assert figures == (len(catalog), len(catalog.services()))
    assert figures == _FIGURES.get((sdk, catalog.version), figures)


def _compare(method: Method, judge: "Referee") -> str:
    seen: list[JsonObject] = []

    @_SETTINGS
    @given(_arguments(method))
    def check(arguments: JsonObject) -> None:
        seen.append(arguments)
        plan = plan_request(method, arguments, config=judge.config)
        assert judge.call(method, arguments) == [judge.planned(plan)], method.tool

    check()
    assert len(seen) >= (_EXAMPLES if method.parameters and _roomy(method) else 1), method.tool
    return method.name


def _roomy(method: Method) -> bool:
    """Whether there are more examples than are asked for: an id alone is enough."""
    return any(parameter.place is Place.PATH and "enum" not in parameter.schema for parameter in method.parameters)


def _arguments(method: Method) -> st.SearchStrategy[JsonObject]:
    """Arguments of a method; in every other example all of them are given."""
    required = {p.name: _values(p) for p in method.parameters if p.required}
    optional = {p.name: _values(p) for p in method.parameters if not p.required}
    if not optional:
        return st.fixed_dictionaries(required)
    return st.fixed_dictionaries({**required, **optional}) | st.fixed_dictionaries(required, optional=optional)


def _values(parameter: Parameter) -> st.SearchStrategy[Json]:
    if parameter.place is Place.FILE:
        return _FILES | st.none() if parameter.nullable else _FILES
    if "enum" not in parameter.schema and (parameter.place is Place.PATH or parameter.name == "file_id"):
        return _IDS
    shape = {key: value for key, value in parameter.schema.items() if key != "description"}
    return _of_schema(json.dumps(shape), allow_empty=parameter.allow_empty)


@cache
def _of_schema(text: str, *, allow_empty: bool) -> st.SearchStrategy[Json]:
    schema: JsonObject = json.loads(text)
    if isinstance(values := schema.get("enum"), list):
        return st.sampled_from(values)
    if isinstance(members := schema.get("anyOf"), list):
        return st.one_of([_of_schema(json.dumps(member), allow_empty=allow_empty) for member in members])
    kinds = schema.get("type", "any")
    return st.one_of([_of_kind(str(kind), schema, allow_empty=allow_empty) for kind in _listed(kinds)])


def _of_kind(kind: str, schema: JsonObject, *, allow_empty: bool) -> st.SearchStrategy[Json]:
    match kind:
        case "string":
            return _TEXT if allow_empty else _TEXT.filter(bool)
        case "array":
            return st.lists(_of_schema(json.dumps(schema.get("items", {})), allow_empty=True), max_size=3)
        case "object":
            return st.dictionaries(_TEXT, _ANY, max_size=3)
        case _:
            return {"number": _NUMBERS, "boolean": st.booleans(), "null": st.none(), "any": _ANY}[kind]


def _listed(value: Json) -> Iterable[Json]:
    return value if isinstance(value, list) else [value]
