"""The recorded models: ``spec/models.yaml``, read, checked against the folder of models, and written.

Four rules:

1. A model is a row, and every cfg of the folder has one; a cfg that nobody runs is
   a question that nobody asks.
2. A cfg's first line is a comment that asks its question.
3. A cfg with a ``Never…`` invariant has no other, and its row says that exactly this
   property is violated: any other violation would prove nothing.
4. States and depth are recorded only of models that complete, property and length of
   the counterexample only of models that are violated.
"""

import os
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from conformance.documents import DocumentError, load_yaml
from conformance.paths import spec_directory
from conformance.tla.config import parse_config
from conformance.tla.text import read_source

__all__ = ["Registry", "RegistryError", "Row", "load_registry", "question", "save_registry"]

WORDS = ("ok", "assumption", "deadlock", "safety", "liveness", "error")

ROOT = "Matching"
"""The module that composes the others; over all pairs of its states nothing could be judged in time."""

EDGES_LIMIT = 10_000
PAIRS_LIMIT = 300

_FIELDS = {"property": "violated"}
"""Keys of the file that are attributes of another name."""


class RegistryError(Exception):
    """``models.yaml`` cannot be used as it is."""

    exit_status = 2


@attrs.frozen(kw_only=True)
class Row:
    """One model and its recorded verdict.

    ``edges`` marks the model whose states and edges the Python explorer must find
    exactly as TLC does, ``pairs`` the one small enough to judge every pair of states.
    ``module`` is the model's own module, such as ``MCPollRegistration``.
    """

    module: str
    config: str
    verdict: str = "ok"
    distinct: int | None = None
    depth: int | None = None
    violated: str | None = None
    length: int | None = None
    quick: bool = False
    deadlock: bool = True
    coverage: bool = False
    edges: bool = False
    pairs: bool = False

    @property
    def name(self) -> str:
        return self.config.removesuffix(".cfg")

    @property
    def subject(self) -> str:
        """The module of the specification that the model is about."""
        return self.module.removeprefix("MC")


@attrs.frozen
class Registry:
    """The rows in their order, and the folder that they speak of."""

    path: Path
    models: Path
    rows: tuple[Row, ...]
    heading: str = ""

    def select(self, names: Sequence[str], *, quick: bool = False) -> list[Row]:
        """The rows of the given models (cfg, its stem, or a module), or all; an unknown name is an error."""
        for name in names:
            if not any(_is_named(row, name) for row in self.rows):
                known = ", ".join(row.name for row in self.rows)
                raise RegistryError(f"there is no model {name} in {self.path.name}; the models are: {known}")
        chosen = [row for row in self.rows if not names or any(_is_named(row, name) for name in names)]
        return [row for row in chosen if row.quick] if quick else chosen

    def module_path(self, row: Row) -> Path:
        return self.models / f"{row.module}.tla"

    def config_path(self, row: Row) -> Path:
        return self.models / row.config

    def unlisted(self) -> list[Path]:
        """The cfgs that have no row."""
        listed = {row.config for row in self.rows}
        return sorted(path for path in self.models.glob("*.cfg") if path.name not in listed)

    def modules(self) -> list[str]:
        """The modules of the specification itself."""
        return sorted(path.stem for path in self.path.parent.glob("*.tla"))

    def problems(self) -> list[str]:
        """What is wrong between the rows and the folders, a sentence each."""
        remedy = "run: conform check-spec --record"
        found = [f"{path.name} has no row in {self.path.name}; {remedy}" for path in self.unlisted()]
        for row in self.rows:
            found += self._problems_of(row)
        for module in self.modules():
            found += self._missing_comparisons(module)
        return found

    def _missing_comparisons(self, module: str) -> list[str]:
        """The evaluator judges by every module, so it must have been compared with TLC on every module."""
        rows = [row for row in self.rows if row.subject == module]
        found = []
        if not any(row.edges for row in rows):
            found.append(f"{module}: no row has `edges: true`, so the evaluator is not compared with TLC on it")
        if module != ROOT and not any(row.pairs for row in rows):
            found.append(f"{module}: no row has `pairs: true`, so its steps are not judged over all pairs of states")
        return found

    def _problems_of(self, row: Row) -> list[str]:
        missing = [path.name for path in (self.module_path(row), self.config_path(row)) if not path.is_file()]
        if missing:
            return [f"{row.name}: {' and '.join(missing)} is not in {self.models.name}/"]
        found = []
        for role, wanted, limit in (("edges", row.edges, EDGES_LIMIT), ("pairs", row.pairs, PAIRS_LIMIT)):
            if wanted and (row.distinct is None or row.distinct > limit):
                found.append(f"{row.name}: `{role}: true` is for models that complete with at most {limit:,} states")
        if question(self.config_path(row)) is None:
            found.append(f"{row.config}: the first line must be a comment that asks a question")
        if not row.name.startswith(row.module):
            found.append(f"{row.config}: the name must begin with the name of its module, {row.module}")
        return found + _never_problems(row, parse_config(self.config_path(row)).invariants)


def question(config: Path) -> str | None:
    """The question that the first line of a cfg asks, or None."""
    first = read_source(config).partition("\n")[0].strip()
    asked = re.fullmatch(r"\\\*+\s*(.+\?)", first)
    return asked[1] if asked else None


def load_registry(path: Path | None = None, models: Path | None = None) -> Registry:
    """Read ``models.yaml``; a row that is not as a row must be is an error that names it."""
    path = path if path is not None else spec_directory() / "models.yaml"
    models = models if models is not None else path.parent / "models"
    text = read_source(path)
    try:
        document = load_yaml(text)
    except DocumentError as error:
        raise RegistryError(f"{path.name} is not YAML: {error}") from error
    if not isinstance(document, list) or not document:
        raise RegistryError(f"{path.name} must be a list of rows, and has none")
    rows = tuple(_row(entry, number, path) for number, entry in enumerate(document, start=1))
    for row in rows:
        if sum(other.config == row.config for other in rows) > 1:
            raise RegistryError(f"{path.name} has two rows for {row.config}; remove one")
    heading = text[: text.find("- module")] if "- module" in text else text
    return Registry(path, models, rows, _heading(heading))


def save_registry(registry: Registry, rows: Iterable[Row]) -> None:
    """Write the rows, each cfg's question beside its name; the file is replaced in one step."""
    text = registry.heading + "\n".join(_text(row, registry) for row in rows)
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", dir=registry.path.parent, prefix=".models-", suffix=".yaml", delete=False
    ) as file:
        file.write(text)
    os.chmod(file.name, 0o644)
    os.replace(file.name, registry.path)


def _is_named(row: Row, name: str) -> bool:
    return name in (row.config, row.name, row.module, row.subject)


def _never_problems(row: Row, invariants: Sequence[str]) -> list[str]:
    situations = [name for name in invariants if name.startswith("Never")]
    if not situations:
        return []
    if len(invariants) > 1:
        return [f"{row.config}: {situations[0]} must be the only invariant, or another violation could stand for it"]
    if row.verdict != "safety" or row.violated != situations[0]:
        return [f"{row.name}: {situations[0]} must be reachable, so the row must say that it is violated"]
    return []


def _row(entry: Any, number: int, path: Path) -> Row:
    where = f"{path.name}, row {number}"
    if not isinstance(entry, Mapping):
        raise RegistryError(f"{where}: a row is a mapping")
    kinds = {_key(field.name): field.type for field in attrs.fields(Row)}
    for key, value in entry.items():
        if key not in kinds:
            raise RegistryError(f"{where}: there is no key {key}; the keys are {', '.join(kinds)}")
        if not _fits(value, kinds[key]):
            raise RegistryError(f"{where}: {key} cannot be {value!r}")
    if not {"module", "config"} <= entry.keys():
        raise RegistryError(f"{where}: module and config are needed")
    row = Row(**{_FIELDS.get(str(key), str(key)): value for key, value in entry.items()})
    if row.verdict not in WORDS:
        raise RegistryError(f"{where}: {row.verdict} is no verdict; the verdicts are {', '.join(WORDS)}")
    if row.verdict == "ok" and (row.violated is not None or row.length is not None):
        raise RegistryError(f"{where}: property and length are recorded of violated models only")
    if row.verdict != "ok" and (row.distinct is not None or row.depth is not None):
        raise RegistryError(f"{where}: distinct and depth are recorded of models that complete only")
    return row


def _key(field: str) -> str:
    return next((key for key, name in _FIELDS.items() if name == field), field)


def _fits(value: object, kind: Any) -> bool:
    if kind is bool:
        return isinstance(value, bool)
    if kind is str or kind == str | None:
        return isinstance(value, str)
    return isinstance(value, int) and not isinstance(value, bool)


def _heading(text: str) -> str:
    """The comment lines above the first row; comments inside rows are questions and are written anew."""
    kept = [line for line in text.split("\n") if line.startswith("#")]
    return "\n".join([*kept, "", ""]) if kept else ""


def _text(row: Row, registry: Registry) -> str:
    asked = question(registry.config_path(row)) if registry.config_path(row).is_file() else None
    lines: list[str] = []
    for field in attrs.fields(Row):
        value = getattr(row, field.name)
        if value is None or (field.name not in ("module", "config", "verdict") and value == field.default):
            continue
        written = str(value).lower() if isinstance(value, bool) else str(value)
        comment = f"  # {asked}" if field.name == "config" and asked else ""
        lines.append(f"{'- ' if not lines else '  '}{_key(field.name)}: {written}{comment}")
    return "\n".join(lines) + "\n"
