"""``memex-mcp try``: a whole round with real server processes in a temporary store.

Every step states what it promises; when one does not come true, the command fails.
"""

import argparse
import secrets
import sys
import tempfile
from dataclasses import asdict, field
from pathlib import Path

from memex_mcp.cli import look
from memex_mcp.cli.common import put
from memex_mcp.cli.pipe import Pipe, ToolError
from memex_mcp.errors import Damaged, MemexError
from memex_mcp.values import dataclass

EXAMPLE = "memex-mcp try"

_OLD = "The staging database listens on port 5433; the tunnel script opens it."
_NEW = "The staging database listens on port 6543 since the move to the new cluster."
_ZH = "部署前必须先跑 make smoke，否则网关会拒绝新版本。"
_WRONG = "Releases are cut on Fridays."
_SHOWN = ("id", "title", "client", "trust", "status", "links")


@dataclass(slots=True)
class Story:
    """What happened so far, told while it happens unless it is ``silent``.

    Attributes:
        steps: Tool, what it was asked and what it answered, in order.
        promises: What was checked and came true.
    """

    silent: bool
    steps: list[dict[str, str]] = field(default_factory=list)
    promises: list[str] = field(default_factory=list)

    def chapter(self, text: str) -> None:
        """Begin a new part."""
        if not self.silent:
            print()
            look.show_title(text)

    def step(self, tool: str, asked: str, answered: str) -> None:
        """Tell one call and its answer."""
        self.steps.append({"tool": tool, "asked": asked, "answered": answered})
        if not self.silent:
            print()
            look.show_table([(f"  {tool:<13}", asked), ("", f"-> {answered}")])

    def promise(self, fulfilled: bool, promise: str) -> None:
        """Tell what that shows.

        Raises:
            Damaged: It does not.
        """
        if not fulfilled:
            raise Damaged(
                f"it did not come true that {promise}", "This is a bug in memex; please report it."
            )
        self.promises.append(promise)
        if not self.silent:
            look.show(f"✓ {promise}", 2)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``try``."""
    parser.add_argument("--json", action="store_true", help="tell it in JSON")


def run(args: argparse.Namespace) -> int:
    """Play the round and show it; the temporary store stays for a look around."""
    base = Path(tempfile.mkdtemp(prefix="memex-try-"))
    story = Story(silent=args.json)
    story.chapter(f"A whole round of memex, in a temporary store below {base}")
    try:
        new_id = _play(story, base)
        _show_files(story, base / "store", new_id)
    except MemexError:
        print(f"What there is of the temporary store lies in {base}", file=sys.stderr)
        raise
    if args.json:
        told = asdict(story)
        put({"folder": str(base), "steps": told["steps"], "promises": told["promises"]})
        return 0
    print()
    look.show_title(f"All {len(story.promises)} promises came true.")
    print(f"Look around in {base}, then delete it.")
    return 0


def _play(story: Story, base: Path) -> str:
    project, root = base / "project", base / "store"
    project.mkdir()
    place = ["--root", str(root), "--workspace", str(project)]
    with Pipe(place, "first-agent") as server:
        story.chapter(f"1. A first agent starts a server (process {server.pid}) and writes.")
        old_id = _remember(story, server)
    with Pipe(place, "second-agent") as server:
        story.chapter(f"2. A second agent, with a server of its own ({server.pid}), asks.")
        _ask(story, server, old_id)
        story.chapter("3. It corrects what is out of date, and withdraws what was wrong.")
        new_id = _correct(story, server, old_id)
        _withdraw(story, server)
    return new_id


def _remember(story: Story, server: Pipe) -> str:
    old = server.call(
        "memory_write", text=_OLD, type="fact", aliases=["staging postgres"], source="ops.md:12"
    )
    story.step("memory_write", _OLD, f"{old['outcome']} {old['id']}")
    story.promise(old["trust"] == "untrusted", "an agent's word is labelled untrusted")
    zh = server.call("memory_write", text=_ZH, type="constraint")
    story.step("memory_write", _ZH, f"{zh['outcome']} {zh['id']}")
    key = "ghp_" + secrets.token_hex(18)
    hidden = server.call("memory_write", text=f"CI deploys with the token {key}.")
    kept = server.call("memory_open", id=hidden["id"])
    story.step("memory_write", f"CI deploys with the token {key}.", f"stored: {kept['text']}")
    story.promise(key not in str(kept), "a secret is masked before it is stored")
    return str(old["id"])


def _ask(story: Story, server: Pipe, old_id: str) -> None:
    asked = "which port does the staging database use?"
    found = server.call("memory_search", query=asked)
    story.step("memory_search", asked, _titles(found))
    story.promise(_first(found) == old_id, "what one process wrote, another one finds")
    asked = "部署前要先跑什么？"
    zh = server.call("memory_search", query=asked)
    story.step("memory_search", asked, _titles(zh))
    story.promise("make smoke" in _titles(zh), "a Chinese question finds the Chinese record")
    asked = "quarterly marketing budget"
    nothing = server.call("memory_search", query=asked)
    story.step("memory_search", asked, f"{nothing['state']}, {len(_hits(nothing))} hits")
    story.promise(nothing["state"] == "no_match", "an absent topic returns nothing")


def _correct(story: Story, server: Pipe, old_id: str) -> str:
    new = server.call("memory_write", text=_NEW, type="fact", supersedes=old_id)
    story.step(
        "memory_write", f"{_NEW} (supersedes …{old_id[-6:]})", f"{new['outcome']} {new['id']}"
    )
    asked = "staging database port"
    again = server.call("memory_search", query=asked)
    story.step("memory_search", asked, _titles(again))
    story.promise([hit["id"] for hit in _hits(again)] == [new["id"]], "only the correction answers")
    old = server.call("memory_open", id=old_id)
    story.step("memory_open", old_id, f"{old['status']}, replaced by {old['superseded_by']}")
    story.promise(
        old["superseded_by"] == new["id"], "the old record is kept and names what replaced it"
    )
    return str(new["id"])


def _withdraw(story: Story, server: Pipe) -> None:
    wrong = server.call("memory_write", text=_WRONG)
    server.call("memory_set_status", id=wrong["id"], status="retracted", reason="never true")
    said = _WRONG.upper()
    try:
        answered = str(server.call("memory_write", text=said)["outcome"])
    except ToolError as error:
        answered = error.answered
    story.step("memory_write", f"{said} (after it was retracted)", answered)
    story.promise(answered == "refused", "a retracted statement does not come back")


def _show_files(story: Story, root: Path, new_id: str) -> None:
    story.chapter("4. Every record is a row in SQLite and a Markdown file.")
    file = next(root.rglob(f"{new_id}.md"), None)
    text = "" if file is None else file.read_text(encoding="utf-8")
    if not story.silent:
        _show_tree(root)
        front, _, body = text.partition("\n---\n")
        lines = [line for line in front.splitlines() if line.startswith(_SHOWN)]
        print(f"\n  {new_id}.md:\n")
        look.show("\n".join(["---", *lines, "…", "---", body]), 4)
    story.promise(_NEW in text, "the file of a record holds its text")


def _show_tree(root: Path) -> None:
    print()
    folder = root
    files = (path for path in root.rglob("*") if path.is_file())
    for path in sorted(files, key=lambda path: (_folder(path) != root, _folder(path), path)):
        if folder != _folder(path):
            folder = _folder(path)
            print(f"  {folder.relative_to(root)}/")
        name = f"{'' if folder == root else '  '}{path.relative_to(folder)}"
        print(look.dim(f"  {name:<48}{path.stat().st_size:>9,} bytes"))


def _folder(path: Path) -> Path:
    """Where a file is listed: earlier versions stand beside the current one."""
    return path.parents[1] if path.parent.suffix == ".history" else path.parent


def _hits(answer: dict[str, object]) -> list[dict[str, object]]:
    hits = answer["hits"]
    return hits if isinstance(hits, list) else []


def _first(answer: dict[str, object]) -> object:
    return next((hit["id"] for hit in _hits(answer)), None)


def _titles(answer: dict[str, object]) -> str:
    return "; ".join(str(hit["title"]) for hit in _hits(answer)) or str(answer["state"])
