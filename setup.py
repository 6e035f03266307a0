"""What goes into the wheel.  Everything else about the distribution is in ``pyproject.toml``.

Two rules that ``pyproject.toml`` cannot state:

1. The specification travels as package data, in ``conformance/_spec``, so that an
   installed wheel judges by the same text as a checkout.
2. The stateful tests live beside the package that they exercise, and stay out.
"""

from fnmatch import fnmatch

from setuptools import find_namespace_packages, find_packages, setup
from setuptools.command.build_py import build_py

TESTS = ("test_*", "conftest")


class BuildWithoutTests(build_py):
    """Copies the packages and leaves their test modules behind."""

    def find_package_modules(self, package: str, package_dir: str) -> list[tuple[str, str, str]]:
        modules: list[tuple[str, str, str]] = super().find_package_modules(package, package_dir)
        return [found for found in modules if not any(fnmatch(found[1], pattern) for pattern in TESTS)]


setup(
    packages=[
        *find_packages("impl", include=["matching", "matching.*"]),
        *find_packages(".", include=["conformance", "conformance.*"]),
        "conformance._spec",
        *(f"conformance._spec.{folder}" for folder in find_namespace_packages("spec")),
    ],
    package_dir={"matching": "impl/matching", "conformance": "conformance", "conformance._spec": "spec"},
    package_data={"": ["py.typed", "*.tla", "*.cfg", "*.yaml", "*.json"]},
    cmdclass={"build_py": BuildWithoutTests},
)
