"""Reading a file in blocks while somebody changes its end."""

from io import BytesIO

from accounting.ledger.segments import BLOCK, blocks


class Recovered(BytesIO):
    """A file whose torn end is cut and written over once it was read."""

    def __init__(self, before: bytes, after: bytes) -> None:
        super().__init__(before)
        self.after: bytes | None = after

    def read(self, size: int | None = -1, /) -> bytes:
        taken = super().read(size)
        if self.after is not None and len(taken) < BLOCK:
            at = self.tell()
            self.seek(0)
            self.truncate()
            self.write(self.after)
            self.seek(at)
            self.after = None
        return taken


def test_what_replaced_a_torn_end_is_read_from_its_beginning() -> None:
    kept = b'{"whole":1}\n'
    file = Recovered(kept + b'{"torn', kept + b'{"another":"longer line"}\n')
    assert [(block.offset, block.content, block.whole) for block in blocks(file)] == [
        (0, kept, True),
        (len(kept), b'{"another":"longer line"}\n', True),
    ]


def test_a_line_that_is_finished_meanwhile_is_read_whole() -> None:
    file = Recovered(b'{"half":', b'{"half":2}\n\0\0')
    assert [(block.offset, block.content, block.whole) for block in blocks(file)] == [(0, b'{"half":2}\n', True)]


def test_zeros_that_are_written_over_meanwhile_are_no_hole() -> None:
    file = Recovered(b"a\n" + b"\0" * 10, b"a\nb\n" + b"\0" * 20)
    assert [(block.offset, block.content) for block in blocks(file)] == [(0, b"a\n"), (2, b"b\n")]
