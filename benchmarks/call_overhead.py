"""What a read through the gate costs over the same request by a raw pooled client, in one process, in turns."""

import time
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Final

import httpx2

from handrail.appwrite.request import CallRequest
from handrail.cli.caller import AtTerminal
from handrail.composition import open_calls
from handrail.sandbox import Sandbox, SandboxState, serve_sandbox
from handrail.settings import load_settings

__all__ = ["compare"]

_ROUNDS: Final = 500
_WARM_UP: Final = 20


async def compare() -> None:
    """Print the medians of both and their difference."""
    with TemporaryDirectory() as home:
        async with serve_sandbox(SandboxState.seeded()) as sandbox:
            raw, ours = await _measure(sandbox, Path(home))
    difference = median(ours) - median(raw)
    print(f"a read, p50 ms      raw {median(raw):.2f}  handrail {median(ours):.2f}  over {difference:.2f}  (bound 1)")
    print(f"a read, p95 ms      raw {quantiles(raw, n=20)[-1]:.2f}  handrail {quantiles(ours, n=20)[-1]:.2f}")


async def _measure(sandbox: Sandbox, home: Path) -> tuple[list[float], list[float]]:
    headers = {"x-appwrite-project": sandbox.project_id, "x-appwrite-key": sandbox.api_key}
    settings = load_settings(
        home=home,
        appwrite_endpoint=sandbox.endpoint,
        appwrite_project_id=sandbox.project_id,
        appwrite_api_key=sandbox.api_key,
    )
    request, caller = CallRequest("users_get", {"user_id": "ada"}, "bench", reads_only=True), AtTerminal()
    raw: list[float] = []
    ours: list[float] = []
    async with open_calls(settings) as calls, httpx2.AsyncClient(headers=headers) as client:
        for turn in range(_WARM_UP + _ROUNDS):
            began = time.perf_counter()
            (await client.get(f"{sandbox.endpoint}/users/ada")).json()
            between = time.perf_counter()
            result = await calls.call(request, caller)
            ended = time.perf_counter()
            assert result.status == 200  # noqa: PLR2004  (HTTP: OK)
            if turn >= _WARM_UP:
                raw.append((between - began) * 1000)
                ours.append((ended - between) * 1000)
    return raw, ours
