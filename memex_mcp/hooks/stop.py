"""A turn ended, of the session or of one of its agents: archive it.

Nothing is said here, ever: clients take that for a reason to go on, some of them for good.
"""

from memex_mcp.hooks.archiving import quietly as handle

__all__ = ["handle"]
