"""Every reason for which nothing was changed.

AdapterError
├── Unclear   the file or entry cannot be changed safely; a person has to look
├── Changed   somebody wrote to the file between the plan and its execution
└── Failed    the disk or the client's own command refused; all was put back
"""


class AdapterError(Exception):
    """A reason to change nothing.

    Attributes:
        hint: What to do next, one sentence; may be empty.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class Unclear(AdapterError):
    """What is there cannot be changed safely."""


class Changed(AdapterError):
    """The file is no longer what the plan was made for."""


class Failed(AdapterError):
    """A step could not be carried out; those before it were undone."""
