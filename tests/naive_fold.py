"""The fold of rounds.md 2 and 3 written the long way round, to hold a quick one against.

Rule by rule in the order of the page. A record is named by its place in the list, and each rule looks through
the list again. Nothing here is fast.
"""

import re
import unicodedata
from typing import Any, cast

Record = dict[str, Any]
Json = Any

U64 = 2**64 - 1
OUTPUT_LINES = 12
ARRIVAL_REACH = 4096
WHITE_SPACE = (
    "\u0009\u000a\u000b\u000c\u000d\u0020\u0085\u00a0\u1680"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
MOMENTS = ("model_called", "model_returned", "tool_called", "tool_result")
CODES = """
    E_PATH_NOT_FOUND E_TOOL_UNKNOWN E_TOOL_UNAVAILABLE E_INVALID_ARGS E_OUTSIDE_WRITE_DOMAIN
    E_VERSION_CONFLICT E_GATE_DENIED E_BUDGET_EXHAUSTED E_TIMEOUT E_PROVIDER E_PROVIDER_ACCOUNTS_EXHAUSTED
    E_EVIDENCE_MISSING E_LOOP_SUSPECTED E_LOCATOR_INVALID E_SANDBOX_DENIED E_BUSY E_DRAFT_STALE
    E_GOAL_CONFLICT E_TAINTED_ACTION E_REPAIR_BUSY E_DELEGATION_DEPTH E_APPROVAL_PENDING E_APPROVAL_DENIED
    E_CROSS_BUILDING_DENIED E_DIGEST_SUSPECT E_CREDENTIAL_MISSING E_MODEL_UNCHOSEN E_CONFIG_INVALID
    E_CAS_CORRUPT E_STORAGE_FATAL E_WORKTREE_BUSY E_BROWSER_UNAVAILABLE E_ENDPOINT_DIALECT_UNSUPPORTED
    E_WIRE_MISMATCH E_LOG_VERSION_UNSUPPORTED E_LEDGER_HELD E_HISTORY_UNPROVEN E_SECRET_EGRESS
    E_DISCARD_IRREVERSIBLE E_BACKPRESSURE_SHED E_TOOL_OUTCOME_UNKNOWN E_PLAN_MISSING
"""
NIL = "00000000-0000-0000-0000-000000000000"
HEX = "[0-9a-f]"
RUN_ID = f"{HEX}{{8}}-{HEX}{{4}}-{HEX}{{4}}-{HEX}{{4}}-{HEX}{{12}}"
SPAN = "(?:#([LB])(0|[1-9][0-9]{0,19})-(0|[1-9][0-9]{0,19}))?"


def is_int(value: Json, low: int, high: int) -> bool:
    """An integer in bounds; true and 1.0 are none."""
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def u64(value: Json) -> int | None:
    """Seq, TimeMs, Tokens, UsdMicros."""
    return value if is_int(value, 0, U64) else None


def word(value: Json, words: str) -> str | None:
    """One of a few known words."""
    return value if isinstance(value, str) and value in words.split() else None


def matches(pattern: str, value: Json) -> bool:
    """A string that is the pattern from end to end."""
    return isinstance(value, str) and re.fullmatch(pattern, value) is not None


def an_object(value: Json) -> Record | None:
    """The value when it is an object."""
    return cast("Any", value) if isinstance(value, dict) else None


def a_list(value: Json) -> list[Json] | None:
    """The value when it is a list."""
    return cast("Any", value) if isinstance(value, list) else None


def inside(value: Json, *keys: str) -> Json:
    """What stands at the end of a path of keys; nothing when something on the way is no object."""
    for key in keys:
        value = (an_object(value) or {}).get(key)
    return value


def is_address(value: Json) -> bool:
    """ledger.md 4: Address."""
    if not isinstance(value, str) or value.startswith("/") or "\\" in value or ":" in value:
        return False
    if any(unicodedata.category(char) == "Cc" for char in value):
        return False
    for segment in value.split("/"):
        if segment in ("", ".", "..") or segment.endswith(".") or segment[-1] in WHITE_SPACE:
            return False
    return True


def is_locator(value: Json) -> bool:
    """ledger.md 4: Locator."""
    if not isinstance(value, str):
        return False
    if value.startswith("cas:b3-"):
        found = re.fullmatch(f"cas:b3-{HEX}{{64}}{SPAN}", value)
    elif value.startswith("file:"):
        address, _, rest = value.removeprefix("file:").rpartition("@")
        found = re.fullmatch(f"{HEX}{{40}}{SPAN}", rest) if is_address(address) else None
    else:
        return False
    if found is None:
        return False
    if found[1] is None:
        return True
    first, last = int(found[2]), int(found[3])
    return (1 if found[1] == "L" else 0) <= first <= last <= U64


def is_signal_id(value: Json) -> bool:
    """ledger.md 4: SignalId."""
    return isinstance(value, str) and value != "" and not any(char in WHITE_SPACE for char in value)


def quoted(text: str) -> str:
    """ledger.md 1: a string with the short escapes, the other controls by their number, the rest raw."""
    short = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return '"' + "".join(short.get(c) or (f"\\u{ord(c):04x}" if c < " " else c) for c in text) + '"'


def json_text(value: Json, newline: str, step: str, colon: str) -> str:
    """rounds.md 2: JSON text, keys by their UTF-8 bytes; `newline` holds the indent of the value itself."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return quoted(value)
    fields, items, deeper = an_object(value), a_list(value), newline + step
    parts: list[str] = []
    if fields is not None:
        for key in sorted(fields, key=lambda key: key.encode("utf-8")):
            parts += [deeper + quoted(key) + colon + json_text(fields[key], deeper, step, colon)]
        return "{" + ",".join(parts) + newline + "}" if parts else "{}"
    if items is not None:
        for item in items:
            parts += [deeper + json_text(item, deeper, step, colon)]
        return "[" + ",".join(parts) + newline + "]" if parts else "[]"
    return repr(value)


def text(value: Json) -> str | None:
    """rounds.md 2: text."""
    return value if isinstance(value, str) else None


def spoken(message: Json, kind: str) -> str | None:
    """rounds.md 2: said and thought; `kind` is the block's kind and the name of its field."""
    blocks = [block for block in a_list(inside(message, "content")) or [] if inside(block, "kind") == kind]
    parts = [part for block in blocks if (part := text(inside(block, kind))) is not None]
    return "\n".join(parts) if parts else None


def used(usage: Json) -> Record | None:
    """rounds.md 2: used, without the two times that the reply adds."""
    version, whole, out = (inside(usage, key) for key in ("v", "input_tokens", "output_tokens"))
    read, written = inside(usage, "cache_read_tokens"), inside(usage, "cache_write_tokens")
    if u64(whole) is None or u64(out) is None or (version is not None and not is_int(version, 1, 1)):
        return None
    if any(count is not None and u64(count) is None for count in (read, written)):
        return None
    if version is None and (read or 0) + (written or 0) > whole:
        whole += (read or 0) + (written or 0)
    if whole > U64:
        return None
    return {"input": whole, "output": out, "cached": read, "cache_write": written}


def bounded(whole: str, pin: str | None = None) -> Record | None:
    """rounds.md 2: bounded."""
    if all(char in WHITE_SPACE for char in whole):
        return None
    *ended, last = whole.split("\n")
    lines = [line.removesuffix("\r") for line in ended] + ([last] if last else [])
    return {"head": "\n".join(lines[:OUTPUT_LINES]), "cut": len(lines[OUTPUT_LINES:]), "pinned": pin}


def output(value: Json, pin: str | None = None) -> Record | None:
    """rounds.md 2: output."""
    return bounded(value if isinstance(value, str) else json_text(value, "", "", ":"), pin)


def arguments(value: Json) -> Record | None:
    """rounds.md 2: arguments."""
    return None if value is None else bounded(json_text(value, "\n", "  ", ": "))


def exit_code(data: Record) -> int | None:
    """rounds.md 2: exit_code."""
    result = an_object(data.get("result"))
    code = data.get("exit_code") if result is None else result.get("exit_code")
    return code if is_int(code, -(2**63), 2**63 - 1) else None


def pinned(result: Json) -> str | None:
    """rounds.md 2: pinned."""
    for name in ("sieve", "offload"):
        entries = a_list(inside(result, name))
        if entries:
            original = inside(entries[0], "original")
            return original if is_locator(original) else None
    return None


def error_shape(data: Record) -> Record | None:
    """The error shape: six parts required, three dropped one by one."""
    code, nearby = word(data.get("code"), CODES), a_list(data.get("nearby"))
    retry = word(data.get("retry"), "yes no unknown")
    if retry is None and isinstance(data.get("retriable"), bool):
        retry = "yes" if data["retriable"] else "no"
    if code is None or retry is None:
        return None
    if not all(isinstance(data.get(key), str) for key in ("action", "subject", "recovery")):
        return None
    if nearby is None or not all(isinstance(item, str) for item in nearby):
        return None
    shape: Record = {"code": code, "action": data["action"], "subject": data["subject"], "nearby": nearby}
    shape |= {"recovery": data["recovery"], "retry": retry}
    if u64(data.get("retry_after_ms")) is not None:
        shape["retry_after_ms"] = data["retry_after_ms"]
    gate = {key: inside(data, "gate", key) for key in ("rule", "violation", "alternative")}
    if all(isinstance(part, str) for part in gate.values()):
        shape["gate"] = gate
    kind, status = inside(data, "provider", "kind"), inside(data, "provider", "status")
    if word(kind, "exchange cut silence unreadable reported unbuilt"):
        shape["provider"] = {"kind": kind}
    elif word(kind, "refused overflow") and is_int(status, 0, 2**32 - 1):
        shape["provider"] = {"kind": kind, "status": status}
    return shape


def effect(value: Json) -> Json:
    """effect: a word, or an object of exactly one key around what it carries."""
    if isinstance(value, str):
        return word(value, "read egress spawn govern spend")
    if len(an_object(value) or {}) != 1:
        return None
    domain, label = inside(value, "write", "domain"), inside(value, "connector", "label")
    if is_address(domain):
        return {"write": {"domain": domain}}
    if matches("[a-z0-9]+", label):
        return {"connector": {"label": label}}
    browser = an_object(inside(value, "attach_user_browser"))
    if browser is not None and (browser.get("address") is None or isinstance(browser["address"], str)):
        return {"attach_user_browser": {"address": browser.get("address")}}
    return None


def render(value: Json) -> Json:
    """render: likewise."""
    if isinstance(value, str):
        return word(value, "generic terminal signal")
    locations = a_list(inside(value, "diff", "locations"))
    if len(an_object(value) or {}) != 1 or locations is None:
        return None
    return {"diff": {"locations": locations}} if all(is_address(item) for item in locations) else None


def commit(record: Record) -> str | None:
    """The oid of a commit checkpoint: the job form is tried first and has none."""
    data = record["data"]
    if record["kind"] != "checkpoint_committed" or is_locator(data.get("job")):
        return None
    return data["oid"] if matches(f"{HEX}{{40}}", data.get("oid")) else None


def arrived(record: Record, by: str, source: str | None, said: str | None) -> Record:
    """An arrival before anything is paired with it."""
    note = {"from": source, "said": said, "by": by, "t": record["t"], "handback": None, "kind": None}
    return {"arrived": note | {"session": None, "at": record["seq"]}}


def note(record: Record) -> Record | None:
    """rounds.md 2: note, with what is paired later still null."""
    kind, data, at, t = record["kind"], record["data"], record["seq"], record["t"]
    error = error_shape(data)
    camel = "".join(part.capitalize() for part in kind.split("_"))
    unreadable = {"unreadable": {"cause": f"{camel}: the payload does not read", "at": at}}
    if kind in ("gate_denied", "budget_limit"):
        return {"refused": {"error": error, "at": at}} if error else unreadable
    if kind == "provider_degraded":
        if error:
            return {"refused": {"error": error, "at": at}}
        return None if isinstance(data.get("component"), str) else unreadable
    if kind == "watchdog_fired":
        until, subject = u64(data.get("until_ms")), text(data.get("subject"))
        code = word(data.get("code"), CODES)
        if word(data.get("action"), "steer switch freeze"):
            return None
        if data.get("action") != "back_off" or until is None or code is None or subject is None:
            return unreadable
        backing_off: Record = {"code": code, "action": "call the provider", "subject": subject, "nearby": []}
        backing_off |= {"recovery": f"the next call goes out no earlier than {until} ms", "retry": "no"}
        return {"refused": {"error": backing_off, "at": at}}
    if kind == "approval_requested":
        return {"waiting": {"at": at, "t": t, "answered": None}}
    if kind == "checkpoint_committed":
        if is_locator(data.get("job")):
            return None
        return {"checkpointed": {"oid": commit(record), "at": at}} if commit(record) else unreadable
    if kind == "steer_received":
        source, said = text(data.get("source")), text(data.get("text"))
        if source is None or said is None:
            return unreadable
        return arrived(record, source if source in ("user", "city") else "resident", source, said)
    if kind == "signal_consumed":
        return arrived(record, "resident", None, None) if is_signal_id(data.get("id")) else unreadable
    if kind == "signal_wait_started":
        on, until = data.get("on"), u64(data.get("deadline_ms"))
        if not is_address(on) or until is None:
            return unreadable
        return {"awaiting_reply": {"on": on, "until": until, "t": t, "ended": None, "at": at}}
    if kind == "file_discarded":
        paths = a_list(data.get("paths"))
        if paths is None or not all(isinstance(path, str) for path in paths):
            return unreadable
        return {"discarded": {"count": len(paths), "at": at}}
    return None


def moment(record: Record) -> int | None:
    """ledger.md 2: when the line itself is a measurement."""
    t: int = record["t"]
    return t if record["kind"] in MOMENTS and record["v"] >= 2 else None


def of_kind(given: list[Record], run: str, kind: str) -> list[int]:
    """The places of the run's records of one kind."""
    return [at for at, record in enumerate(given) if record["run"] == run and record["kind"] == kind]


def turn_at(given: list[Record], run: str, at: int) -> int | None:
    """Rule 1: the last turn that the run has opened before this place."""
    opened = [turn for turn in of_kind(given, run, "model_called") if turn < at]
    return opened[-1] if opened else None


def calls_of(given: list[Record], run: str) -> list[int]:
    """Rule 2: the calls, each in a turn."""
    return [at for at in of_kind(given, run, "tool_called") if turn_at(given, run, at) is not None]


def answers_of(given: list[Record], run: str) -> dict[int, int]:
    """Rule 3: which result answers which call (call -> result)."""
    answers: dict[int, int] = {}
    for result in of_kind(given, run, "tool_result"):
        awaited = text(given[result]["data"].get("tool_use_id"))
        for call in calls_of(given, run):
            named = text(given[call]["data"].get("id"))
            if call < result and call not in answers and awaited is not None and named == awaited:
                answers[call] = result
                break
    return answers


def reply_of(given: list[Record], run: str, turn: int) -> int | None:
    """Rule 4: the last reply to this attempt."""
    replies = [at for at in of_kind(given, run, "model_returned") if turn_at(given, run, at) == turn]
    return replies[-1] if replies else None


def approved(given: list[Record], at: int) -> int | None:
    """Waits: when the request at this place was answered."""
    asked = given[at]["data"].get("id")
    for later in given[at + 1 :]:
        resolves = later["run"] == NIL and later["kind"] == "approval_resolved"
        if resolves and isinstance(asked, str) and asked != "" and later["data"].get("id") == asked:
            return u64(later["t"])
    return None


def letter_of(given: list[Record], at: int) -> Record | None:
    """Arrivals: the line that sent what is taken at this place."""
    for earlier in reversed(given[:at]):
        if earlier["kind"] == "signal_enqueued" and earlier["data"].get("id") == given[at]["data"]["id"]:
            return earlier if given[at]["seq"] - earlier["seq"] <= ARRIVAL_REACH else None
    return None


def reply_wait_end(given: list[Record], run: str, at: int) -> Record | None:
    """Reply waits: how the wait that starts at this place ended."""
    signal = given[at]["data"].get("signal")
    for later in given[at + 1 :]:
        if later["run"] == run and later["kind"] == "signal_wait_ended" and is_signal_id(signal):
            by = word(inside(later["data"], "by", "end"), "reply timeout left")
            if later["data"].get("signal") == signal and by is not None:
                return {"by": by, "t": later["t"]}
    return None


def letters_of(given: list[Record], run: str, answers: dict[int, int]) -> dict[int, int]:
    """Landings, first half: which call a letter takes (letter -> call)."""
    taken: dict[int, int] = {}
    for letter in of_kind(given, run, "signal_enqueued"):
        signal, room = given[letter]["data"].get("id"), given[letter]["data"].get("room")
        for call in calls_of(given, run):
            to = inside(given[call]["data"], "args", "to")
            sends_there = given[call]["data"].get("render") == "signal" and is_address(to) and room == to
            is_open = call < letter and call not in taken.values() and answers.get(call, letter) >= letter
            is_new = is_signal_id(signal) and all(given[other]["data"]["id"] != signal for other in taken)
            if sends_there and is_open and is_new:
                taken[letter] = call
    return taken


def landing_of(given: list[Record], run: str, letters: dict[int, int], call: int) -> str | None:
    """Landings, second half: the last known word about the letter that took this call."""
    landing = None
    for letter, taken in letters.items():
        for at in of_kind(given, run, "signal_landed"):
            where = word(given[at]["data"].get("landing"), "delivered knocked queued")
            names_it = given[at]["data"].get("signal") == given[letter]["data"]["id"]
            if taken == call and letter < at and names_it and where is not None:
                landing = where
    return landing


def timing(*moments: int | None) -> str:
    """Timing: measured when no moment is missing."""
    return "unmeasured" if None in moments else "measured"


def call_shape(given: list[Record], at: int, answer: int | None, landing: str | None) -> Record:
    """Rules 2 and 3: one call with its answer."""
    called, data = given[at], given[at]["data"]
    named = text(data.get("name"))
    shape: Record = {
        "tool": "tool" if named is None else named,
        "subject": text(data.get("subject")),
        "arguments": arguments(data.get("args")),
        "outcome": "waiting",
        "at": called["seq"],
        "output": None,
        "called": called["t"],
        "answered": None,
        "timing": timing(moment(called)),
        "effect": effect(data.get("effect")),
        "render": render(data.get("render")),
        "exit_code": None,
        "took_us": None,
        "landing": landing,
    }
    if answer is None:
        return shape
    line, back = given[answer], given[answer]["data"]
    shape["answered"] = line["t"]
    shape["exit_code"], shape["took_us"] = exit_code(back), u64(back.get("took_us"))
    restarted = inside(back, "error", "code") == "E_TOOL_OUTCOME_UNKNOWN"
    shape["timing"] = timing(moment(called), None if restarted else moment(line))
    if "error" in back:
        shape["outcome"], shape["output"] = "failed", output(back["error"])
    else:
        shape["outcome"] = "answered"
        shape["output"] = output(back["result"], pinned(back["result"])) if "result" in back else None
    return shape


def note_shape(given: list[Record], run: str, at: int) -> Record | None:
    """Rule 5: one note with what it is paired with."""
    shape = note(given[at])
    if shape is None:
        return None
    if "waiting" in shape:
        shape["waiting"]["answered"] = approved(given, at)
    if "awaiting_reply" in shape:
        shape["awaiting_reply"]["ended"] = reply_wait_end(given, run, at)
    if "arrived" in shape and given[at]["kind"] == "signal_consumed":
        letter = letter_of(given, at)
        if letter is not None:
            data = letter["data"]
            shape["arrived"]["from"] = text(data.get("from"))
            shape["arrived"]["said"] = text(inside(data, "payload", "text"))
            shape["arrived"]["kind"] = word(data.get("kind"), "mention thread broadcast steer")
            shape["arrived"]["session"] = letter["run"]
    return shape


def turn_shape(given: list[Record], run: str, turn: int) -> Record:
    """Rules 1 and 4: one turn with its reply, before its calls and notes."""
    line, reply = given[turn], reply_of(given, run, turn)
    back: Record = {} if reply is None else given[reply]["data"]
    first_at, spent = u64(back.get("first_at")), used(back.get("usage"))
    if spent is not None:
        spent["first_us"] = None if first_at is None else u64(back.get("first_us"))
        spent["took_us"] = u64(back.get("took_us"))
    return {
        "number": of_kind(given, run, "model_called").index(turn) + 1,
        "opened": line["seq"],
        "t": line["t"],
        "timing": timing(moment(line)),
        "first_at": first_at,
        "returned": None if reply is None else moment(given[reply]),
        "model": text(line["data"].get("model")),
        "said": spoken(back.get("message"), "text"),
        "thought": spoken(back.get("message"), "thinking"),
        "spent": u64(back.get("billed_usd_micros")),
        "used": spent,
        "stopped": text(back.get("stop")),
        "calls": [],
        "notes": [],
    }


def opening_shape(given: list[Record], run: str, names: dict[str, str | None]) -> Record | None:
    """Opening: from the first run_started."""
    for at in of_kind(given, run, "run_started"):
        data = given[at]["data"]
        by, naming, parent = data.get("dispatched_by"), data.get("naming"), data.get("parent")
        policy = {
            "mode": word(inside(data, "policy", "mode"), "chat work"),
            "write": word(inside(data, "policy", "write"), "full create"),
            "admit": word(inside(data, "policy", "admit"), "standing tested contract_kept double_validated"),
            "landing": word(inside(data, "policy", "landing"), "ordinary experiment"),
        }
        known = matches(f"{HEX}{{64}}", naming) and naming in names
        return {
            "task": text(data.get("task")) or "",
            "goal": text(data.get("goal")) or "",
            "at": given[at]["t"],
            "dispatched_by": by if by in ("city", "person") or is_address(by) else None,
            "policy": None if None in policy.values() else policy,
            "effort": word(data.get("effort"), "none low medium high xhigh max"),
            "names": {"mayor": names[naming]} if known else None,
            "parent": parent if matches(RUN_ID, parent) else None,
        }
    return None


def closing_shape(given: list[Record], run: str) -> Record | None:
    """Closing: from the first run_frozen, whether it reads or not."""
    for at in of_kind(given, run, "run_frozen"):
        completion = given[at]["data"].get("completion")
        return {"completion": completion, "at": given[at]["t"]} if isinstance(completion, str) else None
    return None


def worktree_name(given: list[Record], run: str) -> str | None:
    """Worktree: the name in the first worktree_opened, whether it reads or not."""
    for at in of_kind(given, run, "worktree_opened"):
        return text(given[at]["data"].get("name"))
    return None


def first_commit(given: list[Record], run: str) -> int | None:
    """opened_at: the place of the run's first readable commit checkpoint."""
    for at in of_kind(given, run, "checkpoint_committed"):
        if commit(given[at]) is not None:
            return at
    return None


def fate(given: list[Record], run: str, at: int, answers: dict[int, int]) -> str:
    """I13: whether a record of the run is used, outside or passed."""
    kind, in_turn = given[at]["kind"], turn_at(given, run, at) is not None
    first = at == of_kind(given, run, kind)[0]
    if kind == "model_called":
        placed = True
    elif kind in ("model_returned", "tool_called"):
        placed = in_turn
    elif kind == "tool_result":
        placed = at in answers.values()
    elif kind == "run_started":
        placed = first
    elif kind == "run_frozen":
        placed = first and closing_shape(given, run) is not None
    elif kind == "worktree_opened":
        placed = first and worktree_name(given, run) is not None
    elif note(given[at]) is None:
        return "passed"
    else:
        placed = in_turn or at == first_commit(given, run)
    return "used" if placed else "outside"


def naive(
    records: list[Record], run: str, window: int | None = None, names: dict[str, str | None] | None = None
) -> Record:
    """Rounds.md 3: the answer for one run, every field written, and what stands beside it."""
    own = [at for at, record in enumerate(records) if record["run"] == run]
    older = own[: len(own) - window] if window is not None and window < len(own) else []
    given = [record for at, record in enumerate(records) if at not in older]
    answers = answers_of(given, run)
    letters = {} if older else letters_of(given, run, answers)
    turns = {turn: turn_shape(given, run, turn) for turn in of_kind(given, run, "model_called")}
    counts: dict[str, dict[str, int]] = {"used": {}, "outside": {}, "passed": {}}
    for at, record in enumerate(given):
        turn = turn_at(given, run, at)
        if record["run"] == run:
            count = counts[fate(given, run, at, answers)]
            count[record["kind"]] = count.get(record["kind"], 0) + 1
        if record["run"] == run and turn is not None:
            if record["kind"] == "tool_called":
                landing = landing_of(given, run, letters, at)
                turns[turn]["calls"].append(call_shape(given, at, answers.get(at), landing))
            elif note(record) is not None:
                turns[turn]["notes"].append(note_shape(given, run, at))
    opened_at = first_commit(given, run)
    answer: Record = {
        "run": run,
        "turns": list(turns.values()),
        "opened_at": None if opened_at is None else commit(given[opened_at]),
        "opening": opening_shape(given, run, names or {}),
        "closing": closing_shape(given, run),
        "worktree": worktree_name(given, run),
    }
    return {
        "answer": answer,
        "outside": counts["outside"],
        "passed": counts["passed"],
        "used": sum(counts["used"].values()),
        "closing_unreadable": answer["closing"] is None and of_kind(given, run, "run_frozen") != [],
    }
