"""The parts of generated clients that are the same for every schema, each in its own language."""

from importlib.resources import files


def template(name: str) -> str:
    """The text of a file of this folder."""
    return (files(__name__) / name).read_text(encoding="utf-8")


def commented(text: str, mark: str) -> str:
    """Each line of a text behind a comment mark, with a newline at its end."""
    return "".join(f"{(mark + line).rstrip()}\n" for line in text.split("\n"))
