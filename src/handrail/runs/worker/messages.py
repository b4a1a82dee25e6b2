"""What is said to a worker over its socket and to a child over its pipe: one JSON document a line."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["Assignment", "Order", "OrderKind", "WorkerState"]


class OrderKind(StrEnum):
    """What a worker can be told.

    `wake`: look for runs now. `drain`: begin no other run, end when those at work have ended. `stop`: end now; what can
    be resumed goes back to the queue.
    """

    WAKE = "wake"
    DRAIN = "drain"
    STOP = "stop"


class Order(BaseModel):
    """One order. `environment` is for the run `run_id`: kept in memory until that run begins."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    kind: OrderKind = OrderKind.WAKE
    run_id: str | None = None
    environment: dict[str, str] = Field(default_factory=dict, repr=False)


class WorkerState(BaseModel):
    """What a worker answers to every order."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    pid: int
    version: str
    schema_number: int
    running: list[str] = []
    draining: bool = False


class Assignment(BaseModel):
    """The first line that a child reads: which run it does, and how it gets to it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    run_id: str
    attempt: int
    owner: str
    home: str
    scratch: str
    database_url: str = Field(default="", repr=False)
    environment: dict[str, str] = Field(default_factory=dict, repr=False)
