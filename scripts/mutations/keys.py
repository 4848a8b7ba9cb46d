"""Which texts are one value, and which values bind where."""

from .shape import POLICY, TEXT, In

_keys = In("memex_mcp/policy/keys.py")
_fold = In("memex_mcp/text/fold.py")
_sameness = In("memex_mcp/policy/sameness.py")
_KEYS = f"{POLICY}keys.py"
_VALUE = f"{POLICY}keys.py::test_one_value_written_differently_has_one_key"
_BINDS = f"{POLICY}keys.py::test_refusals_bind_in_the_owner_and_what_encloses_it"
_DISGUISED = f"{TEXT}fold.py::test_disguised_values_share_a_key"

MUTATIONS = (
    _keys(
        "keys.owner",
        'f"{owner}\\n{core(text)}"',
        "core(text)",
        "a value withdrawn in one workspace would be refused in all",
        f"{POLICY}keys.py::test_a_key_belongs_to_one_owner",
    ),
    _keys(
        "keys.simplified",
        "simplified(known))",
        "known)",
        "traditional writing would make another value",
        _KEYS,
    ),
    _keys(
        "keys.gap",
        '_GAP.sub("", simplified(known))',
        "simplified(known)",
        "a blank between Chinese characters would make another value",
        _KEYS,
    ),
    _keys(
        "keys.edges",
        "bare.strip(_EDGES) or bare",
        "bare",
        "a full stop would make another value",
        _KEYS,
    ),
    _keys(
        "keys.watched.workspace",
        'return (owner, f"w:{workspace}", GLOBAL_OWNER)',
        "return (owner, GLOBAL_OWNER)",
        "a session would bring back what its workspace withdrew",
        _BINDS,
    ),
    _keys(
        "keys.watched.global",
        "    return (owner, GLOBAL_OWNER)",
        "    return (owner,)",
        "a workspace would bring back what was withdrawn everywhere",
        _BINDS,
    ),
    _fold(
        "value.case",
        "value = value.casefold()",
        "pass",
        "capitals would make another value",
        _VALUE,
        _DISGUISED,
    ),
    _fold(
        "value.case.ascii",
        "text.translate(_HIDDEN_ASCII).lower()",
        "text.translate(_HIDDEN_ASCII)",
        "capitals would make another value",
        _VALUE,
    ),
    _fold(
        "value.width",
        'unicodedata.normalize("NFKC", _HIDDEN.sub("", value))',
        '_HIDDEN.sub("", value)',
        "full width would make another value",
        _VALUE,
    ),
    _fold(
        "value.invisible",
        'unicodedata.normalize("NFKC", _HIDDEN.sub("", value))',
        'unicodedata.normalize("NFKC", value)',
        "an invisible character would make another value",
        _VALUE,
    ),
    _fold(
        "value.invisible.ascii",
        "text.translate(_HIDDEN_ASCII).lower()",
        "text.lower()",
        "a control character would make another value",
        _VALUE,
    ),
    _fold(
        "value.alike",
        "value = value.translate(_ALIKE)",
        "pass",
        "a Cyrillic letter would make another value",
        _VALUE,
    ),
    _fold(
        "value.alike.capitals",
        "value = value.translate(_CAPITALS)",
        "pass",
        "a Greek capital would make another value",
        _DISGUISED,
        _VALUE,
    ),
    _fold(
        "value.space",
        '        value = " ".join(value.split())',
        "        pass",
        "white space would make another value",
        _VALUE,
    ),
    _fold(
        "value.space.ascii",
        'return " ".join(text.translate(_HIDDEN_ASCII).lower().split())',
        "return text.translate(_HIDDEN_ASCII).lower()",
        "white space would make another value",
        _VALUE,
    ),
    _sameness(
        "sameness.not",
        "if values_a == values_b and negated_a == negated_b:",
        "if values_a == values_b:",
        "a negation would not be told",
        f"{POLICY}sameness.py",
    ),
    _sameness(
        "sameness.value",
        "if values_a == values_b and negated_a == negated_b:",
        "if negated_a == negated_b:",
        "another number would not be told",
        f"{POLICY}sameness.py",
    ),
)
