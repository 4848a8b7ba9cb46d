"""The command that clients are told to start, and how to know it again."""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise

SERVER = "memex"
# What fetches a program anew each time: people enter it by hand, and we never do.
_RUNNERS = ("uvx", "uv", "pipx")
_PROGRAM = re.compile(r"(?:^|[/\\])memex(?:-mcp)?(?:\.exe|\.cmd)?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """One installed command, the same in the server entry and in every hook.

    It never names a project: the server finds that out where it is started.

    Attributes:
        command: Absolute path, the same after an upgrade.
        root: Store folder that the person named; empty for the usual one.
        words: What follows ``serve``, such as ``--all-tools``.
        env: Variables for the server, for clients that hand on none of their own.
    """

    command: str
    root: str = ""
    words: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)

    @property
    def arguments(self) -> list[str]:
        """The server's arguments: ``["serve", …]``."""
        return ["serve", *self.words, *self._where()]

    def hook(self, event: str, client: str) -> list[str]:
        """The arguments of a hook, for clients that start programs without a shell.

        Args:
            event: ``session-start``, ``user-prompt-submit``, ``pre-compact``, ``stop`` or
                ``session-end``.
            client: Name of the client, as ``memex-mcp hook --client`` takes it.
        """
        return ["hook", event, "--client", client, *self._where()]

    def hook_line(self, event: str, client: str) -> str:
        """The same as one line for a POSIX shell, each word quoted where it needs it."""
        return shlex.join([self.command, *self.hook(event, client)])

    def line(self, name: str) -> str:
        """One of our commands on this store, as one line for a POSIX shell."""
        return shlex.join([self.command, name, *self._where()])

    def _where(self) -> list[str]:
        return ["--root", self.root] if self.root else []


def is_our_program(command: object) -> bool:
    """Whether a command, however it is spelt, is an installed memex."""
    return isinstance(command, str) and bool(_PROGRAM.search(command))


def is_our_server(command: object, arguments: object) -> bool:
    """Whether a server entry starts memex, from this or from an earlier installation.

    Args:
        command: The entry's command: a path, or the whole command line as a list.
        arguments: Its list of arguments; ignored when the command is a list.
    """
    words = _words(command, arguments)
    if not words:
        return False
    if "serve" not in words[1:]:
        return False
    before = words[1 : words.index("serve")]
    is_module = "-m" in before and "memex_mcp" in before
    is_run = words[0].rpartition("/")[2] in _RUNNERS and any(map(is_our_program, before))
    return is_our_program(words[0]) or is_module or is_run


def is_our_hook(command: object, arguments: object = None, *, client: str = "") -> bool:
    """Whether a hook calls memex, from this or from an earlier installation.

    Args:
        command: A path with ``arguments``, or a whole line for a shell.
        arguments: The list of arguments where the client has one.
        client: Only hooks of this client count; empty for those of any.
    """
    if arguments is None and isinstance(command, str):
        try:
            words: Sequence[str] = shlex.split(command)
        except ValueError:
            return False
    else:
        words = _words(command, arguments)
    if len(words) < 3 or words[1] != "hook" or not is_our_program(words[0]):
        return False
    named = [after for word, after in pairwise(words) if word == "--client"]
    return not client or named in ([], [client])


def with_options(arguments: Sequence[str], present: Sequence[str]) -> list[str]:
    """Our arguments for the server, and the options that somebody gave an earlier entry.

    An entry that a person made read-only stays so.  What we say ourselves wins, and which store
    it is we always say.

    Args:
        arguments: Ours, with ``serve`` among them.
        present: Those of an earlier entry of ours.
    """
    ours = _options(arguments)
    theirs = {name: words for name, words in _options(present).items() if name != "--root"}
    wanted = [*arguments, *chain.from_iterable(v for k, v in theirs.items() if k not in ours)]
    same = present[: present.index("serve")] == arguments[: arguments.index("serve")]
    return list(present) if same and _options(present) == _options(wanted) else wanted


def _options(words: Sequence[str]) -> dict[str, list[str]]:
    """What follows ``serve``: each option's name, and its words."""
    options: dict[str, list[str]] = {}
    name = ""
    for word in words[words.index("serve") + 1 :]:
        name = word.partition("=")[0] if word.startswith("-") else name
        options.setdefault(name, []).append(word)
    return options


def _words(command: object, arguments: object) -> Sequence[str]:
    if isinstance(command, list):
        words = command
    else:
        words = [command, *(arguments if isinstance(arguments, list) else [])]
    return words if all(isinstance(word, str) for word in words) else []
