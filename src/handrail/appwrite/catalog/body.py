"""What one method's body sends, read statement by statement.

The SDK is generated: every method sets a path and parameters, then calls its client once. Each statement up to that
call must be of a known shape, because one that is skipped could be the one that changes the request. After the call
only the answer is dealt with.
"""

import ast
from dataclasses import dataclass, field

from handrail.appwrite.catalog.model import Encoding, ResponseKind
from handrail.appwrite.catalog.shape import unknown_shape

__all__ = ["Body", "Sent", "read_body"]


@dataclass(slots=True)
class Sent:
    """How one argument is sent in the query or the body. `guarded`: only when it is not None."""

    wire_name: str
    guarded: bool
    encoding: Encoding


@dataclass(slots=True)
class Body:
    """What a method's body says.

    Attributes:
        path: the template.
        required: arguments that may not be None, each with whether an empty string passes.
        holes: argument to the hole of the path that it fills.
        config_holes: configuration key to the hole that it fills.
        sent: argument to how it is sent in the query or the body.
        verb: the HTTP method in lower case; empty until the call has been read.
        headers: those of the call, names in lower case, without the project's.
        sends_project: whether the call sends the project.
        response: what a successful answer is.
        file_parameter: the wire name of an upload's file, or None.
        upload_id: the argument that names an upload, or None.
    """

    path: str = ""
    required: dict[str, bool] = field(default_factory=dict)
    holes: dict[str, str] = field(default_factory=dict)
    config_holes: dict[str, str] = field(default_factory=dict)
    sent: dict[str, Sent] = field(default_factory=dict)
    verb: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    sends_project: bool = False
    response: ResponseKind = ResponseKind.JSON
    file_parameter: str | None = None
    upload_id: str | None = None


def read_body(statements: list[ast.stmt], where: str) -> Body:
    """What the statements of a method (without its docstring) send.

    Args:
        statements: the body.
        where: `service.method`, for the error.

    Raises:
        SdkShapeError: a statement is of a shape that is not known, or nothing is called.
    """
    body = Body()
    for statement in statements:
        if body.verb:
            _check_tail(statement, where)
        elif not _read(statement, body, where):
            raise unknown_shape(where, statement, "a statement is of a shape that is not known")
    if not (body.verb and body.path):
        raise unknown_shape(where, ast.Pass(), "it calls nothing")
    return body


def _read(statement: ast.stmt, body: Body, where: str) -> bool:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            return _read_variable(name, value, body, where)
        case ast.Assign():
            return _read_parameter(statement, body, guard=None)
        case ast.If(test=test, body=[ast.Raise()], orelse=[]):
            return _read_check(test, body)
        case ast.If(test=test, body=[ast.Assign() as inner], orelse=[]):
            guard = _guarded_name(test)
            return guard is not None and _read_parameter(inner, body, guard=guard)
        case _:
            return False


def _read_variable(name: str, value: ast.expr, body: Body, where: str) -> bool:
    match name, value:
        case "api_path", ast.Constant(value=str(path)):
            body.path = path
        case "api_path", ast.Call():
            return _read_hole(value, body)
        case "api_params", ast.Dict(keys=[]):
            pass
        case "param_name", ast.Constant(value=str(wire_name)):
            body.file_parameter = wire_name
        case "upload_id", ast.Constant(value=""):
            body.upload_id = None
        case "upload_id", ast.Name(id=argument):
            body.upload_id = argument
        case "response", ast.Call():
            return _read_call(value, body, where)
        case _:
            return False
    return True


def _read_hole(call: ast.Call, body: Body) -> bool:
    """`api_path.replace('{hole}', str(self._normalize_value(X)))`."""
    match call:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id="api_path"), attr="replace"),
            args=[
                ast.Constant(value=str(hole)),
                ast.Call(func=ast.Name(id="str"), args=[ast.Call() as inner], keywords=[]),
            ],
            keywords=[],
        ) if hole.startswith("{") and hole.endswith("}"):
            return _fill_hole(hole[1:-1], _normalized(inner), body)
        case _:
            return False


def _fill_hole(hole: str, source: ast.expr | None, body: Body) -> bool:
    match source:
        case ast.Name(id=argument):
            body.holes[argument] = hole
            return True
        case ast.Call() if (key := _config_key(source)) is not None:
            body.config_holes[key] = hole
            return True
        case _:
            return False


def _read_parameter(statement: ast.Assign, body: Body, *, guard: str | None) -> bool:
    """`api_params['wire'] = self._normalize_value(X)`."""
    match statement:
        case ast.Assign(
            targets=[ast.Subscript(value=ast.Name(id="api_params"), slice=ast.Constant(value=str(wire_name)))],
            value=ast.Call() as value,
        ):
            found = _argument(_normalized(value))
        case _:
            return False
    if found is None or (guard is not None and guard != found[0]):
        return False
    body.sent[found[0]] = Sent(wire_name, guard is not None, found[1])
    return True


def _argument(expression: ast.expr | None) -> tuple[str, Encoding] | None:
    match expression:
        case ast.Name(id=name):
            return name, Encoding.AS_IS
        case ast.IfExp(orelse=ast.Name(id=name)):
            lowered = f"str({name}).lower() if type({name}) is bool else {name}"
            return (name, Encoding.LOWER_BOOL) if ast.unparse(expression) == lowered else None
        case _:
            return None


def _read_check(test: ast.expr, body: Body) -> bool:
    """`X is None` or `X is None or X == ''`."""
    match test:
        case ast.Compare(left=ast.Name(id=name), ops=[ast.Is()], comparators=[ast.Constant(value=None)]):
            body.required[name] = True
            return True
        case ast.BoolOp(
            op=ast.Or(),
            values=[
                ast.Compare(left=ast.Name(id=name), ops=[ast.Is()], comparators=[ast.Constant(value=None)]),
                ast.Compare(left=ast.Name(id=same), ops=[ast.Eq()], comparators=[ast.Constant(value="")]),
            ],
        ) if name == same:
            body.required[name] = False
            return True
        case _:
            return False


def _guarded_name(test: ast.expr) -> str | None:
    """The X of `X is not None`."""
    match test:
        case ast.Compare(left=ast.Name(id=name), ops=[ast.IsNot()], comparators=[ast.Constant(value=None)]):
            return name
        case _:
            return None


def _normalized(call: ast.expr) -> ast.expr | None:
    """The X of `self._normalize_value(X)`."""
    match call:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id="self"), attr="_normalize_value"), args=[inner], keywords=[]
        ):
            return inner
        case _:
            return None


def _config_key(call: ast.expr) -> str | None:
    """The key of `self.client.get_config('key')`."""
    match call:
        case ast.Call(
            func=ast.Attribute(value=ast.Attribute(value=ast.Name(id="self"), attr="client"), attr="get_config"),
            args=[ast.Constant(value=str(key))],
            keywords=[],
        ):
            return key
        case _:
            return None


def _read_call(call: ast.Call, body: Body, where: str) -> bool:
    match call:
        case ast.Call(
            func=ast.Attribute(value=ast.Attribute(value=ast.Name(id="self"), attr="client"), attr="call"),
            args=[
                ast.Constant(value=str(verb)),
                ast.Name(id="api_path"),
                ast.Dict() as headers,
                ast.Name(id="api_params"),
            ],
        ):
            body.verb = verb
        case ast.Call(
            func=ast.Attribute(value=ast.Attribute(value=ast.Name(id="self"), attr="client"), attr="chunked_upload"),
            args=[
                ast.Name(id="api_path"),
                ast.Dict() as headers,
                ast.Name(id="api_params"),
                ast.Name(id="param_name"),
                ast.Name(id="on_progress"),
                ast.Name(id="upload_id"),
            ],
            keywords=[ast.keyword(arg="method", value=ast.Constant(value=str(verb)))],
        ):
            body.verb = verb
            return _read_headers(headers, body)
        case _:
            return False
    return _read_response_kind(call.keywords, body, where) and _read_headers(headers, body)


def _read_response_kind(keywords: list[ast.keyword], body: Body, where: str) -> bool:
    match keywords:
        case []:
            return True
        case [ast.keyword(arg="response_type", value=ast.Constant(value=str(kind)) as value)]:
            if kind not in set(ResponseKind):
                raise unknown_shape(where, value, "it has a response type that is not known")
            body.response = ResponseKind(kind)
            return True
        case _:
            return False


def _read_headers(headers: ast.Dict, body: Body) -> bool:
    for name, value in zip(headers.keys, headers.values, strict=True):
        match name, value:
            case ast.Constant(value=str(text)), ast.Constant(value=str(constant)):
                body.headers[text.lower()] = constant
            case ast.Constant(value="X-Appwrite-Project"), ast.Call() if _config_key(value) == "project":
                body.sends_project = True
            case _:
                return False
    return True


def _check_tail(statement: ast.stmt, where: str) -> None:
    """After the call the client must not be used again."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Attribute) and node.attr == "client":
            raise unknown_shape(where, statement, "it calls the API more than once")
