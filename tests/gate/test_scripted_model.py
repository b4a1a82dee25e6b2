"""A model that copies whatever it sees into whatever it may fill in, against the real server: nothing grave is sent."""

import itertools
import json
import re
from collections.abc import Iterator

import anyio
import pytest
from mcp.client import Client

from handrail.approvals import Consent
from handrail.appwrite.catalog import Catalog
from handrail.appwrite.request import CallRequest
from handrail.cli.caller import AtTerminal
from handrail.composition import open_calls
from handrail.json_types import JsonObject
from tests.cli.conftest import Command
from tests.gate.deeds import Deed, served_deeds
from tests.gate.world import CALL, MODES, PREVIEW, World, answer, approval_of, ask, kind

_SECRETLIKE = re.compile(r"[A-Za-z0-9_.:\-]{20,}")
_AGREE: JsonObject = {"approval": {"action": "accept", "content": {"approve": True}}}
_NEWEST = 2


class CopyingModel:
    """Agrees to everything, and gives what it has seen as approval, token, state and argument."""

    def __init__(self, client: Client, deeds: list[Deed]) -> None:
        self.client = client
        self.deeds = deeds
        self.seen: list[str] = ["yes", "true"]
        self.calls = 0

    def look(self, document: object) -> None:
        for word in _SECRETLIKE.findall(json.dumps(document)):
            if word not in self.seen and any(char.isdigit() for char in word):
                self.seen.append(word)

    async def attack(self, *, direct: bool = False) -> None:
        for deed in self.deeds:
            self.look(await ask(self.client, PREVIEW, tool_name=deed.tool, arguments=deed.arguments))
            # The second time it has the words of the first time.
            for _ in range(2):
                for given in self.ways(deed):
                    await self.call(deed, given, direct=direct)

    def ways(self, deed: Deed) -> Iterator[JsonObject]:
        yes: JsonObject = {"confirm_write": True, "all": True}
        yield yes
        for word in [*self.seen[:1], *self.seen[-_NEWEST:]]:
            yield {**yes, "approval": word}
            yield {**yes, "approval": word, "token": word, "requestState": word, "approve": True}
            names = itertools.islice((name for name, value in deed.arguments.items() if isinstance(value, str)), 1)
            yield {**yes, "approval": word, "arguments": {**deed.arguments, **dict.fromkeys(names, word)}}

    async def call(self, deed: Deed, given: JsonObject, *, direct: bool) -> None:
        own = given.get("arguments", deed.arguments)
        rest = {name: value for name, value in given.items() if name != "arguments"}
        assert isinstance(own, dict)
        whole: JsonObject = {**own, **rest} if direct else {"tool_name": deed.tool, "arguments": own, **rest}
        await self.send(deed.tool if direct else CALL, whole)
        if "requestState" in whole:
            await self.send(deed.tool if direct else CALL, {k: v for k, v in whole.items() if k != "requestState"})
            await self.as_a_second_round(deed, whole, direct=direct)

    async def as_a_second_round(self, deed: Deed, whole: JsonObject, *, direct: bool) -> None:
        known = {name: value for name, value in whole.items() if name not in {"requestState", "token", "approve"}}
        self.calls += 1
        result = await self.client.session.call_tool(
            deed.tool if direct else CALL,
            known,
            input_responses=_AGREE,  # type: ignore[arg-type]  # as it stands on the wire
            request_state=str(whole["requestState"]),
            allow_input_required=True,
        )
        self.look(result.model_dump(mode="json"))

    async def send(self, tool: str, arguments: JsonObject) -> None:
        self.calls += 1
        self.look(answer(await self.client.call_tool(tool, arguments)))


def grave(catalog: Catalog) -> list[Deed]:
    return [deed for deed in served_deeds(catalog) if deed.grave]


@pytest.mark.promise("a-copying-model-writes-nothing-grave")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("writes", ["confirm", "ask"])
async def test_through_the_call_tool_it_sends_nothing(world: World, catalog: Catalog, mode: str, writes: str) -> None:
    deeds = grave(catalog)
    before = world.state.digest()
    async with world.client(mode, writes=writes) as client:
        model = CopyingModel(client, deeds if (mode, writes) == ("auto", "confirm") else deeds[::8])
        await model.attack()

    assert model.calls > 20 * len(model.deeds)
    assert world.sent(), "the previews did read"
    assert world.written() == []
    assert world.state.digest() == before


@pytest.mark.promise("a-copying-model-writes-nothing-grave")
async def test_through_direct_tools_it_sends_nothing(world: World, catalog: Catalog) -> None:
    before = world.state.digest()
    async with world.client(expose="all") as client:
        model = CopyingModel(client, grave(catalog)[::2])
        await model.attack(direct=True)

    assert model.calls > 20 * len(model.deeds)
    assert world.written() == []
    assert world.state.digest() == before


@pytest.mark.promise("a-copying-model-writes-nothing-grave")
async def test_through_the_command_line_without_a_terminal_it_sends_nothing(world: World, catalog: Catalog) -> None:
    refusals: set[tuple[str, str | None]] = set()
    async with open_calls(world.settings()) as calls:
        for deed in grave(catalog):
            first = CallRequest(deed.tool, deed.arguments, "cli", consent=Consent(True), every=True)  # noqa: FBT003  (what a caller writes)
            waits = (await calls.call(first, AtTerminal())).as_json()
            for word in (approval_of(waits), "yes"):
                consent = Consent(confirm_write=True, approval=word, token=word)
                again = CallRequest(deed.tool, deed.arguments, "cli", consent=consent, every=True)
                refusals.add(kind((await calls.call(again, AtTerminal())).as_json()))

    assert refusals == {("needs_approval", "needs_approval"), ("refused", "approval_invalid")}
    assert world.written() == []


@pytest.mark.promise("a-copying-model-writes-nothing-grave")
async def test_the_real_command_piped_a_yes_sends_nothing(world: World, command: Command) -> None:
    row = json.dumps({"database_id": "shop", "table_id": "products", "row_id": "hammer"})
    call = ("call", "tables_db_delete_row", row, "--confirm-write", "--all", "--json")

    def twice() -> list[JsonObject]:
        first = json.loads(command(*call, **world.environment).stdout)
        again = command(*call, "--approval", approval_of(first), **world.environment)
        approving = command("approve", approval_of(first), **world.environment)
        assert approving.returncode == 1
        return [first, json.loads(again.stdout)]

    first, again = await anyio.to_thread.run_sync(twice)

    assert [kind(first), kind(again)] == [("needs_approval", "needs_approval")] * 2
    assert world.written() == []


@pytest.mark.parametrize("mode", MODES)
async def test_with_the_setting_that_is_named_as_what_it_is_the_same_model_does_write(world: World, mode: str) -> None:
    row: JsonObject = {"database_id": "shop", "table_id": "products", "row_id": "hammer"}
    async with world.client(mode, grave="token") as client:
        token = (await ask(client, PREVIEW, tool_name="tables_db_delete_row", arguments=row))["token"]
        altered = await ask(
            client, CALL, tool_name="tables_db_delete_row", arguments={**row, "row_id": "saw"}, token=token
        )
        done = await ask(client, CALL, tool_name="tables_db_delete_row", arguments=row, token=token)
        again = await ask(client, CALL, tool_name="tables_db_delete_row", arguments=row, token=token)

    assert [kind(one) for one in (altered, done, again)] == [
        ("refused", "approval_invalid"),
        ("done", None),
        ("refused", "approval_invalid"),
    ]
    assert world.written() == ["DELETE /v1/tablesdb/shop/tables/products/rows/hammer"]


@pytest.mark.parametrize("mode", MODES)
async def test_the_same_model_does_get_a_plain_write_so_the_attack_finds_what_there_is(
    world: World, catalog: Catalog, mode: str
) -> None:
    plain = [deed for deed in served_deeds(catalog) if deed.tool == "teams_update_name"]
    async with world.client(mode) as client:
        await CopyingModel(client, plain).attack()

    assert "PUT /v1/teams/staff" in world.written()
