"""Changes single tables in a TOML text and leaves every other byte where it was.

A new table goes last, as text.  What stands inside braces or dotted keys is edited with tomlkit.
Each change is read back with the strict parser before it is returned.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AbstractTable

from memex_adapters.errors import Unclear
from memex_adapters.text_block import newline

Path = tuple[str, ...]
_BOM = "\ufeff"
_HEADER = re.compile(r"^[ \t]*\[[^\r\n]*", re.MULTILINE)
_NO_ENTRY = re.compile(r"(?:[ \t]*(?:#[^\n]*)?(?:\r?\n|\Z))*\Z")


def load(text: str) -> dict[str, Any]:
    """What a text holds.

    Raises:
        Unclear: It does not parse.
    """
    try:
        return tomllib.loads(text.removeprefix(_BOM))
    except tomllib.TOMLDecodeError as error:
        raise Unclear(f"it is not valid TOML: {error}", "Mend the file, then try again.") from error


def find(text: str, path: Path) -> Any:  # whatever TOML can hold
    """The value at a path of keys, ``None`` when there is none."""
    node: Any = load(text)
    for key in path:
        if not isinstance(node, dict) or key not in node:
            return None
        node = node[key]
    return node


def put(text: str, path: Path, values: Mapping[str, object]) -> str:
    """The text with a table that holds these values, at least.

    A table that is there keeps its place and what else it holds; one that is missing goes last.

    Raises:
        Unclear: The text does not parse, or its shape leaves no room for the table.
    """
    if text.startswith(_BOM):
        return _BOM + put(text[1:], path, values)
    whole = load(text)
    for length in range(1, len(path) + 1):
        if not isinstance(find(text, path[:length]) or {}, dict):
            raise Unclear(f"{'.'.join(path[:length])} is no table", "Mend or remove it first.")
    present = find(text, path)
    if present is not None and {**present, **values} == present:
        return text
    expected = _merged(whole, path, values)
    for change in (_put_as_text, _put_inside):
        changed = change(text, path, values)
        if changed is not None and _reads_as(changed, expected):
            return changed
    raise Unclear(
        f"{'.'.join(path)} cannot be entered safely", "Enter it by hand as memex-mcp init shows it."
    )


def drop(text: str, path: Path) -> str:
    """The text without a table and the tables below it; what is not there stays away.

    Raises:
        Unclear: The text does not parse, or the table cannot be taken out safely.
    """
    if text.startswith(_BOM):
        return _BOM + drop(text[1:], path)
    whole = load(text)
    if find(text, path) is None:
        return text
    for change in (_drop_as_text, _drop_inside):
        changed = change(text, path)
        for bare in (False, True):
            expected = _less(whole, path, bare=bare)
            if changed is not None and _reads_as(changed, expected):
                return changed
    raise Unclear(f"{'.'.join(path)} cannot be taken out safely", "Take it out by hand.")


def render(path: Path, values: Mapping[str, object]) -> str:
    """One table as text: header and keys, tables below it last; ends with a newline."""
    document = tomlkit.document()
    table = tomlkit.table()
    for key, value in values.items():
        table.add(key, tomlkit.item(value))
    inner: Any = table
    for key in reversed(path[1:]):
        outer = tomlkit.table(is_super_table=True)
        outer.add(key, inner)
        inner = outer
    document.add(path[0], inner)
    return document.as_string().strip("\n") + "\n"


def _put_as_text(text: str, path: Path, values: Mapping[str, object]) -> str | None:
    eol = newline(text)
    span = next(_tables(text, path), None)
    if span is None:
        if find(text, path) is not None:
            return None
        table = render(path, values).replace("\n", eol)
        if not text:
            return table
        if text.endswith("\n"):
            return text + eol + table
        return text + eol + eol + table.removesuffix(eol)
    start, stop = span
    chunk = _edited(text[start:stop].replace("\r\n", "\n"), path, values)
    return None if chunk is None else text[:start] + chunk.replace("\n", eol) + text[stop:]


def _put_inside(text: str, path: Path, values: Mapping[str, object]) -> str | None:
    return _edited(text, path, values)


def _edited(text: str, path: Path, values: Mapping[str, object]) -> str | None:
    """The text edited by tomlkit, ``None`` where that cannot do it."""
    try:
        document = tomlkit.parse(text)
        node: Any = document
        for key in path[:-1]:
            node = node[key]
        if path[-1] in node:
            for key, value in values.items():
                if node[path[-1]].get(key) != value:
                    node[path[-1]][key] = value
        else:
            table = tomlkit.inline_table()
            table.update(values)
            node[path[-1]] = table
        return tomlkit.dumps(document)
    except (TOMLKitError, KeyError, ValueError, TypeError, AttributeError):
        return None


def _drop_as_text(text: str, path: Path) -> str | None:
    spans = list(_tables(text, path, below=True))
    for start, stop in reversed(spans):
        before, after = text[:start], text[stop:]
        if not after:
            before = _less_newline(before)
            if not text.endswith("\n"):
                before = _less_newline(before)
        elif before.endswith(("\n\n", "\n\r\n")) or before in ("\n", "\r\n"):
            before = _less_newline(before)
        text = before + after
    return text if spans else None


def _drop_inside(text: str, path: Path) -> str | None:
    try:
        document = tomlkit.parse(text)
        node: Any = document
        for key in path[:-1]:
            node = node[key]
        if isinstance(node, AbstractTable):
            node.remove(path[-1])
        else:
            del node[path[-1]]
        return tomlkit.dumps(document)
    except (TOMLKitError, KeyError, ValueError, TypeError, AttributeError):
        return None


def _less_newline(text: str) -> str:
    return text[:-2] if text.endswith("\r\n") else text.removesuffix("\n")


def _tables(text: str, path: Path, *, below: bool = False) -> Iterator[tuple[int, int]]:
    """From where to where the table with this header reaches, and those below it.

    Blank lines and comments before the next header belong to that one.
    """
    for header in _HEADER.finditer(text):
        named = _named(header.group())
        fits = named[: len(path)] == path if below else named == path
        if not fits or not _is_complete(text[: header.start()]):
            continue
        stop = len(text)
        for following in _HEADER.finditer(text, header.end()):
            if _is_complete(text[: following.start()]):
                stop = following.start()
                break
        yield header.start(), _end_of_entries(text, header.start(), stop)


def _end_of_entries(text: str, start: int, stop: int) -> int:
    """Where the last line of a table ends that is neither blank nor a comment."""
    region = text[start:stop]
    end = 0
    at = 0
    for line in region.splitlines(keepends=True):
        at += len(line)
        if not _NO_ENTRY.match(line):
            end = at
    return start + end


def _named(header: str) -> Path:
    """The keys that a header line names, none when it is not one."""
    try:
        node: Any = tomllib.loads(header)
    except tomllib.TOMLDecodeError:
        return ()
    keys = []
    while isinstance(node, dict) and node:
        key, node = next(iter(node.items()))
        keys.append(key)
    return tuple(keys)


def _is_complete(text: str) -> bool:
    """Whether a text ends outside of every string and bracket."""
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


def _reads_as(text: str, expected: Mapping[str, object]) -> bool:
    try:
        return load(text) == expected
    except Unclear:
        return False


def _merged(whole: Any, path: Path, values: Mapping[str, object]) -> Any:  # as find
    if not path:
        return {**whole, **values}
    return {**whole, path[0]: _merged(whole.get(path[0], {}), path[1:], values)}


def _less(whole: Any, path: Path, *, bare: bool) -> Any:  # as find
    """What is left without a path; ``bare``: parents that held nothing else are gone too."""
    if len(path) == 1:
        return {key: value for key, value in whole.items() if key != path[0]}
    inner = _less(whole[path[0]], path[1:], bare=bare)
    if bare and not inner:
        return {key: value for key, value in whole.items() if key != path[0]}
    return {**whole, path[0]: inner}
