"""The repository keeps the shape that its README promises."""

import ast
from pathlib import Path

import pytest

from tests.card import card

ROOT = Path(__file__).parents[1]
TOPS = ("memex_mcp", "adapters", "manuals")
MODULES = sorted(path for top in TOPS for path in (ROOT / top).rglob("*.py"))
BROAD = {
    "memex_mcp/cli/__init__.py",
    "memex_mcp/hooks/catching_up.py",
    "memex_mcp/hooks/run.py",
    "memex_mcp/server/app.py",
}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_fits_on_a_few_screens(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 300


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_has_no_folder_of_the_same_name(path: Path) -> None:
    assert not path.with_suffix("").is_dir()


def test_everything_is_caught_at_four_boundaries_and_nowhere_else() -> None:
    swallowing = {
        str(path.relative_to(ROOT))
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ExceptHandler)
        and isinstance(node.type, ast.Name)
        and node.type.id in ("Exception", "BaseException")
        and not any(isinstance(inner, ast.Raise) for inner in ast.walk(node))
    }

    assert swallowing == BROAD


@card("shape.imports")
def test_sql_is_written_in_the_store_package_only() -> None:
    verbs = ("SELECT ", "WITH ", "INSERT INTO", "UPDATE ", "DELETE FROM")
    talking = {
        path.relative_to(ROOT).parts[1]
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and node.value.lstrip().startswith(verbs)
    }

    assert talking == {"store"}
