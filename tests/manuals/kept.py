"""Manuals as they were reviewed: a hash of each, and a few of them whole.

``python -m tests.manuals.kept`` writes both anew after a change that was meant.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from memex_manuals.clients import CLIENTS
from memex_manuals.core import LANGUAGES
from memex_manuals.families import FAMILIES
from memex_manuals.rendering import instructions, render

FOLDER = Path(__file__).parent / "kept"
HASHES = FOLDER / "hashes.txt"

WHOLE = {
    "claude.en.txt": render("claude", "claude", "en"),
    "codex.en.txt": render("codex", "gpt", "en"),
    "codex.zh.txt": render("codex", "deepseek", "zh"),
    "generic.llama.en.txt": render("generic", "llama", "en"),
    "qwen.zh.txt": render("qwen", "qwen", "zh"),
    "instructions.claude.en.txt": instructions("claude", "claude", "en"),
    "instructions.codex.en.txt": instructions("codex", "gpt", "en"),
    "instructions.qwen.zh.txt": instructions("qwen", "qwen", "zh"),
}


def lines() -> Iterator[str]:
    """Client, family, language, and the hashes of the manual and of the instructions."""
    for client in CLIENTS:
        for family in FAMILIES:
            for language in LANGUAGES:
                texts = (written(client, family, language) for written in (render, instructions))
                hashes = (hashlib.sha256(text.encode()).hexdigest()[:12] for text in texts)
                yield " ".join((client, family, language, *hashes))


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    HASHES.write_text("\n".join(lines()) + "\n", encoding="utf-8")
    for name, text in WHOLE.items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
