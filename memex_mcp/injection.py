"""What hooks put into a context: the brief of a session, and what a prompt brings back."""

from collections.abc import Callable
from contextlib import suppress

from memex_mcp.errors import Invalid, Unavailable
from memex_mcp.model.caller import Caller
from memex_mcp.model.levels import Previews
from memex_mcp.model.times import now
from memex_mcp.profiles.profile import Profile
from memex_mcp.profiles.reader import reader
from memex_mcp.retrieval.shown import Manner
from memex_mcp.settings import Settings
from memex_mcp.store import seen
from memex_mcp.store.database import Database
from memex_mcp.store.home import DATABASE
from memex_mcp.switches import Switches
from memex_mcp.text.ceiling import at_most
from memex_mcp.text.fence import Format

Receipt = Callable[[Caller], str]
"""Says what was archived of the caller's session, a line each; empty when nothing was."""

_COMPACT = "compact"
_ANEW = frozenset({"clear", _COMPACT})
_PATIENCE = 0.3


class Injection:
    """Finds what a session should be told without asking.

    Every text is fenced and within its budget, and empty where there is nothing to tell, where
    the user does not want it told, and where no store is.

    Args:
        settings: Whose records may be shown unasked, and in which format.
        database: The store.
        switches: Say whether the caller may be told anything now.
        receipt: Asked after a compaction.
    """

    def __init__(
        self,
        settings: Settings,
        database: Database,
        switches: Switches,
        receipt: Receipt | None = None,
    ) -> None:
        self._settings = settings
        self._database = database
        self._switches = switches
        self._receipt = receipt

    def start(
        self,
        caller: Caller,
        *,
        source: str,
        budget: int | None = None,
        format: str = "",  # noqa: A002 - the word of the settings for it
    ) -> str:
        """What a session should know at its beginning; the same bytes until a write.

        Args:
            caller: The session.
            source: What began it, as clients say it: ``startup``, ``resume``, ``clear`` or
                ``compact``.  After the last two everything may be shown again.
            budget: Tokens that the text costs at most; left out, what suits the reader.
            format: ``xml``, ``markdown`` or ``plain``; empty for what suits the reader.

        Raises:
            Unavailable: The store cannot be read.
            Damaged: It is no sound database.
        """
        if source in _ANEW:
            with suppress(Unavailable):
                self.forget(caller)
        if not self._may(caller):
            return ""
        tell = self._receipt if source == _COMPACT else None
        told = tell(caller) if tell else ""
        from memex_mcp.retrieval import brief

        who = reader(self._settings, caller.client)
        manner = self._manner(who, format, budget or who.budgets.start)
        with self._database.read() as db:
            return brief.build(db, caller, now(), manner, told)

    def prompt(
        self,
        caller: Caller,
        prompt: str,
        last_answer: str = "",
        budget: int | None = None,
        format: str = "",  # noqa: A002 - as above
    ) -> str:
        """What a prompt brings back, and no record twice in a session.

        Args:
            caller: The session; without a session id nothing is told, as nobody could say
                what was told before.
            prompt: The user's own words.
            last_answer: What the agent said last, for prompts that lean on it.
            budget: As in :meth:`start`.
            format: As in :meth:`start`.

        Raises:
            Unavailable: The store cannot be read, or is being written for so long that it
                cannot be noted what was shown; then nothing is.
            Damaged: It is no sound database.
        """
        # Half of what a hook needs is loaded here, and a session that begins needs none of it.
        from memex_mcp.retrieval import asking, previews

        question = asking.question(prompt, last_answer)
        if question is None or caller.workspace is None or not caller.session_id:
            return ""
        if not self._may(caller):
            return ""
        at = now()
        who = reader(self._settings, caller.client)
        manner = self._manner(who, format, budget or who.budgets.prompt)
        try:
            with self._database.read() as db:
                shown = previews.find(db, question, caller, at, manner)
        except Invalid:
            # Words that no search can be made of bring nothing back.
            return ""
        if shown.ids:
            cost = at_most(shown.text)
            with self._database.write(_PATIENCE) as db:
                seen.mark(db, caller.workspace.id, caller.session_id, shown.ids, at)
                seen.count(db, caller.workspace.id, caller.session_id, cost, at)
        return shown.text

    def began(self, caller: Caller, text: str) -> None:
        """Count what a session was told at its beginning; what cannot be noted is not counted.

        A brief needs no note to be told, and nobody waits for this one.
        """
        if not text or caller.workspace is None or not caller.session_id:
            return
        with suppress(Unavailable), self._database.write(_PATIENCE) as db:
            seen.count(db, caller.workspace.id, caller.session_id, at_most(text), now())

    def forget(self, caller: Caller) -> None:
        """Let the caller's session be shown everything again.

        Raises:
            Unavailable: The store cannot be written.
        """
        if caller.workspace is None or not caller.session_id or not self._is_there():
            return
        with self._database.write(_PATIENCE) as db:
            seen.forget(db, caller.workspace.id, caller.session_id)

    def _may(self, caller: Caller) -> bool:
        """Whether anything may be told; asking makes no store."""
        return self._is_there() and self._switches.now(caller).recall

    def _is_there(self) -> bool:
        return not self._settings.disabled and (self._database.home / DATABASE).exists()

    def _manner(self, who: Profile, form: str, budget: int) -> Manner:
        return Manner(
            policy=Previews(self._settings.recall),
            budget=budget,
            form=Format(form) if form else who.format,
            weights=who.weights,
        )
