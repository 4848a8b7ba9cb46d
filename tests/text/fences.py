"""Fences as a test recognises them: whole ones, whatever their shape."""

import re

from memex_mcp.text.fence import LABEL, REFERENCE

_OPEN, _CLOSE = r"(?:<|&lt;|\*\*|\[)", r"(?:>|&gt;|\*\*|\])"

BLOCK = re.compile(
    rf"(?<![\\\w]){_OPEN}memex-(?P<label>{LABEL}) nonce=(?P<nonce>[0-9a-f]{{8}}){_CLOSE}"
    rf" {re.escape(REFERENCE)}[^\n]*\n(?P<content>.*?)"
    rf"{_OPEN}/memex-(?P=label) nonce=(?P=nonce){_CLOSE}\n?",
    re.DOTALL,
)
