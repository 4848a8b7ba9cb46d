"""A record as a Markdown file: front matter a person can edit, then the body, verbatim.

We write each field as ``key: <JSON>`` on a line of its own, which is YAML as well.  What a
person types need not be JSON: such values are read as YAML, all scalars as text.
"""

import json
import re
from collections.abc import Collection, Mapping

from memex_mcp.errors import Invalid
from memex_mcp.text import lazily

_FENCE = "---"
_BOM = "\ufeff"
_encoded = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
_LONGEST_BLOCK = 1_000_000
_KEY = lazily.pattern(r"[A-Za-z_][A-Za-z0-9_-]*")
_LINE = lazily.pattern(r"([A-Za-z_][A-Za-z0-9_-]*):[ \t]+(.*)")
# What YAML does not allow raw between double quotes.  A low surrogate behind a high one
# stays as it is, because JSON would read two escapes as one character.
_UNPRINTABLE = lazily.pattern(
    "[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udbff]|(?<![\ud800-\udbff])[\udc00-\udfff]"
)


def write(fields: Mapping[str, object], body: str) -> str:
    """Lay out one file; ``id`` and ``kind`` come first, the rest in the order given.

    Raises:
        Invalid: A key is not a plain word, or a value is not JSON.
    """
    first = [key for key in ("id", "kind") if key in fields]
    lines = [_FENCE]
    for key in [*first, *(key for key in fields if key not in first)]:
        if not _KEY.fullmatch(key):
            raise Invalid(f"{key!r} cannot be a field name", "Use letters, digits, - and _.")
        lines.append(f"{key}: {_json(key, fields[key])}")
    lines.append(_FENCE)
    return "\n".join(lines) + "\n" + body


def read(text: str, *, as_text: Collection[str] = ()) -> tuple[dict[str, object], str]:
    """Take a file apart; the inverse of :func:`write`, and lenient with hand-edited fields.

    Args:
        text: The whole file; a byte order mark before it is ignored.
        as_text: Fields that hold text or lists of text: a bare ``1.10`` there stays ``1.10``.

    Returns:
        The fields in file order, and everything after the closing ``---`` line.

    Raises:
        Invalid: There is no front matter, or it is not YAML; the message names the line.
    """
    block, body = _split(text.removeprefix(_BOM))
    lines = [line.removesuffix("\r") for line in block.split("\n")] if block else []
    fields: dict[str, object] = {}
    plain = True
    for number, line in enumerate(lines):
        found = _LINE.fullmatch(line)
        continued = number + 1 < len(lines) and lines[number + 1][:1] in (" ", "\t", "-")
        if not found or continued:
            plain = plain and not line.strip()
            continue
        key, value = found.groups()
        if key in fields:
            raise Invalid(f"line {number + 2}: {key} is there twice", "Keep one of them.")
        try:
            parsed: object = json.loads(value)
        except (ValueError, RecursionError):
            plain = False
            continue
        if key in as_text and not _is_text(parsed):
            plain = False
            continue
        fields[key] = parsed
    return (fields if plain else _yaml("\n".join(lines)) | fields), body


def _json(key: str, value: object) -> str:
    try:
        text = _encoded(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise Invalid(f"{key} cannot be written as JSON") from error
    if text.isascii() and "\x7f" not in text:
        return text
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def _split(text: str) -> tuple[str, str]:
    """The lines between the two fences, and what follows the second."""
    opening, newline, rest = text.partition("\n")
    if opening.rstrip() != _FENCE or not newline:
        raise Invalid("line 1: the front matter is missing", "The file begins with a --- line.")
    closing = re.compile(r"^---[ \t]*\r?(?:\n|\Z)", re.MULTILINE).search(rest)
    if closing is None:
        raise Invalid("line 1: the front matter has no end", "Close it with a --- line.")
    return rest[: closing.start()].removesuffix("\n"), rest[closing.end() :]


def _is_text(value: object) -> bool:
    if isinstance(value, list):
        return all(isinstance(item, str) for item in value)
    return value is None or isinstance(value, str)


def _yaml(block: str) -> dict[str, object]:
    # Imported here: only hand-edited files need it, and every start would pay for it.
    import yaml

    if len(block) > _LONGEST_BLOCK:
        raise Invalid("line 2: the front matter is too long", "Move text into the body.")
    try:
        loaded: object = yaml.load(block, Loader=yaml.BaseLoader)  # noqa: S506 - texts only
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 2 if mark else 2
        raise Invalid(f"line {line}: {error.problem or 'not YAML'}", _QUOTE) from error
    except yaml.reader.ReaderError as error:
        line = block.count("\n", 0, error.position) + 2
        raise Invalid(f"line {line}: a control character", _QUOTE) from error
    except (ValueError, RecursionError) as error:
        raise Invalid("line 2: the front matter is not YAML", _QUOTE) from error
    if loaded is None or loaded == "":
        return {}
    if not isinstance(loaded, dict) or not all(isinstance(key, str) for key in loaded):
        raise Invalid("line 2: the front matter is not a list of fields", "Write key: value lines.")
    return {str(key): value for key, value in loaded.items()}


_QUOTE = 'Put the value between double quotes: key: "value".'
