"""Models that can make an answer richer; none is needed, each is told when it fails."""
