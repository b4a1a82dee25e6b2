from collections.abc import Callable
from typing import Final

import pytest

from handrail.appwrite.catalog import Encoding, InstalledSdk, Method, Parameter, Place, ResponseKind, Sdk, SdkShapeError
from handrail.appwrite.catalog.reader import read_sdk

pytestmark = pytest.mark.unit

MakeSdk = Callable[..., InstalledSdk]

# One change of the known method each: what stands there, and what a new release might put in its place.
_UNKNOWN: Final = {
    "a new statement": ("api_params = {}", "api_params = {}\n        api_params.update(thing_id)"),
    "a new variable": ("api_params = {}", "api_params = {}\n        api_version = 2"),
    "a path that is cut": (".replace('{thingId}', str(", ".split('{thingId}', str("),
    "a path with a property": ("_normalize_value(thing_id)))", "_normalize_value(self.client.endpoint)))"),
    "a path with a call": ("_normalize_value(thing_id)))", "_normalize_value(self.client.get_key('project'))))"),
    "a value that no helper has seen": ("= self._normalize_value(queries)", "= json.dumps(queries)"),
    "a condition of another kind": ("if queries is not None:", "if queries:"),
    "a changed path": ("api_params = {}", "api_params = {}\n        api_path += '/all'"),
    "another path call": ("str(self._normalize_value(thing_id))", "quote(str(self._normalize_value(thing_id)))"),
    "a value that is changed": ("self._normalize_value(queries)", "self._normalize_value(queries[:1])"),
    "a value as it is": ("self._normalize_value(queries)", "queries"),
    "a check of another kind": ("thing_id == ''", "thing_id == ' '"),
    "a check of two arguments": ("thing_id == ''", "queries == ''"),
    "a guard of another argument": ("if queries is not None", "if thing_id is not None"),
    "an else": ("_normalize_value(queries)\n", "_normalize_value(queries)\n        else:\n            pass\n"),
    "a loop": ("if queries is not None:", "for queries in []:"),
    "a second call": ("        return self", "        self.client.call('get', api_path, {}, {})\n        return self"),
    "a header that is computed": ("'application/json'", "self.accept()"),
    "another setting as a header": ("get_config('project')", "get_config('organization')"),
    "a body with GET": ("'accept': 'application/json'", "'content-type': 'application/json'"),
    "no body with POST": ("'get',", "'post',"),
    "an unknown response type": ("}, api_params)", "}, api_params, response_type='stream')"),
    "an unknown keyword": ("}, api_params)", "}, api_params, timeout=1)"),
    "another client method": ("self.client.call(", "self.client.stream("),
    "a hole that nothing fills": ("'/things/{thingId}'", "'/things/{thingId}/{other}'"),
    "an argument that reaches nothing": ("thing_id: str,", "thing_id: str, extra: str,"),
    "an argument without a type": ("thing_id: str", "thing_id"),
    "an unknown type": ("Optional[List[str]]", "Optional[Set[str]]"),
    "a model as an argument": ("Optional[List[str]]", "Optional[Thing]"),
    "a default that is sent": ("] = None, on", "] = [], on"),
    "keyword-only arguments": ("thing_id: str,", "thing_id: str, *,"),
    "an unknown decorator": ("    def get_thing", "    @experimental\n    def get_thing"),
    "an optional argument that is always sent": ("if queries is not None:", "if True:"),
    "a null that is unclear": ("queries: Optional[List[str]] = None", "queries: List[str]"),
    "an asynchronous method": ("    def get_thing", "    async def get_thing"),
    "something else in the class": ("    def get_thing", "    limit = 5\n    def get_thing"),
    "two arguments under one name": ("api_params['queries']", "api_params['thingId']"),
}  # fmt: skip


@pytest.mark.promise("sdk-never-misread")
@pytest.mark.parametrize("change", _UNKNOWN)
def test_source_of_an_unknown_shape_is_an_error_that_names_the_method(
    change: str, make_sdk: MakeSdk, get_thing: str
) -> None:
    known, new = _UNKNOWN[change]
    assert known in get_thing
    with pytest.raises(SdkShapeError) as caught:
        read_sdk(make_sdk(get_thing.replace(known, new)))
    where = (
        "thing_box" if change in {"an asynchronous method", "something else in the class"} else "thing_box.get_thing"
    )
    assert caught.value.data["where"] == where
    assert caught.value.next_step


def test_a_method_is_read_whole(make_sdk: MakeSdk, get_thing: str) -> None:
    assert read_sdk(make_sdk(get_thing)) == (
        Method(
            tool="thing_box_get_thing",
            sdk=Sdk.SERVER,
            service="thing_box",
            name="get_thing",
            title="Get thing",
            summary="Get one thing, e.g. a box.",
            description="Get one thing, e.g. a box. It is cheap.",
            http_method="GET",
            path="/things/{thingId}",
            parameters=(
                Parameter(
                    name="thing_id",
                    wire_name="thingId",
                    place=Place.PATH,
                    required=True,
                    nullable=False,
                    allow_empty=False,
                    schema={"type": "string", "description": "Thing ID."},
                ),
                Parameter(
                    name="queries",
                    wire_name="queries",
                    place=Place.PARAMS,
                    required=False,
                    nullable=True,
                    allow_empty=True,
                    schema={"type": ["array", "null"], "items": {"type": "string"}, "description": "Query strings."},
                    encoding=Encoding.AS_IS,
                ),
            ),
            headers=(("accept", "application/json"), ("x-appwrite-response-format", "9.9.9")),
            sends_project=True,
            config_holes=(),
            response=ResponseKind.JSON,
            upload=None,
            deprecation=None,
            returns="Thing",
        ),
    )


def test_an_enum_is_read_with_its_values(make_sdk: MakeSdk, get_thing: str) -> None:
    (method,) = read_sdk(make_sdk(get_thing.replace("Optional[List[str]]", "Optional[List[Colour]]")))
    assert method.parameters[1].schema["items"] == {"type": "string", "enum": ["red", "blue"]}


@pytest.mark.parametrize("word", ["thingBox.list_things", "ThingBox.list_things", "thing_box.list_things"])
def test_a_replacement_is_the_tool_that_the_text_names(word: str, make_sdk: MakeSdk, get_thing: str) -> None:
    deprecated = f'    @deprecated("Old since 1.8. Please use `{word}` instead.")\n' + get_thing.lstrip("\n")
    methods = read_sdk(make_sdk(deprecated + get_thing.replace("get_thing", "list_things")))
    assert [m.deprecation.replacement if m.deprecation else None for m in methods] == ["thing_box_list_things", None]


def test_a_replacement_that_does_not_exist_is_none(make_sdk: MakeSdk, get_thing: str) -> None:
    deprecated = '    @deprecated("Please use `thingBox.gone` instead.")\n' + get_thing.lstrip("\n")
    (method,) = read_sdk(make_sdk(deprecated))
    assert method.deprecation is not None
    assert (method.deprecation.reason, method.deprecation.replacement) == ("Please use `thingBox.gone` instead.", None)


@pytest.mark.parametrize(
    ("file", "source", "where"),
    [
        ("services/thing_box.py", "class A(Service): pass\nclass B(Service): pass", "thing_box"),
        ("services/thing_box.py", "class ThingBox(Base): pass", "thing_box"),
        ("services/thing_box.py", "class ThingBox(Service):\n    def get(self):\n        'Gets.'", "thing_box.get"),
        ("enums/colour.py", "class Colour(Enum):\n    RED = make('red')", "enums/colour.py"),
        ("client.py", "class Client: pass", "client"),
    ],
)
def test_a_file_of_an_unknown_shape_is_an_error(
    file: str, source: str, where: str, make_sdk: MakeSdk, get_thing: str
) -> None:
    installed = make_sdk(get_thing)
    (installed.folder / file).write_text(source)
    with pytest.raises(SdkShapeError) as caught:
        read_sdk(installed)
    assert caught.value.data["where"] == where


def test_an_enum_class_may_have_words_of_its_own(make_sdk: MakeSdk, get_thing: str) -> None:
    installed = make_sdk(get_thing.replace("Optional[List[str]]", "Optional[Colour]"))
    (installed.folder / "enums/colour.py").write_text("class Colour(Enum):\n    'Colours.'\n    RED = 'red'")
    (method,) = read_sdk(installed)
    assert method.parameters[1].schema["enum"] == ["red", None]


def test_a_required_argument_under_an_unknown_condition_is_an_error(make_sdk: MakeSdk, get_thing: str) -> None:
    required = get_thing.replace("queries: Optional[List[str]] = None", "queries: Optional[List[str]]")
    with pytest.raises(SdkShapeError):
        read_sdk(make_sdk(required.replace("if queries is not None:", "if len(queries) > 1:")))
    always = required.replace("if queries is not None:\n            api", "api").replace(
        "if queries is not None:\n    ", ""
    )
    (method,) = read_sdk(make_sdk(always))
    assert [(p.required, p.nullable) for p in method.parameters] == [(True, False), (True, True)]
