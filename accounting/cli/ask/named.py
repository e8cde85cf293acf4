"""A thread by its name where other commands take a PATH: `rounds show harbour`."""

from pathlib import Path


def thread_named(text: str) -> Path | None:
    """The file of the thread that is called so; `None` where the text is a path, or no thread is called so."""
    from accounting.ask.places import SUFFIX, ThreadNameError, thread_path

    if text.endswith(SUFFIX) or Path(text).exists():
        return None
    try:
        path = thread_path(text)
    except ThreadNameError:
        return None
    return path if path != Path(text) and path.is_file() else None
