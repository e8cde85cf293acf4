"""`rounds import`: sessions of other agents written into a ledger."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from accounting.cli import options
from accounting.cli.out import put
from accounting.cli.trouble import Trouble

if TYPE_CHECKING:
    from accounting.foreign import FidelityReport, Source
    from accounting.foreign.fidelity import Tally
    from accounting.foreign.import_report import ImportReport, SessionImport

_UNKNOWN: Final = "no session of an agent that is known here, or a ledger already"


@click.command(
    "import",
    epilog="""\b
Examples:
  rounds import ~/.claude/projects -o history
  rounds import ~/.claude/projects ~/.codex/sessions -o history     # again: only what is new
  rounds import session.jsonl -o history --report
  rounds check history""",
)
@options.paths
@click.option(
    "-o",
    "--into",
    metavar="DIR",
    required=True,
    type=click.Path(path_type=Path),
    help="The ledger to write: a directory that is new or empty, or the ledger of an earlier import.",
)
@click.option("--report", is_flag=True, help="Also say what became of each kind of row and field, and where.")
@options.agent
@options.as_json
@click.pass_context
def import_(
    ctx: click.Context, paths: tuple[str, ...], into: Path, agent: str | None, *, report: bool, as_json: bool
) -> None:
    """Write the sessions of other agents into a ledger; again, only what is new since.

    PATH is a file, a directory or a database of such sessions, or - for standard input.

    The lines have the times that the agents recorded, and the same files give the same bytes. Where each line came from
    is kept beside the ledger, in DIR.provenance.jsonl. The exit code is 1 when something could not be used, or cannot
    be said in a ledger that is only added to.
    """
    done, unknown = _imported(paths, into, agent, audit=report)
    if as_json:
        from wire import encode

        put(encode(done), b"\n")
    else:
        put("".join(f"{line}\n" for line in _lines(done, report=report)).encode(errors="replace"))
    ctx.exit(_tell(done, unknown))


def _imported(
    paths: tuple[str, ...], into: Path, agent: str | None, *, audit: bool
) -> "tuple[ImportReport, list[str]]":
    """What became of it, and the paths that hold nothing to import."""
    from contextlib import ExitStack

    from accounting.cli.foreign import Foreign
    from accounting.cli.problems import tell_passed_over
    from accounting.cli.source import located

    try:
        from accounting.foreign.importing import NotALedgerDirectoryError, import_sessions
        from accounting.ledger.writing import WriteError
    except ModuleNotFoundError as error:
        raise Trouble(str(error)) from None
    unknown: list[str] = []
    with ExitStack() as stack:
        sources: list[Source] = []
        called: dict[str, str] = {}
        for path in paths:
            found = stack.enter_context(located(path, agent))
            if not isinstance(found, Foreign):
                unknown.append(path)
                continue
            at_full_path = found.resolved()
            sources += at_full_path.sources()
            tell_passed_over(found.shown, at_full_path.passed_over)
            if found.passing:
                called[str(found.path)] = found.shown
        if not sources:
            raise Trouble(f"{unknown[0]}: {_UNKNOWN}", ("--from AGENT reads it as that agent's",))
        try:
            return import_sessions(sources, into, called=called, audit=audit), unknown
        except (NotALedgerDirectoryError, WriteError, ModuleNotFoundError) as error:
            raise Trouble(str(error)) from None


def _lines(done: "ImportReport", *, report: bool) -> Iterator[str]:
    from accounting.cli.units import several
    from accounting.cli.visible import visible

    for session in done.sessions:
        yield f"{session.run}  {visible(session.agent)}  {_became(session)}"
        if report:
            yield from (f"  {visible(line)}" for line in _fidelity(session.fidelity))
    added = sum(session.added for session in done.sessions)
    yield f"{several(len(done.sessions), 'session')}, {several(added, 'line')} added to {visible(done.ledger)}"


def _became(session: "SessionImport") -> str:
    from accounting.cli.units import several

    if session.held_back:
        return f"{several(session.records, 'record')}, held back until something is asked"
    told = f"{several(session.records, 'record')}, {session.added:,} new" if session.added else "nothing new"
    again = f", of them {session.again:,} told again" if session.again else ""
    return f"{told}{again}"


def _fidelity(fidelity: "FidelityReport") -> Iterator[str]:
    from accounting.cli.units import UNKNOWN, several

    totals = fidelity.totals
    figures = ((totals.input, "in"), (totals.cached, "cached"), (totals.cache_write, "written"), (totals.output, "out"))
    yield " · ".join(f"{UNKNOWN if count is None else f'{count:,}'} {name}" for count, name in figures)
    yield (
        f"tokens {totals.standing.value} · {several(totals.requests, 'request')}, "
        f"{totals.unmetered:,} without tokens · "
        f"{several(totals.calls, 'call')}: {totals.answered:,} answered, {totals.failed:,} failed, "
        f"{totals.waiting:,} waiting"
    )
    yield f"{several(fidelity.rows, 'row')} of {several(len(fidelity.files), 'file')}"
    for tally in fidelity.tallies:
        name = tally.kind if tally.field is None else f"{tally.kind} {tally.field}"
        why = "" if tally.why is None else f": {tally.why}"
        yield f"{tally.fate.value:<8} {tally.count:>7,}  {name}{why}{_at(tally, many=len(fidelity.files) > 1)}"
    for damage in fidelity.damage:
        place = damage.places[0]
        detail = f" {damage.detail}" if damage.detail else ""
        yield f"damaged  {damage.count:>7,}  {damage.code.value}{detail}, first {place.segment}:{place.line}"


def _at(tally: "Tally", *, many: bool) -> str:
    """Where the first ones stand, with the file's name where there are several."""
    from accounting.cli.visible import visible

    at = [f"{Path(place.segment).name}:{place.line}" if many else f"{place.line}" for place in tally.places]
    more = ", …" if tally.count > len(at) else ""
    return f"  (at {visible(', '.join(at))}{more})" if at else ""


def _tell(done: "ImportReport", unknown: list[str]) -> int:
    from accounting.cli.problems import tell_damage, tell_import, tell_unread

    return max(
        tell_unread([(path, _UNKNOWN) for path in unknown]),
        tell_damage([session.fidelity for session in done.sessions]),
        tell_import(done),
    )
