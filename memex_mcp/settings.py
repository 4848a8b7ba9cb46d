"""One frozen Settings; the only reader of the environment and of ``config.toml``.

A setting that cannot be understood switches memory off and says why: a typing error must
never widen what is captured or shared.
"""

import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from memex_mcp.errors import Invalid

_TRUE = {"1", "true", "yes", "on"}
_FALSE = {"", "0", "false", "no", "off"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that the outside decides, read once.

    Attributes:
        home: The store folder.
        disabled: Why memory is switched off; empty when it is on.
        project: Project folder that the client's environment names.
        session_id: Session id that the client's environment names.
        global_writers: Clients that may write global records.
        mask_secrets: Replace secrets by placeholders before anything is stored.
        vocabulary: Folder that may hold a tokenizer vocabulary; it is never downloaded.
    """

    home: Path
    disabled: str = ""
    project: str | None = None
    session_id: str | None = None
    global_writers: tuple[str, ...] = ()
    mask_secrets: bool = True
    vocabulary: Path | None = None


def load(root: str | Path | None = None, environ: Mapping[str, str] | None = None) -> Settings:
    """Read the environment and the store's ``config.toml``.

    Args:
        root: Store folder given on the command line; wins over ``MEMEX_HOME``.
        environ: Environment to read; the process's own when left out.

    Raises:
        Invalid: The store folder is relative to a folder that is gone.
    """
    env = os.environ if environ is None else environ
    home = _home(root, env)
    values, problem = _file(home / "config.toml")
    switch = env.get("MEMEX_DISABLED", "").strip().lower()
    if switch in _TRUE:
        problem = "MEMEX_DISABLED is set"
    elif switch not in _FALSE:
        problem = f"MEMEX_DISABLED must be 1 or 0, not {switch!r}"
    if values.get("disabled") and not problem:
        problem = "config.toml says disabled = true"
    cache = env.get("TIKTOKEN_CACHE_DIR")
    writers = values.get("global_writers")
    return Settings(
        home=home,
        disabled=problem,
        project=env.get("CLAUDE_PROJECT_DIR") or None,
        session_id=env.get("CLAUDE_CODE_SESSION_ID") or None,
        global_writers=tuple(writers) if isinstance(writers, list) else (),
        mask_secrets=values.get("secrets", "mask") != "off",
        vocabulary=Path(cache) if cache else None,
    )


def _home(root: str | Path | None, env: Mapping[str, str]) -> Path:
    chosen = root or env.get("MEMEX_HOME")
    if chosen:
        try:
            return Path(chosen).expanduser().absolute()
        except (OSError, RuntimeError) as error:
            raise Invalid(
                "the store folder cannot be made out", "Give it as an absolute path."
            ) from error
    return platformdirs.user_data_path("memex", appauthor=False)


def _is_names(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


_KEYS: dict[str, tuple[Callable[[object], bool], str]] = {
    "disabled": (lambda value: isinstance(value, bool), "true or false"),
    "global_writers": (_is_names, "a list of client names"),
    "secrets": (lambda value: value in ("mask", "off"), '"mask" or "off"'),
}


def _file(path: Path) -> tuple[dict[str, object], str]:
    """The settings in ``config.toml`` and what is wrong with them, in words."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}, ""
    except (OSError, UnicodeDecodeError):
        return {}, "config.toml cannot be read"
    try:
        values: dict[str, object] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return {}, f"config.toml is not TOML: {error}"
    for key, value in values.items():
        if key not in _KEYS:
            return {}, f"config.toml has an unknown key {key!r}; known are {', '.join(_KEYS)}"
        fits, wanted = _KEYS[key]
        if not fits(value):
            return {}, f"config.toml: {key} must be {wanted}"
    return values, ""
