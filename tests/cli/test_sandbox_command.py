"""`handrail sandbox`."""

import json
import os
import signal
import sys
from pathlib import Path

import anyio
from anyio.streams.text import TextReceiveStream

from handrail.sandbox import SandboxState, SandboxStateFileError
from tests.cli.conftest import Invoke


async def test_the_stand_in_writes_its_data_where_it_is_told_to(tmp_path: Path, session_home: Path) -> None:
    command = (sys.executable, "-m", "handrail", "sandbox", "--state", str(tmp_path / "state.json"))
    environment = {"HANDRAIL_HOME": str(session_home), "PATH": os.defpath}
    with anyio.fail_after(30):
        async with await anyio.open_process(command, env=environment, stderr=None) as process:
            assert process.stdout is not None
            said = await TextReceiveStream(process.stdout).receive()
            written = json.loads(await anyio.Path(tmp_path / "state.json").read_text())
            process.send_signal(signal.SIGTERM)
            code = await process.wait()

    assert said.startswith("The stand-in for Appwrite listens on http://127.0.0.1:")
    assert written == SandboxState.seeded().data(stamps=False)
    assert code == 0


def test_a_file_that_cannot_be_written_is_an_error(invoke: Invoke, tmp_path: Path) -> None:
    error = invoke("sandbox", "--state", str(tmp_path / "missing" / "state.json")).exception

    assert isinstance(error, SandboxStateFileError)
    assert error.data["path"] == str(tmp_path / "missing" / "state.json")
