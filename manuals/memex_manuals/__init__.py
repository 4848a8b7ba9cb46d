"""What the agent reads.  One folder of texts, the same for every surface that shows them."""

from importlib.resources import files


def text(name: str) -> str:
    """The manual called ``name``, such as ``instructions`` or ``prompts/recall``.

    Raises:
        FileNotFoundError: There is no such manual.
    """
    return files(__package__).joinpath(f"{name}.md").read_text(encoding="utf-8")
