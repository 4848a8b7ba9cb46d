"""How a search is done for one reader."""

from dataclasses import replace

from memex_mcp.profiles.profile import Profile
from memex_mcp.retrieval.tuning import DEFAULT, Tuning


def tuning(profile: Profile) -> Tuning:
    """The usual way to recall, with the weights and the format of a profile."""
    weights = replace(DEFAULT.weights, **profile.weights)
    return replace(DEFAULT, weights=weights, form=profile.format)
