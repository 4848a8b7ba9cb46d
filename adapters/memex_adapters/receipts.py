"""What each changed file held before us, kept in the store and never beside the file."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from memex_adapters.errors import Unclear
from memex_adapters.files import remove, remove_folders, write

_LIST = "installed.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """One file that we changed.

    Attributes:
        clients: For which clients.
        before: Hash of what it was without us, which is also the name of its copy;
            empty when there was no file.
        after: Hash of what we left.
        made: Folders that we made for it, the outermost first.
    """

    clients: tuple[str, ...]
    before: str
    after: str
    made: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipts:
    """All receipts of a store.

    Attributes:
        folder: Where they and the copies lie, below the store folder.
        files: Receipt by the real path of the file.
        made: Folders that were made for the receipts themselves, the outermost first.
    """

    folder: Path
    files: Mapping[str, Receipt]
    made: tuple[str, ...] = ()

    @classmethod
    def load(cls, folder: Path) -> "Receipts":
        """The receipts of a folder; none when there is no list.

        Raises:
            Unclear: The list cannot be read.
        """
        made: tuple[str, ...] = ()
        try:
            told = json.loads((folder / _LIST).read_text(encoding="utf-8"))
            made = tuple(told["made"])
            files = {
                path: Receipt(
                    clients=tuple(each["clients"]),
                    before=each["before"],
                    after=each["after"],
                    made=tuple(each["made"]),
                )
                for path, each in told["files"].items()
            }
        except FileNotFoundError:
            files = {}
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise Unclear(
                f"the list of what was installed cannot be read: {folder / _LIST}",
                "Move it away; entries are then found by what they look like.",
            ) from error
        return cls(folder=folder, files=files, made=made)

    def of(self, path: Path) -> Receipt | None:
        """The receipt of a file, by its real path."""
        return self.files.get(str(path))

    def original(self, path: Path, copies: Iterable[bytes] = ()) -> bytes | None:
        """What a file held without us; ``None`` for no file, or when the copy is gone.

        Args:
            path: The real file.
            copies: Contents that are going to be kept.
        """
        receipt = self.of(path)
        if receipt is None or not receipt.before:
            return None
        planned = next((each for each in copies if digest(each) == receipt.before), None)
        if planned is not None:
            return planned
        try:
            content = (self.folder / receipt.before).read_bytes()
        except OSError:
            return None
        return content if digest(content) == receipt.before else None

    def noted(self, path: Path, receipt: Receipt | None) -> "Receipts":
        """The receipts with one file's replaced, or taken out."""
        files = {each: told for each, told in self.files.items() if each != str(path)}
        if receipt is not None:
            files[str(path)] = receipt
        return replace(self, files=files)

    def keep(self, content: bytes | None) -> str:
        """Copy what a file held; returns its hash, empty for no file."""
        if content is None:
            return ""
        name = digest(content)
        if not (self.folder / name).exists():
            write(self.folder / name, content, mode=0o600)
        return name

    def save(self, *, also: "Receipts | None" = None) -> None:
        """Write the list, and remove copies that neither it nor another one names."""
        if self.files:
            files = {
                path: {
                    "clients": list(each.clients),
                    "before": each.before,
                    "after": each.after,
                    "made": list(each.made),
                }
                for path, each in sorted(self.files.items())
            }
            told = {"version": 1, "made": list(self.made), "files": files}
            # A path may hold what is no text: JSON's escapes keep it.
            write(self.folder / _LIST, json.dumps(told, indent=2).encode(), mode=0o600)
        else:
            remove(self.folder / _LIST)
        named = {each.before for each in self.files.values()}
        named |= {each.before for each in also.files.values()} if also else set()
        for copy in self.folder.glob("[0-9a-f]*"):
            if len(copy.name) == 64 and copy.name not in named:
                remove(copy)
        if not self.files:
            remove_folders([self.folder, *map(Path, self.made)])


def digest(content: bytes | None) -> str:
    """SHA-256 of a file's content, empty for no file."""
    return "" if content is None else hashlib.sha256(content).hexdigest()
