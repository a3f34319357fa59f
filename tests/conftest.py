"""What all tests share: where the real logs are, and whether to rewrite transcripts."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("XCE_DATA") or ROOT.parent / "shared" / "data")

# Machines are slow at times. The gate tries the same examples each time; elsewhere new ones
# are tried in every run, and what they find becomes a test.
settings.register_profile("anywhere", deadline=None)
settings.register_profile("gate", deadline=None, derandomize=True)
settings.load_profile("gate" if os.environ.get("CI") else "anywhere")


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--regenerate`, for the tests that compare with a stored transcript."""
    parser.addoption(
        "--regenerate",
        action="store_true",
        help="write the stored transcripts anew from what the program prints now",
    )


@pytest.fixture(scope="session")
def regenerate(request: pytest.FixtureRequest) -> bool:
    """Whether stored transcripts are to be written instead of compared."""
    return bool(request.config.getoption("--regenerate"))


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return ROOT


@pytest.fixture(scope="session")
def data() -> Callable[[str], Path]:
    """Finds a real log by its path below $XCE_DATA; skips the test if it is not there."""

    def find(name: str) -> Path:
        path = DATA / name
        if not path.exists():
            pytest.skip(f"no {name} in {DATA}: set XCE_DATA to the folder of the real logs")
        return path

    return find
