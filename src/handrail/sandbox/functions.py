"""The functions service: functions and their variables. Nothing here runs code: there are no deployments."""

from http import HTTPStatus

from handrail.json_types import Json, JsonObject
from handrail.sandbox.errors import ApiError, Fail
from handrail.sandbox.filters import Kind
from handrail.sandbox.routing import NO_CONTENT, Answer, Call, Route, listing, text_fields
from handrail.sandbox.state import Function

__all__ = ["ROUTES"]

_READ, _WRITE = ("functions.read",), ("functions.write",)
_RUN_READ, _RUN_WRITE = ("executions.read", "execution.read"), ("executions.write", "execution.write")
_RUNTIMES = frozenset(
    {"node-22", "node-20.0", "python-3.12", "python-3.11", "php-8.3", "deno-2.0", "bun-1.1", "go-1.23"}
)
_TEXTS = (
    "schedule",
    "entrypoint",
    "commands",
    "installationId",
    "providerRepositoryId",
    "providerBranch",
    "providerRootDirectory",
)
_LISTS = ("execute", "events", "scopes", "providerBranches", "providerPaths")
_FLAGS = {"enabled": True, "logging": True, "providerSilentMode": False}
_SPECIFICATIONS = ("buildSpecification", "runtimeSpecification")
_GIGABYTE = 1024
_LONGEST_TIMEOUT, _LONGEST_RETENTION = 900, 365
_LONGEST_TEXT, _LONGEST_VALUE, _LONGEST_KEY = 8192, 8192, 255
_FIELDS = text_fields("name", "runtime", "deploymentId", "schedule", "entrypoint", "commands") | {
    "enabled": Kind.FLAG,
    "timeout": Kind.NUMBER,
}
_VARIABLE_FIELDS = text_fields("key") | {"secret": Kind.FLAG}
_SIZES = ((0.5, 512), (1, 512), (1, 1024), (2, 2048), (2, 4096), (4, 4096), (4, 8192), (8, 4096), (8, 8192))


def _specification(cpus: float, memory: int) -> JsonObject:
    size = f"{memory}mb" if memory < _GIGABYTE else f"{memory // _GIGABYTE}gb"
    return {"slug": f"s-{cpus}vcpu-{size}", "memory": memory, "cpus": cpus, "enabled": True}


def _function(call: Call) -> Function:
    if call.ids["functionId"] not in call.state.functions:
        raise ApiError(Fail.FUNCTION_NOT_FOUND)
    return call.state.functions[call.ids["functionId"]]


def _shown(function: Function) -> JsonObject:
    return {**function.doc, "vars": list[Json](_shown_variable(variable) for variable in function.variables.values())}


def _shown_variable(variable: JsonObject) -> JsonObject:
    return {**variable, "value": "" if variable["secret"] is True else variable["value"]}


def _runtime(call: Call, kept: str) -> str:
    runtime = call.params.text_or("runtime", kept)
    if not runtime:
        raise ApiError(Fail.ARGUMENT_INVALID, 'Param "runtime" is not optional.')
    if runtime not in _RUNTIMES:
        raise ApiError(Fail.RUNTIME_UNSUPPORTED, runtime)
    return runtime


def _settings(call: Call, kept: JsonObject) -> JsonObject:
    """The settings that a request may name, as asked for, else as they were."""
    params = call.params
    return {
        **{name: params.text_or(name, str(kept[name]), longest=_LONGEST_TEXT) for name in _TEXTS},
        **{name: list[Json](params.texts(name)) if name in params else kept[name] for name in _LISTS},
        **{name: params.flag_or(name, default=kept[name] is True) for name in _FLAGS},
        **{name: params.text_or(name, str(kept[name])) for name in _SPECIFICATIONS},
        "timeout": params.whole_or("timeout", int(str(kept["timeout"])), 1, _LONGEST_TIMEOUT),
        "deploymentRetention": params.whole_or(
            "deploymentRetention", int(str(kept["deploymentRetention"])), 0, _LONGEST_RETENTION
        ),
    }


_NEW_FUNCTION: JsonObject = {
    **dict.fromkeys(_TEXTS, ""),
    **{name: list[Json]() for name in _LISTS},
    **_FLAGS,
    **dict.fromkeys(_SPECIFICATIONS, "s-8vcpu-8gb"),
    "timeout": 15,
    "deploymentRetention": 0,
}
_NO_DEPLOYMENT = dict.fromkeys(
    (
        "deploymentId",
        "deploymentCreatedAt",
        "latestDeploymentId",
        "latestDeploymentCreatedAt",
        "latestDeploymentStatus",
    ),
    "",
)


def _create(call: Call) -> Answer:
    state, params = call.state, call.params
    function_id, name, runtime = params.new_id("functionId", state.new_id), params.text("name"), _runtime(call, "")
    settings = _settings(call, _NEW_FUNCTION)
    if function_id in state.functions:
        raise ApiError(Fail.FUNCTION_EXISTS)
    now = state.stamp()
    doc: JsonObject = {
        "$id": function_id,
        "$createdAt": now,
        "$updatedAt": now,
        "name": name,
        "live": True,
        "runtime": runtime,
        **_NO_DEPLOYMENT,
        **settings,
        "version": "v5",
    }
    state.functions[function_id] = Function(doc)
    return Answer(_shown(state.functions[function_id]), HTTPStatus.CREATED)


def _list(call: Call) -> Answer:
    docs = [_shown(function) for function in call.state.functions.values()]
    return listing(call, "functions", docs, _FIELDS, "Function")


def _get(call: Call) -> Answer:
    return Answer(_shown(_function(call)))


def _update(call: Call) -> Answer:
    function, name = _function(call), call.params.text("name")
    doc = function.doc
    settings, runtime = _settings(call, doc), _runtime(call, str(doc["runtime"]))
    doc.update({**settings, "name": name, "runtime": runtime, "$updatedAt": call.state.stamp()})
    return Answer(_shown(function))


def _delete(call: Call) -> Answer:
    _function(call)
    del call.state.functions[call.ids["functionId"]]
    return NO_CONTENT


def _list_runtimes(call: Call) -> Answer:
    del call
    words = [{"$id": name, "key": name.rpartition("-")[0], "version": name.rpartition("-")[2]} for name in _RUNTIMES]
    shown: list[Json] = [
        {**word, "name": word["key"].capitalize(), "base": "", "image": "", "logo": "", "supports": []}
        for word in sorted(words, key=lambda word: word["$id"])
    ]
    return Answer({"total": len(shown), "runtimes": shown})


def _list_specifications(call: Call) -> Answer:
    del call
    return Answer({"total": len(_SIZES), "specifications": [_specification(*size) for size in _SIZES]})


def _create_variable(call: Call) -> Answer:
    state, params, function = call.state, call.params, _function(call)
    variable_id, key = params.new_id("variableId", state.new_id), params.text("key", longest=_LONGEST_KEY)
    value, secret = params.text("value", longest=_LONGEST_VALUE, shortest=0), params.flag_or("secret", default=True)
    taken = variable_id in function.variables or any(other["key"] == key for other in function.variables.values())
    if taken:
        raise ApiError(Fail.VARIABLE_EXISTS)
    now = state.stamp()
    variable: JsonObject = {
        "$id": variable_id,
        "$createdAt": now,
        "$updatedAt": now,
        "key": key,
        "value": value,
        "secret": secret,
        "resourceType": "function",
        "resourceId": function.doc["$id"],
    }
    function.variables[variable_id] = variable
    function.doc["$updatedAt"] = now
    return Answer(_shown_variable(variable), HTTPStatus.CREATED)


def _variable(call: Call) -> JsonObject:
    variables = _function(call).variables
    if call.ids["variableId"] not in variables:
        raise ApiError(Fail.VARIABLE_NOT_FOUND)
    return variables[call.ids["variableId"]]


def _list_variables(call: Call) -> Answer:
    shown = [_shown_variable(variable) for variable in _function(call).variables.values()]
    return listing(call, "variables", shown, _VARIABLE_FIELDS, "Variable")


def _get_variable(call: Call) -> Answer:
    return Answer(_shown_variable(_variable(call)))


def _update_variable(call: Call) -> Answer:
    variable, params = _variable(call), call.params
    secret = params.flag_or("secret", default=variable["secret"] is True)
    if variable["secret"] is True and not secret:
        raise ApiError(Fail.VARIABLE_SECRET)
    variable["key"] = params.text_or("key", str(variable["key"]), longest=_LONGEST_KEY)
    variable["value"] = params.text_or("value", str(variable["value"]), longest=_LONGEST_VALUE)
    variable["secret"] = secret
    variable["$updatedAt"] = call.state.stamp()
    return Answer(_shown_variable(variable))


def _delete_variable(call: Call) -> Answer:
    _variable(call)
    del _function(call).variables[call.ids["variableId"]]
    return NO_CONTENT


def _execute(call: Call) -> Answer:
    _function(call)
    raise ApiError(Fail.DEPLOYMENT_NOT_FOUND)


def _list_executions(call: Call) -> Answer:
    _function(call)
    return listing(call, "executions", (), text_fields("trigger", "status"), "Execution")


def _no_execution(call: Call) -> Answer:
    _function(call)
    raise ApiError(Fail.EXECUTION_NOT_FOUND)


_ONE = "/functions/{functionId}"
_VARIABLES = f"{_ONE}/variables"
_EXECUTIONS = f"{_ONE}/executions"
ROUTES = (
    Route("POST", "/functions", _WRITE, _create),
    Route("GET", "/functions", _READ, _list),
    # Guests have the scope `public` and keys have not: the real one refuses this to every key, and so it is here.
    Route("GET", "/functions/runtimes", ("public",), _list_runtimes),
    Route("GET", "/functions/specifications", _READ, _list_specifications),
    Route("GET", _ONE, _READ, _get),
    Route("PUT", _ONE, _WRITE, _update),
    Route("DELETE", _ONE, _WRITE, _delete),
    Route("POST", _VARIABLES, _WRITE, _create_variable),
    Route("GET", _VARIABLES, _READ, _list_variables),
    Route("GET", f"{_VARIABLES}/{{variableId}}", _READ, _get_variable),
    Route("PUT", f"{_VARIABLES}/{{variableId}}", _WRITE, _update_variable),
    Route("DELETE", f"{_VARIABLES}/{{variableId}}", _WRITE, _delete_variable),
    Route("POST", _EXECUTIONS, _RUN_WRITE, _execute),
    Route("GET", _EXECUTIONS, _RUN_READ, _list_executions),
    Route("GET", f"{_EXECUTIONS}/{{executionId}}", _RUN_READ, _no_execution),
    Route("DELETE", f"{_EXECUTIONS}/{{executionId}}", _RUN_WRITE, _no_execution),
)
