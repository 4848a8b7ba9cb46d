"""One frozen Settings; the only reader of the environment and of ``config.toml``.

A setting that cannot be understood switches memory off and says why: a typing error must
never widen what is captured or shared.
"""

import contextlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, Literal

from memex_mcp.checks import SWITCH, TABLE, VARIABLE, Check, is_names, is_url, number, one_of, whole
from memex_mcp.errors import Invalid
from memex_mcp.values import dataclass

_ELSEWHERE = "Name a folder of its own with --root or MEMEX_HOME."
_TRUE = {"1", "true", "yes", "on"}
_FALSE = {"", "0", "false", "no", "off"}

MaxLevels = Literal["none", "l2", "l3", "both"]
Secrets = Literal["mask", "private", "off"]
_MAX_LEVELS: dict[str, MaxLevels] = {"none": "none", "l2": "l2", "l3": "l3", "both": "both"}


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderSettings:
    """The model that search by meaning asks, from the table ``[embedder]``.

    Attributes:
        kind: ``off``, ``local`` or ``openai``: any endpoint that speaks its protocol.
        model: The endpoint's name for the model.
        base_url: Where the endpoint is, up to its version.
        key_env: Name of the environment variable that holds the key; empty when it needs none.
        key: What that variable holds; never written anywhere.
        dimensions: Numbers of a vector; of a longer one the first so many are kept.
        timeout: Seconds that a question waits for its vector.
    """

    kind: str = "off"
    model: str = ""
    base_url: str = "https://api.openai.com/v1"
    key_env: str = ""
    key: str = field(default="", repr=False)
    dimensions: int = 0
    timeout: float = 2.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that the outside decides, read once.

    Attributes:
        home: The store folder.
        disabled: Why memory is switched off; empty when it is on.
        project: Project folder that the client's environment names.
        session_id: Session id that the client's environment names.
        global_writers: Clients that may write global records.
        secrets: What becomes of secrets; ``private`` keeps them in the lines of L2 alone.
        vocabulary: Folder that may hold a tokenizer vocabulary; it is never downloaded.
        embedder: Which model serves search by meaning; none unless the user names one.
        max_levels: Levels that may be on; no switch reaches beyond it.
        capture: Levels that are on archive what is said.
        capture_level: Where checkpoints go: to the deepest level that is on, or to L2 at most.
        rules: Cue words in what is said become candidates.
        scratch_days: How long scratch notes outlive their session.
        recall: What a prompt may bring back by itself.
        recall_format: How recalled text is written; empty leaves it to the profile of the model.
        model: Which model reads; empty for the one that the client usually runs.
        language: In which it is instructed; empty leaves it to its profile, as 0 does below.
        start_tokens: What a session is told at its beginning costs at most.
        prompt_tokens, catalog_tokens: The same of what a prompt brings back and of the catalog.
    """

    home: Path
    disabled: str = ""
    project: str | None = None
    session_id: str | None = None
    global_writers: tuple[str, ...] = ()
    secrets: Secrets = "mask"
    vocabulary: Path | None = None
    embedder: EmbedderSettings = EmbedderSettings()
    max_levels: MaxLevels = "both"
    capture: bool = True
    capture_level: Literal["deepest", "l2"] = "deepest"
    rules: bool = False
    scratch_days: int = 7
    recall: Literal["previews", "strict", "off"] = "previews"
    recall_format: Literal["xml", "markdown", "plain", ""] = ""
    model: str = ""
    language: Literal["en", "zh", ""] = ""
    start_tokens: int = 0
    prompt_tokens: int = 0
    catalog_tokens: int = 0

    @property
    def mask_secrets(self) -> bool:
        """Whether secrets are replaced by placeholders in what is searched and shown."""
        return self.secrets != "off"


def load(root: str | Path | None = None, environ: Mapping[str, str] | None = None) -> Settings:
    """Read the environment and the store's ``config.toml``.

    Args:
        root: Store folder given on the command line; wins over ``MEMEX_HOME``.
        environ: Environment to read; the process's own when left out.

    Raises:
        Invalid: The store folder is relative to a folder that is gone, is no folder, or is
            one that holds everybody's work.
    """
    env = os.environ if environ is None else environ
    home = _home(root, env)
    _check_fit(home)
    values, problem = _file(home / "config.toml")
    most = env.get("MEMEX_MAX_LEVELS", "").strip().lower() or "both"
    if most not in _MAX_LEVELS:
        problem = f"MEMEX_MAX_LEVELS must be {', '.join(_MAX_LEVELS)}, not {most!r}"
    said, unclear = _said(env)
    problem = problem or unclear
    switch = env.get("MEMEX_DISABLED", "").strip().lower()
    if switch in _TRUE:
        problem = "MEMEX_DISABLED is set"
    elif switch not in _FALSE:
        problem = f"MEMEX_DISABLED must be 1 or 0, not {switch!r}"
    if values.get("disabled") and not problem:
        problem = "config.toml says disabled = true"
    cache = env.get("TIKTOKEN_CACHE_DIR")
    return Settings(
        home=home,
        disabled=problem,
        project=env.get("CLAUDE_PROJECT_DIR") or None,
        session_id=env.get("CLAUDE_CODE_SESSION_ID") or None,
        global_writers=tuple(values.get("global_writers", ())),
        vocabulary=Path(cache) if cache else None,
        embedder=_embedder(_table(values, "embedder"), env),
        max_levels=_MAX_LEVELS.get(most, "none"),
        **(_chosen(values) | said),
    )


def environment(names: Iterable[str]) -> dict[str, str]:
    """Those of some variables of the environment that hold something."""
    return {name: value for name in names if (value := os.environ.get(name))}


def shared_folders(home: Path) -> frozenset[Path]:
    """The folders that hold everybody's work, a user's home among them: no store, no project."""
    shared = [Path(name) for name in ("/tmp", "/var/tmp", "/usr/tmp")]  # noqa: S108 - refused
    if os.name == "nt" or environment(("TMPDIR", "TEMP", "TMP")):
        import tempfile  # takes a while, and without such a name it finds one of these

        with contextlib.suppress(OSError):
            found = Path(tempfile.gettempdir())
            # Where none can be written, Python's last resort is the working directory.
            if found != Path.cwd() or any(os.access(path, os.W_OK) for path in shared):
                shared.append(found)
    return frozenset(path.resolve() for path in (home, *shared))


def _check_fit(home: Path) -> None:
    """Refuse a place where a store cannot be, or would close a folder to all others."""
    first = next(path for path in (home, *home.parents) if os.path.lexists(path))
    if not os.path.isdir(first):  # noqa: PTH112 - the method raises where it may not look
        what = "the store folder is a file" if first == home else "the store folder is in a file"
        raise Invalid(what, _ELSEWHERE)
    real = home.resolve()
    users = Path(os.path.expanduser("~"))  # noqa: PTH111 - the method raises for an unknown user
    if real.parent == real or real in shared_folders(users):
        raise Invalid(
            "the home folder, a whole disk and the temp folder are no store folder", _ELSEWHERE
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
    import platformdirs  # takes a while, and who named the folder has no use for it

    return platformdirs.user_data_path("memex", appauthor=False)


_EMBEDDER: dict[str, Check] = {
    "kind": one_of("off", "local", "openai"),
    "model": (lambda value: isinstance(value, str) and bool(value.strip()), "a model's name"),
    "base_url": (is_url, "an http or https address without a key in it"),
    "key_env": VARIABLE,
    "dimensions": whole(8, 4096),
    "timeout": number(0.1, 60, "seconds"),
}
_MODEL: Check = (lambda value: isinstance(value, str), "the name of a model")
_LANGUAGE = one_of("en", "zh", "")
_FORMAT = one_of("xml", "markdown", "plain", "")
_LEVEL = one_of("deepest", "l2")
_KEYS: dict[str, Check] = {
    **dict.fromkeys(("embedder", "capture", "recall"), TABLE),
    "disabled": SWITCH,
    "model": _MODEL,
    "language": _LANGUAGE,
    "global_writers": (is_names, "a list of client names"),
    "secrets": one_of("mask", "private", "off"),
}
_TABLES: dict[str, dict[str, Check]] = {
    "embedder": _EMBEDDER,
    "capture": {"enabled": SWITCH, "level": _LEVEL, "rules": SWITCH, "scratch_days": whole(1, 365)},
    "recall": {
        "policy": one_of("previews", "strict", "off"),
        "format": _FORMAT,
        "start_tokens": whole(100, 1_500, also=0),
        "prompt_tokens": whole(100, 800, also=0),
        "catalog_tokens": whole(100, 4_000, also=0),
    },
}
_VARIABLES = {
    "MEMEX_MODEL": ("model", _MODEL),
    "MEMEX_LANGUAGE": ("language", _LANGUAGE),
    "MEMEX_FORMAT": ("recall_format", _FORMAT),
}
_NAMED = ("secrets", "model", "language")
_RENAMED = {
    ("capture", "enabled"): "capture",
    ("capture", "level"): "capture_level",
    ("recall", "policy"): "recall",
    ("recall", "format"): "recall_format",
}


def _file(path: Path) -> tuple[dict[str, Any], str]:
    """The settings in ``config.toml`` and what is wrong with them, in words."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}, ""
    except (OSError, UnicodeDecodeError):
        return {}, "config.toml cannot be read"
    import tomllib  # most stores have no such file

    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return {}, f"config.toml is not TOML: {error}"
    problem = _problem(values, _KEYS, "")
    for name, known in _TABLES.items():
        problem = problem or _problem(_table(values, name), known, f"{name}.")
    problem = problem or _lacking(_table(values, "embedder"))
    return ({}, problem) if problem else (values, "")


def _table(values: Mapping[str, object], name: str) -> dict[str, Any]:
    """A table of the file, empty when it has none."""
    table = values.get(name)
    return table if isinstance(table, dict) else {}


def _problem(values: Mapping[str, object], known: Mapping[str, Check], prefix: str) -> str:
    for key, value in values.items():
        if key not in known:
            return f"config.toml has an unknown key {prefix + key!r}; known are {', '.join(known)}"
        fits, wanted = known[key]
        if not fits(value):
            return f"config.toml: {prefix}{key} must be {wanted}"
    return ""


def _lacking(table: Mapping[str, object]) -> str:
    """What an endpoint needs and the table does not name, in words."""
    wanted = ("model", "dimensions") if table.get("kind") == "openai" else ()
    missing = [key for key in wanted if key not in table]
    return f"config.toml: embedder needs {' and '.join(missing)}" if missing else ""


def _embedder(table: Mapping[str, Any], env: Mapping[str, str]) -> EmbedderSettings:
    """The table ``[embedder]``, in which every value fits, with the key that it names."""
    key_env = table.get("key_env", "")
    return EmbedderSettings(**{**table, "key": env.get(key_env, "") if key_env else ""})


def _chosen(values: Mapping[str, object]) -> dict[str, Any]:
    """What the file says of everything but the embedder, as settings; every value fits."""
    chosen = {key: values[key] for key in _NAMED if key in values}
    for of in ("capture", "recall"):
        chosen |= {_RENAMED.get((of, key), key): told for key, told in _table(values, of).items()}
    return chosen


def _said(env: Mapping[str, str]) -> tuple[dict[str, Any], str]:
    """What the environment says of who reads, as settings, and what is wrong with it."""
    given = {name: env[name].strip() for name in _VARIABLES if env.get(name, "").strip()}
    checks = {name: _VARIABLES[name][1] for name in given}
    for name in (name for name, (fits, _) in checks.items() if not fits(given[name])):
        return {}, f"{name} must be {checks[name][1]}, not {given[name]!r}"
    return {_VARIABLES[name][0]: value for name, value in given.items()}, ""
