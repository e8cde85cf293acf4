"""What the processes of an ask thread are told by their environment, and what must not leave it. Spec: asks.md 1.0.

A provider may call us back: an agent runs `rounds ask` itself, or a hook of it does. A variable that its environment
carries says so, and such a call starts nothing. `provider_environment` is the one place that makes that environment.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Final, cast

GUARD: Final = "ROUNDS_ASK_WITHIN"
"""Set, and not empty, for whatever a provider runs."""
_PROVIDER: Final = "ROUNDS_ASK_WORKER_PROVIDER"
"""The provider's command for a worker, as a JSON array: a command line can be read by everybody."""


def nested(environ: Mapping[str, str]) -> bool:
    """Whether this is a call from within a provider: it starts no worker."""
    return bool(environ.get(GUARD))


def provider_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment that a provider is started with: that of its worker, and the guard."""
    made = {name: value for name, value in environ.items() if name != _PROVIDER}
    made[GUARD] = "1"
    return made


def worker_environment(environ: Mapping[str, str], provider: Sequence[str]) -> dict[str, str]:
    """The environment that a worker is started with: that of the sender, and the provider's command."""
    return {**environ, _PROVIDER: json.dumps(list(provider))}


def worker_provider(environ: Mapping[str, str]) -> tuple[str, ...]:
    """The provider's command that a worker was started with; empty when there is none."""
    try:
        value: object = json.loads(environ.get(_PROVIDER, ""))
    except ValueError:
        return ()
    if not isinstance(value, list):
        return ()
    words = cast("list[object]", value)
    return tuple(word for word in words if isinstance(word, str)) if all(isinstance(w, str) for w in words) else ()
