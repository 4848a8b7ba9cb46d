"""Hooks of ours among those of others, in a JSON file."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memex_adapters import text_json
from memex_adapters.json_spans import Dialect
from memex_adapters.launch import is_our_hook
from memex_adapters.pieces import State, drop_empty


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonHooks:
    """Hooks in a JSON file: an object that maps events to lists.

    Attributes:
        events: Event, in the client's own spelling, to what is appended to its list.
        client: As in ``memex-mcp hook --client``; only hooks that say so are ours.
        inner: Key of a list's element under which the commands stand; empty where the list
            holds the commands themselves.
        fixed: Further keys that the file must have, such as ``version``, with their values;
            they are put only into a file that lacks them, and taken out as containers are.
    """

    path: Path
    events: Mapping[str, Mapping[str, object]]
    client: str
    keys: tuple[str, ...] = ("hooks",)
    inner: str = "hooks"
    dialect: Dialect = "json"
    fixed: Mapping[str, object] | None = None
    what: str = "hooks"

    def state(self, text: str) -> State:
        """See :class:`Piece`."""
        if not any(True for _ in self.places(text)):
            return "absent"
        return "current" if self.put(text) == text else "older"

    def places(self, text: str) -> Iterator[tuple[str, int, int]]:
        """Event, position in its list and position within, of each command of ours."""
        hooks = text_json.find(text, self.keys, self.dialect)
        for event, groups in hooks.items() if isinstance(hooks, dict) else ():
            for at, group in enumerate(groups if isinstance(groups, list) else ()):
                for inner, command in enumerate(self._commands(group)):
                    if isinstance(command, dict) and is_our_hook(
                        command.get("command"), command.get("args"), client=self.client
                    ):
                        yield event, at, inner

    def put(self, text: str) -> str:
        """See :class:`Piece`."""
        for key, value in (self.fixed or {}).items():
            if text_json.find(text, (key,), self.dialect) is None:
                text = text_json.put(text, (key,), value, self.dialect)
        found = list(self.places(text))
        kept = {event: (at, inner) for event, at, inner in reversed(found) if event in self.events}
        for event, at, inner in reversed(found):
            if kept.get(event) != (at, inner):
                text = self._less(text, event, at, inner)
        for event, group in self.events.items():
            where = next((place for place in self.places(text) if place[0] == event), None)
            if where is None:
                text = text_json.append(text, (*self.keys, event), dict(group), self.dialect)
            else:
                command = self._commands(group)[0]
                text = text_json.put(text, self._path(*where), command, self.dialect)
        return text

    def drop(self, text: str, before: str | None) -> str:
        """See :class:`Piece`."""
        found = list(self.places(text))
        for event, at, inner in reversed(found):
            text = self._less(text, event, at, inner)
        for event in dict.fromkeys(event for event, _, _ in found):
            text = drop_empty(text, (*self.keys, event), before, self.dialect)
        whole = text_json.load(text, self.dialect)
        fixed = dict(self.fixed or {})
        if found and fixed and whole == fixed and before is None:
            for key in fixed:
                text = text_json.drop(text, (key,), self.dialect)
        return text

    def _less(self, text: str, event: str, at: int, inner: int) -> str:
        group = text_json.find(text, (*self.keys, event, at), self.dialect)
        path = self._path(event, at, inner)
        if self.inner and len(self._commands(group)) == 1:
            path = path[:-2]
        return text_json.drop(text, path, self.dialect)

    def _path(self, event: str, at: int, inner: int) -> text_json.Path:
        return (*self.keys, event, at, *((self.inner, inner) if self.inner else ()))

    def _commands(self, group: object) -> Sequence[Any]:
        if not self.inner:
            return [group]
        commands = group.get(self.inner) if isinstance(group, Mapping) else None
        return commands if isinstance(commands, list) else []
