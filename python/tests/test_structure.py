"""How the package is put together."""

from __future__ import annotations

import ast
from graphlib import TopologicalSorter
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "warpwise"


def imported(file):
    """The files of the package that a file imports, wherever in it, for types too."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            names = [node.module] if node.module else [it.name for it in node.names]
            yield from (name for name in names if (PACKAGE / f"{name}.py").exists())


def test_files_do_not_import_each_other_in_circles():
    graph = {file.stem: set(imported(file)) for file in PACKAGE.glob("*.py")}
    assert graph["_kernel"] > {"_errors", "_explore"}
    TopologicalSorter(graph).prepare()  # raises CycleError
