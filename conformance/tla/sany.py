"""Modules as SANY, the TLA+ parser, resolves them.

Three rules:

1. SANY runs in a private folder that holds only the modules of this one
   specification, with a temporary folder of its own, and is killed when late.
2. Its answer is kept as JSON, keyed by the content of every module read: a
   change of any of them is a new key.  A file appears in the cache whole.
3. What SANY refuses is a `SpecError` with SANY's own words and place.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from conformance.tla.errors import Location, SpecError
from conformance.tla.tree import FORMAT, ModuleTree

__all__ = ["SHIPPED", "cache_directory", "find_module", "load_tree", "mentioned", "modules_of", "ship_tree"]

SHIPPED = "trees"
"""The folder beside a module in which its tree may be shipped, so that no Java is needed."""
TIMEOUT_S = 120.0
_DEEPEST = 20_000

_STANDARD = frozenset("Bags FiniteSets Integers Naturals Randomization RealTime Reals Sequences TLC Toolbox".split())
_COMMENTS = re.compile(r'\(\*.*?\*\)|\\\*[^\n]*|"(?:\\.|[^"\\\n])*"', re.DOTALL)
_EXTENDS = re.compile(r"\bEXTENDS\s+(\w+(?:\s*,\s*\w+)*)")
_INSTANCE = re.compile(r"\bINSTANCE\s+(\w+)")
_FOUND_ERRORS = "*** Errors:"
_PLACE = re.compile(r"line (\d+), col(?:umn)? (\d+)(?: to line (\d+), col(?:umn)? (\d+))?(?: of module (\w+))?")


def cache_directory() -> Path:
    """Where resolved trees are kept."""
    named = os.environ.get("CONFORM_CACHE")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "matching-conformance"


def modules_of(module: Path, search: Sequence[Path] = ()) -> dict[str, Path]:
    """The module and all that it extends or instantiates, as far as they lie in its folder or in ``search``."""
    folders = [module.parent, *search]
    found: dict[str, Path] = {}
    waiting = [module.stem]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        path = module if name == module.stem else find_module(name, folders)
        if path is None:
            continue
        found[name] = path
        waiting.extend(mentioned(_read(path)))
    return dict(sorted(found.items()))


def load_tree(module: Path, search: Sequence[Path] = ()) -> ModuleTree:
    """The resolved tree of a module, from the cache where its text is known."""
    # Trees are walked by recursion, and so is what they define; beyond this limit the C stack is in danger.
    sys.setrecursionlimit(max(sys.getrecursionlimit(), _DEEPEST))
    module = Path(module)
    if not module.is_file():
        raise SpecError(f"there is no module {module}; name an existing .tla file")
    files = modules_of(module, search)
    key = _key(module.stem, files)
    name = f"{module.stem}-{key}.json"
    for folder in (cache_directory(), module.parent / SHIPPED):
        document = _read_tree(folder / name)
        if document is not None:
            return ModuleTree.from_json(document, files)
    document = _export(module.stem, files)
    _keep(cache_directory() / name, document)
    return ModuleTree.from_json(document, files)


def ship_tree(module: Path) -> Path:
    """Put the tree of a module into the folder beside it, in place of those of other texts.

    Raises:
        SpecError: the module is refused, or the tree cannot be written.
    """
    files = modules_of(module)
    folder = module.parent / SHIPPED
    kept = folder / f"{module.stem}-{_key(module.stem, files)}.json"
    document = _read_tree(kept) or _read_tree(cache_directory() / kept.name) or _export(module.stem, files)
    try:
        _write(kept, document)
        for other in folder.glob(f"{module.stem}-*.json"):
            if other != kept:
                other.unlink()
    except OSError as error:
        raise SpecError(f"{kept} cannot be written: {error.strerror}") from error
    return kept


def find_module(name: str, folders: Sequence[Path]) -> Path | None:
    """Where a module lies, if in one of the folders; a standard module counts in the first one only.

    TLC and SANY leave copies of the standard modules in the folder for temporary files.
    """
    for folder in folders[:1] if name in _STANDARD else folders:
        path = folder / f"{name}.tla"
        if path.is_file():
            return path
    return None


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise SpecError(f"{path} is not UTF-8 text: {error}; save it as UTF-8") from error
    except OSError as error:
        raise SpecError(f"cannot read {path}: {error.strerror}") from error


def mentioned(text: str) -> list[str]:
    """The modules that a module's text extends or instantiates."""
    code = _COMMENTS.sub(" ", text)
    names = [name.strip() for match in _EXTENDS.finditer(code) for name in match.group(1).split(",")]
    return names + _INSTANCE.findall(code)


def _key(root: str, files: Mapping[str, Path]) -> str:
    digest = hashlib.sha256(f"{FORMAT} {root}\n".encode())
    for name, path in files.items():
        content = path.read_bytes()
        digest.update(f"{name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()[:32]


def _read_tree(path: Path) -> dict[str, object] | None:
    try:
        with path.open(encoding="utf-8") as file:
            document = json.load(file)
    except (OSError, ValueError):
        return None
    # A file that is not ours is read again from the source, not trusted.
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        return None
    return document


def _keep(path: Path, document: Mapping[str, object]) -> None:
    # A cache that cannot be written costs time, not the answer.
    with contextlib.suppress(OSError):
        _write(path, document)


def _write(path: Path, document: Mapping[str, object]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".part")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(json.dumps(document, separators=(",", ":")))
        os.replace(temporary, path)
    except OSError:
        os.unlink(temporary)
        raise


def _export(root: str, files: Mapping[str, Path]) -> dict[str, object]:
    from conformance.tla.export import read_export

    with tempfile.TemporaryDirectory(prefix="sany-") as folder:
        home = Path(folder)
        (home / "tmp").mkdir()
        for name, path in files.items():
            (home / f"{name}.tla").write_bytes(path.read_bytes())
        status, output, errors = _java(home, "tla2sany.xml.XMLExporter", "-o", f"{root}.tla")
        # The exporter writes a tree also of a module whose levels SANY finds wrong, and only says so.
        if status == 0 and output.strip() and _FOUND_ERRORS not in errors:
            return read_export(output, root)
        _, said, more = _java(home, "tla2sany.SANY", f"{root}.tla")
        raise _refusal(root, said + more, errors)


def _java(home: Path, main: str, *arguments: str) -> tuple[int, str, str]:
    import signal
    import subprocess

    from conformance.tla.toolchain import find_jar, find_java

    command = [
        str(find_java()),
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "-Xss16m",
        "-Xmx512m",
        f"-Djava.io.tmpdir={home / 'tmp'}",
        "-Dfile.encoding=UTF-8",
        "-cp",
        str(find_jar()),
        main,
        *arguments,
    ]
    process = subprocess.Popen(
        command,
        cwd=home,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        output, errors = process.communicate(timeout=TIMEOUT_S)
    except BaseException as error:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if isinstance(error, subprocess.TimeoutExpired):
            raise SpecError(f"SANY did not finish within {TIMEOUT_S:.0f} s; is the module that large?") from error
        raise
    return process.returncode, output.decode("utf-8", "replace"), errors.decode("utf-8", "replace")


def _refusal(root: str, said: str, errors: str) -> SpecError:
    lines = []
    for line in said.splitlines():
        text = line.strip()
        boring = text.startswith(("Parsing file", "Semantic processing", "****** SANY", "at tla2sany", "Linting"))
        if text and not boring:
            lines.append(text)
    message = "\n".join(lines) or errors.strip().splitlines()[0] if errors.strip() or lines else "no reason given"
    place = _PLACE.search(message)
    location = None
    if place is not None:
        line, column, end_line, end_column, module = place.groups()
        if module is None:
            named = re.search(r"[Mm]odule (\w+)", message)
            module = named.group(1) if named else root
        location = Location(module, int(line), int(column), int(end_line or line), int(end_column or column))
    return SpecError(f"SANY refuses the module: {message}", location)
