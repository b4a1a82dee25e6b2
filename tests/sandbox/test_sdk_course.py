"""The real client, the PyPI `appwrite` SDK, drives the stand-in through a course without a parse error."""

from collections.abc import Callable
from typing import Protocol

import anyio
import pytest
from appwrite.client import Client
from appwrite.exception import AppwriteException
from appwrite.input_file import InputFile
from appwrite.query import Query
from appwrite.services.functions import Functions
from appwrite.services.storage import Storage
from appwrite.services.tables_db import TablesDB
from appwrite.services.teams import Teams
from appwrite.services.users import Users

from handrail.sandbox import Sandbox, SandboxState, serve_sandbox

BIG = bytes(range(256)) * (12 * 1024 * 4)  # 12 MiB: two whole chunks and a part of one


class _Course(Protocol):
    def __call__(self, client: Client) -> None: ...


def client_for(sandbox: Sandbox) -> Client:
    client = Client()
    client.set_endpoint(sandbox.endpoint).set_project(sandbox.project_id).set_key(sandbox.api_key)
    client.add_header("x-appwrite-project", sandbox.project_id)
    return client


def people(client: Client) -> None:
    users, teams = Users(client), Teams(client)
    assert users.create("u1", "u1@example.com", None, "password-1", "One").name == "One"
    assert users.update_name("u1", "Two").name == "Two"
    assert users.list([Query.equal("email", "u1@example.com")]).total == 1
    assert users.create_session("u1").userid == "u1"
    users.delete_sessions("u1")
    teams.create("t1", "Team")
    assert teams.create_membership("t1", ["dev"], user_id="u1").teamid == "t1"
    assert teams.get("t1").total == 1
    users.delete("u1")
    assert teams.get("t1").total == 0


def tables(client: Client) -> None:
    db = TablesDB(client)
    db.create("d1", "DB")
    db.create_table("d1", "t1", "Table")
    for column in (
        db.create_varchar_column("d1", "t1", "name", 64, required=True),
        db.create_integer_column("d1", "t1", "stock", required=False, min=0, max=100, default=1),
        db.create_boolean_column("d1", "t1", "sale", required=False, default=False),
    ):
        assert str(column.status.value if hasattr(column.status, "value") else column.status) == "processing"
    assert db.list_columns("d1", "t1").total == 3
    db.create_index("d1", "t1", "by_name", "key", ["name"])
    for number in range(30):
        db.create_row("d1", "t1", f"r{number}", {"name": f"Row {number:02}", "stock": number})
    page = db.list_rows("d1", "t1", [Query.greater_than("stock", 4), Query.order_desc("stock"), Query.limit(10)])
    assert (page.total, page.rows[0].id) == (25, "r29")
    after = db.list_rows("d1", "t1", [Query.order_desc("stock"), Query.cursor_after("r20"), Query.limit(1)])
    assert after.rows[0].id == "r19"
    assert db.increment_row_column("d1", "t1", "r1", "stock", 5).id == "r1"
    db.upsert_row("d1", "t1", "r1", {"name": "Again"})
    assert db.update_rows("d1", "t1", {"sale": True}, [Query.less_than("stock", 3)]).total == 2
    assert db.delete_rows("d1", "t1").total == 30
    db.delete("d1")


def files(client: Client) -> None:
    storage = Storage(client)
    storage.create_bucket("b1", "Bucket")
    small = storage.create_file("b1", "f1", InputFile.from_bytes(b"hello", "f.txt"))
    assert (small.mimetype, small.chunksuploaded) == ("text/plain", 1)
    big = storage.create_file("b1", "f2", InputFile.from_bytes(BIG, "big.bin"))
    assert (big.chunkstotal, big.chunksuploaded, big.sizeoriginal) == (3, 3, len(BIG))
    with pytest.raises(AppwriteException) as refused:  # SDK 27 sends `x-appwrite-id: unique()`; the real one refuses it
        storage.create_file("b1", "unique()", InputFile.from_bytes(BIG, "big.bin"))
    assert refused.value.type == "storage_invalid_appwrite_id"
    assert storage.get_file_download("b1", big.id) == BIG
    assert storage.get_file_view("b1", "f1") == b"hello"
    assert storage.list_files("b1").total == 2
    storage.delete_file("b1", "f1")
    storage.delete_bucket("b1")


def functions(client: Client) -> None:
    service = Functions(client)
    service.create("f1", "Function", "node-22")
    assert service.create_variable("f1", "v1", "KEY", "secret-value").value == ""
    assert service.list_variables("f1").variables[0].value == ""
    with pytest.raises(AppwriteException) as refused:
        service.create_execution("f1")
    assert refused.value.type == "deployment_not_found"
    service.delete("f1")


def refusals(client: Client) -> None:
    with pytest.raises(AppwriteException) as missing:
        Users(client).get("nobody")
    assert (missing.value.code, missing.value.type) == (404, "user_not_found")
    with pytest.raises(AppwriteException) as invalid:
        Users(client).list([Query.equal("colour", "red")])
    assert (invalid.value.code, invalid.value.type) == (400, "general_query_invalid")


@pytest.mark.parametrize("course", [people, tables, files, functions, refusals])
async def test_the_sdk_runs_its_course(course: _Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    state = SandboxState()
    with anyio.fail_after(60):
        async with serve_sandbox(state) as sandbox:
            before = state.digest()
            run: Callable[[Client], None] = course
            await anyio.to_thread.run_sync(run, client_for(sandbox))
    if course in {files, functions}:
        assert state.digest() == before  # everything made was deleted again
    assert {record.status for record in state.requests} <= {200, 201, 202, 204, 400, 404}
