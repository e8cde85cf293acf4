"""Which rows tell what the model said, where its words stand in several kinds of row. Spec: foreign.md 3.3.

This is settled row by row, never by what stands further on: a file that grows only adds to what was read. Of each
voice the first kind of row there is gets followed, until one that comes before it in rank holds a text, which then is
followed instead. What it repeats of the request under way is that request's already.
"""

from typing import Final

from accounting.foreign.codex.voices import Spoken, Voice


class Channels:
    """The kinds of row that are followed so far."""

    def __init__(self) -> None:
        self._of: Final[dict[Voice, _Channel]] = {}

    def new_words(self, said: Spoken, latest: int) -> str:
        """What a row says that no row said before it, in the request of that number: perhaps nothing."""
        if not said.text:
            return ""
        channel = self._of.get(said.voice)
        if channel is None:
            channel = self._of[said.voice] = _Channel(said.rank)
        return channel.new_words(said, latest)

    def told(self, said: Spoken, request: int) -> None:
        """The row's new words were told of the request of that number."""
        self._of[said.voice].told(said.text, request)

    def prompted(self) -> None:
        """A person spoke: the same words after that are said anew."""
        for channel in self._of.values():
            channel.forget()


class _Channel:
    """The kind of row that is followed for one voice."""

    def __init__(self, rank: int) -> None:
        self._rank = rank
        self._request = 0
        self._told: list[str] = []
        """What rows of this kind told of the latest request."""
        self._elsewhere: list[str] = []
        """What rows of the kinds followed before told of it, and none of this kind did yet."""

    def new_words(self, said: Spoken, latest: int) -> str:
        if said.rank > self._rank:
            return ""
        if latest != self._request:
            self.forget()
        if said.rank < self._rank:
            self._rank = said.rank
            self._elsewhere = self._told + self._elsewhere
            self._told = []
        words = self._less_elsewhere(said.text)
        if not words:
            self._told.append(said.text)
        return words

    def told(self, text: str, request: int) -> None:
        if request != self._request:
            self.forget()
        self._request = request
        self._told.append(text)

    def forget(self) -> None:
        self._told = []
        self._elsewhere = []

    def _less_elsewhere(self, text: str) -> str:
        """The text without what was told; one row may hold what was told in several."""
        for index, words in enumerate(self._elsewhere):
            if words.strip() == text.strip():
                del self._elsewhere[index]
                return ""
        whole = "\n".join(self._elsewhere)
        if whole and text.startswith(whole):
            self._elsewhere = []
            return text[len(whole) :].strip()
        return text
