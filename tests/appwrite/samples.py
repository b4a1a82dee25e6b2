"""Small made-up methods, plans and answers."""

from handrail.appwrite.catalog.model import Method, Parameter, Place, ResponseKind, Sdk
from handrail.appwrite.plan import JsonBody, MultipartBody, RequestPlan

__all__ = ["READ", "WRITE", "method", "plan"]


def method(
    name: str = "get_thing",
    http_method: str = "GET",
    *,
    returns: str = "Thing",
    response: ResponseKind = ResponseKind.JSON,
) -> Method:
    """A method of a made-up service, with one path argument."""
    return Method(
        tool=f"things_{name}",
        sdk=Sdk.SERVER,
        service="things",
        name=name,
        title=name.replace("_", " ").capitalize(),
        summary="A thing.",
        description="A thing.",
        http_method=http_method,
        path="/things/{thingId}",
        parameters=(
            Parameter(
                "thing_id",
                "thingId",
                Place.PATH,
                required=True,
                nullable=False,
                allow_empty=False,
                schema={"type": "string"},
            ),
        ),
        headers=(),
        sends_project=True,
        config_holes=(),
        response=response,
        upload=None,
        deprecation=None,
        returns=returns,
    )


READ = method()
WRITE = method("update_thing", "PUT")


def plan(
    http_method: str = "GET",
    path: str = "/things/t1",
    *,
    query: tuple[tuple[str, str], ...] = (),
    body: JsonBody | MultipartBody | None = None,
    headers: tuple[tuple[str, str], ...] = (("accept", "application/json"),),
) -> RequestPlan:
    """A planned request."""
    return RequestPlan(
        http_method=http_method,
        path=path,
        query=query,
        headers=headers,
        sends_project=True,
        body=body,
        response=ResponseKind.JSON,
    )
