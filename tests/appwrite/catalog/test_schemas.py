import ast
from typing import Final

import pytest

from handrail.appwrite.catalog import SdkShapeError
from handrail.appwrite.catalog.schemas import Enums, schema_of
from handrail.arguments import ArgumentChecker
from handrail.errors import ArgumentError
from handrail.json_types import Json, JsonObject

pytestmark = pytest.mark.unit

_ENUMS: Final[Enums] = {"Colour": ("red", "blue"), "Level": (1, 2)}


def _schema(annotation: str) -> JsonObject:
    return schema_of(ast.parse(annotation, mode="eval").body, _ENUMS, "box.get")


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        ("str", {"type": "string"}),
        ("float", {"type": "number"}),
        ("int", {"type": "integer"}),
        ("bool", {"type": "boolean"}),
        ("Any", {}),
        ("None", {"type": "null"}),
        ("Colour", {"type": "string", "enum": ["red", "blue"]}),
        ("Level", {"type": "integer", "enum": [1, 2]}),
        ("Optional[Colour]", {"type": ["string", "null"], "enum": ["red", "blue", None]}),
        ("Optional[float]", {"type": ["number", "null"]}),
        ("Optional[Any]", {}),
        ("Optional[Optional[str]]", {"type": ["string", "null"]}),
        ("List[str]", {"type": "array", "items": {"type": "string"}}),
        ("List[Any]", {"type": "array"}),
        ("List[List[Any]]", {"type": "array", "items": {"type": "array"}}),
        ("list[Colour]", {"type": "array", "items": {"type": "string", "enum": ["red", "blue"]}}),
        ("Dict[str, Any]", {"type": "object"}),
        ("Dict[str, bool]", {"type": "object", "additionalProperties": {"type": "boolean"}}),
        ("Union[str, None]", {"type": ["string", "null"]}),
        ("str | None", {"type": ["string", "null"]}),
        ("Union[str, List[str]]", {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
        ("Optional[Union[str, bool]]", {"anyOf": [{"type": "string"}, {"type": "boolean"}, {"type": "null"}]}),
        ("Union[str, Any]", {}),
    ],
)  # fmt: skip
def test_an_annotation_becomes_its_schema(annotation: str, schema: JsonObject) -> None:
    assert _schema(annotation) == schema


@pytest.mark.parametrize(
    "annotation", ["Set[str]", "Thing", "List", "Dict[int, str]", "List[Thing]", "'str'", "a.b", "1"]
)
def test_an_annotation_that_means_nothing_is_an_error(annotation: str) -> None:
    with pytest.raises(SdkShapeError) as caught:
        _schema(annotation)
    assert caught.value.data["where"] == "box.get"


@pytest.mark.parametrize(
    "file",
    [
        {"filename": "f", "text": ""},
        {"filename": "f", "base64": "YQ=="},
        {"path": "a.txt"},
        {"filename": "f", "path": "a.txt"},
    ],
)
def test_a_file_is_a_name_and_one_content_or_a_path(file: Json) -> None:
    _checker("InputFile").check({"file": file})
    _checker("Optional[InputFile]").check({"file": file})
    _checker("Optional[InputFile]").check({"file": None})


@pytest.mark.parametrize(
    "file",
    [
        None,
        "/etc/passwd",
        {},
        {"path": ""},
        {"filename": "", "text": ""},
        {"filename": "f", "text": "", "base64": ""},
        {"filename": "f", "url": "http://a.test"},
        {"filename": "f", "text": 1},
    ],
)
def test_a_file_of_another_form_is_refused(file: Json) -> None:
    with pytest.raises(ArgumentError):
        _checker("InputFile").check({"file": file})


def _checker(annotation: str) -> ArgumentChecker:
    return ArgumentChecker({"type": "object", "properties": {"file": _schema(annotation)}})
