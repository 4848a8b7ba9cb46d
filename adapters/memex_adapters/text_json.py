"""Changes single values in a JSON text and leaves every other byte where it was.

A path is a tuple of keys and, in arrays, of positions.  Each change is read back before it is
returned: what a parser sees afterwards is what it saw before, but for the one value.
"""

import copy
import json
from typing import Any

from memex_adapters.errors import Unclear
from memex_adapters.json_spans import Dialect, Member, Value, read
from memex_adapters.text_block import newline

Path = tuple[str | int, ...]
_MISSING = object()


def load(text: str, dialect: Dialect = "json") -> Any:  # whatever JSON can hold
    """What a text holds; a blank one holds an empty object.

    Raises:
        Unclear: It does not parse.
    """
    return read(text, dialect).plain()


def find(text: str, path: Path, dialect: Dialect = "json") -> Any:  # as load
    """The value at a path, ``None`` when there is none.

    Raises:
        Unclear: The text does not parse, or a key on the path stands twice.
    """
    node = read(text, dialect)
    for step in path:
        member = _member(node, step)
        if member is None:
            return None
        node = member.value
    return node.plain()


def put(text: str, path: Path, value: object, dialect: Dialect = "json") -> str:
    """The text with a value at a path of keys.

    A value that is there is replaced where it stands, and left alone when it is equal.  What is
    missing is added after what its object already holds.

    Raises:
        Unclear: The text does not parse, a key on the path stands twice, or something on the
            path is no object.
    """
    node, parents = read(text, dialect), list(path)
    while parents:
        member = _member(node, parents[0])
        if member is None:
            break
        node = member.value
        del parents[0]
    if not parents:
        if node.plain() == value:
            return text
        new = _dump(value, text, _indent_at(text, node.start))
        changed = text[: node.start] + new + text[node.stop :]
    else:
        if node.kind != "object":
            raise Unclear(
                f"{_told(path[: len(path) - len(parents)])} is no object",
                "Mend or remove it first.",
            )
        wanted = value
        for key in reversed(parents[1:]):
            wanted = {key: wanted}
        changed = _add(text, node, json.dumps(parents[0], ensure_ascii=False) + ": ", wanted)
    return _checked(text, changed, dialect, path, value)


def append(text: str, path: Path, value: object, dialect: Dialect = "json") -> str:
    """The text with a value last in the array at a path, which is made when it is missing.

    Raises:
        Unclear: As :func:`put`, or what is at the path is no array.
    """
    present = find(text, path, dialect)
    if present is None:
        return put(text, path, [value], dialect)
    if not isinstance(present, list):
        raise Unclear(f"{_told(path)} is no list", "Mend or remove it first.")
    changed = _add(text, _node(read(text, dialect), path), "", value)
    return _checked(text, changed, dialect, path, [*present, value])


def drop(text: str, path: Path, dialect: Dialect = "json") -> str:
    """The text without the value at a path; what is not there stays away.

    Raises:
        Unclear: As :func:`put`.
    """
    root = read(text, dialect)
    parent = root
    for step in path[:-1]:
        member = _member(parent, step)
        if member is None:
            return text
        parent = member.value
    member = _member(parent, path[-1])
    if member is None:
        return text
    for changed in _without(text, parent, member):
        try:
            return _checked(text, changed, dialect, path, _MISSING)
        except Unclear:
            continue
    raise Unclear(f"{_told(path)} cannot be taken out safely", "Take it out by hand.")


def _member(node: Value, step: str | int) -> Member | None:
    if isinstance(step, int):
        if node.kind != "array" or not -len(node.members) <= step < len(node.members):
            return None
        return node.members[step]
    found = [member for member in node.members if member.key == step]
    if len(found) > 1:
        raise Unclear(f"the key {step!r} stands twice in it", "Leave one, then try again.")
    return found[0] if found else None


def _node(root: Value, path: Path) -> Value:
    node = root
    for step in path:
        member = _member(node, step)
        if member is None:
            raise Unclear(f"there is no {_told(path)}")
        node = member.value
    return node


def _add(text: str, node: Value, key: str, value: object) -> str:
    """The text with one more entry, after the last one of a container."""
    eol = newline(text)
    if node.start == node.stop:  # A blank file has no brackets yet.
        body = _dump(value, text, "  ")
        return text[: node.stop] + f"{{{eol}  {key}{body}{eol}}}{eol}" + text[node.stop :]
    last = node.members[-1] if node.members else None
    if last is None:
        outer = _indent_at(text, node.start)
        indent = outer + _unit(text)
        return (
            text[: node.start + 1]
            + f"{eol}{indent}{key}{_dump(value, text, indent)}"
            + _interior(text, node, eol + outer)
            + text[node.stop - 1 :]
        )
    first = node.members[0]
    comma_at = last.value.stop if last.comma < 0 else last.comma
    after = comma_at + (last.comma >= 0)
    if "\n" not in text[node.start : first.start]:
        compact = json.dumps(value, ensure_ascii=False)
        if last.comma >= 0:
            return text[:after] + f" {key}{compact}," + text[after:]
        return text[:after] + f", {key}{compact}" + text[after:]
    indent = _indent_at(text, first.start)
    # Comments after the last entry belong to it: the new one goes below them.
    end = len(text[: node.stop - 1].rstrip(" \t\r\n"))
    end = max(end, after)
    trailing = "," if last.comma >= 0 else ""
    entry = f"{eol}{indent}{key}{_dump(value, text, indent)}{trailing}"
    between = text[comma_at:end] if last.comma >= 0 else "," + text[comma_at:end]
    return text[:comma_at] + between + entry + text[end:]


def _interior(text: str, node: Value, otherwise: str) -> str:
    """What stands between the brackets of an empty container, kept when it can end a line."""
    inner = text[node.start + 1 : node.stop - 1]
    if not inner.strip():
        return otherwise
    # A comment is all that it holds: the new entry comes first, the comment stays.
    return inner if inner.lstrip(" \t").startswith(("\n", "\r")) else otherwise[:1] + inner


def _without(text: str, parent: Value, member: Member) -> list[str]:
    """The text without one entry, in the ways that may fit, the neatest first."""
    at = parent.members.index(member)
    stop = member.value.stop if member.comma < 0 else member.comma + 1
    lead = len(text[: member.start].rstrip(" \t\r\n"))
    before = parent.members[at - 1] if at else None
    if len(parent.members) == 1 and not (
        text[parent.start + 1 : member.start] + text[stop : parent.stop - 1]
    ).strip(" \t\r\n"):
        return [text[: parent.start + 1] + text[parent.stop - 1 :]]
    if before is None and len(parent.members) > 1:
        # The next entry takes the place of the first.
        following = parent.members[1].start
        if not text[stop:following].strip(" \t\r\n"):
            return [text[: member.start] + text[following:]]
    if before is not None and member.comma < 0 and before.comma >= 0:
        comma = before.comma
        kept = text[:comma] + text[comma + 1 : lead] + text[stop:]
        rest = text[:comma] + text[comma + 1 : member.start] + text[stop:]
        return [kept, rest]
    return [text[:lead] + text[stop:], text[: member.start] + text[stop:]]


def _checked(text: str, changed: str, dialect: Dialect, path: Path, value: object) -> str:
    """The changed text, when a parser sees in it what was meant and nothing else."""
    expected = _changed(read(text, dialect).plain(), path, value)
    if read(changed, dialect).plain() != expected:
        raise Unclear(f"{_told(path)} cannot be changed safely", "Change it by hand.")
    return changed


def _changed(whole: Any, path: Path, value: object) -> Any:  # as load
    if not path:
        return copy.deepcopy(value)
    step, rest = path[0], path[1:]
    if isinstance(step, int):
        items = list(whole)
        if not rest and value is _MISSING:
            del items[step]
        else:
            items[step] = _changed(items[step], rest, value)
        return items
    entries = dict(whole)
    if not rest and value is _MISSING:
        entries.pop(step, None)
    else:
        entries[step] = _changed(entries.get(step, {}), rest, value)
    return entries


def _dump(value: object, text: str, indent: str) -> str:
    """A value over several lines, indented as its surroundings are."""
    lines = json.dumps(value, ensure_ascii=False, indent=_unit(text)).split("\n")
    return (newline(text) + indent).join(lines)


def _unit(text: str) -> str:
    """One step of indentation, as the first indented line shows it."""
    for line in text.splitlines():
        bare = line.lstrip(" \t")
        if bare.startswith('"') and bare != line:
            return line[: len(line) - len(bare)]
    return "  "


def _indent_at(text: str, at: int) -> str:
    """The indentation of the line on which a position lies."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _told(path: Path) -> str:
    return ".".join(str(step) for step in path) or "the file"
