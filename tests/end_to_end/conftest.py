"""The real command, `handrail serve --sandbox`, as a host starts it."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

__all__ = ["COMMAND"]

COMMAND: Final = (sys.executable, "-m", "handrail", "serve", "--sandbox")


@pytest.fixture
def environment(session_home: Path) -> Mapping[str, str]:
    """What a host hands to the server: little."""
    return {"PATH": os.defpath, "HANDRAIL_HOME": str(session_home)}
