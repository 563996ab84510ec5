"""The shape of the code is what ARCHITECTURE.md says: layers, sizes, who prints, who imports what, and names."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "sitegen"
BAKING = {"torch", "numpy", "matplotlib", "PIL"}
# What a build may load beside the standard library: the light dependencies of pyproject.toml and what they need.
LIGHT = {
    "click",
    "filelock",
    "jinja2",
    "markdown_it",
    "markupsafe",
    "math_core",
    "mdit_py_plugins",
    "mdurl",
    "msgspec",
    "pygments",
    "rcssmin",
    "_rcssmin",
    "rjsmin",
    "_rjsmin",
    "rich",
    "sitegen",
    "typing_extensions",  # msgspec takes it where it happens to be installed
}


def modules() -> dict[str, ast.Module]:
    """Module of sitegen/ -> its syntax tree: "build", "markdown" (a package's own file), "markdown.roles"."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        name = ".".join(part for part in parts if part != "__init__")
        if name and name != "__main__" and parts[0] != "theme" and parts[:2] != ("scaffold", "site"):
            found[name] = ast.parse(path.read_text("utf-8"))
    return found


def layers() -> list[tuple[str, list[str]]]:
    """The table under "Layers" in ARCHITECTURE.md: (layer, its modules), from the top down."""
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    table = text.split("## Layers", 1)[1].split("\n## ", 1)[0]
    rows = [row.strip("|").split("|") for row in table.splitlines() if row.startswith("|")]
    return [
        (cells[0].strip(), re.findall(r"`(\w+)`", re.sub(r"\(.*?\)", "", cells[1])))
        for cells in rows[2:]  # below the head and its rule
    ]


def imported(tree: ast.AST) -> set[str]:
    """Dotted names of the modules that a module imports, anywhere in it: "sitegen.schema", "torch"."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: imports are absolute here"
            assert node.module is not None
            names |= {dotted if is_module(dotted := f"{node.module}.{a.name}") else node.module for a in node.names}
    return names


def is_module(dotted: str) -> bool:
    path = ROOT.joinpath(*dotted.split("."))
    return path.with_suffix(".py").is_file() or path.is_dir()


def siblings(tree: ast.AST) -> set[str]:
    """Modules of sitegen/ that a module imports, as `modules` names them."""
    return {name.removeprefix("sitegen.") for name in imported(tree) if name.startswith("sitegen.")}


def without_types(tree: ast.Module) -> ast.Module:
    """What runs: without the imports below `if TYPE_CHECKING`."""
    kept = [node for node in tree.body if not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")]
    return ast.Module(kept, [])


def of_layer(module: str) -> str:
    """The name under which the layer table has a module."""
    return module.split(".")[0]


def third_parties(tree: ast.AST) -> set[str]:
    return {name.split(".")[0] for name in imported(tree)}


def calls(tree: ast.AST) -> list[tuple[str, int]]:
    """(name of what is called, line), without the object it is called on."""
    return [
        (node.func.id if isinstance(node.func, ast.Name) else node.func.attr, node.lineno)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute)
    ]


# ------------------------------------------------------------------------------------------------------- layers


def test_the_layer_table_names_every_module_and_no_other():
    in_table = sorted(name for _, names in layers() for name in names)

    assert in_table == sorted({of_layer(name) for name in modules()})


def test_imports_point_down():
    level = {name: depth for depth, (_, names) in enumerate(layers()) for name in names}

    upward = [
        f"{module} imports {other}, which stands above it"
        for module, tree in modules().items()
        for other in sorted(siblings(tree))
        if level.get(of_layer(other), 0) < level.get(of_layer(module), 0)  # the test above finds what is in no layer
    ]

    assert upward == []


def test_imports_go_round_in_no_circle():
    graph = {module: siblings(without_types(tree)) for module, tree in modules().items()}

    TopologicalSorter(graph).prepare()  # raises CycleError and names the circle


def test_the_pure_layer_touches_nothing_outside_its_arguments():
    pure = dict(layers())["pure"]
    impure_modules = {"io", "locale", "os", "random", "shutil", "socket", "subprocess", "tempfile", "time"}
    impure_calls = {
        "open",
        "read_text",
        "read_bytes",
        "write_text",
        "write_bytes",
        "glob",
        "rglob",
        "iterdir",
        "unlink",
        "now",  # of a date; dates themselves are values
        "today",
        "utcnow",
    }

    found = [
        f"{module} imports {name}"
        for module, tree in modules().items()
        if of_layer(module) in pure
        for name in sorted(third_parties(tree) & impure_modules)
    ] + [
        f"{module}:{line} calls {name}"
        for module, tree in modules().items()
        if of_layer(module) in pure
        for name, line in calls(tree)
        if name in impure_calls
    ]

    assert found == []


def test_only_the_edge_prints_or_exits():
    found = [
        f"{module}:{line} calls {name}"
        for module, tree in modules().items()
        if of_layer(module) not in dict(layers())["edge"]
        for name, line in calls(tree)
        if name in ("print", "echo", "secho")
    ]

    assert found == []


def test_only_the_workers_import_what_bakes():
    found = {of_layer(module) for module, tree in modules().items() if third_parties(tree) & BAKING}

    assert found == {"bake", "verify"}


def test_a_file_has_at_most_300_lines():
    lengths = {path: len(path.read_text("utf-8").splitlines()) for path in PACKAGE.rglob("*.py")}

    assert {str(path.relative_to(ROOT)): length for path, length in lengths.items() if length > 300} == {}


# ------------------------------------------------------------------------------------- what a build may load


def run_guarded(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`sitegen …` in a process where baking packages are blocked and no socket opens; it prints what it loads."""
    program = f"""
import socket, sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {sorted(BAKING)!r}:
            raise ImportError(f"a build must not import {{name}}")

def refuse(*_, **__):
    raise OSError("a build must not open a socket")

sys.meta_path.insert(0, Blocker())
socket.socket.connect = refuse
before = {{name.split(".")[0] for name in sys.modules}}
from sitegen.cli import main
try:
    main({list(arguments)!r})
except SystemExit as stop:
    code = stop.code or 0
else:
    code = 0
loaded = {{name.split(".")[0] for name in sys.modules}} - before - set(sys.stdlib_module_names)
print("loaded:", *sorted(loaded))
sys.exit(code)
"""
    return subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=False)


def loaded_by(done: subprocess.CompletedProcess[str]) -> set[str]:
    return set(done.stdout.rsplit("loaded:", 1)[1].split())


@pytest.fixture
def copied_site(tmp_path: Path) -> Path:
    """This repository's own site, without what was rendered before."""
    for name in ("content", "models", "templates"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "build" / "runs", tmp_path / "build" / "runs", ignore=shutil.ignore_patterns(".*"))
    return tmp_path


def test_a_build_loads_only_the_light_dependencies(copied_site: Path):
    done = run_guarded(copied_site, "build")

    assert done.returncode == 0, done.stdout + done.stderr
    assert (copied_site / "build" / "site" / "index.html").is_file()
    assert loaded_by(done) - LIGHT == set()


def test_the_table_of_runs_loads_only_the_light_dependencies(copied_site: Path):
    done = run_guarded(copied_site, "runs")

    assert done.returncode == 0, done.stdout + done.stderr
    assert loaded_by(done) - LIGHT == set()


def test_the_help_text_loads_only_click(tmp_path: Path):
    done = run_guarded(tmp_path, "--help")

    assert done.returncode == 0, done.stdout + done.stderr
    assert loaded_by(done) == {"click", "sitegen"}


# -------------------------------------------------------------------------------------------------------- names


def names_of_this_site() -> set[str]:
    """Chapters, runs, figure kinds, model packages and classes of this repository."""
    content = [path for path in (ROOT / "content").iterdir() if path.is_dir()]
    names = {re.sub(r"^\d+-", "", path.name) for path in content if path.name != "pages"}
    names |= {path.parent.name for path in (ROOT / "build" / "runs").glob("*/run.json")}
    names |= {path.parent.name for path in (ROOT / "templates" / "figures").glob("*/figure.toml")}
    for path in (ROOT / "models").rglob("*.py"):
        text = path.read_text("utf-8")
        names |= set(re.findall(r'@recipe\(\s*"(.+?)"', text))
        names |= {node.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ClassDef)}
        names.add(".".join(path.parent.relative_to(ROOT).parts))
    return names - {"models"}


def test_the_generator_names_nothing_of_this_site():
    """A name of one plain word is looked for as a whole string, any other one anywhere, also in comments."""
    names = names_of_this_site()
    telling = {name for name in names if re.search(r"[-._]|[a-z][A-Z]", name)}
    assert telling, "this site has names to look for"
    pattern = re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, sorted(telling, key=len, reverse=True)))})(?![\w-])")

    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text("utf-8")
        for number, line in enumerate(text.splitlines(), start=1):
            found += [f"{path.name}:{number} names {match}" for match in pattern.findall(line)]
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Constant) and node.value in names - telling:
                found.append(f"{path.name}:{node.lineno} names {node.value}")

    assert found == []


def test_no_file_is_called_a_drawer():
    drawers = {"util", "utils", "helper", "helpers", "common", "manager", "misc"}
    folders = ("sitegen", "models", "templates", "tests", "content", ".ci", ".github")

    found = [
        str(path.relative_to(ROOT))
        for folder in folders
        for path in sorted((ROOT / folder).rglob("*"))
        if path.name.split(".")[0].lower() in drawers
    ]

    assert found == []


# ---------------------------------------------------------------------------------- tests and documents keep up


def test_every_module_has_its_test_file():
    missing = {
        f"tests/test_{name}.py"
        for name in {of_layer(module) for module in modules()}
        if not (ROOT / "tests" / f"test_{name}.py").is_file()
    }

    assert missing == set()


def test_every_figure_kind_is_shown_by_the_texts_or_tested_by_name():
    """What the texts show is tested figure by figure in tests/browser/test_figures.py."""
    kinds = {path.parent.name for path in (ROOT / "templates" / "figures").glob("*/figure.toml")}
    texts = "\n".join(path.read_text("utf-8") for path in sorted((ROOT / "content").rglob("*.md")))
    tests = "\n".join(path.read_text("utf-8") for path in sorted((ROOT / "tests").rglob("test_*.py")))

    shown = set(re.findall(r"^```\{figure\} (\S+)$", texts, re.MULTILINE))
    assert {kind for kind in kinds - shown if f'"{kind}"' not in tests} == set()


def test_every_command_stands_in_the_readme():
    from sitegen.cli import main

    readme = (ROOT / "README.md").read_text("utf-8")

    assert {name for name in main.commands if f"`sitegen {name}" not in readme} == set()


def test_every_make_target_stands_in_its_help():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    phony = set(re.search(r"^\.PHONY: (.+)$", makefile, re.MULTILINE)[1].split())

    described = set(re.findall(r"^([a-z]+):.*## ", makefile, re.MULTILINE))

    assert phony - described == {"chromium"}


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md"])
def test_relative_links_lead_to_files(document: str):
    text = re.sub(r"^(`{3,}).*?^\1", "", (ROOT / document).read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)

    targets = {target.split("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in target}

    assert {target for target in targets if target and not (ROOT / target).exists()} == set()
