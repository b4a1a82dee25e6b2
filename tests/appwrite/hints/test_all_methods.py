"""What is true of every one of the methods of both SDKs."""

import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.appwrite.catalog import Catalog, Sdk, load_catalog
from handrail.appwrite.catalog.model import Method
from handrail.appwrite.evidence import judge
from handrail.hints import UNPROVEN, Effect, Risk

# Reads that are no GET with get or list, each looked at by people: the exceptions say why.
READS_ELSEWHERE = {
    "console_suggest_columns", "console_suggest_indexes", "console_suggest_queries", "console_variables",
    "databases_create_query", "documents_db_create_query", "oauth2_introspect",
    "organizations_create_plan_estimation", "organizations_estimation_create_organization",
    "organizations_estimation_delete_organization", "organizations_estimation_update_plan", "tables_db_create_query",
    "vcs_create_repository_detection", "vectors_db_create_query",
}  # fmt: skip
# What costs money and still only adds: a message (charged by the piece), or something free until it is used.
MONEY_THAT_ONLY_ADDS = {
    "account_create_billing_address", "account_create_payment_method", "account_create_phone_token",
    "account_create_phone_verification", "messaging_create_sms", "project_create_environment",
}  # fmt: skip
# Services whose methods of the same name do the same, with the words that each has for the same thing.
SISTERS: tuple[dict[str, dict[str, str]], ...] = (
    {
        "tables_db": {"table": "collection", "column": "attribute", "row": "document", "rows": "documents"},
        "databases": {},
        "documents_db": {},
        "vectors_db": {},
    },
    {"mysql": {}, "postgresql": {}, "mongo": {}},
    {"sites": {"site": "thing"}, "functions": {"function": "thing"}},
)
# Sisters that differ on purpose: databases of the first generation never take a specification, so nothing is billed.
UNLIKE = {"create", "update"}


def _shape(effect: Effect) -> tuple[tuple[bool, ...], tuple[str, ...]]:
    return tuple(effect.hints.as_dict().values()), tuple(sorted(effect.risks))


def _sister_name(method: Method, words: dict[str, str]) -> str:
    return "_".join(words.get(word, word) for word in method.name.split("_"))


def _providers(catalog: Catalog, verb: str) -> Iterator[Method]:
    for method in catalog:
        if method.service == "messaging" and method.name.startswith(verb) and method.name.endswith("_provider"):
            yield method


def test_no_method_is_left_to_chance(catalog: Catalog) -> None:
    assert len(catalog) == 1045
    assert [method.tool for method in catalog if judge(method).rule == UNPROVEN] == []


def test_no_get_with_get_or_list_is_marked_as_a_write(catalog: Catalog) -> None:
    plain = [m for m in catalog if m.http_method == "GET" and m.name.split("_")[0] in {"get", "list"}]

    assert len(plain) == 345
    assert [method.tool for method in plain if not judge(method).is_read] == []


@pytest.mark.promise("reads-elsewhere-are-reviewed")
def test_reads_elsewhere_are_those_that_people_looked_at(catalog: Catalog) -> None:
    plain = {m.tool for m in catalog if m.http_method == "GET" and m.name.split("_")[0] in {"get", "list"}}

    assert {method.tool for method in catalog if judge(method).is_read} - plain == READS_ELSEWHERE


@pytest.mark.parametrize(
    "tool",
    [
        "account_create_o_auth2_session",
        "account_create_o_auth2_token",
        "graphql_mutation",
        "graphql_query",
        "oauth2_authorize",
        "oauth2_authorize_post",
        "oauth2_logout",
        "oauth2_logout_post",
    ],
)
def test_what_looks_like_a_read_and_has_an_effect_is_none(catalog: Catalog, tool: str) -> None:
    assert not judge(catalog.get(tool)).is_read


def test_every_write_reaches_an_open_world_and_no_read_destroys(catalog: Catalog) -> None:
    hints = [judge(method).hints for method in catalog]

    assert all(one.open_world for one in hints if not one.read_only)
    assert all(one.idempotent and not one.destructive for one in hints if one.read_only)


@pytest.mark.promise("additive-is-harmless")
def test_what_only_adds_neither_overwrites_nor_runs_nor_switches_anything(catalog: Catalog) -> None:
    adding = [method for method in catalog if not judge(method).is_read and not judge(method).hints.destructive]
    never = {Risk.IRREVERSIBLE, Risk.DOWNTIME, Risk.CODE, Risk.BULK}

    assert len(adding) > 150
    assert [method.tool for method in adding if judge(method).risks & never] == []
    assert [m.tool for m in adding if m.http_method in {"PUT", "DELETE"}] == []
    assert {method.tool for method in adding if Risk.MONEY in judge(method).risks} == MONEY_THAT_ONLY_ADDS


def test_only_what_sets_or_removes_can_be_repeated(catalog: Catalog) -> None:
    repeatable = [method for method in catalog if judge(method).hints.idempotent and not judge(method).is_read]

    assert {method.http_method for method in repeatable} == {"DELETE", "PATCH", "PUT", "POST"}
    assert [method.tool for method in repeatable if method.http_method == "POST"] == ["oauth2_revoke"]
    assert not [
        m.tool
        for m in repeatable
        if {"data", "otp", "draft", "commit"} & {p.name for p in m.parameters} and m.tool != "project_update_mock_phone"
    ]


@pytest.mark.parametrize("sisters", SISTERS, ids=["databases", "dedicated", "hosting"])
def test_sister_services_judge_the_same_method_alike(catalog: Catalog, sisters: dict[str, dict[str, str]]) -> None:
    named: dict[str, dict[str, Effect]] = defaultdict(dict)
    for method in catalog:
        if method.service in sisters:
            named[_sister_name(method, sisters[method.service])][method.service] = judge(method)

    unlike = {name for name, effects in named.items() if len({_shape(effect) for effect in effects.values()}) > 1}

    assert len([name for name, effects in named.items() if len(effects) > 1]) > 15
    assert unlike == (UNLIKE if "tables_db" in sisters else set())


@pytest.mark.parametrize("verb", ["create", "update"])
def test_all_providers_are_judged_alike(catalog: Catalog, verb: str) -> None:
    shapes = {method.tool: _shape(judge(method)) for method in _providers(catalog, verb)}

    assert len(shapes) > 10
    assert len(set(shapes.values())) == 1


def test_whoever_answers_with_the_same_model_is_as_secret(catalog: Catalog) -> None:
    by_model: dict[str, set[bool]] = defaultdict(set)
    for method in catalog:
        if method.returns:
            by_model[method.returns].add(Risk.SECRET in judge(method).risks)

    assert {model for model, said in by_model.items() if len(said) > 1} == {"AppKey", "Membership", "Webhook"}


@pytest.mark.promise("hints-fast")
def test_the_hints_of_all_rows_of_both_sdks_take_less_than_a_second(session_home: Path) -> None:
    methods = [method for sdk in Sdk for method in load_catalog(session_home, sdk)]
    assert len(methods) == 1916

    began = time.process_time()
    for method in methods:
        judge(method)

    assert time.process_time() - began < 1
