"""``python -m memex_mcp`` is the ``memex-mcp`` command."""

import sys

from memex_mcp.cli import main

sys.exit(main())
