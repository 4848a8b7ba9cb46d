"""What would be done, decided before anything is done.

A client's pieces go in (:meth:`Planner.install`) or come out (:meth:`Planner.remove`).  Pieces of
one file become one edit of that file, also across clients, so that no half-changed file is ever
on disk.  Planning reads and never writes; :func:`memex_adapters.apply.apply` carries a plan out.

How a file gets its old bytes back: a receipt holds what it was before us and the hash of what we
left.  While the hash still fits, uninstalling restores the old bytes.  Otherwise somebody has
changed the file since, and only our pieces are taken out of it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from memex_adapters import text_block
from memex_adapters.errors import Unclear
from memex_adapters.files import read, read_text, real, text_of
from memex_adapters.hooks import JsonHooks
from memex_adapters.pieces import Block, JsonEntry, Piece, State, TomlEntry, Whole
from memex_adapters.receipts import Receipt, Receipts, digest
from memex_adapters.steps import Edit, Plan, Run

Result = TypeVar("Result")
_OURS: tuple[State, ...] = ("current", "older")


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """A server entry that the client's own command writes.

    Attributes:
        entry: Where the command writes it; read to know what is there, never written by us.
        add: Command line that enters it; it may refuse one that is there.
        remove: Command line that takes it out.
    """

    entry: JsonEntry | TomlEntry
    add: tuple[str, ...]
    remove: tuple[str, ...]


@dataclass(slots=True)
class _File:
    """A file as the plan so far leaves it."""

    disk: bytes | None
    now: bytes | None
    mode: int
    what: list[str]


class Planner:
    """Collects the pieces of one or more clients into a plan."""

    def __init__(self, receipts: Receipts) -> None:
        self._receipts = receipts
        self._files: dict[Path, _File] = {}
        self._runs: list[Run] = []
        self._copies: list[bytes] = []
        self._folders: list[Path] = []
        self._notes: list[str] = []

    def install(
        self, client: str, pieces: Iterable[Piece | Registered], *, mode: int = 0o600
    ) -> None:
        """Add what brings the pieces in, or up to date.

        Args:
            client: Name of the client, for the receipt.
            pieces: All that is wanted for it.
            mode: Permission bits of files that are new.

        Raises:
            Unclear: A file cannot be changed safely; the plan is void.
        """
        for piece in pieces:
            if isinstance(piece, Registered):
                self._register(piece)
        for path, inside in self._by_file(pieces).items():
            file = self._file(path, mode)
            receipt = self._receipts.of(path)
            text = text_of(path, file.now)
            # Without a receipt, what does not say that it is ours is the person's.
            without = self._without(path, inside, file, receipt, otherwise=text)
            for piece in inside:
                with_it = _told(path, piece, piece.put, text)
                if with_it != text:
                    file.what.append(piece.what)
                text = with_it
                if isinstance(piece, Whole) and piece.mode:
                    file.mode = piece.mode
            after = _bytes(path, text)
            if after == (file.now or b"") and receipt is None:
                continue
            clients = tuple(dict.fromkeys([*(receipt.clients if receipt else ()), client]))
            made = _to_be_made(path) or (receipt.made if receipt else ())
            was_changed = receipt is not None and receipt.after != digest(file.now)
            file.now = after
            if receipt and was_changed and clients != (client,):
                # How it would be without the others, too, is not known: piece by piece it will be.
                self._receipts = self._receipts.noted(path, replace(receipt, clients=clients))
                continue
            if without is not None:
                self._copies.append(without)
            self._receipts = self._receipts.noted(
                path,
                Receipt(clients=clients, before=digest(without), after=digest(after), made=made),
            )

    def remove(self, client: str, pieces: Iterable[Piece | Registered]) -> None:
        """Add what takes the pieces out, and nothing that is not ours.

        Args:
            client: Name of the client whose pieces they are.
            pieces: All that may ever have been put in for it; what is not there is passed over.

        Raises:
            Unclear: A file cannot be changed safely; the plan is void.
        """
        for piece in pieces:
            if isinstance(piece, Registered) and current_state(piece.entry) in _OURS:
                run = Run(command=piece.remove, entry=piece.entry, leaves="absent")
                self._runs.append(run)
        for path, inside in self._by_file(pieces).items():
            file = self._file(path, 0o600)
            receipt = self._receipts.of(path)
            if file.now is None:
                self._receipts = self._receipts.noted(path, None)
                continue
            others = tuple(each for each in (receipt.clients if receipt else ()) if each != client)
            # These know whose they are.
            mine = [p for p in inside if isinstance(p, JsonHooks | Block)] if others else inside
            if others and receipt and client in receipt.clients:
                self._notes.append(f"{path} stays: {', '.join(others)} reads it, too")
            was_changed = receipt is not None and receipt.after != digest(file.now)
            after = self._without(path, mine, file, None if others else receipt)
            if after != file.now:
                file.what += [
                    piece.what for piece in mine if piece.state(text_of(path, file.now)) != "absent"
                ]
                file.now = after
            if receipt and others:
                left = replace(receipt, clients=others)
                # What somebody has changed since does not become what we left.
                left = left if was_changed else replace(left, after=digest(after))
                self._receipts = self._receipts.noted(path, left)
            elif receipt:
                self._folders += [Path(each) for each in receipt.made]
                self._receipts = self._receipts.noted(path, None)

    def is_only(self, client: str) -> bool:
        """Whether no file of any other client is left on the receipts."""
        return all(each.clients == (client,) for each in self._receipts.files.values())

    def plan(self) -> Plan:
        """Everything collected; edits come before the clients' own commands."""
        edits = [
            Edit(
                path=path,
                before=file.disk,
                after=file.now,
                what=tuple(dict.fromkeys(file.what)),
                mode=file.mode,
            )
            for path, file in self._files.items()
            if file.now != file.disk
        ]
        return Plan(
            steps=(*edits, *self._runs),
            receipts=replace(
                self._receipts,
                made=self._receipts.made or _to_be_made(self._receipts.folder / "any"),
            ),
            copies=tuple(self._copies),
            folders=tuple(self._folders),
            notes=tuple(dict.fromkeys(self._notes)),
        )

    def _register(self, wanted: Registered) -> None:
        state = current_state(wanted.entry)
        if state == "foreign":
            raise Unclear(
                f"{'.'.join(wanted.entry.keys)} in {wanted.entry.path} does not start memex",
                "Rename or remove that entry, then try again.",
            )
        if state == "older":
            self._runs.append(Run(command=wanted.remove, entry=wanted.entry, leaves="absent"))
        if state != "current":
            self._runs.append(Run(command=wanted.add, entry=wanted.entry, leaves="current"))

    def _by_file(self, pieces: Iterable[Piece | Registered]) -> dict[Path, list[Piece]]:
        files: dict[Path, list[Piece]] = {}
        for piece in pieces:
            if not isinstance(piece, Registered):
                placed = _placed(piece, self._now)
                files.setdefault(real(placed.path), []).append(placed)
        return files

    def _now(self, path: Path) -> bytes | None:
        """What a file holds as the plan so far leaves it."""
        file = self._files.get(path)
        return file.now if file else read(path)

    def _file(self, path: Path, mode: int) -> _File:
        if path not in self._files:
            content = read(path)
            self._files[path] = _File(disk=content, now=content, mode=mode, what=[])
        return self._files[path]

    def _without(
        self,
        path: Path,
        pieces: Sequence[Piece],
        file: _File,
        receipt: Receipt | None,
        otherwise: str | None = None,
    ) -> bytes | None:
        """What a file would be without the pieces.

        ``otherwise`` is what it held before us as far as anybody knows, if no receipt says so.
        """
        if receipt and receipt.after == digest(file.now):
            original = self._receipts.original(path, self._copies)
            if original is not None or not receipt.before:
                return original
        if file.now is None:
            return None
        known = self._receipts.original(path, self._copies) if receipt else None
        before = otherwise if known is None else text_of(path, known)
        text = was = text_of(path, file.now)
        for piece in pieces:
            text = _told(path, piece, partial(piece.drop, before=before), text)
        is_blank = text.strip("\ufeff \t\r\n") in ("", "{}")
        was_none = not receipt.before if receipt else not text
        if text != was and is_blank and was_none:
            return None
        return text.encode("utf-8")


def in_file(piece: Piece | Registered) -> Piece:
    """What of it stands in a file, whoever writes it there."""
    return piece.entry if isinstance(piece, Registered) else piece


def current_state(piece: Piece | Registered) -> State:
    """What of a piece is on disk now.

    Raises:
        Unclear: Its file cannot be read or does not parse.
    """
    piece = _placed(in_file(piece), read)
    path = real(piece.path, writing=False)
    return _told(path, piece, piece.state, read_text(path))


def _placed(piece: Piece, now: Callable[[Path], bytes | None]) -> Piece:
    """A block in the file where the client's own stands already, or else one that it shares."""
    if not isinstance(piece, Block) or not piece.also:
        return piece
    found = {path: _block_in(path, now) for path in (piece.path, *piece.also)}
    own = [path for path, block in found.items() if block and piece.client in block.clients]
    shared = [path for path, block in found.items() if block and piece.joins]
    return replace(piece, path=next(iter([*own, *shared]), piece.path))


def _block_in(path: Path, now: Callable[[Path], bytes | None]) -> text_block.Found | None:
    try:
        return text_block.find(text_of(path, now(real(path, writing=False))))
    except Unclear:
        return None


def _bytes(path: Path, text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise Unclear(
            f"{path} would have to name a path that is not UTF-8",
            "Install memex in a folder whose name is, and use a home that is.",
        ) from error


def _told(path: Path, piece: Piece, deed: Callable[[str], Result], text: str) -> Result:
    """What a piece makes of a text; a refusal names the file."""
    try:
        return deed(text)
    except Unclear as error:
        raise Unclear(f"{path}: {error} ({piece.what})", error.hint) from error


def _to_be_made(path: Path) -> tuple[str, ...]:
    return tuple(str(folder) for folder in reversed(path.parents) if not folder.exists())
