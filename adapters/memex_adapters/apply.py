"""Carries a plan out: all of it, or nothing.

Copies and receipts are saved first, so that whatever happens later can be taken back.  When a step
fails, those before it are undone in reverse order.
"""

import subprocess
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from memex_adapters.errors import AdapterError, Changed, Failed, Unclear
from memex_adapters.files import bits, read, real, remove, remove_folders, write
from memex_adapters.plan import current_state
from memex_adapters.receipts import Receipts
from memex_adapters.steps import Edit, Plan, Run

# Seconds that a client's own command may take; the slowest starts in three.
_PATIENCE = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class _Undo:
    """What puts one file back."""

    path: Path
    content: bytes | None
    mode: int
    folders: tuple[Path, ...] = ()


def apply(plan: Plan) -> None:
    """Carry a plan out.

    Raises:
        Changed: A file is no longer what the plan was made for; nothing was done.
        Failed: A step failed; everything is as it was, or the message says what is not.
    """
    for step in plan.steps:
        if isinstance(step, Edit) and read(step.path) != step.before:
            raise Changed(f"{step.path} has changed in the meantime", "Try again.")
    earlier = replace(Receipts.load(plan.receipts.folder), made=plan.receipts.made)
    undo: list[_Undo] = []
    try:
        for content in plan.copies:
            plan.receipts.keep(content)
        # Copies that only earlier receipts name must outlive a failure.
        plan.receipts.save(also=earlier)
        for step in plan.steps:
            if isinstance(step, Edit):
                _edit(step, undo)
            else:
                _run(step, undo)
    except BaseException as error:
        _put_back(undo, earlier, error)
        lost = "; ".join(getattr(error, "__notes__", []))
        if isinstance(error, AdapterError) and lost:
            raise Failed(f"{error}; {lost}", error.hint) from error
        if isinstance(error, OSError):
            told = f"{error.filename or 'a file'}: {error.strerror}"
            raise Failed("; ".join(filter(None, (told, lost)))) from error
        raise
    # The list is there since before the steps; copies that nobody needs any more may stay.
    with suppress(OSError):
        plan.receipts.save()
    remove_folders(list(plan.folders))


def _edit(step: Edit, undo: list[_Undo]) -> None:
    if read(step.path) != step.before:
        raise Changed(f"{step.path} has changed in the meantime", "Try again.")
    mode = bits(step.path)
    if step.after is None:
        undo.append(_Undo(path=step.path, content=step.before, mode=mode))
        remove(step.path)
        return
    made = write(step.path, step.after, mode=step.mode)
    undo.append(_Undo(path=step.path, content=step.before, mode=mode, folders=tuple(made)))


def _run(step: Run, undo: list[_Undo]) -> None:
    path = real(step.entry.path)
    # Taken back even if the command fails: it may have done half of its work.
    undo.append(_Undo(path=path, content=read(path), mode=bits(path)))
    told = " ".join(step.command[:3])
    try:
        done = subprocess.run(  # noqa: S603  # found on PATH, its words are ours
            step.command,
            check=False,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PATIENCE,
        )
    except subprocess.TimeoutExpired as error:
        raise Failed(f"`{told} …` did not end within {_PATIENCE} seconds") from error
    if done.returncode:
        said = (done.stderr or done.stdout).decode("utf-8", "replace").strip()
        raise Failed(f"`{told} …` failed: {said[-300:] or done.returncode}")
    if current_state(step.entry) != step.leaves:
        raise Failed(f"`{told} …` said it was done, but {step.entry.path} does not show it")


def _put_back(undo: list[_Undo], earlier: Receipts, error: BaseException) -> None:
    """Undo the steps, the last first; adds to the error what could not be undone."""
    lost = []
    for each in reversed(undo):
        try:
            if each.content is None:
                remove(each.path)
            elif read(each.path) != each.content:
                write(each.path, each.content, mode=each.mode)
            remove_folders(list(each.folders))
        except (OSError, Unclear):
            lost.append(str(each.path))
    try:
        earlier.save()
    except OSError:
        lost.append(str(earlier.folder))
    if lost:
        error.add_note(f"not put back: {', '.join(lost)}")
