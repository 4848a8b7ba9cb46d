"""The clients that a manual knows: how each shows our tools to its model."""

from collections.abc import Mapping
from dataclasses import dataclass, field

GENERIC = "generic"

_UNSEEN = {
    "en": "Your client may show the names of tools with a prefix.",
    "zh": "客户端显示工具名时可能带前缀。",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """One client.

    Attributes:
        title: Its name, as people say it.
        family: Whose models it usually runs; a name of :data:`families.FAMILIES`.
        shown: How it shows the name of a tool, with ``{}`` for ours.
        called: How it calls itself in the protocol and in hooks, or how that begins.
        escapes: It writes ``&lt;`` and ``&gt;`` for ``<`` and ``>`` in what it passes on.
        load: What has to be done before a tool can be called, by language.
        note: What else to say about names, by language.
    """

    title: str
    family: str = "default"
    shown: str = "{}"
    called: tuple[str, ...] = ()
    escapes: bool = False
    load: Mapping[str, str] = field(default_factory=dict)
    note: Mapping[str, str] = field(default_factory=dict)


CLIENTS: Mapping[str, Client] = {
    "claude": Client(
        title="Claude Code",
        family="claude",
        shown="mcp__memex__{}",
        called=("claude",),
        load={
            "en": "Tools listed by name only: load them with `ToolSearch` first.",
            "zh": "只列出名称的工具，先用 `ToolSearch` 加载。",
        },
    ),
    "codex": Client(
        title="Codex",
        family="gpt",
        called=("codex",),
        note={
            "en": "The tools are functions of the namespace `mcp__memex`.",
            "zh": "工具是命名空间 `mcp__memex` 里的函数。",
        },
    ),
    "gemini": Client(
        title="Gemini CLI",
        family="gemini",
        shown="mcp_memex_{}",
        called=("gemini",),
        escapes=True,
    ),
    "qwen": Client(
        title="Qwen Code",
        family="qwen",
        shown="mcp__memex__{}",
        called=("qwen",),
        escapes=True,
        load={
            "en": "Tools listed by name only: `tool_search`, then `tool_call`.",
            "zh": "只列出名称的工具：先 `tool_search`，再 `tool_call`。",
        },
    ),
    "copilot": Client(
        title="Copilot CLI",
        family="gpt",
        shown="memex-{}",
        called=("copilot", "github-copilot", "githubcopilot"),
    ),
    "opencode": Client(title="opencode", shown="memex_{}", called=("opencode",)),
    "cline": Client(title="Cline", shown="memex__{}", called=("cline", "@cline/")),
    "cursor": Client(title="Cursor", called=("cursor",), note=_UNSEEN),
    "windsurf": Client(title="Windsurf", called=("windsurf", "codeium"), note=_UNSEEN),
    "zed": Client(title="Zed", called=("zed",), note=_UNSEEN),
    "vscode": Client(
        title="VS Code", called=("vscode", "visual-studio-code", "visual studio code"), note=_UNSEEN
    ),
    GENERIC: Client(title="any other client", note=_UNSEEN),
}


def client_of(name: str) -> str:
    """The key of the client that calls itself so, in the protocol or in hooks."""
    plain = name.strip().lower()
    if plain in CLIENTS:
        return plain
    fits = (key for key, client in CLIENTS.items() if plain.startswith(client.called or ("\0",)))
    return next(fits, GENERIC)
