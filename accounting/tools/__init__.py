"""Tools for agents: one table, and doors that all project it, so that none can drift. Spec: dispatch.md 2.7.

    from accounting.tools import find

    tool = find("wait_run")
    answer = tool.handler({"runId": "wb-21247a57b8ae3af2", "seconds": 45})
    print(tool.output.render(answer))

`accounting.tools.mcp_server` serves the table over MCP and needs the extra `mcp`.
"""

from accounting.tools.arguments import ArgumentsError
from accounting.tools.projection import project
from accounting.tools.register import Register, register_all
from accounting.tools.subset import Outside, outside
from accounting.tools.table import find, tools
from accounting.tools.tool import Effects, Output, Tool, ToolError

__all__ = [
    "ArgumentsError",
    "Effects",
    "Output",
    "Outside",
    "Register",
    "Tool",
    "ToolError",
    "find",
    "outside",
    "project",
    "register_all",
    "tools",
]
