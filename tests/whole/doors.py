"""Two ways into a store that answer alike: through ``Memory``, and through a server process."""

from dataclasses import dataclass
from typing import Protocol

from memex_mcp.memory import Memory
from memex_mcp.model.caller import Evidence
from memex_mcp.model.kinds import Status, Surface
from memex_mcp.model.query import Query
from memex_mcp.model.record import Draft
from memex_mcp.settings import Settings
from tests.whole.using import Place, Server


@dataclass(frozen=True, slots=True)
class Told:
    """A write as it was acknowledged."""

    outcome: str
    id: str
    version: int


class Door(Protocol):
    """A way into the store."""

    def write(self, text: str, **options: str) -> Told:
        """Write a note."""

    def retract(self, record_id: str) -> None:
        """Withdraw a record."""

    def open(self, record_id: str) -> tuple[int, str]:
        """Version and text of a record."""

    def search(self, query: str) -> list[str]:
        """Ids found."""

    def newest(self) -> list[str]:
        """Ids of one page of the list."""

    def close(self) -> None:
        """Leave."""


class MemoryDoor:
    """Straight through ``Memory``."""

    def __init__(self, place: Place, client: str) -> None:
        self._memory = Memory(Settings(home=place.root))
        self._caller = self._memory.caller(
            Evidence(surface=Surface.TOOL, client=client, workspace=place.project)
        )

    def write(self, text: str, **options: str) -> Told:
        """Write a note."""
        draft = Draft(text=text, **options)  # type: ignore[arg-type]  # ids and keys are strings
        written = self._memory.write(draft, self._caller)
        return Told(written.outcome, written.id, written.version)

    def retract(self, record_id: str) -> None:
        """Withdraw a record."""
        self._memory.set_status(record_id, Status.RETRACTED, self._caller, reason="wrong")

    def open(self, record_id: str) -> tuple[int, str]:
        """Version and text of a record."""
        opened = self._memory.open(record_id, self._caller)
        return opened.revision, opened.text

    def search(self, query: str) -> list[str]:
        """Ids found."""
        return [hit.id for hit in self._memory.search(Query(text=query), self._caller).hits]

    def newest(self) -> list[str]:
        """Ids of one page of the list."""
        return [record.id for record in self._memory.listing(self._caller).records]

    def close(self) -> None:
        """Leave."""
        self._memory.close()


class ServerDoor:
    """Through a server process of its own."""

    def __init__(self, place: Place, client: str) -> None:
        self._server = Server(place, "--structured", client=client)

    def write(self, text: str, **options: str) -> Told:
        """Write a note."""
        written = self._server.call("memory_write", text=text, **options)
        return Told(written["outcome"], written["id"], written["version"])

    def retract(self, record_id: str) -> None:
        """Withdraw a record."""
        self._server.call("memory_set_status", id=record_id, status="retracted", reason="wrong")

    def open(self, record_id: str) -> tuple[int, str]:
        """Version and text of a record."""
        opened = self._server.call("memory_open", id=record_id)
        return opened["revision"], opened["text"]

    def search(self, query: str) -> list[str]:
        """Ids found."""
        return self._server.found(query)

    def newest(self) -> list[str]:
        """Ids of one page of the list."""
        listed = self._server.ask("resources/list")["result"]["resources"]
        prefix = "memory://record/"
        return [one["uri"][len(prefix) :] for one in listed if one["uri"].startswith(prefix)]

    def close(self) -> None:
        """Leave."""
        self._server.close()
