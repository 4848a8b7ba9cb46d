"""The client is about to forget most of a conversation: archive it first.

Nothing is said here: Claude would take it for an instruction about its summary.
"""

from memex_mcp.hooks.archiving import quietly as handle

__all__ = ["handle"]
