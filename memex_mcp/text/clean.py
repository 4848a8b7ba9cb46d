r"""What was said in a conversation, without what a client or memory itself put around it.

A wrapper is known by its structure and never by its words: it opens at the beginning of a line,
closes at the end of one and belongs to the client that wrote the line.  Whoever writes about a
marker in a sentence, in backticks, in a code block or behind ``>`` keeps every word.

Everything here is linear in the length of the text, whatever it holds.
"""

import re

from memex_mcp.text import blocks, lazily

_TAGS = {
    "claude": """
        system-reminder local-command-caveat local-command-stdout local-command-stderr
        bash-input bash-stdout bash-stderr user-prompt-submit-hook session-start-hook
        task-notification persisted-output new-diagnostics ide_opened_file ide_selection
        ide_diagnostics teammate-message system-note
    """,
    "codex": """
        environment_context user_instructions INSTRUCTIONS skills_instructions turn_aborted
        apps_instructions plugins_instructions environments_instructions model_switch
        managed_developer_instructions user_shell_command subagent_notification
        collaboration_mode personality_spec context_window context_window_reminder
        context_window_guidance token_budget rollout_budget current_time_reminder user_action
        recommended_plugins multi_agent_mode image_resize_notice hook_context
    """,
    "gemini": "session_context hook_context loaded_context state_snapshot system-reminder",
    "qwen": "system-reminder session_context hook_context state_snapshot",
    "copilot": "system_reminder system-reminder system_notification current_datetime reminder",
}
_PATTERNS = {"codex": "|permissions instructions", "qwen": "|qwen:[a-z-]{1,60}"}
_OPENED = {
    client: lazily.pattern(
        f"<(?P<tag>{'|'.join(map(re.escape, words.split()))}{_PATTERNS.get(client, '')})"
        r"(?: [^<>\n]{0,200})?>"
    )
    for client, words in _TAGS.items()
}

_AGENTS_FILE = lazily.pattern(r"# AGENTS\.md instructions(?: for [^\n]*)?\n\s*(?=<INSTRUCTIONS>)")
_IMAGE_LINE = lazily.pattern(r"^</?image(?: [^<>\n]{0,300})?>$", re.MULTILINE)
_EDITOR = "# Context from my IDE setup:"
_REQUEST = lazily.pattern(r"^## My request for Codex:[^\S\n]*\n", re.MULTILINE)
_FILES = "--- Content from referenced files ---"
_FILES_END = "--- End of content ---"
_PART = lazily.pattern(r"\s*<command-(name|message|args)>")
# Commands that the client answers by itself: nobody said them to the model.
_LOCAL = """
    add-dir agents bashes bug clear compact config context copy cost doctor exit export
    extra-usage fast feedback help hooks ide install-github-app keybindings login logout mcp
    memory mobile model output-style permissions plugin privacy-settings quit release-notes
    reload-plugins remote-control rename resume rewind sandbox settings skills stats status
    statusline stickers tasks terminal-setup theme todos upgrade usage vim
"""
_ANSWERED = frozenset(_LOCAL.split())
_INTERRUPTED = lazily.pattern(r"\s*\[Request interrupted by user[^\]\n]{0,40}\]\s*")
_RECORD = lazily.pattern(r"\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b")
_TRUSTLESS = lazily.pattern(r"^</?untrusted_context[^<>\n]{0,200}>\n?", re.MULTILINE)
_TRAILING = ("system-reminder", "hook_context")
_LISTED = 50


def said(text: str, client: str) -> str:
    """A user's own words; empty when the client wrote all of it.

    Args:
        text: As it stands in the transcript, or as a hook is told it.
        client: ``claude``, ``codex``, ``gemini``, ``qwen`` or ``copilot``; of any other only
            what memory itself put in is taken out.
    """
    words = text
    if client == "claude":
        words = "" if _INTERRUPTED.fullmatch(text) else _command(text)
    elif client == "codex":
        words = _AGENTS_FILE.sub("", _IMAGE_LINE.sub("", _asked_in_editor(text)))
    elif client == "gemini":
        words = _without_files(text)
    if "<" not in words and "memex-" not in words:
        return words.strip()
    kept = blocks.outside(words, _OPENED.get(client))
    if len(kept) == 1:
        return words.strip()
    return "\n\n".join(part.strip() for part in kept if part.strip())


def spoken(text: str) -> str:
    """What an assistant said, without any recalled block that it repeated."""
    if "memex-" not in text:
        return text.strip()
    return blocks.without_fences(text, lambda _: "").strip()


def returned(text: str, client: str) -> str:
    """What a tool returned: recalled blocks become one line that names their records.

    Reminders are taken from the end alone, where clients put them: what stands before may be
    the content of a file.
    """
    body = text
    if "memex-" in text:
        body = blocks.without_fences(text, recalled)
    if client == "gemini" and "untrusted_context>" in body:
        body = _TRUSTLESS.sub("", body)
    for _ in range(8):
        stripped = body.rstrip()
        tag = next((tag for tag in _TRAILING if stripped.endswith(f"</{tag}>")), None)
        at = -1 if tag is None else stripped.rfind(f"<{tag}>")
        if at < 0 or stripped[:at].rstrip(" ")[-1:] not in ("", "\n"):
            break
        body = stripped[:at].rstrip()
    return body


def recalled(text: str) -> str:
    """One line that stands for recalled text: the ids of its records."""
    ids = list(dict.fromkeys(_RECORD.findall(text)))
    more = f" and {len(ids) - _LISTED} more" if len(ids) > _LISTED else ""
    return f"[recalled: {', '.join(ids[:_LISTED]) or 'nothing'}{more}]"


def is_interruption(text: str) -> bool:
    """Whether a line says that the user stopped the assistant."""
    return _INTERRUPTED.fullmatch(text) is not None


def _asked_in_editor(text: str) -> str:
    """The request below what an editor tells of itself."""
    if not text.lstrip().startswith(_EDITOR):
        return text
    request = _REQUEST.search(text)
    return text[request.end() :] if request else text


def _without_files(text: str) -> str:
    """The prompt without the files that the client put behind it."""
    head = text.find(f"{_FILES}\n")
    if head < 0 or text[:head].rstrip(" ")[-1:] not in ("", "\n"):
        return text
    end = text.rfind(f"\n{_FILES_END}", head)
    return text[:head] + (text[end + len(_FILES_END) + 1 :] if end >= 0 else "")


def _command(text: str) -> str:
    """A slash command as it was typed; nothing of one that is for the client itself."""
    parts: dict[str, str] = {}
    at = 0
    while part := _PART.match(text, at):
        close = f"</command-{part[1]}>"
        end = text.find(close, part.end())
        if end < 0 or part[1] in parts:
            return text
        parts[part[1]] = text[part.end() : end].strip()
        at = end + len(close)
    if text[at : at + 1] not in ("", "\n", "\r"):
        # Words behind it on the same line: somebody writes about the command.
        return text
    name = parts.get("name", "")
    if not parts or (name and name.lstrip("/").split(":")[0] in _ANSWERED):
        return text[at:]
    return f"{name} {parts.get('args', '')}".strip() + text[at:]
