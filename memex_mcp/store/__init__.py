"""Everything on disk, and the only SQL."""
