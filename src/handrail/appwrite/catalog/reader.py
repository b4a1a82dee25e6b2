"""Every public method of an SDK, read from its source by its syntax tree; none of it is imported or run."""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from handrail.appwrite.catalog.body import Body, read_body
from handrail.appwrite.catalog.installed import InstalledSdk
from handrail.appwrite.catalog.model import Deprecation, Encoding, Method, Parameter, Place, Sdk, Upload
from handrail.appwrite.catalog.schemas import FILE_TYPE, Enums, nullable, read_enums, schema_of
from handrail.appwrite.catalog.shape import unknown_shape
from handrail.appwrite.catalog.wording import Docstring, clean, first_sentence, for_json, read_docstring, title_of

__all__ = ["read_sdk"]

# Arguments that only the SDK's own Python side uses.
_LOCAL: Final = frozenset({"on_progress", "model_type"})
_BODY_TYPES: Final = frozenset({"application/json", "multipart/form-data"})
_REPLACEMENT: Final = re.compile(r"use `(\w+)\.(\w+)` instead", re.IGNORECASE)
_FILE_WORDS: Final = "Given inline, {filename, text} or {filename, base64}, or as {path}."
_NO_MODEL: Final = frozenset({"Dict", "bytes", "str", "bool", "Any", "dict", "None"})


@dataclass(frozen=True, slots=True)
class _Context:
    sdk: Sdk
    enums: Enums
    constant_headers: dict[str, str]


def read_sdk(installed: InstalledSdk) -> tuple[Method, ...]:
    """Every public method of every service, in the order of their files.

    Raises:
        SdkShapeError: something in the source is not shaped as this reader knows it.
    """
    folder = installed.folder
    context = _Context(installed.sdk, read_enums(folder / "enums"), _client_headers(folder / "client.py"))
    methods: list[Method] = []
    for path in sorted((folder / "services").glob("*.py")):
        if path.name != "__init__.py":
            methods.extend(_read_service(path, context))
    return _with_replacements(methods)


def _client_headers(path: Path) -> dict[str, str]:
    """The client's constant `x-appwrite-*` headers: they choose the shape of the answers, so every method sends them.

    What names the SDK (`user-agent`, `x-sdk-*`) is left out: it is not the SDK that calls.
    """
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Assign(targets=[ast.Attribute(attr="_global_headers")], value=ast.Dict(keys=keys, values=values)):
                pairs = [(ast.literal_eval(key), value) for key, value in zip(keys, values, strict=True) if key]
                return {
                    str(name).lower(): str(ast.literal_eval(value))
                    for name, value in pairs
                    if str(name).lower().startswith("x-appwrite-")
                }
    raise unknown_shape("client", ast.Pass(), "its headers are not found")


def _read_service(path: Path, context: _Context) -> Iterator[Method]:
    service = path.stem
    classes = [node for node in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(node, ast.ClassDef)]
    if len(classes) != 1 or [ast.unparse(base) for base in classes[0].bases] != ["Service"]:
        raise unknown_shape(service, ast.Pass(), "it is not one class of a service")
    for node in classes[0].body:
        match node:
            case ast.FunctionDef(name=name) if not name.startswith("_"):
                yield _read_method(node, service, context)
            case ast.FunctionDef() | ast.Expr(value=ast.Constant()):
                continue
            case _:
                raise unknown_shape(service, node, "its class holds something other than methods")


def _read_method(node: ast.FunctionDef, service: str, context: _Context) -> Method:
    where = f"{service}.{node.name}"
    docstring = ast.get_docstring(node) or ""
    body = read_body(node.body[1:] if docstring else node.body, where)
    _check_request(body, node, where)
    arguments = dict(_arguments(node, where))
    words = read_docstring(docstring, {*arguments, *_LOCAL})
    parameters = tuple(_parameters(arguments, body, words, context, where))
    return Method(
        tool=f"{service}_{node.name}",
        sdk=context.sdk,
        service=service,
        name=node.name,
        title=title_of(node.name),
        summary=first_sentence(words.description),
        description=words.description,
        http_method=body.verb.upper(),
        path=body.path,
        parameters=parameters,
        headers=tuple(sorted({**context.constant_headers, **body.headers}.items())),
        sends_project=body.sends_project,
        config_holes=tuple(body.config_holes.items()),
        response=body.response,
        upload=_upload(body),
        deprecation=_deprecation(node, where),
        returns=_model_name(node.returns),
    )


def _check_request(body: Body, node: ast.FunctionDef, where: str) -> None:
    """GET has a query, everything else a body of one of two types; every hole of the path is filled."""
    content_type = body.headers.get("content-type")
    if (content_type is None) != (body.verb == "get") or (content_type or "application/json") not in _BODY_TYPES:
        raise unknown_shape(where, node, f"it sends '{content_type}' with '{body.verb}'")
    holes = set(re.findall(r"\{([^}]*)\}", body.path))
    if holes != {*body.holes.values(), *body.config_holes.values()}:
        raise unknown_shape(where, node, "its path has holes that nothing fills")


def _arguments(node: ast.FunctionDef, where: str) -> Iterator[tuple[str, tuple[ast.expr, bool]]]:
    """Each argument that reaches the wire: its annotation, and whether it has a default (always None)."""
    given = node.args
    names = given.args[1:]
    defaults: list[ast.expr | None] = [None] * (len(names) - len(given.defaults)) + [*given.defaults]
    if given.vararg or given.kwarg or given.kwonlyargs or given.posonlyargs or len(given.defaults) > len(names):
        raise unknown_shape(where, node, "its arguments are of a kind that is not known")
    for argument, default in zip(names, defaults, strict=True):
        if argument.arg in _LOCAL:
            continue
        if argument.annotation is None:
            raise unknown_shape(where, argument, "an argument has no type")
        if default is not None and not (isinstance(default, ast.Constant) and default.value is None):
            raise unknown_shape(where, default, "an argument has a default that is sent")
        yield argument.arg, (argument.annotation, default is not None)


def _parameters(
    arguments: dict[str, tuple[ast.expr, bool]], body: Body, words: Docstring, context: _Context, where: str
) -> Iterator[Parameter]:
    unknown = {*body.holes, *body.sent, *body.required} - {*arguments}
    wire_names = [*body.holes.values(), *(sent.wire_name for sent in body.sent.values())]
    if unknown or {*body.holes} & {*body.sent} or len(wire_names) != len(set(wire_names)):
        raise unknown_shape(where, ast.Pass(), "it sends something that is not one argument")
    for name, (annotation, optional) in arguments.items():
        schema = schema_of(annotation, context.enums, where)
        _check_requirement(
            name, annotation, body, optional=optional, takes_null=nullable(schema) == schema, where=where
        )
        text = for_json(words.parameters.get(name, ""))
        place = Place.PATH if name in body.holes else Place.PARAMS
        if ast.unparse(annotation) in {FILE_TYPE, f"Optional[{FILE_TYPE}]"}:
            place = Place.FILE
            text = f"{text}\n{_FILE_WORDS}".strip()
        schema = nullable(schema) if optional else schema
        yield Parameter(
            name=name,
            wire_name=body.holes[name] if name in body.holes else body.sent[name].wire_name,
            place=place,
            required=not optional,
            nullable=nullable(schema) == schema,
            allow_empty=body.required.get(name, True),
            schema={**schema, "description": text} if text else schema,
            encoding=Encoding.AS_IS if name in body.holes else body.sent[name].encoding,
        )


def _check_requirement(
    name: str, annotation: ast.expr, body: Body, *, optional: bool, takes_null: bool, where: str
) -> None:
    """What decides whether null is left out, sent or refused must be one of three known ways.

    An optional argument is left out when it is null; one that is required and may be null is sent as null; any other is
    refused when it is null.
    """
    sent = body.sent.get(name)
    if sent is None and name not in body.holes:
        raise unknown_shape(where, annotation, f"'{name}' reaches nothing")
    checked = name in body.required
    if optional:
        known = sent is not None and sent.guarded and not checked
    elif sent is not None:
        known = not sent.guarded and (checked or takes_null)
    else:
        known = checked
    if not known:
        raise unknown_shape(where, annotation, f"it is unclear what a null '{name}' does")


def _upload(body: Body) -> Upload | None:
    return Upload(body.file_parameter, body.upload_id) if body.file_parameter is not None else None


def _deprecation(node: ast.FunctionDef, where: str) -> Deprecation | None:
    match node.decorator_list:
        case []:
            return None
        case [ast.Call(func=ast.Name(id="deprecated"), args=[ast.Constant(value=str(reason))], keywords=[])]:
            return Deprecation(clean(reason), None)
        case decorators:
            raise unknown_shape(where, decorators[0], "it has a decorator that is not known")


def _with_replacements(methods: Iterable[Method]) -> tuple[Method, ...]:
    """Each deprecation with the tool that its text names, where there is one: `tablesDB.get` is `tables_db_get`."""
    known = tuple(methods)
    tools = {(method.service.replace("_", ""), method.name): method.tool for method in known}

    def resolved(method: Method) -> Method:
        named = _REPLACEMENT.search(method.deprecation.reason) if method.deprecation else None
        if method.deprecation is None or named is None:
            return method
        tool = tools.get((named[1].replace("_", "").lower(), named[2]))
        return replace(method, deprecation=replace(method.deprecation, replacement=tool))

    return tuple(resolved(method) for method in known)


def _model_name(annotation: ast.expr | None) -> str:
    """The names of the models in a return type: `RowList`, `A | B` for a union, empty for plain values."""
    match annotation:
        case ast.Subscript(value=ast.Name(id="Union"), slice=ast.Tuple(elts=members)):
            return " | ".join(name for member in members if (name := _model_name(member)))
        case ast.Subscript(value=ast.Name(id=name)) | ast.Name(id=name) if name not in _NO_MODEL:
            return name
        case _:
            return ""
