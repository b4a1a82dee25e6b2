"""`python -m tests.runs.worker.bodies_child`: a child whose body does what a run's arguments tell it, step by step.

The arguments are `{"folder": ..., "steps": [[name, *values], ...]}`. What happens is a line in a file of the folder.
"""

import errno
import hashlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import anyio

from handrail.json_types import Json, JsonObject
from handrail.runs import RunContext, StartRequest
from handrail.runs.worker import run_child

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer as Buffer

__all__ = ["body", "main"]

_LOOK_SECONDS: Final = 0.01
_STUBBORN: Final = (
    "import os, pathlib, signal, sys, time\n"
    "def hear(number, frame):\n"
    "    with open(sys.argv[1] + '.heard', 'a') as file: file.write(f'{number} {time.time()}\\n')\n"
    "for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP): signal.signal(number, hear)\n"
    "part = pathlib.Path(sys.argv[1] + '.part')\n"
    "part.write_text(str(os.getpid()))\n"
    "part.replace(sys.argv[1])\n"
    "time.sleep(600)\n"
)


class _Doing:
    """One run of the body."""

    def __init__(self, ctx: RunContext, folder: Path) -> None:
        self._ctx = ctx
        self._folder = folder
        self.result: JsonObject = {"ok": True}

    async def note(self, name: str, *words: str | int) -> None:
        """Add a line to a file: an act without a check."""
        with (self._folder / name).open("a", encoding="utf-8") as file:
            file.write(" ".join([*map(str, words), f"{time.time():.4f}"]) + "\n")

    async def act(self, name: str) -> None:
        """An act as it should be: check, then do."""
        await self._ctx.check()
        await self.note(name)

    async def sign(self, name: str) -> None:
        """An act that tells which process did it."""
        await self._ctx.check()
        await self.note(name, os.getpid())

    async def wait(self, name: str) -> None:
        """Wait for a file, as a body should."""
        while not (self._folder / name).exists():  # noqa: ASYNC110  (another process makes it)
            await anyio.sleep(_LOOK_SECONDS)

    async def keep_acting(self, name: str) -> None:
        """Act for ever."""
        while True:
            await self.act(name)
            await anyio.sleep(_LOOK_SECONDS)

    async def block(self, name: str) -> None:
        """Wait for a file in a way that nothing can break off."""
        while not (self._folder / name).exists():
            time.sleep(_LOOK_SECONDS)  # noqa: ASYNC251  (the point of it)

    async def swallow(self, name: str) -> None:
        """Wait for a file, whatever cancels it, and keep trying to act."""
        while not (self._folder / name).exists():
            try:
                await self.act("acts")
                await anyio.sleep(_LOOK_SECONDS)
            except anyio.get_cancelled_exc_class():
                await self.note("swallowed")
                time.sleep(_LOOK_SECONDS)  # noqa: ASYNC251  (a cancelled task can wait in no other way)

    async def browser(self, name: str) -> None:
        """Start something that hears every signal and heeds none but SIGKILL; its process id stands in a file."""
        command = [sys.executable, "-c", _STUBBORN, str(self._folder / name)]
        subprocess.Popen(command)  # noqa: ASYNC220  (it does not wait)
        await self.wait(name)

    async def episodes(self, count: int, prefix: str) -> None:
        """Do and save so many episodes; the file `<prefix><n>-stop` holds one up after its act."""
        for number in range(count):
            name = f"{prefix}{number}"
            if name not in self._ctx.saved:
                await self.act(name)
                while (self._folder / f"{name}-stop").exists():  # noqa: ASYNC110  (another process takes it away)
                    await anyio.sleep(_LOOK_SECONDS)
                await self._ctx.save(name, {"number": number})
        self.result = {"ok": True, "saved_before": [*sorted(self._ctx.saved)]}

    async def report(self, text: str) -> None:
        """Say where the run stands."""
        await self._ctx.report(text)

    async def flood(self, count: int) -> None:
        """Say it very often."""
        for number in range(count):
            await self._ctx.report(f"number {number}")

    async def record(self, name: str, document: Json) -> None:
        """Record a document and a line."""
        self._ctx.record(f"{name}.json", document)
        self._ctx.append(f"{name}.jsonl", document)

    async def ask(self, message: str, seconds: float) -> None:
        """Ask for a value; it is the result."""
        self.result = {"answer": await self._ctx.ask(message, {"type": "object"}, seconds=seconds)}

    async def environment(self, name: str) -> None:
        """Tell of a variable's value what nobody can guess it from."""
        value = self._ctx.environment.get(name, "")
        self.result = {"digest": hashlib.sha256(value.encode()).hexdigest(), "names": [*sorted(self._ctx.environment)]}

    async def outer_environment(self, name: str) -> None:
        """Tell the names of the process's own environment, and where its temporary files go."""
        self.result = {"names": [*sorted(os.environ)], "TMPDIR": os.environ["TMPDIR"]}
        (Path(os.environ["TMPDIR"]) / name).write_text("left", encoding="utf-8")

    async def shout(self, size: int) -> None:
        """Print very much."""
        sys.stdout.write("x" * size)
        sys.stdout.flush()

    async def big(self, characters: int) -> None:
        """A big result."""
        self.result = {"text": "x" * characters}

    async def exit(self, code: int) -> None:
        """End the process."""
        os._exit(code)

    async def kill(self, number: int) -> None:
        """End the process by a signal."""
        os.kill(os.getpid(), number)

    async def kill_once(self, name: str) -> None:
        """End the process by a signal once a file is there; only at the first attempt."""
        if len((self._folder / "begun").read_text(encoding="utf-8").splitlines()) == 1:
            await self.wait(name)
            os.kill(os.getpid(), signal.SIGKILL)

    async def crash(self, secret: str) -> None:
        """Fail in a way that nobody has foreseen."""
        raise ValueError(secret)

    async def deaf(self, _name: str) -> None:
        """Heed no SIGTERM from now on."""
        signal.signal(signal.SIGTERM, signal.SIG_IGN)


async def body(ctx: RunContext, request: StartRequest) -> JsonObject:
    """Do the steps."""
    arguments = request.arguments
    folder, steps = Path(str(arguments["folder"])), arguments["steps"]
    doing = _Doing(ctx, folder)
    await doing.note("begun", os.getpid())
    try:
        for named in steps if isinstance(steps, list) else ():
            name, *values = named if isinstance(named, list) else [named]
            step: Callable[..., Awaitable[None]] = getattr(doing, str(name))
            await step(*values)
        await doing.note("done")
        return doing.result
    finally:
        await doing.note("unwound")


def fail_write(number: int) -> None:
    """Let the disk be full at one write of a record, and at all that follow."""
    write, count = os.write, 0

    def failing(handle: int, content: "Buffer", /) -> int:
        nonlocal count
        count += 1
        if count >= number:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(handle, content)

    os.write = failing


def main(environment: Mapping[str, str]) -> int:
    """Do the run that standard input names."""
    if "TEST_FULL_AT" in environment:
        fail_write(int(environment["TEST_FULL_AT"]))
    return run_child(body)


if __name__ == "__main__":
    sys.exit(main(os.environ))
