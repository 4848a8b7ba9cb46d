"""All of a plan happens, or none of it."""

from dataclasses import replace
from pathlib import Path

import pytest

from memex_adapters.apply import apply
from memex_adapters.errors import Changed, Failed, Unclear
from memex_adapters.pieces import Block, JsonEntry
from memex_adapters.plan import Planner
from memex_adapters.receipts import Receipts
from memex_adapters.steps import Edit, Plan, Run
from tests.adapters.using import MANUAL, install, parses, pieces, tree, uninstall

# No file can be made there, which shows when it is tried and not before.
BROKEN = Edit(path=Path("/proc/memex/file"), before=None, after=b"x", what=("x",))
pytestmark = pytest.mark.skipif(not Path("/proc/self").exists(), reason="/proc takes no files")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with three files of three clients."""
    home = tmp_path / "home of 某人"
    home.mkdir()
    (home / "a.json").write_bytes(b'{\n  "a": 1\n}\n')
    (home / "b.toml").write_bytes(b'b = "x" # kept\n')
    (home / "c.md").write_bytes(b"# c\n")
    return home


def planned(store: Path, home: Path) -> Plan:
    planner = Planner(Receipts.load(store))
    planner.install("one", pieces("json", home / "a.json"))
    planner.install("two", pieces("toml", home / "b.toml"))
    planner.install("three", [*pieces("text", home / "c.md"), new_file(home)])
    return planner.plan()


def new_file(home: Path) -> Block:
    return Block(path=home / "new" / "rules" / "memex.md", client="some", body=MANUAL)


def test_a_plan_writes_nothing(store: Path, home: Path) -> None:
    before = tree(home)

    plan = planned(store, home)

    assert tree(home) == before
    assert not store.exists()
    apply(plan)
    assert tree(home) != before


@pytest.mark.parametrize("fails_at", range(5))
def test_a_failure_in_the_middle_takes_back_everything(
    store: Path, home: Path, fails_at: int
) -> None:
    before = tree(home)
    plan = planned(store, home)
    steps = (*plan.steps[:fails_at], BROKEN, *plan.steps[fails_at:])

    with pytest.raises(Failed):
        apply(replace(plan, steps=steps))

    assert tree(home) == before
    assert not store.exists() or not list(store.iterdir())
    apply(planned(store, home))
    assert b"memex" in (home / "a.json").read_bytes()


def test_a_failed_upgrade_leaves_the_earlier_installation_removable(
    store: Path, home: Path
) -> None:
    before = tree(home)
    install(store, pieces("json", home / "a.json"))
    installed = tree(home)
    plan = planned(store, home)

    with pytest.raises(Failed):
        apply(replace(plan, steps=(*plan.steps, BROKEN)))

    assert tree(home) == installed
    uninstall(store, pieces("json", home / "a.json"))
    assert tree(home) == before


def test_a_file_that_cannot_be_written_is_named_and_not_the_one_beside_it(store: Path) -> None:
    file = Path("/proc/self/file")
    edit = Edit(path=file, before=None, after=b"x", what=("x",))
    plan = Planner(Receipts.load(store)).plan()

    with pytest.raises(Failed) as refused:
        apply(replace(plan, steps=(edit,)))

    assert str(refused.value) == f"{file}: No such file or directory"


def test_what_is_done_is_no_failure_because_tidying_up_is(store: Path, home: Path) -> None:
    plan = planned(store, home)
    # In the place of the list is a folder then, which nothing is written over.
    spoil = f"mv '{store}/installed.json' '{store}/old'; mkdir -p '{store}/installed.json/x'"
    entry = JsonEntry(path=home / "a.json", value={"command": "x"})
    run = Run(command=("sh", "-c", spoil), entry=entry, leaves="older")

    apply(replace(plan, steps=(*plan.steps, run)))

    assert b"memex" in (home / "a.json").read_bytes()
    assert (store / "installed.json" / "x").is_dir()


def test_every_file_is_valid_after_every_single_step(store: Path, home: Path) -> None:
    plan = planned(store, home)
    for step in plan.steps:
        apply(replace(plan, steps=(step,)))
        for name, kind in (("a.json", "json"), ("b.toml", "toml"), ("c.md", "text")):
            parses(kind, (home / name).read_bytes())  # type: ignore[arg-type]  # one of Kind

    assert b"memex" in (home / "c.md").read_bytes()


def test_a_file_that_somebody_writes_in_the_meantime_is_not_overwritten(
    store: Path, home: Path
) -> None:
    plan = planned(store, home)
    (home / "b.toml").write_bytes(b"b = 2\n")
    before = tree(home)

    with pytest.raises(Changed, match=r"b\.toml"):
        apply(plan)

    assert tree(home) == before


def test_folders_that_were_made_go_again_unless_somebody_uses_them(store: Path, home: Path) -> None:
    before = tree(home)
    install(store, [new_file(home)])
    uninstall(store, [new_file(home)])
    assert tree(home) == before

    install(store, [new_file(home)])
    (home / "new" / "mine").write_bytes(b"")
    uninstall(store, [new_file(home)])

    assert tree(home).keys() - before.keys() == {"new", "new/mine"}


def test_what_a_person_wrote_since_stays_when_ours_goes(store: Path, home: Path) -> None:
    install(store, [*pieces("json", home / "a.json"), *pieces("text", home / "c.md")])
    for name, old, new in (("a.json", b'"a": 1', b'"a": 2'), ("c.md", b"# c\n", b"# d\n")):
        file = home / name
        file.write_bytes(file.read_bytes().replace(old, new))

    uninstall(store, [*pieces("json", home / "a.json"), *pieces("text", home / "c.md")])

    assert (home / "a.json").read_bytes() == b'{\n  "a": 2\n}\n'
    assert (home / "c.md").read_bytes() == b"# d\n"


def test_a_file_that_we_made_stays_when_a_person_has_added_to_it(store: Path, home: Path) -> None:
    file = home / "settings.json"
    install(store, pieces("json", file))
    file.write_bytes(file.read_bytes().replace(b"{\n", b'{\n  "mine": true,\n', 1))

    uninstall(store, pieces("json", file))

    assert file.read_bytes() == b'{\n  "mine": true\n}\n'


def test_containers_that_were_empty_before_stay_and_those_that_were_ours_go(
    store: Path, home: Path
) -> None:
    file = home / "a.json"
    file.write_bytes(b'{\n  "hooks": {},\n  "a": 1\n}\n')
    install(store, pieces("json", file))
    file.write_bytes(file.read_bytes().replace(b'"a": 1', b'"a": 2'))

    uninstall(store, pieces("json", file))

    assert file.read_bytes() == b'{\n  "hooks": {},\n  "a": 2\n}\n'


def test_a_permission_that_was_there_before_us_stays(store: Path, home: Path) -> None:
    file = home / "a.json"
    original = b'{"permissions": {"allow": ["mcp__memex__*"]}, "a": 1}\n'
    file.write_bytes(original)
    install(store, pieces("json", file))
    file.write_bytes(file.read_bytes().replace(b'"a": 1', b'"a": 2'))

    uninstall(store, pieces("json", file))

    assert file.read_bytes() == original.replace(b'"a": 1', b'"a": 2')


def test_a_link_stays_a_link_and_its_file_keeps_its_bits(
    store: Path, home: Path, tmp_path: Path
) -> None:
    dotfiles = tmp_path / "dotfiles"
    dotfiles.mkdir()
    (home / "a.json").rename(dotfiles / "a.json")
    (dotfiles / "a.json").chmod(0o640)
    (home / "a.json").symlink_to(dotfiles / "a.json")
    before = tree(home), tree(dotfiles)

    install(store, pieces("json", home / "a.json"))
    assert b"memex" in (dotfiles / "a.json").read_bytes()
    assert (home / "a.json").is_symlink()
    assert tree(dotfiles)["a.json"][1] == 0o640
    uninstall(store, pieces("json", home / "a.json"))

    assert (tree(home), tree(dotfiles)) == before


@pytest.mark.parametrize("what", ["read-only", "folder", "dangling link", "circular link"])
def test_a_file_that_cannot_be_replaced_is_refused(store: Path, home: Path, what: str) -> None:
    file = home / "a.json"
    if what == "read-only":
        file.chmod(0o444)
    else:
        file.unlink()
        if what == "folder":
            file.mkdir()
        else:
            file.symlink_to(home / ("gone" if what == "dangling link" else "a.json"))
    before = {path.name: path.lstat().st_mode for path in home.iterdir()}

    with pytest.raises(Unclear, match=r"a\.json"):
        install(store, pieces("json", file))

    assert {path.name: path.lstat().st_mode for path in home.iterdir()} == before
    install(store, pieces("toml", home / "b.toml"))


def test_new_files_are_private_and_copies_lie_in_the_store_alone(store: Path, home: Path) -> None:
    install(store, [*pieces("json", home / "a.json"), new_file(home)])

    assert tree(home)["new/rules/memex.md"][1] == 0o600
    assert {path.name for path in home.iterdir()} == {"a.json", "b.toml", "c.md", "new"}
    kept = {path.read_bytes() for path in store.iterdir() if path.suffix != ".json"}
    assert kept == {b'{\n  "a": 1\n}\n'}
    assert all(path.stat().st_mode & 0o077 == 0 for path in (store, *store.iterdir()))


def test_receipts_that_cannot_be_read_stop_everything(store: Path, home: Path) -> None:
    install(store, pieces("json", home / "a.json"))
    (store / "installed.json").write_bytes(b"{")
    before = tree(home)

    with pytest.raises(Unclear, match="what was installed"):
        uninstall(store, pieces("json", home / "a.json"))

    assert tree(home) == before


def test_a_copy_that_is_damaged_is_never_restored(store: Path, home: Path) -> None:
    install(store, pieces("json", home / "a.json"))
    for path in store.iterdir():
        if path.suffix != ".json":
            path.write_bytes(b'{"evil": true}')

    uninstall(store, pieces("json", home / "a.json"))

    assert (home / "a.json").read_bytes() == b'{\n  "a": 1\n}\n'
