"""Something to look at in a fresh stand-in."""

import itertools
import json
from typing import Final

from handrail.json_types import JsonObject
from handrail.sandbox.dispatch import Request, dispatch
from handrail.sandbox.state import SandboxState

__all__ = ["seed"]

_BOUNDARY: Final = "sandbox-seed"
_TABLE: Final = "/v1/tablesdb/shop/tables/products"
_COLUMNS: Final[tuple[tuple[str, JsonObject], ...]] = (
    ("string", {"key": "name", "size": 64, "required": True}),
    ("float", {"key": "price", "min": 0, "required": True}),
    ("integer", {"key": "stock", "min": 0, "required": False, "default": 0}),
    ("boolean", {"key": "on_sale", "required": False, "default": False}),
    ("enum", {"key": "category", "elements": ["tools", "garden", "kitchen"], "required": False}),
)
_PRODUCTS: Final = (
    ("hammer", "Hammer", 19.9, 12, False, "tools"),
    ("saw", "Saw", 24.5, 5, True, "tools"),
    ("drill", "Drill", 89, 0, False, "tools"),
    ("spade", "Spade", 32, 7, False, "garden"),
    ("hose", "Garden hose", 27.5, 3, True, "garden"),
    ("kettle", "Kettle", 39.9, 9, False, "kitchen"),
    ("pan", "Frying pan", 29, 14, True, "kitchen"),
    ("knife", "Bread knife", 12.9, 21, False, "kitchen"),
)


def seed(state: SandboxState) -> None:
    """Fill an empty state by the same requests that a client would send; they are not logged as requests.

    What the server names itself gets the same ids each time, so that two seeded states are alike but for moments.
    """
    own, numbers = state.new_id, itertools.count(1)
    state.new_id = lambda: f"{next(numbers):020x}"
    _fill(state)
    state.new_id = own


def _fill(state: SandboxState) -> None:
    for method, path, body in _steps():
        _send(state, method, path, json.dumps(body).encode(), "application/json")
    for row_id, name, price, stock, on_sale, category in _PRODUCTS:
        data: JsonObject = {"name": name, "price": price, "stock": stock, "on_sale": on_sale, "category": category}
        row: JsonObject = {"rowId": row_id, "data": data}
        _send(state, "POST", f"{_TABLE}/rows", json.dumps(row).encode(), "application/json")
    _send(state, "POST", "/v1/storage/buckets/docs/files", _file(), f"multipart/form-data; boundary={_BOUNDARY}")


def _send(state: SandboxState, method: str, path: str, body: bytes, content_type: str) -> None:
    headers = {
        "x-appwrite-project": state.project_id,
        "x-appwrite-key": next(key for key, scopes in state.keys.items() if scopes is None),
        "content-type": content_type,
    }
    dispatch(state, Request(method, path, headers=headers, body=body))


def _steps() -> list[tuple[str, str, JsonObject]]:
    ada: JsonObject = {"userId": "ada", "email": "ada@example.com", "password": "sandbox-ada-1", "name": "Ada"}
    return [
        ("POST", "/v1/users", ada),
        ("POST", "/v1/users", {"userId": "grace", "email": "grace@example.com", "name": "Grace"}),
        ("POST", "/v1/teams", {"teamId": "staff", "name": "Staff"}),
        ("POST", "/v1/teams/staff/memberships", {"userId": "ada", "roles": ["owner"]}),
        ("POST", "/v1/tablesdb", {"databaseId": "shop", "name": "Shop"}),
        ("POST", "/v1/tablesdb/shop/tables", {"tableId": "products", "name": "Products"}),
        *(("POST", f"{_TABLE}/columns/{kind}", column) for kind, column in _COLUMNS),
        # New columns are `processing` until they have been read often enough.
        ("GET", f"{_TABLE}/columns", {}),
        ("POST", "/v1/storage/buckets", {"bucketId": "docs", "name": "Documents"}),
        ("POST", "/v1/functions", {"functionId": "greet", "name": "Greet", "runtime": "node-22"}),
        ("POST", "/v1/functions/greet/variables", {"variableId": "tone", "key": "TONE", "value": "kind"}),
    ]


def _file() -> bytes:
    text = "Welcome to the sandbox: a local stand-in for Appwrite, in memory only.\n"
    fields = (('name="fileId"', "welcome"), ('name="file"; filename="welcome.txt"', text))
    parts = (f"--{_BOUNDARY}\r\nContent-Disposition: form-data; {head}\r\n\r\n{value}\r\n" for head, value in fields)
    return ("".join(parts) + f"--{_BOUNDARY}--\r\n").encode()
