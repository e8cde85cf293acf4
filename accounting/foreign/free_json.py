"""Free JSON in a row that is decoded: msgspec takes no recursive alias, type checkers take no `Any`."""

from typing import TYPE_CHECKING, TypeAlias

from wire.scalars import Json

if TYPE_CHECKING:
    AnyJson: TypeAlias = Json
else:
    from typing import Any as AnyJson

__all__ = ["AnyJson"]
