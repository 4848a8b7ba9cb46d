"""``memex-mcp try``: a whole round with real server processes in a temporary store.

Every step states what it expects; if one does not come true, the command fails.
"""

import argparse
import secrets
import tempfile
from pathlib import Path

from memex_mcp.cli import look
from memex_mcp.cli.pipe import Pipe
from memex_mcp.errors import Damaged

_OLD = "The staging database listens on port 5433; the tunnel script opens it."
_NEW = "The staging database listens on port 6543 since the move to the new cluster."
_ZH = "部署前必须先跑 make smoke，否则网关会拒绝新版本。"


def configure(parser: argparse.ArgumentParser) -> None:
    """``try`` takes no arguments."""
    parser.epilog = "The temporary store stays until you delete it, so that you can look at it."


def run(_args: argparse.Namespace) -> int:
    """Play the round and show it."""
    base = Path(tempfile.mkdtemp(prefix="memex-try-"))
    project, root = base / "project", base / "store"
    project.mkdir()
    place = ["--root", str(root), "--workspace", str(project)]
    old_id = _write_round(place)
    new_id = _search_round(place, old_id)
    _show_files(root, new_id)
    print(f"\nAll steps came true. Look around in {look.bold(str(base))}, then delete it.")
    return 0


def _write_round(place: list[str]) -> str:
    with Pipe(place, "first-agent") as server:
        _say(f"a first agent starts a server (process {server.pid}) and writes")
        old = server.call(
            "memory_write", text=_OLD, type="fact", aliases=["staging postgres"], source="ops.md:12"
        )
        _show("memory_write", _OLD, f"{old['outcome']} {old['id']}")
        zh = server.call("memory_write", text=_ZH, type="constraint")
        _show("memory_write", _ZH, f"{zh['outcome']} {zh['id']}")
        key = "ghp_" + secrets.token_hex(18)
        masked = server.call("memory_write", text=f"CI deploys with the token {key}.")
        _expect(masked["masked"] != [], "a secret is masked before it is stored")
        _show("memory_write", "CI deploys with the token ghp_…", f"masked {masked['masked']}")
    return str(old["id"])


def _search_round(place: list[str], old_id: str) -> str:
    with Pipe(place, "second-agent") as server:
        _say(f"a second agent, in a new process ({server.pid}), searches and corrects")
        found = server.call("memory_search", query="which port does the staging database use?")
        _expect(_first(found) == old_id, "the fact is found by another process")
        _show("memory_search", "which port does the staging database use?", _titles(found))
        zh = server.call("memory_search", query="部署之前要做什么")
        _expect(zh["state"] == "ok", "a Chinese question finds the Chinese record")
        _show("memory_search", "部署之前要做什么", _titles(zh))
        nothing = server.call("memory_search", query="quarterly marketing budget")
        _expect(nothing["state"] == "no_match", "an absent topic returns nothing")
        _show("memory_search", "quarterly marketing budget", str(nothing["state"]))
        new = server.call("memory_write", text=_NEW, type="fact", supersedes=old_id)
        _show("memory_write", f"{_NEW} (supersedes {old_id[-6:]})", f"{new['outcome']} {new['id']}")
        again = server.call("memory_search", query="staging database port")
        _expect(_first(again) == new["id"], "the correction answers now")
        old = server.call("memory_open", id=old_id)
        _expect(
            old["superseded_by"] == new["id"], "the old fact is kept and names what replaced it"
        )
        _show("memory_open", old_id, f"{old['status']}, replaced by {old['superseded_by']}")
    return str(new["id"])


def _show_files(root: Path, new_id: str) -> None:
    _say("every record is a row in SQLite and a Markdown file")
    for path in sorted(root.rglob("*")):
        if path.is_file():
            print(look.dim(f"  {path.relative_to(root)}  {path.stat().st_size:,} bytes"))
    file = next(root.rglob(f"{new_id}.md"), None)
    if file is None:
        raise Damaged("a record has no Markdown file", "This is a bug.")
    print()
    print(look.indented(file.read_text(encoding="utf-8")))


def _first(answer: dict[str, object]) -> object:
    hits = answer["hits"]
    return hits[0]["id"] if isinstance(hits, list) and hits else None


def _titles(answer: dict[str, object]) -> str:
    hits = answer["hits"]
    return "; ".join(hit["title"] for hit in hits) if isinstance(hits, list) else ""


def _say(text: str) -> None:
    print(f"\n{look.bold(text)}")


def _show(tool: str, asked: str, answered: str) -> None:
    print(f"  {tool:<14} {asked}")
    print(look.dim(f"  {'':<14} -> {answered}"))


def _expect(fulfilled: bool, promise: str) -> None:
    if not fulfilled:
        raise Damaged(f"it did not come true that {promise}", "This is a bug; please report it.")
