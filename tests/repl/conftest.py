"""The folder in which the tests of the REPL run."""

from tests.repl.harness import inputs

__all__ = ["inputs"]
