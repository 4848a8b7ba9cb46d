"""The record files that a rebuild finds, and what becomes of those it cannot use."""

from pathlib import Path

from memex_mcp.errors import Invalid, MemexError
from memex_mcp.model.turn import Envelope
from memex_mcp.store import files, sheet, sidecar
from memex_mcp.store.old_store import OldStore


class FoundFiles:
    """The record files of a store.

    Attributes:
        names: The file of each record by the id in its name.
        past: Files of earlier versions, by record id: version and name, newest first.
        quarantined: What was set aside: relative name and reason.
    """

    def __init__(self, home: Path, old: OldStore | None) -> None:
        self._home = home
        self._old = old
        self.names: dict[str, str] = {}
        self.past: dict[str, list[tuple[int, str]]] = {}
        self.quarantined: list[str] = []
        # Lists: files are moved away while they are gone through.
        for name, what in list(files.odd(home)):
            self.set_aside(name, f"it is {what}")
        for file in list(files.walk(home)):
            if file.past:
                self._sort_past(Path(file.name))
            else:
                self._sort(file.name)
        for versions in self.past.values():
            versions.sort(reverse=True)

    def data(self, name: str) -> bytes:
        """The bytes of a file.

        Raises:
            OSError: It cannot be read.
        """
        return (self._home / name).read_bytes()

    def lines(self, name: str) -> tuple[tuple[Envelope, ...], int]:
        """The lines beside a file that are what they were, and how many others there are."""
        try:
            return sidecar.read(self._home, name)
        except OSError:
            return (), 1

    def page(self, record_id: str, name: str) -> sheet.Sheet | None:
        """The sheet in a file; None when it is of no use, and then it is set aside."""
        try:
            page = sheet.parse(self.data(name))
        except (OSError, Invalid) as error:
            self.set_aside(name, error)
            return None
        if page.record.id != record_id:
            self.set_aside(name, "its name is not the id in it")
            return None
        return page

    def set_aside(self, name: str, why: str | Exception) -> None:
        """Move a file to the quarantine and remember the reason."""
        if isinstance(why, Exception):
            why = str(why) if isinstance(why, MemexError) else "it cannot be read"
        try:
            files.set_aside(self._home, name, why)
        except OSError:
            why += " (it could not be moved)"
        self.quarantined.append(f"{name}: {why}")

    def _sort(self, name: str) -> None:
        """Of several files of one record, the one that the database wrote counts."""
        record_id = Path(name).stem
        best, copy = self.names.get(record_id, name), name
        written = self._old.file(record_id) if self._old else None
        if written and written[0] == copy:
            best, copy = copy, best
        self.names[record_id] = best
        if best != copy:
            self.set_aside(copy, f"it is a copy of {best}")

    def _sort_past(self, path: Path) -> None:
        if path.stem.isdecimal():
            record_id = path.parent.name.removesuffix(files.HISTORY)
            self.past.setdefault(record_id, []).append((int(path.stem), path.as_posix()))
