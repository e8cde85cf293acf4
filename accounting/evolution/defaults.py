"""Defaults: what a reader takes where a value is left out, wherever in a schema they stand.

Only a field can be left out. So anywhere else another default breaks nobody, and at a field it breaks who reads what
the other side may leave out.
"""

from collections.abc import Iterable, Iterator, Sequence

from accounting.evolution.difference import Change
from accounting.evolution.form import Form, Keyword
from accounting.evolution.found import Found, harmless
from accounting.evolution.value import same


def defaults(old: Form, new: Form) -> Iterator[Found]:
    """Compares the defaults of two forms and of their alternatives."""
    yield from _changed(old, new, _near(old), _near(new))


def of_field(found: Iterable[Found], forms: tuple[Form, Form], always: tuple[bool, bool]) -> Iterator[Found]:
    """What was found of a field's value, its default weighed. `always` is whether either side always writes it."""
    told = False
    for one in found:
        if one.change is not Change.default_changed:
            yield one
            continue
        # What a path begins with a mark, `(kind=x)`, is said of the value itself.
        here = tuple(path for path in one.paths if path[:1] in ("", "("))
        beneath = tuple(path for path in one.paths if path not in here)
        if here:
            told = True
            yield _weighed(one._replace(paths=here), always)
        if beneath:
            yield one._replace(paths=beneath)
    if not told:
        # A type that holds itself is compared further out, where nothing is left out.
        old, new = forms
        for one in _changed(old, new, tuple(_all(old)), tuple(_all(new))):
            yield _weighed(one, always)


def _weighed(one: Found, always: tuple[bool, bool]) -> Found:
    return one._replace(new_reads_old=one.new_reads_old and always[0], old_reads_new=one.old_reads_new and always[1])


def _changed(old: Form, new: Form, before: Sequence[Keyword], after: Sequence[Keyword]) -> Iterator[Found]:
    lost, gained = _missing(before, after), _missing(after, before)
    if lost or gained:
        told = "changed" if lost and gained else "added" if gained else "removed"
        where = lost[0].at if lost else old.at, gained[0].at if gained else new.at
        yield harmless(Change.default_changed, f"the default was {told}", *where)


def _missing(these: Sequence[Keyword], those: Sequence[Keyword]) -> list[Keyword]:
    return [one for one in these if not any(same(one.value, other.value) for other in those)]


def _near(form: Form) -> tuple[Keyword, ...]:
    """Its own and those of its alternatives; what has to fit besides is compared by itself."""
    return (*form.defaults, *(one for arm in form.arms for one in arm.defaults))


def _all(form: Form) -> Iterator[Keyword]:
    yield from _near(form)
    for arm in form.arms:
        for inner in (*arm.also, *arm.exactly_one):
            yield from _all(inner)
