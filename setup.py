"""What goes into the wheel.  Everything else about the distribution is in ``pyproject.toml``.

Three rules that ``pyproject.toml`` cannot state:

1. The specification travels as package data, in ``conformance/_spec``, so that an
   installed wheel judges by the same text as a checkout.
2. The stateful tests live beside the package that they exercise, and stay out.
3. What a ``.proto`` says is turned into Python by the build: into the wheel, or beside
   the ``.proto`` where the checkout is installed to be edited.  It is never checked in.
"""

from fnmatch import fnmatch
from pathlib import Path

from setuptools import find_namespace_packages, find_packages, setup
from setuptools.command.build_py import build_py

TESTS = ("test_*", "conftest")
IMPORTED_FROM = Path("impl")


class Build(build_py):
    """Copies the packages, leaves their test modules behind, and adds the modules of the messages."""

    def find_package_modules(self, package: str, package_dir: str) -> list[tuple[str, str, str]]:
        modules: list[tuple[str, str, str]] = super().find_package_modules(package, package_dir)
        return [found for found in modules if not any(fnmatch(found[1], pattern) for pattern in TESTS)]

    def run(self) -> None:
        super().run()
        self._generate(IMPORTED_FROM if self.editable_mode else Path(self.build_lib))

    def _generate(self, target: Path) -> None:
        from grpc_tools import protoc

        for proto in sorted(IMPORTED_FROM.rglob("*.proto")):
            words = ["protoc", f"-I{IMPORTED_FROM}", f"--python_out={target}", f"--pyi_out={target}"]
            if protoc.main([*words, str(proto)]) != 0:
                raise SystemExit(f"{proto} cannot be turned into Python")


setup(
    packages=[
        *find_packages("impl", include=["matching", "matching.*"]),
        *find_packages(".", include=["conformance", "conformance.*"]),
        "conformance._spec",
        *(f"conformance._spec.{folder}" for folder in find_namespace_packages("spec")),
    ],
    package_dir={"matching": "impl/matching", "conformance": "conformance", "conformance._spec": "spec"},
    package_data={"": ["py.typed", "*.tla", "*.cfg", "*.yaml", "*.json", "*.proto"]},
    cmdclass={"build_py": Build},
)
