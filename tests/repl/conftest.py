"""What the tests of the REPL start from: the folder they run in, and plugins of their own."""

from tests.repl.harness import given, inputs

__all__ = ["given", "inputs"]
