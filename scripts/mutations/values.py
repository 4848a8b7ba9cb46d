"""Values: what is written late is as if it had been there from the beginning."""

from .shape import In

_SAME = "tests/test_values.py::test_a_value_is_as_python_would_have_made_it"
_FROZEN = "tests/test_values.py::test_nothing_of_a_frozen_value_can_be_changed"

_values = In("memex_mcp/values.py")

MUTATIONS = (
    _values(
        "values.frozen",
        '"__setattr__": _no_change, ',
        "",
        "a value that others hold could change under them",
        _FROZEN,
        quick=True,
    ),
    _values(
        "values.hash",
        'methods["__hash__"] = None',
        "pass",
        "what can change would be found by what it was",
        _SAME,
    ),
    _values(
        "values.factory",
        'f"{default}() if {name} is __absent else {name}"',
        "name",
        "a list that nobody gave would not be there",
        _SAME,
    ),
)
