"""The model families that a manual knows: the form each reads best, and what to add for it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Form = Literal["xml", "markdown", "plain"]
DEFAULT = "default"

BILINGUAL = {
    "en": "Give `variants` and `aliases` in Chinese and English; keep identifiers, paths and"
    " commands as they are.",
    "zh": "`variants` 和 `aliases` 中英文都给；标识符、路径、命令保持原样。",
}
STEPS = {
    "en": "In short: 1. `memory_search`. 2. `memory_open` the hit that fits. 3. Do the task."
    " 4. `memory_write` what was learned.",
    "zh": "简言之：1. `memory_search`。2. `memory_open` 打开合适的结果。3. 完成任务。"
    "4. `memory_write` 记下所得。",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """One family of models.

    Attributes:
        form: How a manual for it is written.
        bilingual: It is told to search and to name things in Chinese and English.
        steps: It is told the order of work in one line, as small models need.
    """

    form: Form
    bilingual: bool = False
    steps: bool = False


FAMILIES: Mapping[str, Family] = {
    DEFAULT: Family(form="xml"),
    "claude": Family(form="xml"),
    "gpt": Family(form="markdown"),
    "gemini": Family(form="markdown"),
    "grok": Family(form="markdown"),
    "mistral": Family(form="markdown"),
    "qwen": Family(form="markdown", bilingual=True),
    "deepseek": Family(form="markdown", bilingual=True),
    "glm": Family(form="markdown", bilingual=True),
    "kimi": Family(form="markdown", bilingual=True),
    "minimax": Family(form="markdown", bilingual=True),
    "doubao": Family(form="markdown", bilingual=True),
    "llama": Family(form="plain", steps=True),
    "gemma": Family(form="plain", steps=True),
}
