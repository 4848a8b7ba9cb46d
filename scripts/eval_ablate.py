"""The product with one thing missing: what each leg and feature is worth."""

from collections.abc import Mapping
from dataclasses import fields, replace

from memex_mcp.retrieval.floor import Floor
from memex_mcp.retrieval.rerank import Weights
from memex_mcp.retrieval.tuning import DEFAULT, Tuning

NO_FLOOR = "without floor"


def variants() -> Mapping[str, Tuning]:
    """Everything that can be left out, by name."""
    made = {
        f"without leg {name}": replace(DEFAULT, legs=DEFAULT.legs - {name})
        for name in sorted(DEFAULT.legs)
    }
    for field in fields(Weights):
        weights = replace(DEFAULT.weights, **{field.name: 0.0})
        made[f"without {field.name}"] = replace(DEFAULT, weights=weights)
    made[NO_FLOOR] = replace(DEFAULT, floor=Floor(answer=float("-inf"), company=float("-inf")))
    made["without spread"] = replace(DEFAULT, spread=False)
    made["without diversify"] = replace(DEFAULT, diversify=False)
    return made


def chosen(names: str) -> dict[str, Tuning]:
    """The variants whose names hold one of the words given, comma-separated; all for ``all``."""
    words = names.split(",")
    return {
        name: variant
        for name, variant in variants().items()
        if names == "all" or any(word in name for word in words)
    }
