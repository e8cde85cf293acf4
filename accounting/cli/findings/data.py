"""A report as one line of JSON: the shape `CheckReport`."""

import json

from msgspec import to_builtins

from wire import CheckReport, encode


def report_json(report: CheckReport) -> bytes:
    """The line, with its newline."""
    try:
        return encode(report) + b"\n"
    except UnicodeEncodeError:
        # Only a path can be no UTF-8: it is still told, as far as JSON can.
        text = json.dumps(to_builtins(report), ensure_ascii=False, separators=(",", ":"))
        return text.encode(errors="replace") + b"\n"
