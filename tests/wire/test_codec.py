"""Decoding and encoding: what is refused, what is kept, what the type checkers see."""

import pickle
import subprocess
import sys
from typing import Any, assert_never, assert_type

import msgspec
import pytest

from wire import (
    Arrived,
    AwaitingReply,
    Call,
    Checkpointed,
    ConnectorEffect,
    Discarded,
    Effect,
    EffectOn,
    ErrorCode,
    EventRecord,
    Kind,
    NewerNote,
    Note,
    Output,
    RecordedError,
    Refused,
    RoundsAnswer,
    ToolResult,
    Turn,
    Unreadable,
    Used,
    VaultFellBack,
    Waiting,
    WatchdogSteer,
    decode,
    encode,
    payload,
)

RUN = "0198f6a2-7c4a-7bbb-9d1e-00000000000a"
HASH = "a" * 64
NEWER = b'{"celebrated":{"at":3,"why":["because",1.5,null]}}'


def answer(*notes: bytes) -> bytes:
    turn = b'{"number":1,"opened":0,"t":0,"timing":"measured","calls":[],"notes":[' + b",".join(notes) + b"]}"
    return b'{"run":"' + RUN.encode() + b'","turns":[' + turn + b"]}"


def test_a_note_reads_naturally_in_a_match() -> None:
    error = b'{"code":"E_BUSY","action":"a","subject":"s","nearby":[],"recovery":"r","retry":"no"}'
    match decode(b'{"refused":{"error":' + error + b',"at":1}}', Note):
        case Note(refused=Refused(error=found)):
            assert found.code is ErrorCode.E_BUSY
        case _:
            pytest.fail("no refusal")


def told(note: Note) -> str:
    """Every variant, proven exhaustive by the type checkers."""
    variant = note.variant
    match variant:
        case Refused():
            return "refused"
        case Checkpointed():
            return "checkpointed"
        case Waiting():
            return "waiting"
        case Arrived():
            return "arrived"
        case AwaitingReply():
            return "awaiting_reply"
        case Discarded():
            return "discarded"
        case Unreadable():
            return "unreadable"
        case NewerNote():
            return variant.key
        case _:
            assert_never(variant)


@pytest.mark.parametrize("key", Note.__struct_fields__)
def test_every_key_of_a_note_has_its_variant(key: str) -> None:
    fields: dict[str, Any] = {
        "error": {"code": "E_BUSY", "action": "", "subject": "", "nearby": [], "recovery": "", "retry": "yes"},
        "at": 1,
        "t": 2,
        "oid": "0" * 40,
        "by": "user",
        "on": "a",
        "until": 3,
        "count": 1,
        "cause": "X: y",
    }
    assert told(decode(msgspec.json.encode({key: fields}), Note)) == key


@pytest.mark.parametrize("form", [Note, Turn, RoundsAnswer])
def test_a_newer_note_is_kept_whole(form: type[Any]) -> None:
    known = b'{"discarded":{"count":1,"at":2}}'
    whole = answer(known, NEWER, known)
    texts: dict[object, bytes] = {Note: NEWER, Turn: whole.partition(b'"turns":[')[2][:-2], RoundsAnswer: whole}
    text = texts[form]
    value = decode(text, form)
    assert NEWER in encode(value)
    assert decode(encode(value), form) == value
    notes = [value] if isinstance(value, Note) else (value.turns[0] if form is RoundsAnswer else value).notes
    assert [told(note) for note in notes if isinstance(note, NewerNote)] == ["celebrated"]
    spaced = text.replace(b'"why":[', b'"why": [ ')
    assert decode(spaced, form) == value


def test_a_newer_note_is_a_value_like_any_other() -> None:
    one, same = decode(NEWER, Note), decode(NEWER, Note)
    for index in range(300):
        decode(f'{{"key{index}":{index}}}', Note)
    again = decode(NEWER, Note)
    assert one == same == again
    assert len({one, same, again}) == 1
    assert one != decode(b'{"celebrated":1}', Note)
    assert pickle.loads(pickle.dumps(one)) == one
    assert "celebrated" in repr(one)
    for text in (b"{}", NEWER):
        with pytest.raises(msgspec.ValidationError):
            decode(text, NewerNote)


def test_bad_utf8_under_a_newer_key_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError):
        decode(b'{"celebrated":{"a":"\xff"}}', Note)


def test_beside_a_newer_note_a_wrong_one_is_told_with_its_place() -> None:
    with pytest.raises(msgspec.ValidationError, match=r"at `\$\.turns\[0\]\.notes\[1\]\.discarded\.count`"):
        decode(answer(NEWER, b'{"discarded":{"count":"x","at":2}}'), RoundsAnswer)
    with pytest.raises(msgspec.ValidationError, match=r"at `\$\.turns\[0\]\.notes\[1\]`"):
        decode(answer(NEWER, b"{}"), RoundsAnswer)


def test_text_decodes_as_bytes_do() -> None:
    assert decode(answer(NEWER).decode(), RoundsAnswer) == decode(answer(NEWER), RoundsAnswer)


@pytest.mark.parametrize(
    "note",
    [
        b"{}",
        b'{"discarded":{"count":1,"at":2},"waiting":{"at":1,"t":1}}',
        b'{"celebrated":{},"mourned":{}}',
        b'{"discarded":{"count":1,"at":2},"celebrated":{}}',
        b'{"cele\\"brated":{}}',
        b'{"cele\\\\brated":{}}',
        b'{"cele\\u0001brated":{}}',
        b"[]",
        b"null",
        b'{"discarded":{"count":-1,"at":2}}',
        b'{"discarded":{"count":18446744073709551616,"at":2}}',
        b'{"discarded":{"count":true,"at":2}}',
        b'{"discarded":{"count":1.0,"at":2}}',
        b'{"arrived":{"by":"robot","t":1,"at":2}}',
    ],
)
def test_no_note(note: bytes) -> None:
    for text, form in ((note, Note), (answer(note), RoundsAnswer)):
        with pytest.raises(msgspec.ValidationError):
            decode(text, form)


def test_an_integer_past_u64_is_refused_with_its_place() -> None:
    good = b'{"input":18446744073709551615,"output":9007199254740993}'
    assert decode(good, Used) == Used(input=2**64 - 1, output=2**53 + 1)
    assert encode(decode(good, Used)).startswith(good[:-1])
    with pytest.raises(msgspec.ValidationError, match=r"\$\.output"):
        decode(b'{"input":1,"output":18446744073709551616}', Used)
    with pytest.raises(msgspec.ValidationError, match=r"\$\.args\.far"):
        payload(event("tool_called", b'{"id":"c","name":"n","args":{"far":[-9223372036854775809]}}'))
    # Only integers count: a long run of digits in a text is a text.
    assert decode(b'{"head":"99999999999999999999","cut":0}', Output).head == "9" * 20


def test_a_pin_is_a_locator_whose_range_runs_forward() -> None:
    pin = f"cas:b3-{HASH}#L1-2"
    assert decode(f'{{"head":"x","cut":0,"pinned":"{pin}"}}'.encode(), Output).pinned == pin
    with pytest.raises(msgspec.ValidationError):
        decode(f'{{"head":"x","cut":0,"pinned":"cas:b3-{HASH}#L2-1"}}'.encode(), Output)


def test_an_effect_has_one_key() -> None:
    match decode(b'{"connector":{"label":"git"}}', EffectOn):
        case EffectOn(connector=ConnectorEffect(label=label)):
            assert label == "git"
        case _:
            pytest.fail("no connector")
    for other in (b"", b'"connector":{"label":"git"},"write":{"domain":"a"}', b'"connector":{"label":"git"},"newer":1'):
        text = b"{" + other + b"}"
        with pytest.raises(msgspec.ValidationError):
            decode(text, EffectOn)


def event(kind: str, data: bytes) -> EventRecord:
    head = f'{{"v":2,"run":"{RUN}","seq":0,"prev":"{HASH}","t":0,"who":"city","kind":"{kind}","data":'
    return decode(head.encode() + data + b"}", EventRecord)


MANY = b'"cache_read_tokens":18446744073709551615'
ERROR = b'"code":"E_BUSY","action":"a","subject":"s","nearby":[],"recovery":"r"'


def test_a_payload_reads_as_its_kind() -> None:
    degraded = payload(event("provider_degraded", b"{" + ERROR + b',"retriable":true}'))
    assert isinstance(degraded, RecordedError)
    assert degraded.error.retry == "yes"
    for retry in (b'"retry":null,"retriable":true', b'"retry":"yes","retriable":null'):
        older = payload(event("gate_denied", b"{" + ERROR + b"," + retry + b"}"))
        assert isinstance(older, RecordedError)
        assert older.error.retry == "yes"
    vault = payload(event("provider_degraded", b'{"component":"v","fallback":"f","persistence":"p","reason":"r"}'))
    assert isinstance(vault, VaultFellBack)
    steer = payload(event("watchdog_fired", b'{"action":"steer","text":"t","corrections":1,"provider_failures":0}'))
    assert isinstance(steer, WatchdogSteer)
    result = payload(event("tool_result", b'{"tool_use_id":"c","name":"n","error":null,"exit_code":-9}'))
    assert isinstance(result, ToolResult)
    assert result.error is None
    assert payload(event("went_back", b'{"to":7}')) == {"to": 7}


def test_a_payload_of_several_forms_says_why_it_is_none_of_them() -> None:
    with pytest.raises(msgspec.ValidationError, match=r"as JobPinned: .* as CommitCheckpoint: "):
        payload(event("checkpoint_committed", b'{"scope":[]}'))


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("tool_result", b'{"tool_use_id":"c","name":"n"}'),
        ("tool_result", b'{"tool_use_id":"c","name":"n","result":{},"error":null}'),
        ("tool_result", b'{"tool_use_id":"c","name":"n","result":null}'),
        ("gate_denied", b"{" + ERROR + b"}"),
        ("gate_denied", b"{" + ERROR + b',"retry":null}'),
        (
            "model_returned",
            b'{"message":{},"calls":0,"usage":{"input_tokens":1,"output_tokens":1,"cache_read_tokens":18446744073709551615}}',
        ),
        ("watchdog_fired", b'{"action":"dance","corrections":1,"provider_failures":0}'),
        ("model_returned", b'{"message":{},"calls":0,"usage":{"v":2,"input_tokens":1,"output_tokens":1}}'),
        ("model_returned", b'{"message":{},"calls":18446744073709551616}'),
        ("checkpoint_committed", b'{"job":"nowhere"}'),
        ("watchdog_fired", b'{"text":"t","corrections":1,"provider_failures":0}'),
        ("run_started", b'{"job":"cas:b3-' + HASH.encode() + b'#L9-2"}'),
    ],
)
def test_a_payload_that_does_not_read_as_its_kind(kind: str, data: bytes) -> None:
    with pytest.raises(msgspec.ValidationError):
        payload(event(kind, data))


def test_an_envelope_is_closed() -> None:
    for changed in (b'"kind":"unheard_of"', b'"kind":"went_back","epoch":1'):
        text = encode(event("went_back", b"{}")).replace(b'"kind":"went_back"', changed)
        with pytest.raises(msgspec.ValidationError):
            decode(text, EventRecord)


def test_a_payload_is_an_object() -> None:
    for data in (b"[]", b"null", b'"x"', b"1"):
        with pytest.raises(msgspec.ValidationError):
            event("went_back", data)


def test_an_event_encodes_in_canonical_order() -> None:
    line = encode(event("went_back", b'{"a":1}'))
    assert line.decode() == (
        f'{{"v":2,"run":"{RUN}","seq":0,"prev":"{HASH}","t":0,"who":"city","kind":"went_back","data":{{"a":1}}}}'
    )
    assert event("went_back", b"{}").kind is Kind.went_back


def test_types_are_kept() -> None:
    assert_type(decode(answer(), RoundsAnswer), RoundsAnswer)
    assert_type(decode(answer(), RoundsAnswer).turns, tuple[Turn, ...])
    assert_type(decode(answer(), RoundsAnswer).turns[0].calls, tuple[Call, ...])
    assert_type(encode(1), bytes)
    effect: Effect = decode(b'"read"', Effect)
    assert effect == "read"
    assert decode(b"null", RoundsAnswer | None) is None


IMPORTED = """
import sys
before = set(sys.modules)
import wire, wire.reading
new = {name.partition(".")[0] for name in set(sys.modules) - before}
# msgspec itself looks for typing_extensions and does without.
print(*sorted(new - set(sys.stdlib_module_names) - {"typing_extensions"}), "wire.export" in sys.modules)
"""


def test_importing_wire_needs_msgspec_alone() -> None:
    done = subprocess.run([sys.executable, "-c", IMPORTED], check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["msgspec", "wire", "False"]
