"""What all tests share: where the real logs are, and whether to rewrite transcripts."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("XCE_DATA") or ROOT.parent / "shared" / "data")


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
