"""Twenty everyday jobs, done by a caller that always takes the first hit: `python -m benchmarks.jobs`.

The caller searches, takes the first hit's example call, puts its values in, and calls what the example says. Counted
are its calls, and as tokens a quarter of the characters of what a model sees and says: the names and arguments of its
calls, and the text of the answers. The server is the real one, in this process, with the stand-in behind it.
"""

import json
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Final, TypedDict, cast

import anyio
from mcp.client import Client
from mcp_types import TextContent

from handrail.composition import open_server
from handrail.json_types import Json, JsonObject
from handrail.settings import Settings
from handrail.toolset import Toolset

__all__ = ["Done", "do_jobs", "main"]

_CALLS: Final = 3
_TOKENS: Final = 6_000
_CHARACTERS_A_TOKEN: Final = 4
_BOUND_S: Final = 120.0


class Step(TypedDict, total=False):
    """What is asked, the values that are known, and what the answer must hold."""

    ask: str
    values: dict[str, Json]
    holds: str


class Job(TypedDict):
    """A job and its steps."""

    name: str
    steps: list[Step]


@dataclass(slots=True)
class Done:
    """What a job took. `trouble`: why it was not done, or None."""

    name: str
    calls: int = 0
    characters: int = 0
    trouble: str | None = None
    tools: list[str] = field(default_factory=list)

    @property
    def tokens(self) -> int:
        """A quarter of the characters."""
        return self.characters // _CHARACTERS_A_TOKEN


async def do_jobs() -> list[Done]:
    """Do every job, each on a stand-in of its own."""
    jobs = cast("list[Job]", tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))["job"])
    done = []
    with tempfile.TemporaryDirectory() as home, anyio.fail_after(_BOUND_S):
        for job in jobs:
            opened = open_server(Settings(home=Path(home)), toolsets=[Toolset.APPWRITE], sandbox=True)
            async with opened as server, Client(server) as client:
                done.append(await _do(client, job))
    return done


async def _do(client: Client, job: Job) -> Done:
    done = Done(job["name"])
    for step in job["steps"]:
        found = await _call(client, done, "appwrite_search_tools", {"query": step["ask"]})
        hits = cast("Sequence[Mapping[str, JsonObject]]", json.loads(found)["tools"])
        if not hits:
            done.trouble = f"nothing found for '{step['ask']}'"
            return done
        example = hits[0]["example"]
        arguments = cast("JsonObject", example["arguments"])
        given = {**cast("JsonObject", arguments["arguments"]), **step.get("values", {})}
        done.tools.append(str(hits[0]["name"]))
        answer = await _call(client, done, str(example["tool"]), {**arguments, "arguments": given})
        if step["holds"] not in answer:
            done.trouble = f"'{step['holds']}' is not in the answer of {hits[0]['name']}: {answer[:300]}"
            return done
    return done


async def _call(client: Client, done: Done, tool: str, arguments: JsonObject) -> str:
    result = await client.call_tool(tool, arguments)
    text = "".join(block.text for block in result.content if isinstance(block, TextContent))
    done.calls += 1
    done.characters += len(tool) + len(json.dumps(arguments)) + len(text)
    return text


def main() -> None:
    """Do the jobs and print what each took."""
    done = anyio.run(do_jobs)
    for one in done:
        print(f"{one.name:<36} {one.calls} calls  {one.tokens:>5} tokens  {one.trouble or ', '.join(one.tools)}")
    well = sum(one.trouble is None for one in done)
    calls, tokens = median(one.calls for one in done), median(one.tokens for one in done)
    print(f"{well} of {len(done)} done; median {calls:g} calls (bound {_CALLS}), {tokens:g} tokens (bound {_TOKENS})")


if __name__ == "__main__":
    main()
