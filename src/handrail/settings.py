"""Every setting of Handrail: one place, one description, one environment name each."""

import os
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import AliasChoices, Field, SecretStr, ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, SettingsConfigDict

from handrail.errors import UsageError

__all__ = ["Settings", "SettingsError", "described_settings", "load_settings", "set_settings"]

_PREFIX: Final = "HANDRAIL_"
_Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class SettingsError(UsageError):
    """A setting has a value that it cannot have. `data["settings"]` lists the environment names."""

    type = "settings_invalid"


class Settings(BaseSettings):
    """What can be set, from the environment. Appwrite's own three are read under the names its users know."""

    model_config = SettingsConfigDict(
        env_prefix=_PREFIX,
        env_ignore_empty=True,  # compose files and hosts' forms hand over what nobody filled in as an empty text
        frozen=True,
        extra="ignore",
        populate_by_name=True,
    )

    appwrite_endpoint: str = Field(
        default="https://cloud.appwrite.io/v1",
        validation_alias=AliasChoices("appwrite_endpoint", "APPWRITE_ENDPOINT"),
        description="Address of the Appwrite API, with its version: https://<host>/v1.",
    )
    appwrite_project_id: str = Field(
        default="",
        validation_alias=AliasChoices("appwrite_project_id", "APPWRITE_PROJECT_ID"),
        description="The project that calls go to.",
    )
    appwrite_api_key: SecretStr = Field(
        default=SecretStr(""),
        validation_alias=AliasChoices("appwrite_api_key", "APPWRITE_API_KEY"),
        description="The API key that calls are made with. Its scopes bound what can be done.",
    )
    home: Path | None = Field(
        default=None,
        description="Where run records and caches are kept; the platform's state folder by default. "
        "A leading ~ is your home folder.",
    )
    expose: str = Field(
        default="",
        description="Appwrite methods that are listed as tools of their own: services and tools with commas between "
        "them, such as tables_db,users_get, or all; none by default.",
    )
    read_only: bool = Field(default=False, description="Call only what is proven to be a read. Outranks everything.")
    services: str = Field(
        default="", description="Call only methods of these Appwrite services (commas between them); all by default."
    )
    tools: str = Field(
        default="", description="Call only these Appwrite methods, or those of HANDRAIL_SERVICES; all by default."
    )
    deny: str = Field(default="", description="Appwrite services and methods that are never called.")
    writes: Literal["off", "ask", "confirm", "allow"] = Field(
        default="confirm",
        description="What a write needs: off: none is made; ask: a person agrees to each; confirm: confirm_write, "
        "and a person for a grave one; allow: nothing, for scripts.",
    )
    grave: Literal["person", "token"] = Field(
        default="person",
        description="What a grave write needs: person: the client's form or a person; token: the token of its preview, "
        "which proves that it was shown and not that anybody agreed.",
    )
    ask_s: _Seconds = Field(
        default=120, description="Seconds that a client has to answer a form; 0: no client is asked, only a person."
    )
    policy: Path | None = Field(
        default=None, description="The file of your own rules; policy.toml in the home folder by default."
    )
    journal_reads: bool = Field(default=False, description="Write reads into the journal too.")
    upload_root: str = Field(
        default="",
        description="Folders that files may be uploaded from, with ':' between them; none by default.",
    )
    max_upload_bytes: int = Field(default=100 * 1024 * 1024, gt=0, description="The largest file that is uploaded.")
    download_root: Path | None = Field(
        default=None, description="The folder that answers may be saved to (save_as); none by default."
    )
    tls_ca: Path | None = Field(
        default=None, description="Certificates in PEM that are trusted too, such as those of your own Appwrite."
    )
    tls_insecure: bool = Field(
        default=False,
        description="Do not look at the certificate of APPWRITE_ENDPOINT. HANDRAIL_TLS_CA is the safe way.",
    )
    explicit_hints: bool = Field(
        default=False,
        description="State destructiveHint: true on the tools that leave it unset (appwrite_call_tool, run_agent), for "
        "directories that refuse a tool with a missing hint.",
    )
    wait_s: _Seconds | None = Field(
        default=None,
        description="Seconds that run_agent and get_run wait before they answer early; by default what is known "
        "of the client, 4 s for an unknown one.",
    )
    detach_on_cancel: bool = Field(
        default=False,
        description="Leave a run alone when the run_agent call that waits for it is cancelled; else it is cancelled.",
    )
    connect_timeout_s: _Seconds = Field(default=10, description="Seconds to reach Appwrite.")
    read_timeout_s: _Seconds = Field(default=60, description="Seconds to wait for Appwrite's next byte.")
    call_timeout_s: _Seconds = Field(default=300, description="Seconds that one call to Appwrite may take in all.")
    max_response_bytes: int = Field(
        default=32 * 1024 * 1024, gt=0, description="The largest answer that is read from Appwrite, in bytes."
    )
    max_message_bytes: int = Field(
        default=4 * 1024 * 1024,
        gt=0,
        description="The largest MCP message that is read over stdio, in bytes.",
    )
    max_runs: int = Field(default=100, gt=0, description="How many runs may wait or work at once.")
    database_url: SecretStr = Field(
        default=SecretStr(""),
        description="A PostgreSQL database for the runs, postgresql://user@host/name, for several machines; by default "
        "they are in a file in the home folder. Needs handrail[postgres].",
    )
    worker_idle_s: _Seconds = Field(
        default=60, description="Seconds that the worker stays when there is nothing to do; 0: for ever."
    )
    run_slots: int = Field(default=2, gt=0, description="How many runs work at once; the others wait their turn.")


def load_settings(**given: object) -> Settings:
    """The settings of this process's environment.

    Args:
        given: what takes the place of a setting, by its name; None leaves it as it is. Several texts are joined by
            commas.

    Raises:
        SettingsError: a value does not fit, or a variable is misspelt; the error names each environment variable and
            never shows its value.
    """
    _require_no_slip()
    try:
        return Settings.model_validate({name: _given(value) for name, value in given.items() if value is not None})
    except ValidationError as error:
        wrong = _problems(error)
        sentence = "; ".join(f"{name}: {problem}" for name, problem in sorted(wrong.items()))
        raise SettingsError(
            f"A setting has a value that it cannot have. {sentence}",
            next_step="Correct or unset it; `handrail settings` lists them all.",
            settings=[*sorted(wrong)],
        ) from None


def _require_no_slip() -> None:
    """Pass where no variable looks like a misspelt setting: a switch that is not read would be open, and unseen."""
    known = described_settings()
    for name in (name.upper() for name, value in os.environ.items() if value):
        if not name.startswith(_PREFIX) or name in known or name.startswith(f"{_PREFIX}TEST_"):
            continue
        from difflib import get_close_matches  # noqa: PLC0415  (hardly ever needed)

        near = get_close_matches(name.removeprefix(_PREFIX), [one.removeprefix(_PREFIX) for one in known], n=1)
        if near:
            raise SettingsError(
                f"There is no setting {name}.",
                next_step=f"Did you mean {_PREFIX}{near[0]}? `handrail settings` lists them all.",
                settings=[name],
            )


def _given(value: object) -> object:
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else value


def set_settings() -> dict[str, str | None]:
    """The environment names of the settings that are set at present, each with what is wrong with its value, or None.

    No value is told: one of them is a key.
    """
    present = {name.upper() for name, value in os.environ.items() if value}
    try:
        Settings()
    except ValidationError as error:
        wrong = _problems(error)
    else:
        wrong = {}
    return {name: wrong.get(name) for name in described_settings() if name in present}


def described_settings() -> dict[str, FieldInfo]:
    """Each setting, with its description and default, by its environment name."""
    return {_environment_name(name): field for name, field in Settings.model_fields.items()}


def _problems(error: ValidationError) -> dict[str, str]:
    return {_environment_name(str(item["loc"][0])): str(item["msg"]) for item in error.errors()}


def _environment_name(field: str) -> str:
    upper = field.upper()
    return upper if upper.startswith("APPWRITE_") else f"{_PREFIX}{upper}"
