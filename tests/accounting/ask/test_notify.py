"""Telling a reader at an address. Spec: asks.md 1.2."""

import socket
import time
from pathlib import Path

from accounting.ask.notify import notifier, silent
from accounting.ask.send import send
from accounting.ask.thread import AskThread
from wire.ask import AskError


def test_an_address_is_told_once_each_time(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as reader:
        reader.settimeout(10)
        reader.bind(str(tmp_path / "a"))
        for _ in range(3):
            notifier(str(tmp_path / "a"))()
            assert reader.recv(10) == b""


def test_nobody_there_and_nobody_reading_hold_nothing_up(tmp_path: Path) -> None:
    silent()
    notifier(None)()
    notifier(str(tmp_path / "nobody"))()
    notifier("x" * 500)()
    began = time.monotonic()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as reader:
        reader.bind(str(tmp_path / "a"))
        for _ in range(1000):
            notifier(str(tmp_path / "a"))()
    assert time.monotonic() - began < 10


def test_a_sender_tells_after_it_wrote(tmp_path: Path) -> None:
    thread = AskThread(tmp_path / "one.jsonl")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as reader:
        reader.settimeout(10)
        reader.bind(str(tmp_path / "a"))
        send(thread, "a?", provider=(), notify=str(tmp_path / "a"))
        assert reader.recv(10) == b""
        assert isinstance(thread.read().events[-1], AskError)
        assert not thread.lock_path.exists()
