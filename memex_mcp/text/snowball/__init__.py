"""The stemmers of ``snowballstemmer`` one by one: its own door loads those of thirty languages."""

from importlib.util import find_spec

_found = find_spec("snowballstemmer")
__path__ = list(_found.submodule_search_locations or ()) if _found else []
