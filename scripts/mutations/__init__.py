"""What scripts/mutate takes out of the program, as data."""

from . import gate, policy, reads, recall, sight, surface
from .shape import Mutation

__all__ = ["ALL", "Mutation"]

ALL: tuple[Mutation, ...] = (
    *gate.MUTATIONS,
    *policy.MUTATIONS,
    *sight.MUTATIONS,
    *reads.MUTATIONS,
    *recall.MUTATIONS,
    *surface.MUTATIONS,
)
