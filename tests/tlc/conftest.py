"""Runs of TLC that several tests look at are made once."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance.tla.tlc import Verdict, run

MODULES = Path(__file__).parent / "modules"

Check = Callable[..., Verdict]


@pytest.fixture(scope="session")
def modules() -> Path:
    return MODULES


@pytest.fixture(scope="session")
def check(tools: None, tmp_path_factory: pytest.TempPathFactory) -> Check:
    """Check a module of this folder against the text of a cfg; the same question is asked only once."""
    known: dict[Any, Verdict] = {}

    def ask(module: str, config: str, **options: Any) -> Verdict:
        key = (module, config, repr(sorted(options.items())))
        if key not in known:
            path = tmp_path_factory.mktemp("cfg") / f"{module}.cfg"
            path.write_text(config, encoding="utf-8")
            known[key] = run(MODULES / f"{module}.tla", path, **{"timeout_s": 60, "heap_mb": 256, **options})
        return known[key]

    return ask
