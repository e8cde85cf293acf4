"""The front door for programs: every tool is handed over to a function that registers it. Spec: dispatch.md 2.0, 2.7.

from accounting.tools import register_all

register_all(agent.register)        # name, description, parameters, output, execute
"""

from collections.abc import Callable
from copy import deepcopy
from typing import Protocol

from accounting.tools.table import tools
from accounting.tools.tool import Output
from wire.scalars import JsonObject


class Register(Protocol):
    """Takes one tool into a program of one's own."""

    def __call__(
        self,
        *,
        name: str,
        description: str,
        parameters: JsonObject,
        output: Output,
        execute: Callable[[JsonObject], JsonObject],
    ) -> object:
        """`parameters` and `output.schema` are JSON Schema, `output.render` makes a text of what `execute` answers.

        The schemas are the caller's to change. `execute` raises `accounting.tools.ToolError` when it cannot do what it
        is asked, and `accounting.tools.ArgumentsError` for arguments that the tool does not take.
        """


def register_all(register: Register) -> None:
    """Hand every tool of the table to `register`, in the table's order."""
    for tool in tools():
        register(
            name=tool.name,
            description=tool.description,
            parameters=deepcopy(tool.parameters),
            output=Output(schema=deepcopy(tool.output.schema), render=tool.output.render),
            execute=tool.handler,
        )
