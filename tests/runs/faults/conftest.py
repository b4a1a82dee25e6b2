"""The same homes as the worker's tests have."""

from tests.runs.worker.conftest import home

__all__ = ["home"]
