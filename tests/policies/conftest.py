"""The plugins of ``fixtures/plugins`` installed by pip, once for all tests that want them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.policies.plugin_files import PLUGINS

BUILD = (sys.executable, str(Path(__file__).with_name("build_wheels.py")))
PIP = (
    *(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"),
    *("--no-index", "--no-deps", "--no-compile"),
)
WAIT = 300


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for PYTHONPATH into which pip installed every plugin, without any network."""
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent  # the workers share it
    folder, done = base / "plugins", base / "plugins-installed"
    try:
        folder.mkdir()
    except FileExistsError:
        until = time.monotonic() + WAIT
        while not done.exists() and time.monotonic() < until:
            time.sleep(0.05)
        if not done.exists():
            pytest.fail("another worker could not install the plugins")
        return folder
    _install(folder, base / "plugin-sources", base / "plugin-wheels")
    done.touch()
    return folder


def _install(folder: Path, sources: Path, wheels: Path) -> None:
    """Install from a copy, since a build leaves files beside its sources."""
    shutil.copytree(PLUGINS, sources, ignore=shutil.ignore_patterns("__pycache__"))
    _run(*BUILD, str(sources), str(wheels))
    _run(*PIP, "--target", str(folder), *map(str, sorted(wheels.glob("*.whl"))))


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=WAIT)
    assert done.returncode == 0, done.stderr
