"""A scheduler's automations, read out of its database while it may write it. Spec: dispatch.md 2.6.

    from accounting.dispatch.automations import automation_health

    health = automation_health(Path.home() / ".workbuddy" / "workbuddy.db", now)

Nothing is written, and no file is left beside the database. Each call answers from one state of it.
"""

from accounting.dispatch.automations.health import automation_health
from accounting.dispatch.automations.listing import list_automations
from accounting.dispatch.automations.runs import list_automation_runs

__all__ = ["automation_health", "list_automation_runs", "list_automations"]
