"""In-process registration, and that every front door shows the one table."""

import json
from collections.abc import Callable
from typing import Any

from accounting.tools import Output, register_all, tools
from tests.accounting.cli.help import rounds
from tests.accounting.tools.clients import served
from tests.accounting.tools.world import World

Json = Any


class Registry:
    """A program that tools are registered with."""

    def __init__(self) -> None:
        self.tools: dict[str, tuple[str, Json, Output, Callable[[Json], Json]]] = {}

    def register(
        self, *, name: str, description: str, parameters: Json, output: Output, execute: Callable[[Json], Json]
    ) -> None:
        assert name not in self.tools
        self.tools[name] = description, parameters, output, execute


def test_registered_tools_do_what_they_say(world: World) -> None:
    registry = Registry()
    register_all(registry.register)
    *_, output, execute = registry.tools["check_ledger"]
    value = execute({"path": str(world.ledger)})
    assert value["conforms"] is True
    assert "conforms" in output.render(value)


def test_every_door_shows_the_same_table(world: World) -> None:
    registry = Registry()
    register_all(registry.register)
    registered = [
        (name, description, parameters, output.schema)
        for name, (description, parameters, output, _) in registry.tools.items()
    ]
    printed = [
        (one["name"], one["description"], one["parameters"], one["output"]["schema"])
        for one in json.loads(rounds("tools", "--json").stdout)
    ]

    async def talk(client: Any) -> list[tuple[str, str, Json, Json]]:
        listed = (await client.list_tools()).tools
        return [(tool.name, tool.description, tool.input_schema, tool.output_schema) for tool in listed]

    table = [(tool.name, tool.description, tool.parameters, tool.output.schema) for tool in tools()]
    assert registered == table
    assert printed == table
    assert served(world, talk) == table
    assert [registry.tools[tool.name][3] for tool in tools()] == [tool.handler for tool in tools()]


def test_what_is_registered_is_the_programs_to_change() -> None:
    before = json.dumps([(tool.parameters, tool.output.schema) for tool in tools()])

    def register(
        *, name: str, description: str, parameters: Json, output: Output, execute: Callable[[Json], Json]
    ) -> None:
        parameters["properties"].clear()
        output.schema.clear()

    register_all(register)
    assert json.dumps([(tool.parameters, tool.output.schema) for tool in tools()]) == before
