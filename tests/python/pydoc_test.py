# SPDX-License-Identifier: Apache-2.0
"""pydoc is complete: every public name of every module has a text, and its parameters are named in it or typed."""

import importlib
import inspect
import pkgutil
import pydoc
import unittest

import orrery


def modules():
    yield orrery
    for found in pkgutil.walk_packages(orrery.__path__, "orrery."):
        yield importlib.import_module(found.name)


def public(module):
    """Classes and functions that a module defines, and their members."""
    for name, member in vars(module).items():
        if name.startswith("_") or getattr(member, "__module__", None) != module.__name__:
            continue
        if not (inspect.isclass(member) or inspect.isroutine(member)):
            continue
        yield f"{module.__name__}.{name}", member
        if inspect.isclass(member):
            for inner, value in vars(member).items():
                if not inner.startswith("_") and (inspect.isroutine(value) or isinstance(value, (property, classmethod, staticmethod))):
                    yield f"{module.__name__}.{name}.{inner}", getattr(member, inner)


class Pydoc(unittest.TestCase):
    def test_modules_have_a_text(self):
        for module in modules():
            generated = module.__name__.startswith("orrery.commands.")
            self.assertTrue(module.__doc__ or generated, module.__name__)

    def test_public_names_have_a_text(self):
        seen = 0
        for module in modules():
            for name, member in public(module):
                seen += 1
                self.assertTrue(inspect.getdoc(member), name)
        self.assertGreater(seen, 100)

    def test_public_functions_have_types(self):
        for module in modules():
            for name, member in public(module):
                if not inspect.isfunction(member):
                    continue
                for parameter in inspect.signature(member).parameters.values():
                    if parameter.name not in ("self", "cls"):
                        self.assertIsNot(parameter.annotation, parameter.empty, f"{name}: {parameter.name}")

    def test_pydoc_prints_the_package(self):
        text = pydoc.render_doc(orrery, renderer=pydoc.plaintext)
        for name in orrery.__all__:
            self.assertIn(name, text)


if __name__ == "__main__":
    unittest.main()
