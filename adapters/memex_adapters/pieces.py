"""What memex puts into a client's files, piece by piece.

A client is described by its pieces: a server entry, hooks, a manual, a permission.  Each knows how
to go into a text, how to come out of it again, and whether what is there is ours.  No piece
touches the disk: :mod:`memex_adapters.plan` reads and :mod:`memex_adapters.apply` writes.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from memex_adapters import text_block, text_json, text_toml
from memex_adapters.errors import Unclear
from memex_adapters.json_spans import Dialect
from memex_adapters.launch import SERVER, is_our_server, with_options

State = Literal["absent", "current", "older", "foreign"]
"""``older``: ours, but not as it would be written now; ``foreign``: somebody else's."""


class Piece(Protocol):
    """One thing in one file.

    Attributes:
        path: The file, as the client names it; it may be a symlink or missing.
        what: What it is, for people: ``server``, ``hooks``, ``manual``, ``permission``.
    """

    @property
    def path(self) -> Path:
        """See the class."""

    @property
    def what(self) -> str:
        """See the class."""

    def state(self, text: str) -> State:
        """What of it a text holds; a missing file is an empty text."""

    def put(self, text: str) -> str:
        """The text with it, changed in place where an older one stands.

        Raises:
            Unclear: The text cannot be changed safely, or somebody else's is in its place.
        """

    def drop(self, text: str, before: str | None) -> str:
        """The text without it; what is not ours stays.

        Args:
            text: The file as it is now.
            before: What it held before us, where that is known: containers that it had stay
                when they are empty.
        """


def is_ours(value: object) -> bool:
    """Whether a server entry, in the shape most clients use, starts memex."""
    if not isinstance(value, dict):
        return False
    inner = value.get("transport")
    entry = inner if isinstance(inner, dict) else value
    return is_our_server(entry.get("command"), entry.get("args"))


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonEntry:
    """The server's entry in a JSON file.

    Attributes:
        keys: Where it stands, such as ``("mcpServers", "memex")``.
        value: The entry; keys and options that a person added to an earlier one are kept.
        ours: Tells our entry from another of the same name.
    """

    path: Path
    value: Mapping[str, object]
    keys: tuple[str, ...] = ("mcpServers", SERVER)
    dialect: Dialect = "json"
    ours: Callable[[object], bool] = is_ours
    what: str = "server"

    def over(self, present: Mapping[str, object]) -> dict[str, object]:
        """The entry in the place of an earlier one of ours, with what a person added to that."""
        return {**present, **_due(present, self.value)}

    def state(self, text: str) -> State:
        """See :class:`Piece`."""
        present = text_json.find(text, self.keys, self.dialect)
        return _entry_state(present, self.value, self.ours)

    def put(self, text: str) -> str:
        """See :class:`Piece`."""
        present = text_json.find(text, self.keys, self.dialect)
        if present is None:
            return text_json.put(text, self.keys, dict(self.value), self.dialect)
        _refuse_foreign(present, self.ours, self.keys)
        for key, value in _due(present, self.value).items():
            text = text_json.put(text, (*self.keys, key), value, self.dialect)
        return text

    def drop(self, text: str, before: str | None) -> str:
        """See :class:`Piece`."""
        if not self.ours(text_json.find(text, self.keys, self.dialect)):
            return text
        text = text_json.drop(text, self.keys, self.dialect)
        return drop_empty(text, self.keys[:-1], before, self.dialect)


@dataclass(frozen=True, slots=True, kw_only=True)
class TomlEntry:
    """The server's table in a TOML file; its parts are those of :class:`JsonEntry`."""

    path: Path
    value: Mapping[str, object]
    keys: tuple[str, ...] = ("mcp_servers", SERVER)
    ours: Callable[[object], bool] = is_ours
    what: str = "server"

    def state(self, text: str) -> State:
        """See :class:`Piece`."""
        return _entry_state(text_toml.find(text, self.keys), self.value, self.ours)

    def put(self, text: str) -> str:
        """See :class:`Piece`."""
        present = text_toml.find(text, self.keys)
        if present is None:
            return text_toml.put(text, self.keys, self.value)
        _refuse_foreign(present, self.ours, self.keys)
        return text_toml.put(text, self.keys, _due(present, self.value))

    def drop(self, text: str, before: str | None) -> str:
        """See :class:`Piece`."""
        del before  # A table that was only implied is gone with its last entry.
        if not self.ours(text_toml.find(text, self.keys)):
            return text
        return text_toml.drop(text, self.keys)


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonItem:
    """One string in a list of a JSON file, such as a permission."""

    path: Path
    keys: tuple[str, ...]
    value: str
    dialect: Dialect = "json"
    what: str = "permission"

    def state(self, text: str) -> State:
        """See :class:`Piece`."""
        return "current" if self.value in self._list(text) else "absent"

    def put(self, text: str) -> str:
        """See :class:`Piece`."""
        if self.value in self._list(text):
            return text
        return text_json.append(text, self.keys, self.value, self.dialect)

    def drop(self, text: str, before: str | None) -> str:
        """See :class:`Piece`; a string that was there before us stays."""
        present = self._list(text)
        if self.value not in present or (before is not None and self.value in self._list(before)):
            return text
        text = text_json.drop(text, (*self.keys, present.index(self.value)), self.dialect)
        return drop_empty(text, self.keys, before, self.dialect)

    def _list(self, text: str) -> list[Any]:
        found = text_json.find(text, self.keys, self.dialect)
        return found if isinstance(found, list) else []


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A marked block in a text that may hold much else.

    Clients that read the same file share it: there is one block, in words that suit each of
    them, and it goes with the last.

    Attributes:
        client: For whom it stands there.
        body: What it says while it stands there for that client alone.
        common: What it says when it stands there for several; empty for the same.
        also: Other files in which the client's block may stand.
        joins: The client reads all of ``also``: it shares a block that is in one of them.
    """

    path: Path
    client: str
    body: str
    common: str = ""
    also: tuple[Path, ...] = ()
    joins: bool = True
    what: str = "manual"

    def state(self, text: str) -> State:
        """See :class:`Piece`."""
        present = text_block.find(text)
        if present is None or (present.clients and self.client not in present.clients):
            return "absent"
        return "current" if self.put(text) == text else "older"

    def put(self, text: str) -> str:
        """See :class:`Piece`."""
        present = text_block.find(text)
        clients = tuple(dict.fromkeys([*(present.clients if present else ()), self.client]))
        body = self.body if clients == (self.client,) else self.common or self.body
        wanted = text_block.Found(clients=clients, body="\n".join(body.strip("\n").splitlines()))
        return text if present == wanted else text_block.put(text, body, clients)

    def drop(self, text: str, before: str | None) -> str:
        """See :class:`Piece`; for the others that it names the block stays."""
        del before  # The marks say all that is needed.
        present = text_block.find(text)
        if present is None or (present.clients and self.client not in present.clients):
            return text
        others = [client for client in present.clients if client != self.client]
        return text_block.put(text, present.body, others) if others else text_block.drop(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """A file that is all ours.

    Attributes:
        mark: A text that every version of it holds, and no file of somebody else.
        mode: Permission bits of the file; 0 for those of its surroundings.
    """

    path: Path
    body: str
    mark: str
    what: str
    mode: int = 0

    def state(self, text: str) -> State:
        """See :class:`Piece`."""
        if not text:
            return "absent"
        if text == self.body:
            return "current"
        return "older" if self.mark in text else "foreign"

    def put(self, text: str) -> str:
        """See :class:`Piece`."""
        if self.state(text) == "foreign":
            raise Unclear("a file of that name is there and is not ours", "Move it away first.")
        return self.body

    def drop(self, text: str, before: str | None) -> str:
        """See :class:`Piece`."""
        del before
        return text if self.state(text) == "foreign" else ""


def drop_empty(text: str, keys: tuple[str, ...], before: str | None, dialect: Dialect) -> str:
    """The text without the containers on a path that are empty and were not there before us."""
    for length in range(len(keys), 0, -1):
        path = keys[:length]
        if text_json.find(text, path, dialect) not in ({}, []):
            break
        if before is not None and text_json.find(before, path, dialect) is not None:
            break
        text = text_json.drop(text, path, dialect)
    return text


def _entry_state(
    present: object, value: Mapping[str, object], ours: Callable[[object], bool]
) -> State:
    if present is None:
        return "absent"
    if not isinstance(present, dict) or not ours(present):
        return "foreign"
    return "current" if not _due(present, value) else "older"


def _due(present: Mapping[str, object], value: Mapping[str, object]) -> dict[str, object]:
    """What has to change in an entry; what we leave empty is the person's to fill."""
    return {
        key: wanted
        for key, wanted in _keeping_options(present, value).items()
        if present.get(key) != wanted and not (wanted in ({}, []) and key in present)
    }


def _keeping_options(present: Any, value: Any) -> Any:  # an entry, or a part of one
    if isinstance(value, Mapping) and isinstance(present, Mapping):
        return {key: _keeping_options(present.get(key), each) for key, each in value.items()}
    lists = [part for part in (present, value) if isinstance(part, list) and "serve" in part]
    return with_options(value, present) if len(lists) == 2 else value


def _refuse_foreign(present: object, ours: Callable[[object], bool], keys: tuple[str, ...]) -> None:
    if not ours(present):
        raise Unclear(
            f"{'.'.join(keys)} is there and does not start memex",
            "Rename or remove that entry, then try again.",
        )
