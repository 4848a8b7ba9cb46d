"""memex: a local memory for coding agents."""
