"""The room's front door."""

import subprocess
import sys
from types import ModuleType

import pytest

import handrail.protocol
import handrail.protocol.stdio

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("room", [handrail.protocol, handrail.protocol.stdio])
def test_every_public_name_is_there(room: ModuleType) -> None:
    for name in room.__all__:
        assert getattr(room, name)


@pytest.mark.parametrize("room", [handrail.protocol, handrail.protocol.stdio])
def test_no_other_name_is(room: ModuleType) -> None:
    with pytest.raises(AttributeError, match="nothing"):
        getattr(room, "nothing")  # noqa: B009  (a type checker would refuse it otherwise)


def test_whoever_only_describes_tools_does_not_load_a_server() -> None:
    script = (
        "import sys, handrail.protocol, handrail.protocol.stdio;"
        "print([name for name in sys.modules if name.startswith('mcp.')])"
    )

    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)

    assert loaded.stdout.strip() == "[]"
