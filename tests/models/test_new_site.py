"""The model of the site that `sitegen init` begins keeps what that site's own tests say of it."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType

import pytest

from sitegen.scaffold.starting import SITE

pytestmark = pytest.mark.bake


def loaded(path: str) -> ModuleType:
    """A file of the new site as a module; the name `models` belongs to this repository here."""
    spec = importlib.util.spec_from_file_location(path.replace("/", "_").removesuffix(".py"), SITE / path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_a_new_site_tests_of_its_model_holds(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "models.lines.descent", loaded("models/lines/descent.py"))
    tests = {name: test for name, test in vars(loaded("tests/test_descent.py")).items() if name.startswith("test_")}

    for test in tests.values():
        test()

    assert len(tests) == 3
