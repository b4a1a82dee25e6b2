"""Whatever an id holds, it stays one segment of the path that was judged."""

import re
from collections.abc import Callable
from typing import Final
from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.appwrite.catalog import Catalog, Method, Place, Sdk
from handrail.appwrite.paths import ConfigMissingError, path_segment
from handrail.appwrite.planner import plan_request
from handrail.errors import ArgumentError
from handrail.json_types import Json, JsonObject

Plain = Callable[[Method], JsonObject]

pytestmark = pytest.mark.unit

_KEPT: Final = (
    "abc/sessions", "x?y", "x?y=1&z", "a#b", "../teams/t", "..%2fteams", "%2e%2e", "%2E", "%", "a;b", "a\\..\\b", "a b",
    "a+b", "a:b@c", "{userId}", "{databaseId}", "...", "~", "é漢字🙂", "\u202e\u200b", "unique()", "a&b=c", "[0]",
    "x" * 2000,
)  # fmt: skip
_REFUSED: Final = (
    "", ".", "..", "a\x00b", "\n", "a\r\nHost: evil", "\t", "\x1f", "\x7f", "\x80", "a\x85b", "\x9f", "\ud800",
    "a\udfffb",
)  # fmt: skip
_NO_ID: Final = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_SEGMENT: Final = re.compile(r"(?:[A-Za-z0-9._~-]|%[0-9A-F]{2})+")


def _path_arguments(catalog: Catalog) -> list[tuple[Method, str]]:
    return [(method, p.name) for method in catalog for p in method.parameters if p.place is Place.PATH]


@pytest.mark.promise("path-argument-stays-in-its-segment")
@pytest.mark.parametrize("sdk", Sdk)
def test_every_path_argument_of_every_method_stays_in_its_segment(
    sdk: Sdk, catalogs: dict[Sdk, Catalog], plain: Plain
) -> None:
    arguments = _path_arguments(catalogs[sdk])
    assert len(arguments) > 900
    for method, name in arguments:
        template = method.path.split("/")
        hole = next(p.wire_name for p in method.parameters if p.name == name)
        where = template.index(f"{{{hole}}}")
        given = plain(method)
        expected = plan_request(method, {**given, name: "id"}, config={"project": "p"}).path.split("/")
        for value in _KEPT:
            path = plan_request(method, {**given, name: value}, config={"project": "p"}).path
            segments = path.split("/")
            assert unquote(segments[where], errors="strict") == value
            assert [*segments[:where], "id", *segments[where + 1 :]] == expected
            assert urlsplit(f"https://host.test/v1{path}")[2:] == (f"/v1{path}", "", "")


@pytest.mark.promise("path-argument-stays-in-its-segment")
@pytest.mark.parametrize("sdk", Sdk)
def test_every_path_argument_of_every_method_refuses_what_no_encoding_keeps_in_place(
    sdk: Sdk, catalogs: dict[Sdk, Catalog], plain: Plain
) -> None:
    for method, name in _path_arguments(catalogs[sdk]):
        given = plain(method)
        for value in _REFUSED:
            with pytest.raises(ArgumentError) as caught:
                plan_request(method, {**given, name: value}, config={"project": "p"})
            assert caught.value.argument == name


@pytest.mark.parametrize("sdk", Sdk)
def test_every_hole_of_every_path_is_a_whole_segment_that_something_fills(
    sdk: Sdk, catalogs: dict[Sdk, Catalog]
) -> None:
    for method in catalogs[sdk]:
        holes = [segment for segment in method.path.split("/") if "{" in segment or "}" in segment]
        assert all(re.fullmatch(r"\{\w+\}", hole) for hole in holes), method.tool
        filled = [p.wire_name for p in method.parameters if p.place is Place.PATH]
        assert sorted(hole[1:-1] for hole in holes) == sorted([*filled, *dict(method.config_holes).values()])


@given(st.text(st.characters()))
def test_a_segment_is_refused_or_comes_back_unchanged(value: str) -> None:
    if value in {"", ".", ".."} or _NO_ID.search(value):
        with pytest.raises(ArgumentError, match="user_id"):
            path_segment("user_id", value)
    else:
        segment = path_segment("user_id", value)
        assert _SEGMENT.fullmatch(segment)
        assert segment not in {".", ".."}
        assert unquote(segment, errors="strict") == value


@pytest.mark.parametrize("value", [None, 1, True, ["id"], {"id": 1}])
def test_a_path_argument_that_is_no_text_is_refused(value: Json, catalogs: dict[Sdk, Catalog]) -> None:
    with pytest.raises(ArgumentError) as caught:
        plan_request(catalogs[Sdk.SERVER].get("users_get"), {"user_id": value}, config={})
    assert caught.value.argument == "user_id"


@pytest.mark.parametrize("project", ["", "..", "a\nb"])
def test_a_path_that_needs_the_project_is_refused_without_a_usable_one(
    project: str, catalogs: dict[Sdk, Catalog]
) -> None:
    method = catalogs[Sdk.SERVER].get("oauth2_authorize")
    for config in ({"project": project}, {}):
        with pytest.raises(ConfigMissingError) as caught:
            plan_request(method, {}, config=config)
        assert caught.value.next_step == "Set APPWRITE_PROJECT_ID."
    assert plan_request(method, {}, config={"project": "a/b"}).path == "/oauth2/a%2Fb/authorize"
