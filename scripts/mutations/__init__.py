"""What scripts/mutate takes out of the program, as data."""

from . import (
    access,
    answers,
    callers,
    changes,
    gate,
    keys,
    language,
    legs,
    meanings,
    moves,
    reads,
    scores,
    sight,
    stamps,
    stored,
    surface,
    targets,
    ties,
    tombstones,
    windows,
)
from .shape import Mutation

__all__ = ["ALL", "Mutation"]

ALL: tuple[Mutation, ...] = (
    *gate.MUTATIONS,
    *tombstones.MUTATIONS,
    *moves.MUTATIONS,
    *changes.MUTATIONS,
    *access.MUTATIONS,
    *targets.MUTATIONS,
    *stamps.MUTATIONS,
    *keys.MUTATIONS,
    *sight.MUTATIONS,
    *reads.MUTATIONS,
    *stored.MUTATIONS,
    *callers.MUTATIONS,
    *legs.MUTATIONS,
    *scores.MUTATIONS,
    *answers.MUTATIONS,
    *ties.MUTATIONS,
    *surface.MUTATIONS,
    *language.MUTATIONS,
    *windows.MUTATIONS,
    *meanings.MUTATIONS,
)
