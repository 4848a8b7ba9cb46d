"""What becomes of a draft before any database is asked: authorised, cleaned, measured, masked."""

from collections.abc import Sequence

from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import Kind, Scope
from memex_mcp.model.record import Draft
from memex_mcp.policy import limits
from memex_mcp.policy.authorise import scope_owner
from memex_mcp.policy.masking import Found, but_its_lines, cleaned, printable
from memex_mcp.policy.stamp import Admitted
from memex_mcp.settings import Secrets

_KEPT = "secrets are kept in private lines"
_BARE = "secrets are not masked"


def admit(draft: Draft, caller: Caller, *, secrets: Secrets) -> Admitted:
    """Authorise, clean, measure and mask a draft.

    Args:
        draft: What is to be remembered.
        caller: Who asks for it.
        secrets: What becomes of secrets; ``private`` leaves them in the lines of a span, which
            its session alone reads, and nowhere else.

    Raises:
        Denied: The caller may not write there.
        Invalid: The draft can never be stored.
    """
    scope, owner = scope_owner(draft, caller)
    draft = printable(draft)
    limits.check(draft)
    found = Found()
    private = secrets == "private" and draft.kind is Kind.SPAN and scope is Scope.SESSION
    policy = _BARE if secrets == "off" else ""
    if private:
        draft, kept = but_its_lines(draft, found)
        policy = _KEPT if kept else ""
    elif secrets != "off":
        draft = cleaned(draft, found)
    return Admitted(
        draft=draft,
        caller=caller,
        scope=scope,
        owner=owner,
        found=found,
        policy=policy,
        private=private,
    )


def is_homeless(made: Sequence[Admitted], secrets: Secrets) -> bool:
    """Whether a turn has secrets that the user wants kept in private, and nothing private is made.

    Args:
        made: All that was made of the turn; its spans are what is private.
        secrets: The user's choice.
    """
    if secrets != "private" or any(each.private for each in made):
        return False
    return any(each.masked for each in made)
