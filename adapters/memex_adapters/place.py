"""Where a client keeps its files: for one person, or for one project."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PureWindowsPath
from typing import Literal

Scope = Literal["user", "project"]

# Variables that decide where a client's files are; the caller hands over what they hold.
VARIABLES = (
    "APPDATA",
    "CLAUDE_CONFIG_DIR",
    "CLINE_MCP_SETTINGS_PATH",
    "CODEX_HOME",
    "COPILOT_HOME",
    "GEMINI_CLI_HOME",
    "PATH",
    "QWEN_HOME",
    "XDG_CONFIG_HOME",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One person's home, and the project for entries that concern it alone.

    Attributes:
        home: The person's home folder, absolute.
        scope: ``user`` for everything the person does, ``project`` for one folder.
        project: The project's folder, absolute; needed for that scope only.
        variables: Those of :data:`VARIABLES` that hold something.
        system: As ``sys.platform`` says it: ``linux``, ``darwin``, ``win32``.
    """

    home: Path
    scope: Scope = "user"
    project: Path | None = None
    variables: Mapping[str, str] = field(default_factory=dict)
    system: str = "linux"

    def below_home(self, *parts: str, instead: str = "") -> Path:
        """A path below the home folder.

        Args:
            parts: Folders and the file.
            instead: Variable that, where it is set, names the folder of the first part, as
                ``CODEX_HOME`` does for ``.codex``.
        """
        chosen = self.variables.get(instead, "")
        if chosen:
            return Path(chosen).joinpath(*parts[1:])
        return self.home.joinpath(*parts)

    def below_config(self, *parts: str) -> Path:
        """A path below the folder where desktop programs of this system keep settings."""
        if self.system == "win32":
            base = self.below_home("AppData/Roaming", instead="APPDATA")
        elif self.system == "darwin":
            base = self.home / "Library" / "Application Support"
        else:
            base = self.below_home(".config", instead="XDG_CONFIG_HOME")
        return base.joinpath(*parts)

    def below_project(self, *parts: str) -> Path:
        """A path below the project's folder."""
        if self.project is None:
            raise ValueError("the scope is a project, and none is named")
        return self.project.joinpath(*parts)

    def folders(self, own: Path, *parts: str) -> list[Path]:
        """Where a client looks: its own folder and, if a project is named, one below that."""
        return [own, self.below_project(*parts)] if self.project else [own]

    def program(self, name: str) -> str:
        """Absolute path of a client's own command, empty when there is none on PATH."""
        found = shutil.which(name, path=self.variables.get("PATH", ""))
        return found if found and _is_absolute(found) else ""


def _is_absolute(path: str) -> bool:
    return Path(path).is_absolute() or PureWindowsPath(path).is_absolute()
