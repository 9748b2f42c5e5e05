"""The tasks. They were chosen before any optimizer was tuned on them; those marked `held_out` are looked at last."""

from __future__ import annotations

from . import kernels, networks, pipelines, trees
from .base import Task

TASKS: dict[str, Task] = {task.name: task for module in (kernels, trees, networks, pipelines) for task in module.TASKS}


def select(words: list[str]) -> list[Task]:
    """Tasks by name; `tuning`, `held-out` and `all` stand for several."""
    groups = {
        "tuning": [name for name, task in TASKS.items() if not task.held_out],
        "held-out": [name for name, task in TASKS.items() if task.held_out],
        "all": list(TASKS),
    }
    names = [name for word in words for name in groups.get(word, [word])]
    unknown = [name for name in names if name not in TASKS]
    if unknown:
        raise ValueError(f"unknown task {unknown[0]!r}; known are {', '.join([*groups, *TASKS])}")
    return [TASKS[name] for name in dict.fromkeys(names)]


__all__ = ["TASKS", "Task", "select"]
