"""Models of the modules of this folder, and TLC as the second opinion."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.tla.config import parse_config
from conformance.tla.model import Model

MODULES = Path(__file__).parent / "modules"

POLLS = """
SPECIFICATION Spec
CONSTANTS Poll = {p1, p2} Task = {t1, t2} Host = {h1} Partition = {q1} Generation = {0, 1}
INVARIANTS TypeOK WaitingIsRegisteredInv TakenOnceInv
PROPERTIES GenerationGrowsProp Eventually
"""

Write = Callable[..., Model]


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Trees are cached for this run of the tests only."""
    folder = tmp_path_factory.mktemp("trees")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CONFORM_CACHE", str(folder))
        yield folder


@pytest.fixture(scope="session")
def polls(tools: None, cache: Path) -> Model:
    return Model.load(MODULES / "Polls.tla", parse_config(POLLS))


@pytest.fixture
def write(tools: None, tmp_path: Path) -> Write:
    """A model of a module whose body is given; more modules by name."""

    def make(body: str, config: str = "", *, constants: dict[str, Any] | None = None, **others: str) -> Model:
        for name, text in {"Here": body, **others}.items():
            bar = "-" * 20
            (tmp_path / f"{name}.tla").write_text(f"{bar} MODULE {name} {bar}\n{text}\n====\n", encoding="utf-8")
        return Model.load(tmp_path / "Here.tla", parse_config(config), constants=constants)

    return make
